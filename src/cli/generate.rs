//! Shell completions and the manual page, made from the flags themselves; the schema of pattern files.

use clap::{Args, CommandFactory};

use super::reporter::print;
use super::{Cli, Exit};

/// Options of `dehusk completions`.
#[derive(Args, Debug)]
pub struct CompletionsArgs {
    /// For this shell
    shell: clap_complete::Shell,
}

/// Prints a completion script.
pub fn completions(args: &CompletionsArgs) -> anyhow::Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "dehusk", &mut script);
    print(&String::from_utf8(script)?)?;
    Ok(Exit::Done)
}

/// Prints the manual page of the program and each command, in roff.
pub fn man() -> anyhow::Result<Exit> {
    let mut page = Vec::new();
    let mut command = Cli::command();
    command.build();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    for sub in command.get_subcommands().filter(|sub| sub.get_name() != "help") {
        page.extend(format!(".SH {}\n", sub.get_name().to_uppercase()).as_bytes());
        let sub = clap_mangen::Man::new(sub.clone());
        sub.render_synopsis_section(&mut page)?;
        sub.render_description_section(&mut page)?;
        sub.render_options_section(&mut page)?;
    }
    print(&String::from_utf8(page)?)?;
    Ok(Exit::Done)
}

/// Prints the JSON Schema of pattern files.
pub fn schema() -> anyhow::Result<Exit> {
    print(include_str!("../../docs/pattern-file.schema.json"))?;
    Ok(Exit::Done)
}
