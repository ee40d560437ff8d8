//! A glob that selects files.
//!
//! Takes the glob that a person wrote, such as `corpus/*/2024-*.html`. Knows the folder at its fixed beginning, and
//! which files below this folder match. `*` and `?` stay within a folder, `**` crosses folders.

use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};

/// The files that match a glob.
#[derive(Debug)]
pub(crate) struct FileGlob {
    root: PathBuf,
    file: GlobMatcher,
    /// For each depth below the root, the matcher of the folders that lead to matching files, as far as the glob
    /// determines it.
    folders: Vec<GlobMatcher>,
    /// The depth of the files below the root. `None` if they can be at any depth.
    depth: Option<usize>,
}

impl FileGlob {
    /// Whether `path` has characters with a meaning in globs.
    pub(crate) fn is_glob(path: &Path) -> bool {
        path.to_str().is_some_and(has_wildcard)
    }

    /// Parses the glob that was written as a `path`. The error says what is wrong with it.
    pub(crate) fn parse(path: &Path) -> Result<FileGlob, String> {
        let written = path.to_str().unwrap_or_default();
        let parts: Vec<&str> = written.split(std::path::is_separator).collect();
        let fixed = parts.iter().take_while(|part| !has_wildcard(part)).count();
        let start = parts[..fixed].iter().map(|part| part.len() + 1).sum();
        let (root, pattern) = written.split_at_checked(start).unwrap_or((written, ""));
        let folders: Vec<GlobMatcher> = known_folders(&parts[fixed..]);
        let depth = parts.len() - fixed;
        Ok(FileGlob {
            root: folder_named(root),
            file: matcher(pattern)?,
            // The last part matches files.
            depth: (folders.len() == depth).then_some(depth),
            folders,
        })
    }

    /// The folder to search.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The depth of the files below the root. `None` if they can be at any depth.
    pub(crate) fn depth(&self) -> Option<usize> {
        self.depth
    }

    /// Whether the file at `relative` matches.
    pub(crate) fn names(&self, relative: &Path) -> bool {
        self.file.is_match(relative)
    }

    /// Whether files below the folder at `relative` can match.
    pub(crate) fn leads_into(&self, relative: &Path) -> bool {
        match (self.folders.get(relative.iter().count() - 1), self.depth) {
            (Some(folder), _) => folder.is_match(relative),
            (None, depth) => depth.is_none(),
        }
    }
}

/// The folder at the start of a path, without the separator after it.
fn folder_named(beginning: &str) -> PathBuf {
    if beginning.is_empty() { PathBuf::from(".") } else { Path::new(beginning).components().collect() }
}

/// The matchers for the first depths: one for each leading part of the glob, while each part matches exactly 1 level.
/// If all parts do, the last matcher is that of the files.
fn known_folders(parts: &[&str]) -> Vec<GlobMatcher> {
    let one_level = parts.iter().take_while(|part| {
        // A brace that is opened in one part and closed in another can match a different number of levels.
        !part.contains("**") && part.matches('{').count() == part.matches('}').count()
    });
    (1..=one_level.count()).map_while(|count| matcher(&parts[..count].join("/")).ok()).collect()
}

fn matcher(pattern: &str) -> Result<GlobMatcher, String> {
    let glob = GlobBuilder::new(pattern).literal_separator(true).build();
    glob.map(|glob| glob.compile_matcher()).map_err(|error| error.kind().to_string())
}

fn has_wildcard(text: &str) -> bool {
    text.contains(['*', '?', '[', '{'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn glob(written: &str) -> FileGlob {
        FileGlob::parse(Path::new(written)).expect(written)
    }

    #[test]
    fn the_fixed_beginning_is_the_root() {
        let cases = [
            ("corpus/*.txt", "corpus", Some(1)),
            ("/data/c/*/x.txt", "/data/c", Some(2)),
            ("/*.txt", "/", Some(1)),
            ("*.txt", ".", Some(1)),
            ("a/../b/{x,y}/?.txt", "a/../b", Some(2)),
            ("a/**/*.txt", "a", None),
            ("a/{b,c/d}/*.txt", "a", None),
        ];
        for (written, root, depth) in cases {
            assert_eq!((glob(written).root(), glob(written).depth()), (Path::new(root), depth), "{written}");
        }
    }

    #[test]
    fn one_star_stays_within_a_folder_and_two_cross_them() {
        let names = |written: &str, path: &str| glob(written).names(Path::new(path));
        assert!(names("c/*.txt", "x.txt") && !names("c/*.txt", "a/x.txt"));
        assert!(names("c/**/*.txt", "x.txt") && names("c/**/*.txt", "a/b/x.txt"));
        assert!(names("c/{a,b/c}/?.txt", "b/c/x.txt") && !names("c/{a,b/c}/?.txt", "b/x.txt"));
        assert!(names("c/[!a]*/**", "b/x.txt") && !names("c/[!a]*/**", "a/x.txt"));
    }

    #[test]
    fn folders_that_lead_nowhere_are_not_entered() {
        let leads = |written: &str, path: &str| glob(written).leads_into(Path::new(path));
        assert!(leads("c/a*/*/x.txt", "a1") && leads("c/a*/*/x.txt", "a1/b") && !leads("c/a*/*/x.txt", "b"));
        assert!(leads("c/a*/**/x.txt", "a1/b/c/d") && !leads("c/a*/**/x.txt", "b"));
        assert!(leads("c/{a,b/c}/x.txt", "b") && leads("c/**", "a/b"));
        assert!(!leads("c/*/x.txt", "a/b"));
    }

    #[test]
    fn what_is_no_glob_says_why() {
        let error = FileGlob::parse(Path::new("c/[a")).expect_err("no glob");
        assert!(error.contains("unclosed character class"), "{error}");
        assert!(FileGlob::is_glob(Path::new("c/{a")) && !FileGlob::is_glob(Path::new("c/a")));
    }
}
