//! The files that a command line names to be read.

use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches, Command};

use dehusk_corpus::Reads;
use dehusk_run::library::pattern_files;

use super::config::is_path;

/// The flags whose paths are written. All other paths are read.
const WRITTEN: [&str; 6] = ["output", "report", "candidates", "plot", "state", "draw"];
/// The flag of pattern files. Nothing else in their folder is read, so other files may be written there.
const PATTERNS: &str = "patterns";

/// The files and folders on a command line that are read, and the file with its settings.
pub fn reads(command: &Command, matches: &ArgMatches, settings: Option<&Path>) -> Reads {
    let mut paths: Vec<PathBuf> = settings.map(Path::to_owned).into_iter().collect();
    let (mut command, mut matches) = (Some(command), Some(matches));
    while let Some((inner, given)) = command.zip(matches) {
        let read = inner.get_arguments().filter(|argument| is_path(argument) && !is_written(argument));
        read.for_each(|argument| paths.extend(paths_of(argument, given)));
        let below = given.subcommand();
        command = below.and_then(|(name, _)| inner.find_subcommand(name));
        matches = below.map(|(_, given)| given);
    }
    Reads::nothing().files(paths)
}

fn is_written(argument: &Arg) -> bool {
    !argument.is_positional() && WRITTEN.contains(&argument.get_id().as_str())
}

fn paths_of(argument: &Arg, matches: &ArgMatches) -> Vec<PathBuf> {
    let id = argument.get_id().as_str();
    let given = matches.try_get_raw(id).ok().flatten().into_iter().flatten().map(PathBuf::from);
    match id {
        // Pattern files that cannot be read are reported when they are loaded.
        PATTERNS => given.flat_map(|path| pattern_files(&path).unwrap_or_default()).collect(),
        _ => given.collect(),
    }
}
