//! Shell completions and manual pages, which are made from the flags, and the schema of pattern files.

use std::path::{Path, PathBuf};

use clap::{Args, Command, CommandFactory};
use clap_mangen::Man;

use super::force::{ForceArgs, MANUAL};
use super::reporter::print;
use super::{Cli, Exit};

/// Options of `dehusk completions`.
#[derive(Args, Debug)]
pub struct CompletionsArgs {
    /// Shell that the completions are for
    shell: clap_complete::Shell,
}

/// Prints a completion script.
pub fn completions(args: &CompletionsArgs) -> anyhow::Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "dehusk", &mut script);
    print(&String::from_utf8(script)?)?;
    Ok(Exit::Done)
}

/// Options of `dehusk man`.
#[derive(Args, Debug)]
pub struct ManArgs {
    /// Folder for a page of the program and a page of each command, such as `dehusk-state-show.1` [default: 1 page of
    /// everything, on stdout]
    #[arg(short, long, alias = "out", value_name = "DIR")]
    output: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArgs,
}

/// Prints a manual page of the program and all commands, in roff, or writes a page for each.
pub fn man(args: &ManArgs) -> anyhow::Result<Exit> {
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    match &args.output {
        Some(folder) => write_pages(&command, folder, args.force)?,
        None => {
            let mut page = Vec::new();
            man_of(&command).render(&mut page)?;
            command.get_subcommands().try_for_each(|sub| append_sections(sub, "", &mut page))?;
            print(&String::from_utf8(page)?)?;
        }
    }
    Ok(Exit::Done)
}

/// Prints the JSON Schema of pattern files.
pub fn schema() -> anyhow::Result<Exit> {
    print(include_str!("../../docs/pattern-file.schema.json"))?;
    Ok(Exit::Done)
}

/// Writes the page of a command, which names the pages of its subcommands, and these pages.
fn write_pages(command: &Command, folder: &Path, force: ForceArgs) -> anyhow::Result<()> {
    let page = man_of(command);
    let file = force.file(&folder.join(page.get_filename()), &[], MANUAL)?;
    file.write_atomic(|writer| page.render(writer))?;
    command.get_subcommands().try_for_each(|sub| write_pages(sub, folder, force))
}

/// Adds a command and its subcommands to the page of everything.
fn append_sections(command: &Command, parent: &str, page: &mut Vec<u8>) -> anyhow::Result<()> {
    let title = format!("{parent}{}", command.get_name().to_uppercase());
    page.extend(format!(".SH \"{title}\"\n").as_bytes());
    let man = man_of(command);
    man.render_synopsis_section(page)?;
    man.render_description_section(page)?;
    man.render_options_section(page)?;
    command.get_subcommands().try_for_each(|sub| append_sections(sub, &format!("{title} "), page))
}

fn man_of(command: &Command) -> Man {
    Man::new(command.clone()).source(format!("dehusk {}", env!("CARGO_PKG_VERSION")))
}
