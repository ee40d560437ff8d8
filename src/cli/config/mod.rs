//! `dehusk.toml`: flags that need not be written on each command line.
//!
//! Takes the command line. Gives the command line with the flags of the file added, which clap then parses as if a
//! person had written all of it. The definitions of the flags alone determine which keys and values are valid.
//! `trust.rs` says which flags a file may set that came with a corpus.

mod command_line;
mod file;
mod trust;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::builder::Resettable;
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, Args, Command, ValueHint};

use dehusk_core::{regular, whole};
use dehusk_corpus::similar_name;

use command_line::CommandLine;
pub use file::ConfigError;
use file::{Key, Problem, Setting, Table, Value};
use trust::Trust;

/// Flags that no file can set.
const NEVER: [&str; 4] = ["config", "no-config", "help", "version"];
/// The commands that are about the program itself. They use no file with settings.
const WITHOUT: [&str; 3] = ["completions", "man", "schema"];

/// Which file with settings is used.
#[derive(Args, Clone, Debug)]
pub struct ConfigArgs {
    /// Take flags from this file [default: the nearest dehusk.toml]
    ///
    /// Flags that are not on the command line are taken from this file. By default it is the nearest `dehusk.toml`: in the
    /// folder of the first path, or above it; without a path, in the current folder, or above it. A file that can have come with a
    /// corpus sets only how documents are read, mined and cleaned.
    #[arg(
        long,
        global = true,
        value_name = "FILE",
        conflicts_with = "no_config",
        help_heading = "Global options",
        hide_short_help = true
    )]
    config: Option<PathBuf>,
    /// Use no dehusk.toml
    #[arg(long, global = true, help_heading = "Global options", hide_short_help = true)]
    no_config: bool,
}

/// The flags of a file that take effect.
#[derive(Debug)]
pub struct Config {
    path: PathBuf,
    /// The names of the command and its subcommands.
    command: Vec<String>,
    /// The index on the command line at which these names end.
    at: usize,
    /// The flags to insert there.
    flags: Vec<Flag>,
    /// Whether `--quiet` is on the command line itself, not only in the file.
    is_quiet: bool,
}

/// A flag with its values.
#[derive(Debug)]
struct Flag {
    id: String,
    is_global: bool,
    arguments: Vec<OsString>,
}

impl Config {
    /// The flags of the file that this command line uses. `None` if there is no file.
    pub fn of(command: &Command, arguments: &[OsString]) -> Result<Option<Config>, ConfigError> {
        let Some(line) = CommandLine::read(command, arguments) else { return Ok(None) };
        let Some((path, trust)) = path(&line) else { return Ok(None) };
        // A file that the user named may be a named pipe.
        let table = file::read(&path, if trust == Trust::Named { whole::open_named } else { regular::open })?;
        let mut command = command.clone();
        command.build();
        let reading = Reading { root: &command, line: &line, path: &path };
        let refuse = |(line, message)| ConfigError { path: path.clone(), line: Some(line), message };
        check(&table, &command, &|flag| trust.refusal(flag, &path)).map_err(refuse)?;
        let flags = reading.flags(&table).map_err(refuse)?;
        let is_quiet = line.flags.iter().any(|flag| flag == "quiet");
        Ok(Some(Config { path, command: line.command, at: line.at, flags, is_quiet }))
    }

    /// The command line with the flags of the file.
    pub fn extend(&self, mut arguments: Vec<OsString>) -> Vec<OsString> {
        arguments.splice(self.at..self.at, self.flags.iter().flat_map(|flag| flag.arguments.clone()));
        arguments
    }

    /// The command, in which the flags of the file do not require other flags. If a required flag is missing, such a
    /// flag has no effect.
    pub fn relax(&self, command: Command) -> Command {
        relaxed(command, &self.command, &self.flags)
    }

