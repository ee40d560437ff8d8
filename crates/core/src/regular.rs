//! Opens files that are regular files.
//!
//! Something else may take the place of a file after it is found and before it is opened: a named pipe, on which
//! opening or reading would wait for ever, or a device, which may have no end. So a file is opened without waiting, and
//! the kind of the open file is checked.

use std::fs::{self, File, FileType, OpenOptions};
use std::io;
use std::path::Path;

/// Opens the file at `path` to read it.
///
/// # Errors
/// If it cannot be opened, or is not a regular file.
pub fn open(path: &Path) -> io::Result<File> {
    open_with(path, File::options().read(true))
}

/// Opens the file at `path`.
///
/// # Errors
/// If it cannot be opened, or is not a regular file.
pub fn open_with(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(options, libc::O_NONBLOCK);
    // A socket cannot be opened at all, and the error does not say that it is one.
    let unopened =
        |error| fs::metadata(path).map_or(Ok(()), |found| refuse_others(found.file_type())).err().unwrap_or(error);
    let file = options.open(path).map_err(unopened)?;
    refuse_others(file.metadata()?.file_type())?;
    Ok(file)
}

fn refuse_others(kind: FileType) -> io::Result<()> {
    if kind.is_file() {
        return Ok(());
    }
    let message = format!("it is not a regular file, but {}: move it elsewhere", name_of(kind));
    Err(io::Error::new(io::ErrorKind::InvalidInput, message))
}

fn name_of(kind: FileType) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_fifo() {
            return "a named pipe";
        }
        if kind.is_socket() {
            return "a socket";
        }
    }
    if kind.is_dir() { "a folder" } else { "a device" }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_are_opened_and_nothing_is_waited_for() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let [file, link, pipe, socket] = ["file", "link", "pipe", "socket"].map(|name| folder.path().join(name));
        fs::write(&file, "text").expect("written");
        std::os::unix::fs::symlink(&file, &link).expect("a link");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs").success());
        let _listener = std::os::unix::net::UnixListener::bind(&socket).expect("a socket");
        for path in [&file, &link] {
            assert_eq!(io::read_to_string(open(path).expect("a file")).expect("text"), "text");
        }
        let others = [&*pipe, &socket, folder.path(), Path::new("/dev/null")].map(|path| {
            let told = |error: io::Error| error.to_string();
            let written = open_with(path, File::options().read(true).write(true).create(true)).map_err(told);
            let read = open(path).map_err(told).expect_err("refused");
            // A folder is not opened for writing, whatever is asked.
            assert!(path.is_dir() || written.expect_err("refused") == read);
            read
        });
        let kinds = ["a named pipe", "a socket", "a folder", "a device"];
        assert_eq!(others, kinds.map(|kind| format!("it is not a regular file, but {kind}: move it elsewhere")));
        let gone = open(&folder.path().join("gone")).expect_err("it is not there");
        assert_eq!(gone.kind(), io::ErrorKind::NotFound);
    }
}
