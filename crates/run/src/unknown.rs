//! Sources without patterns: warns once for each source, and says which source may be meant and what to do.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::Library;
use crate::observer::{Observer, WarningKind};
use dehusk_corpus::InputFile;

/// Number of unknown sources for which a similar name is searched. There can be a million, and only the first warnings
/// are printed.
const SEARCHED: usize = 20;

/// The sources of a run that have no pattern file.
pub struct UnknownSources<'a> {
    library: &'a Library,
    files: &'a [InputFile],
    /// The sources that the observer was told about.
    told: Mutex<BTreeSet<String>>,
}

impl<'a> UnknownSources<'a> {
    /// Starts without unknown sources. The documents are in `files`.
    pub fn new(library: &'a Library, files: &'a [InputFile]) -> UnknownSources<'a> {
        UnknownSources { library, files, told: Mutex::default() }
    }

    /// Tells the observer that this source has no pattern file, once per source. `what` says what is done instead.
    pub fn tell(&self, source: &str, what: &str, observer: &dyn Observer) {
        let told = {
            let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
            if told.contains(source) {
                return;
            }
            told.insert(source.to_owned());
            told.len()
        };
        let message = if told <= SEARCHED {
            format!("{}; {what}{}", self.library.lacks(source), self.remedy(source).unwrap_or_default())
        } else {
            format!("there is no pattern file for source '{source}'; {what}")
        };
        observer.warn(WarningKind::NoPatterns, &message);
    }

    /// Explains that a file was named alone, so that the name of its folder became its source, and says what to do.
    /// `None` if no file has this source for that reason.
    fn remedy(&self, source: &str) -> Option<String> {
        let file = self.files.iter().find(|file| file.is_named_after_its_folder(source))?;
        let path = file.path();
        let remedy = match (self.folder_above(&path), self.only_source()) {
            (Some((above, source)), _) => format!("name {above:?} instead, where its source is '{source}'"),
            (None, Some(only)) => {
                format!("if it is of '{only}', the only source with patterns, put it into a folder of this name")
            }
            (None, None) => "put it into a folder that is named after its source".to_owned(),
        };
        Some(format!("; {path:?} was named alone, so its folder names its source: {remedy}"))
    }

    /// Finds an outer folder of the file that is named after a source with patterns. Returns the folder around it, and
    /// the source.
    fn folder_above(&self, path: &Path) -> Option<(PathBuf, String)> {
        let path = fs::canonicalize(path).ok()?;
        path.ancestors().skip(2).find_map(|folder| {
            let source = folder.file_name()?.to_str().filter(|name| self.library.has_file(name))?;
            Some((folder.parent()?.to_owned(), source.to_owned()))
        })
    }

    fn only_source(&self) -> Option<&str> {
        let mut own = self.library.own_sources();
        own.next().filter(|_| own.next().is_none())
    }
}