    /// The message that the file is used, with its flags. `None` if it has no flags for this command, or if `--quiet`
    /// is on the command line. `quiet` in the file does not hide the message.
    pub fn told(&self) -> Option<String> {
        let flags = self.flags.iter().flat_map(|flag| &flag.arguments);
        let flags: Vec<String> = flags.map(|flag| flag.to_string_lossy().into_owned()).collect();
        let told = || format!("using {}: {} (--no-config ignores it)", self.path.display(), flags.join(" "));
        (!flags.is_empty() && !self.is_quiet).then(told)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// The file to use, and how far it is trusted.
fn path(line: &CommandLine) -> Option<(PathBuf, Trust)> {
    if line.no_config || line.command.first().is_none_or(|command| WITHOUT.contains(&command.as_str())) {
        return None;
    }
    if let Some(named) = &line.config {
        return Some((named.clone(), Trust::Named));
    }
    let first = line.paths.first().filter(|path| *path != Path::new("-"));
    let found = file::find(first.map_or(Path::new(""), PathBuf::as_path))?;
    let trust = Trust::of_found(&found, &line.paths);
    Some((found, trust))
}

fn relaxed(command: Command, below: &[String], flags: &[Flag]) -> Command {
    match below {
        [first, others @ ..] => command.mut_subcommand(first, |command| relaxed(command, others, flags)),
        [] => flags.iter().filter(|flag| !flag.is_global).fold(command, |command, flag| {
            command.mut_arg(&flag.id, |argument| argument.requires(Resettable::<clap::Id>::Reset))
        }),
    }
}

/// Checks that all keys are known, that the file may set them, and that all values are of the right kind. This includes
/// the settings for other commands. `refusal` says why a flag may not be set.
fn check(table: &Table, command: &Command, refusal: &dyn Fn(&str) -> Option<String>) -> Result<(), Problem> {
    // A command that this program was built without has no flags to compare with.
    if command.is_hide_set() {
        return Ok(());
    }
    for Setting { key, value } in &table.settings {
        let flags = flags_named(&key.name, command);
        if flags.is_empty() || NEVER.contains(&key.name.as_str()) {
            return Err((key.line, unknown(key, command)));
        }
        if let Some(message) = refusal(&key.name) {
            return Err((key.line, message));
        }
        if !flags.iter().any(|flag| takes(flag, value)) {
            return Err((key.line, wanted(key, flags[0])));
        }
    }
    for (key, table) in &table.tables {
        let Some(below) = command.find_subcommand(&key.name) else { return Err((key.line, unknown(key, command))) };
        check(table, below, refusal)?;
    }
    Ok(())
}

/// The flags with this name, of a command and its subcommands.
fn flags_named<'a>(name: &str, command: &'a Command) -> Vec<&'a Arg> {
    let own = command.get_arguments().filter(|argument| argument.get_long() == Some(name));
    own.chain(command.get_subcommands().flat_map(|below| flags_named(name, below))).collect()
}

fn takes(flag: &Arg, value: &Value) -> bool {
    match value {
        Value::Switch(_) => is_switch(flag),
        Value::Values(values) => {
            !is_switch(flag) && (values.len() == 1 || matches!(flag.get_action(), ArgAction::Append))
        }
    }
}

fn is_switch(flag: &Arg) -> bool {
    !flag.get_action().takes_values()
}

fn wanted(key: &Key, flag: &Arg) -> String {
    let wanted = match flag.get_action() {
        ArgAction::Append => "a value, or a list of values",
        _ if is_switch(flag) => "true or false",
        _ => "1 value",
    };
    format!("{:?} takes {wanted}", key.name)
}

/// The message about a key that is not the name of a flag or command.
fn unknown(key: &Key, command: &Command) -> String {
    let meant = similar_name(&key.name, names(command)).filter(|name| !NEVER.contains(&name.as_str()));
    let remedy = match meant {
        Some(name) => format!("did you mean {name:?}?"),
        None => format!("keys are the flags of `{}` without dashes, and tables are its commands", full_name(command)),
    };
    format!("unknown key {:?}: {remedy}", key.name)
}

fn full_name(command: &Command) -> &str {
    command.get_bin_name().unwrap_or(command.get_name())
}

/// The names to suggest for an unknown key: those of all flags and subcommands of this command.
fn names(command: &Command) -> BTreeSet<String> {
    let flags = command.get_arguments().filter_map(Arg::get_long).map(str::to_owned);
    let below = command.get_subcommands().filter(|below| !below.is_hide_set());
    let below = below.flat_map(|below| names(below).into_iter().chain([below.get_name().to_owned()]));
    flags.chain(below).collect()
}

/// Turns the settings of a file into flags for a command line.
struct Reading<'a> {
    root: &'a Command,
    line: &'a CommandLine,
    path: &'a Path,
}

