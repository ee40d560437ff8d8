//! Finds the files at the paths that a user names.
//!
//! Takes the paths: folders, files, globs of files. Returns everything that was found there, or why the run cannot
//! start.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::find::content_kind::content_kind;
use crate::find::file_glob::FileGlob;
use crate::find::folder::{Findings, walk};
use crate::find::input_file::Root;
use crate::find::scan_error::ScanError;
use crate::suggest::similar_path;
use crate::{FileKind, InputFile, ReadOptions, Reason, Skipped};
use dehusk_core::regular;

/// Finds everything at or below `paths`.
pub(crate) fn look_at_all(paths: &[PathBuf], options: &ReadOptions) -> Result<Findings, ScanError> {
    let mut look = Look { options, findings: Findings::default(), folders: FxHashMap::default() };
    paths.iter().try_for_each(|path| look.at(path))?;
    Ok(look.findings)
}

struct Look<'a> {
    options: &'a ReadOptions,
    findings: Findings,
    /// The folders of single files. They are shared, because a list may have a million files in one folder.
    folders: FxHashMap<PathBuf, Arc<Root>>,
}

impl Look<'_> {
    fn at(&mut self, path: &Path) -> Result<(), ScanError> {
        if path == Path::new(InputFile::STDIN) {
            refuse_folder_on_stdin()?;
            self.findings.add_file(InputFile::stdin());
            return Ok(());
        }
        match fs::metadata(path) {
            Ok(found) if found.is_dir() => self.at_folder(path),
            Ok(found) if found.is_file() => self.at_file(path),
            Ok(_) => {
                self.findings.skip_input(Skipped::file(path, Reason::NotAFile));
                Ok(())
            }
            Err(error) if is_no_path(&error) && FileGlob::is_glob(path) => self.at_glob(path),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Err(ScanError::NotFound { suggestion: similar_path(path), path: path.to_owned() })
            }
            Err(error) => Err(ScanError::Unreadable { path: path.to_owned(), error }),
        }
    }

    fn at_folder(&mut self, path: &Path) -> Result<(), ScanError> {
        refuse_unreadable(path)?;
        self.findings.inputs.push(path.to_owned());
        walk(Root::whole(path), None, self.options, &mut self.findings);
        Ok(())
    }

    fn at_file(&mut self, path: &Path) -> Result<(), ScanError> {
        let by_content = || match path.extension() {
            None => content_kind(regular::open(path).ok()?),
            Some(_) => None,
        };
        let kind = FileKind::of(path).or_else(by_content).ok_or_else(|| ScanError::UnknownKind(path.to_owned()))?;
        match self.file(path, kind) {
            Ok(file) => self.findings.add_file(file),
            Err(reason) => self.findings.skip_input(Skipped::file(path, reason)),
        }
        Ok(())
    }

    /// A single file, treated as if it had been found in its folder.
    fn file(&mut self, path: &Path, kind: FileKind) -> Result<InputFile, Reason> {
        let folder = path.parent().unwrap_or(Path::new(""));
        let name = path.file_name().and_then(|name| name.to_str()).ok_or(Reason::NameNotUtf8)?;
        if !self.folders.contains_key(folder) {
            self.folders.insert(folder.to_owned(), Arc::new(Root::in_part(folder)));
        }
        InputFile::below(&self.folders[folder], name, kind, self.options)
    }

    fn at_glob(&mut self, path: &Path) -> Result<(), ScanError> {
        let bad_glob = |error| ScanError::BadGlob { path: path.to_owned(), error };
        let glob = FileGlob::parse(path).map_err(bad_glob)?;
        match fs::metadata(glob.root()) {
            Ok(found) if found.is_dir() => refuse_unreadable(glob.root())?,
            _ => return Err(ScanError::NotFound { suggestion: similar_path(glob.root()), path: path.to_owned() }),
        }
        let root = match glob.depth() {
            Some(_) => Root::in_part(glob.root()),
            // The glob matches files at any depth, so a later run could read output below the root as input. The root
            // counts as input, so that no output is written there.
            None => {
                self.findings.inputs.push(glob.root().to_owned());
                Root::whole(glob.root())
            }
        };
        let before = self.findings.count();
        walk(root, Some(&glob), self.options, &mut self.findings);
        if self.findings.count() > before { Ok(()) } else { Err(ScanError::NoMatch(path.to_owned())) }
    }
}

/// Whether the error means that the path does not exist or cannot exist. A glob can be such a path: Windows allows no
/// wildcards in names, and a long glob may be longer than a name can be.
fn is_no_path(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::InvalidFilename)
}

/// Fails if standard input is a folder. The shell can open a folder, but nothing can be read from it.
fn refuse_folder_on_stdin() -> Result<(), ScanError> {
    if !fs::metadata("/dev/stdin").is_ok_and(|found| found.is_dir()) {
        return Ok(());
    }
    let error = io::Error::new(ErrorKind::IsADirectory, "it is a folder: give its path");
    Err(ScanError::Unreadable { path: InputFile::STDIN.into(), error })
}

