//! The files that a command line names to be read.

use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches, Command};

use dehusk_corpus::Reads;

use super::config::is_path;

/// The flags whose paths are written. All other paths are read.
const WRITTEN: [&str; 6] = ["output", "report", "candidates", "plot", "state", "draw"];
/// The flag of pattern files. Nothing else in their folder is read, so other files may be written there.
const PATTERNS: &str = "patterns";

/// The files and folders on a command line that are read, and the file with its settings.
pub fn reads(command: &Command, matches: &ArgMatches, settings: Option<&Path>) -> Reads {
    let mut reads = Reads::nothing().files(settings);
    let (mut command, mut matches) = (Some(command), Some(matches));
    while let Some((inner, given)) = command.zip(matches) {
        let read = inner.get_arguments().filter(|argument| is_path(argument) && !is_written(argument));
        reads = read.fold(reads, |reads, argument| with_paths_of(reads, argument, given));
        let below = given.subcommand();
        command = below.and_then(|(name, _)| inner.find_subcommand(name));
        matches = below.map(|(_, given)| given);
    }
    reads
}

fn is_written(argument: &Arg) -> bool {
    !argument.is_positional() && WRITTEN.contains(&argument.get_id().as_str())
}

fn with_paths_of(reads: Reads, argument: &Arg, matches: &ArgMatches) -> Reads {
    let id = argument.get_id().as_str();
    let given = matches.try_get_raw(id).ok().flatten().into_iter().flatten().map(PathBuf::from);
    let (folders, others): (Vec<PathBuf>, Vec<PathBuf>) = given.partition(|path| id == PATTERNS && path.is_dir());
    folders.iter().fold(reads.files(others), |reads, folder| reads.files_in(folder, "yaml"))
}