impl Reading<'_> {
    /// The flags that take effect. If a flag is set in several places, the first of these wins: the command line, the
    /// table of the subcommand, the table of the command, the top of the file.
    fn flags(&self, table: &Table) -> Result<Vec<Flag>, Problem> {
        let (mut tables, mut inner, mut command) = (vec![table], Some(table), self.root);
        for name in &self.line.command {
            let Some(below) = command.find_subcommand(name) else { return Ok(Vec::new()) };
            let is_of_it = |key: &Key| command.find_subcommand(&key.name).is_some_and(|named| named.get_name() == name);
            inner = inner.and_then(|table| table.tables.iter().find(|(key, _)| is_of_it(key))).map(|(_, table)| table);
            tables.extend(inner);
            command = below;
        }

        let mut set: BTreeSet<&str> = self.line.flags.iter().map(String::as_str).collect();
        // A switch that is set to false overrides the same switch in outer tables, but conflicts with no flag. So it is
        // in `set`, but not in `active`.
        let mut active = set.clone();
        let mut flags = Vec::new();
        for table in tables.into_iter().rev() {
            let nearer = active.clone();
            let mut here: Vec<(&Setting, &Arg)> = Vec::new();
            for setting in &table.settings {
                let flag = command.get_arguments().find(|flag| flag.get_long() == Some(&setting.key.name));
                // A value of another kind is meant for a subcommand that has a flag of the same name.
                let is_for = |flag: &&Arg| !set.contains(flag.get_id().as_str()) && takes(flag, &setting.value);
                let Some(flag) = flag.filter(is_for) else { continue };
                if nearer.iter().any(|other| conflict(command, flag.get_id().as_str(), other)) {
                    continue;
                }
                set.insert(flag.get_id().as_str());
                if setting.value != Value::Switch(false) {
                    active.insert(flag.get_id().as_str());
                    here.push((setting, flag));
                }
            }

            for (index, (setting, flag)) in here.iter().enumerate() {
                let conflicts =
                    |(_, other): &&(&Setting, &Arg)| conflict(command, flag.get_id().as_str(), other.get_id().as_str());
                if let Some((other, _)) = here[..index].iter().find(conflicts) {
                    let (name, other) = (&setting.key.name, &other.key);
                    let message = format!("{name:?} cannot be used with {:?} (line {})", other.name, other.line);
                    return Err((setting.key.line, message));
                }
                flags.push(self.flag(setting, flag)?);
            }
        }
        Ok(flags)
    }

    fn flag(&self, Setting { key, value }: &Setting, flag: &Arg) -> Result<Flag, Problem> {
        let arguments = match value {
            Value::Switch(_) => vec![OsString::from(format!("--{}", key.name))],
            Value::Values(values) => values.iter().map(|value| self.argument(key, flag, value)).collect(),
        };
        for argument in &arguments {
            self.try_out(argument).map_err(|problem| (key.line, problem))?;
        }
        Ok(Flag { id: flag.get_id().to_string(), is_global: flag.is_global_set(), arguments })
    }

    /// The argument that sets a flag to this value. A relative path starts at the folder of the file.
    fn argument(&self, key: &Key, flag: &Arg, value: &str) -> OsString {
        let is_path = is_path(flag) && value != "-" && !value.is_empty();
        let folder = self.path.parent().filter(|_| is_path).unwrap_or(Path::new(""));
        let mut argument = OsString::from(format!("--{}=", key.name));
        argument.push(folder.join(value));
        argument
    }

    /// Parses one flag alone, so that the message about a bad value can name its line in the file.
    fn try_out(&self, argument: &OsString) -> Result<(), String> {
        let words = std::iter::once(self.root.get_name()).chain(self.line.command.iter().map(String::as_str));
        let words = words.map(OsString::from).chain([argument.clone()]);
        match self.root.clone().try_get_matches_from(words) {
            Err(error) if matches!(error.kind(), ErrorKind::InvalidValue | ErrorKind::ValueValidation) => {
                let message = error.to_string();
                let message = message.split("\n\n").next().unwrap_or_default();
                let lines = message.trim_start_matches("error: ").lines().map(str::trim);
                Err(lines.collect::<Vec<&str>>().join(" "))
            }
            _ => Ok(()),
        }
    }
}

/// Whether a flag or argument takes paths.
pub fn is_path(flag: &Arg) -> bool {
    matches!(flag.get_value_hint(), ValueHint::AnyPath | ValueHint::FilePath | ValueHint::DirPath)
}

/// Whether 2 flags cannot be used together. The definition of either flag may say so.
fn conflict(command: &Command, one: &str, other: &str) -> bool {
    let says = |one: &str, other: &str| {
        let flag = command.get_arguments().find(|flag| flag.get_id() == one);
        flag.is_some_and(|flag| command.get_arg_conflicts_with(flag).iter().any(|flag| flag.get_id() == other))
    };
    says(one, other) || says(other, one)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::cli::Cli;

    /// All flags of a command and its subcommands that a file can set, each with its table.
    fn all(command: &Command, tables: &[&str]) -> Vec<(String, Arg)> {
        let is_set = |flag: &&Arg| flag.get_long().is_some_and(|name| !NEVER.contains(&name));
        let own = command.get_arguments().filter(is_set).map(|flag| (tables.join("."), flag.clone()));
        let below = command.get_subcommands().filter(|below| !below.is_hide_set() && below.get_name() != "help");
        own.chain(below.flat_map(|below| all(below, &[tables, &[below.get_name()]].concat()))).collect()
    }

    #[test]
    fn every_flag_can_be_set_in_the_table_of_its_command() {
        let mut command = Cli::command();
        command.build();
        let flags = all(&command, &[]);
        assert!(flags.len() > 200, "{}", flags.len());
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("settings");
        for (table, flag) in flags {
            let name = flag.get_long().expect("a flag");
            // Flags of subcommands may have the same name and take values of another kind.
            let inner = table.split('.').filter(|name| !name.is_empty());
            let inner = inner.fold(&command, |command, name| command.find_subcommand(name).expect("a command"));
            let alike = flags_named(name, inner);
            let (switches, values) =
                (alike.iter().any(|flag| is_switch(flag)), alike.iter().any(|flag| !is_switch(flag)));
            for (value, is_right) in [("true", switches), ("'1'", values)] {
                let head = if table.is_empty() { String::new() } else { format!("[{table}]\n") };
                std::fs::write(&path, format!("{head}{name} = {value}\n")).expect("written");
                let checked = check(&file::read(&path, regular::open).expect("TOML"), &command, &|_| None);
                assert_eq!(checked.is_ok(), is_right, "[{table}] {name} = {value}: {checked:?}");
            }
        }
    }
}
