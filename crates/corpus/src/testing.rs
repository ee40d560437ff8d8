//! Folders of documents for tests.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::TempDir;

use crate::formats::keys_found::KeysFound;
use crate::formats::records::Container;
use crate::{Inventory, ReadOptions, ScanError};

/// Creates a temporary folder with these files.
pub(crate) fn tree(files: &[(&str, &[u8])]) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (path, bytes) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        fs::write(path, bytes).expect("a file");
    }
    folder
}

/// Scans these paths below `folder`.
pub(crate) fn scan(folder: &TempDir, roots: &[&str]) -> Result<Inventory, ScanError> {
    let roots: Vec<PathBuf> = roots.iter().map(|root| folder.path().join(root)).collect();
    Inventory::scan(&roots, &ReadOptions::default())
}

/// Scans this path below `folder`. The scan must succeed.
pub(crate) fn inventory(folder: &TempDir, root: &str) -> Inventory {
    match scan(folder, &[root]) {
        Ok(inventory) => inventory,
        Err(error) => panic!("{error}"),
    }
}

/// A message without the path of the temporary folder.
pub(crate) fn plain(folder: &TempDir, message: impl ToString) -> String {
    let path = folder.path().to_string_lossy().into_owned();
    message.to_string().replace(&format!("{path}/"), "")
}

/// A file with many documents that is not in the folder of a source.
pub(crate) fn container(path: &str, options: ReadOptions) -> Arc<Container> {
    let (name, folder) = (path.to_owned(), None);
    let keys_found = Arc::new(KeysFound::new(&options.keys));
    Arc::new(Container { path: Path::new(path).into(), name, folder, options: Arc::new(options), keys_found })
}
