//! Which flags a file with settings may set. A corpus from elsewhere may contain such a file, and it is used although
//! the user did not name it. So it may set only how documents are read, mined and cleaned. It may not set which files
//! are read, written, overwritten or deleted, what is printed, or how much of the machine is used.
//!
//! [`OF_ANYBODY`] lists all flags that such a file may set. All other flags, including new ones, need a trusted file.

use std::env;
use std::io;
use std::path::{Path, PathBuf};

use dehusk_corpus::folder_of;

/// Flags that a file may set even if it came with a corpus. None of them takes a path, which a test checks.
const OF_ANYBODY: [&str; 40] = [
    // How documents are read.
    "alt-text",
    "html",
    "html-key",
    "id-key",
    "max-document",
    "source-by",
    "source-key",
    "text-key",
    "url-key",
    // How sources are mined.
    "all-patterns",
    "cutoff",
    "min-documents",
    "min-share",
    "min-words",
    "mutable-preset",
    "near-duplicates",
    "no-slots",
    "sample",
    "tokenizer",
    // How streams learn.
    "block-share",
    "evidence-documents",
    "lifetime",
    "lifetime-factor",
    "template-documents",
    // How documents are cleaned and divided.
    "byline",
    "comments",
    "favor",
    "headline",
    "lambda",
    "max-errors",
    "max-removed",
    "merge-gap",
    "method",
    "no-structure",
    "on-error",
    "only",
    "recurrence-alone",
    "replacement",
    "second-filter",
    "span-units",
];

/// A flag that allows overwriting. Even the user's own file may set it only if the command line names the file.
const ONLY_IF_NAMED: &str = "force";

/// Who wrote a file with settings, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// The user, who named it with `--config`.
    Named,
    /// The user, because the file is in the current folder or above it, and not in a folder that the command line
    /// names.
    Own,
    /// Anybody: it may have come with a corpus.
    Found,
}

impl Trust {
    /// How far to trust a file that was found, not named with `--config`. `given` are the paths on the command line.
    pub fn of_found(file: &Path, given: &[PathBuf]) -> Trust {
        let is_own = || -> io::Result<bool> {
            let folder = folder_of(file).canonicalize()?;
            let mut holders = given.iter().filter_map(|path| existing(path).canonicalize().ok());
            let is_inside = holders.any(|holder| folder.starts_with(holder));
            Ok(!is_inside && env::current_dir()?.canonicalize()?.starts_with(&folder))
        };
        // If this cannot be found out, the file is not trusted.
        if is_own().unwrap_or(false) { Trust::Own } else { Trust::Found }
    }

    /// Why a file may not set this flag. `None` if it may.
    pub fn refusal(self, flag: &str, file: &Path) -> Option<String> {
        match self {
            Trust::Named => None,
            _ if flag == ONLY_IF_NAMED => {
                Some(format!("{flag:?} counts only on the command line, or in a file that --config names"))
            }
            Trust::Own => None,
            Trust::Found if OF_ANYBODY.contains(&flag) => None,
            Trust::Found => Some(format!(
                "{flag:?} is more than a file may set that can have come with the corpus: give --{flag} on the command \
                 line, or trust this file with --config {file:?}"
            )),
        }
    }
}

/// The path itself. For a glob, the nearest existing folder above it.
fn existing(path: &Path) -> &Path {
    if path.exists() || !path.to_string_lossy().contains(['*', '?', '[', '{']) {
        return path;
    }
    let nearest = path.ancestors().find(|path| path.exists());
    nearest.unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::{Command, CommandFactory};

    use super::super::{NEVER, is_path};
    use super::*;
    use crate::cli::Cli;

    /// Flags that only a trusted file may set. Only this test uses the list. Whoever adds a flag adds it here or to
    /// [`OF_ANYBODY`], and so decides whether a corpus from elsewhere may set it.
    const OF_THE_USER: &str = "
        all allow-private block-model boxes candidates color contact context counts decision-model delay depth documents draw
        exit-code feed feeds files-from find-feeds fix follow-links force format from-state gold half held-segments
        importance-model json learn-only limit line links max-bytes max-documents max-pages max-segments memory min-level
        model mutable no-learn no-open offsite output page-model page-size pattern patterns per-host per-source poll port
        proposed prune quiet regex report report-documents report-patterns resolve restart resume retry segment-model since sitemaps skip source spans
        state stdout threads timeout to urls verbose verify warc-size watch worst
    ";

    /// All flags of a command and its subcommands: the name, and whether the value is a path.
    fn flags(command: &Command) -> Vec<(String, bool)> {
        let own = command.get_arguments().filter_map(|flag| Some((flag.get_long()?.to_owned(), is_path(flag))));
        own.chain(command.get_subcommands().filter(|below| !below.is_hide_set()).flat_map(flags)).collect()
    }

    #[test]
    fn it_is_decided_for_every_flag_whether_a_corpus_may_set_it() {
        let mut command = Cli::command();
        command.build();
        let flags = flags(&command);
        let names = |names: &mut dyn Iterator<Item = &str>| names.map(str::to_owned).collect::<BTreeSet<String>>();
        let (anybody, user) = (names(&mut OF_ANYBODY.into_iter()), names(&mut OF_THE_USER.split_whitespace()));
        let all = names(&mut flags.iter().map(|(name, _)| name.as_str()).filter(|name| !NEVER.contains(name)));
        let decided: BTreeSet<String> = anybody.union(&user).cloned().collect();
        let undecided: Vec<&String> = all.difference(&decided).collect();
        assert!(undecided.is_empty(), "add to a list: {undecided:?}");
        if cfg!(feature = "dist") {
            assert_eq!(decided.difference(&all).collect::<Vec<_>>(), Vec::<&String>::new(), "no such flags");
        }
        assert_eq!(anybody.intersection(&user).collect::<Vec<_>>(), Vec::<&String>::new(), "in both lists");
        let paths: Vec<&(String, bool)> =
            flags.iter().filter(|(name, is_path)| *is_path && anybody.contains(name)).collect();
        assert!(paths.is_empty(), "these name files: {paths:?}");
    }

    #[test]
    fn a_file_in_a_folder_that_is_given_is_not_trusted() {
        let current = env::current_dir().expect("a folder");
        let trust = |file: &str, given: &[&str]| {
            let given: Vec<PathBuf> = given.iter().map(PathBuf::from).collect();
            Trust::of_found(Path::new(file), &given)
        };
        assert_eq!(trust("dehusk.toml", &[]), Trust::Own);
        assert_eq!(trust("dehusk.toml", &["corpora/news", "nowhere"]), Trust::Own);
        assert_eq!(Trust::of_found(&current.with_file_name("dehusk.toml"), &[PathBuf::from(".")]), Trust::Own);
        for given in [".", "corpora/..", "*/*.txt", "{corpora,docs}"] {
            assert_eq!(trust("dehusk.toml", &["corpora/news", given]), Trust::Found, "{given}");
        }
        assert_eq!(trust("corpora/dehusk.toml", &["corpora/news"]), Trust::Found);
        assert_eq!(trust("nowhere/dehusk.toml", &[]), Trust::Found);
    }
}
