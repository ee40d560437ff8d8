//! Shell completions and manual pages, which are made from the flags.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::{Args, Command};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

use dehusk_corpus::Reads;

use super::force::{ForceArgs, MANUAL};
use super::help::{self, EXIT_STATUSES, Example};
use super::reporter::{Reporter, print};
use super::{Exit, Global};

/// Options of `dehusk completions`.
#[derive(Args, Debug)]
pub struct CompletionsArgs {
    /// Shell that the completions are for
    shell: clap_complete::Shell,
}

/// Prints a completion script. On a terminal, where the script is of no use, instructions to install it follow.
pub fn completions(args: &CompletionsArgs, reporter: &Reporter) -> anyhow::Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut help::command(), "dehusk", &mut script);
    print(&String::from_utf8(script)?)?;
    if let Some(Example { purpose, lines }) = installation(args.shell)
        && io::stdout().is_terminal()
    {
        reporter.note(&format!("to install it for {purpose}:\n    {}", lines.join("\n    ")));
    }
    Ok(Exit::Done)
}

/// How to install the completions of a shell.
fn installation(shell: clap_complete::Shell) -> Option<&'static Example> {
    let shell = shell.to_string();
    help::examples("completions").iter().find(|example| example.purpose.split(' ').next() == Some(&shell))
}

/// Options of `dehusk man`.
#[derive(Args, Debug)]
pub struct ManArgs {
    /// Folder for a page of each command [default: 1 page on stdout]
    ///
    /// Folder for a page of the program and a page of each command, such as `dehusk-state-show.1` [default: 1 page of
    /// everything, on stdout]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArgs,
}

/// Prints a manual page of the program and all commands, in roff, or writes a page for each.
pub fn man(args: &ManArgs, global: &Global) -> anyhow::Result<Exit> {
    let mut command = help::command().disable_help_subcommand(true);
    command.build();
    match &args.output {
        Some(folder) => write_pages(&command, folder, args.force, &global.reads)?,
        None => {
            let mut page = Vec::new();
            render_head(&command, &mut page)?;
            command.get_subcommands().try_for_each(|sub| append_sections(sub, "", &mut page))?;
            render_tail(&command, &mut page)?;
            print(&String::from_utf8(page)?)?;
        }
    }
    Ok(Exit::Done)
}

/// Writes the page of a command, which names the pages of its subcommands, and the pages of all its subcommands.
fn write_pages(command: &Command, folder: &Path, force: ForceArgs, reads: &Reads) -> anyhow::Result<()> {
    let page = man_of(command);
    let file = force.file(&folder.join(page.get_filename()), reads, MANUAL)?;
    file.write_atomic(|writer| {
        render_head(command, writer)?;
        render_tail(command, writer)
    })?;
    command.get_subcommands().try_for_each(|sub| write_pages(sub, folder, force, reads))
}

/// Adds a command and its subcommands to the page of everything.
fn append_sections(command: &Command, parent: &str, page: &mut Vec<u8>) -> anyhow::Result<()> {
    let title = format!("{parent}{}", command.get_name().to_uppercase());
    page.extend(format!(".SH \"{title}\"\n").as_bytes());
    let man = man_of(command);
    man.render_synopsis_section(page)?;
    man.render_description_section(page)?;
    man.render_options_section(page)?;
    examples_of(command).to_writer(page)?;
    command.get_subcommands().try_for_each(|sub| append_sections(sub, &format!("{title} "), page))
}

/// Writes the beginning of a page, up to the list of subcommands.
fn render_head(command: &Command, page: &mut dyn Write) -> io::Result<()> {
    let man = man_of(command);
    man.render_title(page)?;
    man.render_name_section(page)?;
    man.render_synopsis_section(page)?;
    man.render_description_section(page)?;
    man.render_options_section(page)?;
    if command.has_subcommands() { man.render_subcommands_section(page) } else { Ok(()) }
}

/// Writes the sections after the list of subcommands.
fn render_tail(command: &Command, page: &mut dyn Write) -> io::Result<()> {
    let mut statuses = Roff::new();
    statuses.control("SH", ["EXIT STATUS"]);
    for (exit, meaning) in EXIT_STATUSES {
        statuses.control("TP", []).text([bold((exit as i32).to_string())]).text([roman(meaning)]);
    }
    statuses.to_writer(page)?;
    examples_of(command).to_writer(page)?;
    if command.get_version().is_some() { man_of(command).render_version_section(page) } else { Ok(()) }
}

fn examples_of(command: &Command) -> Roff {
    let name = command.get_bin_name().unwrap_or_default();
    let examples = help::examples(name.trim_start_matches("dehusk").trim_start());
    let mut section = Roff::new();
    section.control("SH", ["EXAMPLES"]);
    for Example { purpose, lines } in examples {
        section.control("PP", []).text([roman(format!("{purpose}:"))]).control("EX", []).control("RS", ["4"]);
        for line in *lines {
            section.text([roman(*line)]);
        }
        section.control("RE", []).control("EE", []);
    }
    section
}

fn man_of(command: &Command) -> Man {
    Man::new(command.clone()).source(format!("dehusk {}", env!("CARGO_PKG_VERSION")))
}
