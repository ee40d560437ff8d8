//! "Did you mean": finds the known name that is most similar to an unknown one.

use std::fs;
use std::path::{Path, PathBuf};

use crate::write::target::folder_of;

/// Maximum number of mistakes ([`mistakes`]) between a missing name and a suggestion.
const MAX_MISTAKES: usize = 2;

/// The path in the same folder whose name is most similar to that of `missing`. `None` if all differ by more than 2
/// letters.
pub fn similar_path(missing: &Path) -> Option<PathBuf> {
    let wanted = missing.file_name()?.to_str()?;
    let names =
        fs::read_dir(folder_of(missing)).ok()?.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    similar_name(wanted, names).map(|name| missing.with_file_name(name))
}

/// The name that is most similar to `missing`. `None` if all differ by more than 2 letters.
pub fn similar_name<N: AsRef<str> + Ord>(missing: &str, names: impl IntoIterator<Item = N>) -> Option<N> {
    let in_any_case = |name: &str| mistakes(&missing.to_lowercase(), &name.to_lowercase());
    let nearest = names.into_iter().map(|name| (in_any_case(name.as_ref()), name)).min()?;
    // In a name of 2 letters, 2 mistakes would match any other. So at most half of the letters may differ.
    (nearest.0 <= MAX_MISTAKES.min(missing.chars().count() / 2)).then_some(nearest.1)
}

/// The source that the user may have meant by `missing`: a source of the same site, such as `example.com` for
/// `news.example.com` or the other way round, or else the source with the most similar name.
pub fn similar_source<'n>(missing: &str, sources: impl Iterator<Item = &'n str> + Clone) -> Option<&'n str> {
    let of_site = sources.clone().filter(|source| is_below(source, missing) || is_below(missing, source));
    let nearest = of_site.min_by_key(|source| (source.len().abs_diff(missing.len()), *source));
    nearest.or_else(|| similar_name(missing, sources))
}

/// Whether a host belongs to a domain. A name of one label, such as `com`, is not the domain of a site.
fn is_below(host: &str, domain: &str) -> bool {
    domain.contains('.') && host.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.'))
}

/// The edit distance (Levenshtein) of 2 names.
pub fn mistakes(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().collect();
    let mut row: Vec<usize> = (0..=a.len()).collect();
    for letter in b.chars() {
        let mut diagonal = row[0];
        row[0] += 1;
        for i in 0..a.len() {
            let replaced = diagonal + usize::from(a[i] != letter);
            diagonal = row[i + 1];
            row[i + 1] = replaced.min(row[i] + 1).min(diagonal + 1);
        }
    }
    row[a.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_mistakes() {
        let cases = [
            ("corpus", "corpus", 0),
            ("corpus", "corpsu", 2),
            ("corpus", "Corpsu", 3),
            ("corpus", "corpora", 3),
            ("", "abc", 3),
            ("abc", "", 3),
        ];
        for (a, b, expected) in cases {
            assert_eq!(mistakes(a, b), expected, "{a} {b}");
        }
    }

    #[test]
    fn the_case_of_a_name_is_no_mistake() {
        assert_eq!(similar_name("corpus", ["CORPSU", "copy"]), Some("CORPSU"));
    }

    #[test]
    fn suggests_a_source_of_the_same_site_before_one_that_looks_alike() {
        let near =
            |missing| similar_source(missing, ["bide.example", "news.tide.example", "tide", "x.org"].into_iter());
        assert_eq!(near("tide.example"), Some("news.tide.example"));
        assert_eq!(near("www.x.org"), Some("x.org"));
        assert_eq!(near("bide.exemple"), Some("bide.example"));
        assert_eq!([near("gale.tide"), near("wold")], [None; 2]);
    }

    #[test]
    fn suggests_a_sibling_that_looks_alike() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::create_dir(folder.path().join("articles")).expect("a folder");
        assert_eq!(similar_path(&folder.path().join("artcles")), Some(folder.path().join("articles")));
        assert_eq!(similar_path(&folder.path().join("pages")), None);
    }
}
