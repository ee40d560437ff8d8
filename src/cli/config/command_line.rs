//! Reads a command line that may be incomplete: a file with settings may give flags that it lacks.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::OsStringValueParser;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};

use super::is_path;

/// A command line as far as it can be understood.
#[derive(Debug)]
pub struct CommandLine {
    /// The names of the command and its subcommands.
    pub command: Vec<String>,
    /// The index of the first argument after these names.
    pub at: usize,
    /// The ids of the flags and arguments that are given.
    pub flags: Vec<String>,
    /// The paths that are not values of flags: a corpus, documents, folders of patterns.
    pub paths: Vec<PathBuf>,
    pub config: Option<PathBuf>,
    pub no_config: bool,
}

impl CommandLine {
    /// Reads a command line. `None` if it asks for help, or names no command.
    pub fn read(command: &Command, arguments: &[OsString]) -> Option<CommandLine> {
        let lenient = lenient(command.clone());
        let matches = lenient.clone().try_get_matches_from(arguments).ok()?;
        let (names, matches) = innermost(&matches);
        // Finds where the names end: it parses longer and longer beginnings, because the value of a flag may look like
        // a command.
        let is_named = |at: &usize| {
            let matches = lenient.clone().try_get_matches_from(&arguments[..*at]);
            matches.is_ok_and(|matches| innermost(&matches).0 == names)
        };
        let at = (1..=arguments.len()).find(is_named).filter(|_| !names.is_empty())?;

        let mut built = command.clone();
        built.build();
        let inner = names.iter().try_fold(&built, |command, name| command.find_subcommand(name))?;

        let is_given =
            |argument: &&Arg| matches.value_source(argument.get_id().as_str()) == Some(ValueSource::CommandLine);
        let given: Vec<&Arg> = inner.get_arguments().filter(is_given).collect();
        let value = |argument: &Arg| matches.get_raw(argument.get_id().as_str())?.next().map(PathBuf::from);
        let of = |name: &str| given.iter().find(|argument| argument.get_long() == Some(name));
        let paths = given.iter().filter(|argument| argument.is_positional() && is_path(argument));
        let all = |argument: &&Arg| matches.get_raw(argument.get_id().as_str()).into_iter().flatten();

        Some(CommandLine {
            at,
            flags: given.iter().map(|argument| argument.get_id().to_string()).collect(),
            paths: paths.flat_map(all).map(PathBuf::from).collect(),
            config: of("config").and_then(|argument| value(argument)),
            no_config: of("no-config").is_some(),
            command: names,
        })
    }
}

/// The command, changed so that it accepts wrong and missing arguments. It parses no values, because parsing may read a
/// file that can be read only once.
fn lenient(command: Command) -> Command {
    let raw = |argument: Arg| match argument.get_action().takes_values() {
        true => argument.value_parser(OsStringValueParser::new()),
        false => argument,
    };
    command.ignore_errors(true).mut_args(raw).mut_subcommands(lenient)
}

/// The names of the command and its subcommands, and the arguments of the last of them.
fn innermost(matches: &ArgMatches) -> (Vec<String>, &ArgMatches) {
    let (mut names, mut inner) = (Vec::new(), matches);
    while let Some((name, matches)) = inner.subcommand() {
        names.push(name.to_owned());
        inner = matches;
    }
    (names, inner)
}