fn refuse_unreadable(folder: &Path) -> Result<(), ScanError> {
    let read = fs::read_dir(folder);
    read.map(drop).map_err(|error| ScanError::Unreadable { path: folder.to_owned(), error })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{inventory, plain, scan, tree};

    fn names(folder: &tempfile::TempDir, path: &str) -> Vec<String> {
        inventory(folder, path).files().iter().map(InputFile::name).collect()
    }

    fn error(folder: &tempfile::TempDir, path: &str) -> String {
        plain(folder, scan(folder, &[path]).expect_err(path))
    }

    fn corpus() -> tempfile::TempDir {
        tree(&[
            ("c/a/1.txt", b""),
            ("c/a/2.html", b""),
            ("c/a/deep/1.txt", b""),
            ("c/b/1.txt", b""),
            ("c/b/1.pdf", b""),
            ("c/_b/1.txt", b""),
            ("c/1.txt", b""),
            ("c/.hidden/1.txt", b""),
            ("c/all.jsonl", b""),
            ("c/b/lines.jsonl", b""),
        ])
    }

    #[test]
    fn files_that_a_glob_names_have_the_names_they_have_below_its_root() {
        let folder = corpus();
        assert_eq!(names(&folder, "c/*/1.*t"), ["a/1.txt", "b/1.txt"]);
        assert_eq!(names(&folder, "c/*.txt"), ["c/1.txt"]);
        assert_eq!(names(&folder, &format!("c/{{{}a}}/1.txt", "x,".repeat(150))), ["a/1.txt"]);
        assert_eq!(names(&folder, "c/a/*"), ["a/1.txt", "a/2.html"]);
        assert_eq!(names(&folder, "c/{a,b}/**/1.txt"), ["a/1.txt", "a/deep/1.txt", "b/1.txt"]);
        assert_eq!(names(&folder, "c/**/*.jsonl"), ["all.jsonl", "b/lines.jsonl"]);
        let named = inventory(&folder, "c/*/1.txt");
        let sources: Vec<_> = named.files().iter().map(|file| file.source().map(|source| source.as_str())).collect();
        assert_eq!(sources, [Some("a"), Some("b")]);
    }

    #[test]
    fn what_a_glob_does_not_name_is_not_spoken_of() {
        let folder = corpus();
        let inventory = inventory(&folder, "c/[ab]/*.txt");
        assert_eq!((inventory.skipped(), inventory.ignored().total()), (&[][..], 0));
        let inventory = scan(&folder, &["c/*/1.*"]).expect("files");
        assert_eq!(inventory.ignored().to_string(), "1 .pdf");
        assert!(inventory.skipped()[0].to_string().contains("_b"));
    }

    #[test]
    fn a_path_that_exists_is_no_glob() {
        let folder = tree(&[("c/[a]/x{1}.txt", b""), ("c/a/x1.txt", b"")]);
        assert_eq!(names(&folder, "c/[a]/x{1}.txt"), ["[a]/x{1}.txt"]);
        assert_eq!(names(&folder, "c/[a]"), ["[a]/x{1}.txt"]);
    }

    #[test]
    fn a_glob_that_names_nothing_is_an_error() {
        let folder = corpus();
        assert_eq!(
            error(&folder, "c/*.md"),
            r#"no file matches the glob "c/*.md": `*` stays within a folder, `**` crosses folders, and "x/**" is all below x"#
        );
        assert!(error(&folder, "c/.h*/*.txt").starts_with("no file matches"));
        assert_eq!(error(&folder, "d/*.md"), r#"cannot find "d/*.md""#);
        assert_eq!(error(&folder, "c/1.txt/*"), r#"cannot find "c/1.txt/*": did you mean "c/1.txt"?"#);
        assert_eq!(
            error(&folder, "c/[a"),
            r#"cannot find "c/[a", and it is not a valid glob: unclosed character class; missing ']'"#
        );
        assert!(error(&folder, "c/*/*.pdf").contains("found 1 .pdf"));
    }

    #[test]
    fn what_is_all_input_is_told_from_single_files() {
        let folder = corpus();
        let inputs = |paths: &[&str]| {
            let inventory = scan(&folder, paths).expect("files");
            inventory.inputs().map(|path| plain(&folder, path.display())).collect::<Vec<_>>()
        };
        assert_eq!(inputs(&["c"]), ["c"]);
        assert_eq!(inputs(&["c/**/*.txt"]), ["c"]);
        assert_eq!(inputs(&["c/a/1.txt", "c/b/*.txt"]), ["c/a/1.txt", "c/b/1.txt"]);
    }
}
