//! Paths of outputs, as values of flags.

use std::ffi::OsStr;
use std::path::{PathBuf, is_separator};

use clap::builder::{PathBufValueParser, TypedValueParser};

use dehusk_corpus::FileKind;

/// Parses a path of an output that cannot go to stdout.
pub fn path_to_write() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| match path.to_str() {
        Some("-") => Err("this output cannot go to stdout: give a path (./- for a file that is named -)"),
        _ => Ok(path),
    })
}

/// Parses the path of a folder for an output that cannot go to stdout.
pub fn folder_to_write() -> impl TypedValueParser<Value = PathBuf> {
    path_to_write().try_map(|path| refuse_file_name(path, ""))
}

/// Parses the path of a folder for documents, or `-` for stdout.
pub fn folder_or_stdout() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| refuse_file_name(path, "; `-o - > FILE` writes JSONL to a file"))
}

/// Refuses a device or a pipe. Also refuses the name of a file, unless it is an existing folder: a user who gives such
/// a name expects a file. `other` is the end of the message.
fn refuse_file_name(path: PathBuf, other: &str) -> Result<PathBuf, String> {
    let is_known = |extension: &OsStr| ["yaml", "yml"].iter().any(|known| extension == *known);
    let is_of_file = FileKind::of(&path).is_some() || path.extension().is_some_and(is_known);
    let is_of_folder = path.as_os_str().as_encoded_bytes().last().is_some_and(|&last| is_separator(last.into()));
    match std::fs::metadata(&path) {
        Ok(found) if !found.is_dir() && !found.is_file() => {
            Err(format!("this is a device or a pipe, and a folder is written: name a folder{other}"))
        }
        Ok(found) if found.is_dir() => Ok(path),
        _ if is_of_file && !is_of_folder => {
            Err(format!("this is the name of a file, and a folder is written: name a folder, or end it with /{other}"))
        }
        _ => Ok(path),
    }
}
