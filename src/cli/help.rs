//! What help and the manual say beyond flags: examples of each command, and the exit statuses.
//!
//! The examples work on the sample corpora of the repository, one after another, in the order in which help lists the
//! commands. A test runs them.

use std::fmt::Write as _;

use clap::builder::{StyledStr, Styles};
use clap::{Arg, ArgAction, Command, CommandFactory};

use super::{Cli, Exit};

/// An example of a command.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// What the lines do, as a heading.
    pub purpose: &'static str,
    /// Lines for a shell.
    pub lines: &'static [&'static str],
}

/// What each exit status means.
pub const EXIT_STATUSES: [(Exit, &str); 5] = [
    (Exit::Done, "all done; also a `review` that was ended with Ctrl-C"),
    (Exit::Failed, "nothing could be done (bad input, bad pattern file); `check` found problems"),
    (Exit::Usage, "wrong usage: flags, or `dehusk.toml`"),
    (Exit::Skipped, "done, but some documents were skipped, each named on stderr with the reason"),
    (Exit::Interrupted, "stopped by Ctrl-C"),
];

/// The commands that most people need. The help of the program lists them first, and all others under another heading.
const FIRST: [&str; 8] = ["run", "mine", "clean", "review", "explain", "extract", "stream", "eval"];

/// The definition of the command line, with the full texts of its help.
pub fn command() -> Command {
    let mut text = String::new();
    write_heading(&mut text, "Exit status");
    for (exit, meaning) in EXIT_STATUSES {
        let _ = writeln!(text, "  {:<3}  {meaning}", exit as i32);
    }
    text += "\n";
    text += &as_text(examples(""));
    let command = complete(Cli::command(), "dehusk", &examples).after_long_help(StyledStr::from(text));
    let template = template(&command);
    command.help_template(StyledStr::from(template))
}

/// The help of the program: clap's own, but with two lists of commands.
fn template(command: &Command) -> String {
    let mut text = "{about-with-newline}\n{usage-heading} {usage}\n\n".to_owned();
    let shown: Vec<&Command> = command.get_subcommands().filter(|below| !below.is_hide_set()).collect();
    let (first, more): (Vec<&Command>, Vec<&Command>) =
        shown.into_iter().partition(|below| FIRST.contains(&below.get_name()));
    let widest = first.iter().chain(&more).map(|below| below.get_name().len()).max().unwrap_or(0);
    let style = Styles::styled();
    let style = style.get_literal();
    for (heading, commands) in [("Commands", first), ("More", more)] {
        write_heading(&mut text, heading);
        for below in commands {
            let (name, about) = (below.get_name(), below.get_about().cloned().unwrap_or_default());
            let _ = writeln!(text, "  {style}{name:<widest$}{style:#}  {about}");
        }
        text += "\n";
    }
    write_heading(&mut text, "Options");
    text + "{options}{after-help}"
}

/// Adds the examples to the help of a command and its subcommands. `name` is the full name of the command. `examples`
/// gives the examples for a name without the program. `-h` shows the first paragraph of a flag's comment, in 1 line.
/// `--help` shows the second paragraph, which says the same in full.
pub fn complete(command: Command, name: &str, examples: &dyn Fn(&str) -> &'static [Example]) -> Command {
    let more = format!("All options, and examples: {name} --help");
    let examples_of_it = as_text(examples(name.split_once(' ').map_or("", |(_, below)| below)));
    let command = command.after_help(more).after_long_help(StyledStr::from(examples_of_it));
    let in_full = |flag: Arg| match flag.get_long_help().map(StyledStr::to_string) {
        Some(help) => flag.long_help(help.split_once("\n\n").map(|(_, full)| full.to_owned()).unwrap_or(help)),
        None => flag,
    };
    command.mut_args(in_full).disable_help_flag(true).arg(help_flag()).mut_subcommands(|below| {
        let name = format!("{name} {}", below.get_name());
        complete(below, &name, examples)
    })
}

/// The same flag as clap's own `--help`, but listed among the global options.
fn help_flag() -> Arg {
    let flag = Arg::new("help").short('h').long("help").action(ArgAction::Help).help_heading("Global options");
    flag.help("Print help (see more with '--help')").long_help("Print help (see a summary with '-h')")
}

/// The examples as text for help. Empty if there are none.
pub fn as_text(examples: &[Example]) -> String {
    let mut text = String::new();
    if examples.is_empty() {
        return text;
    }
    write_heading(&mut text, "Examples");
    for (index, Example { purpose, lines }) in examples.iter().enumerate() {
        let gap = if index > 0 { "\n" } else { "" };
        let _ = writeln!(text, "{gap}  {purpose}:");
        lines.iter().for_each(|line| text += &format!("    {line}\n"));
    }
    text.truncate(text.trim_end().len());
    text
}

fn write_heading(text: &mut String, heading: &str) {
    let style = Styles::styled();
    let style = style.get_header();
    let _ = writeln!(text, "{style}{heading}:{style:#}");
}

/// The examples of a command, by its name without `dehusk`.
pub fn examples(name: &str) -> &'static [Example] {
    match name {
        "" => &[Example {
            purpose: "Mine the sample pages, clean them, and see what happened to one",
            lines: &[
                "dehusk run corpora/news -o out",
                "dehusk explain corpora/news/tideline-wire.example/2024-03-05-pilot-boat.txt -p out/patterns",
            ],
        }],
        "run" => &[
            Example { purpose: "Mine the sample pages, and clean them", lines: &["dehusk run corpora/news -o out"] },
            Example { purpose: "Continue a run that was stopped", lines: &["dehusk run corpora/news -o out --resume"] },
        ],
        "mine" => &[
            Example {
                purpose: "Write a pattern file for each source",
                lines: &["dehusk mine corpora/news -o patterns"],
            },
            Example {
                purpose: "Mine parts of a corpus on several machines",
                lines: &[
                    "dehusk mine 'corpora/news/[b-m]*/*.txt' --candidates 1.candidates",
                    "dehusk mine 'corpora/news/[o-z]*/*.txt' --candidates 2.candidates",
                ],
            },
        ],
        "combine" => &[Example {
            purpose: "Write the pattern files of sources that were mined in parts",
            lines: &["dehusk combine 1.candidates 2.candidates -o combined"],
        }],
        "clean" => &[
            Example {
                purpose: "Write cleaned documents to a folder",
                lines: &["dehusk clean corpora/news -p patterns -o cleaned"],
            },
            Example {
                purpose: "Write them as lines of JSON, to a program or a file",
                lines: &["dehusk clean corpora/news -p patterns -o - > cleaned.jsonl"],
            },
            Example {
                purpose: "See what would be removed: nothing is removed, and positions are written",
                lines: &["dehusk clean corpora/news -p patterns -o spans --spans"],
            },
        ],
        "extract" => &[
            Example {
                purpose: "Print the text of one page, or write it as Markdown",
                lines: &[
                    "dehusk extract corpora/news/orchard-courier.example/2024-01-06-wassail.html",
                    "cat corpora/news/orchard-courier.example/*wassail.html | dehusk extract - --format markdown",
                ],
            },
            Example {
                purpose: "Write the content of HTML pages as text",
                lines: &["dehusk extract 'corpora/news/orchard-courier.example/*.html' -o content"],
            },
            Example {
                purpose: "Write text, title, author, date and more as lines of JSON",
                lines: &[
                    "dehusk extract 'corpora/news/orchard-courier.example/*.html' --format json -o - > content.jsonl",
                ],
            },
            Example {
                purpose: "Write them as Markdown",
                lines: &["dehusk extract 'corpora/news/orchard-courier.example/*.html' --format markdown -o markdown"],
            },
        ],
        "stream" => &[
            Example {
                purpose: "Clean documents, and learn from them for later ones",
                lines: &["dehusk stream corpora/news --state news.state -o streamed.jsonl"],
            },
            Example {
                purpose: "Clean what another program writes, line by line",
                lines: &["cat cleaned.jsonl | dehusk stream - --state feed.state > feed.jsonl"],
            },
        ],
        "state" | "state show" => &[
            Example { purpose: "See what a stream has learned", lines: &["dehusk state show news.state"] },
            Example {
                purpose: "See the templates of 1 source",
                lines: &["dehusk state show news.state tideline-wire.example --limit 20"],
            },
        ],
        "state export" => &[Example {
            purpose: "Write all segments as lines of JSON",
            lines: &["dehusk state export news.state -o segments.jsonl"],
        }],
        "state merge" => &[Example {
            purpose: "Add what another stream has learned",
            lines: &["dehusk state merge all.state news.state"],
        }],
        "check" => &[
            Example { purpose: "Find problems in pattern files", lines: &["dehusk check patterns"] },
            Example { purpose: "Also write valid files in canonical form", lines: &["dehusk check patterns --fix"] },
        ],
        "diff" => &[Example {
            purpose: "See what changed when a corpus was mined again",
            lines: &["dehusk diff out/patterns patterns"],
        }],
        "explain" => &[
            Example {
                purpose: "Mark what would be removed from a document",
                lines: &["dehusk explain corpora/news/tideline-wire.example/2024-03-05-pilot-boat.txt -p patterns"],
            },
            Example {
                purpose: "See the same for a line of a JSONL file, page by page and in colour",
                lines: &["dehusk explain cleaned.jsonl --line 3 -p patterns --color always | less -R"],
            },
            Example {
                purpose: "Draw it on an HTML page, to look at in a browser",
                lines: &["dehusk explain corpora/news/orchard*/2024-01-06-wassail.html -p patterns -o drawn.html"],
            },
            Example {
                purpose: "Draw the segments of an HTML page",
                lines: &["dehusk segment corpora/news/orchard*/2024-01-06-wassail.html --draw segments.html"],
            },
        ],
        "fields" => &[Example {
            purpose: "Write the authors, dates and counts of all documents",
            lines: &["dehusk fields corpora/news -p patterns -o fields.jsonl"],
        }],
        "segment" => &[
            Example {
                purpose: "Write the segments of each page: the bytes, elements and text that each consists of",
                lines: &["dehusk segment 'corpora/news/orchard-courier.example/*.html' -o page-segments.jsonl"],
            },
            Example {
                purpose: "Divide pages more coarsely",
                lines: &["dehusk segment 'corpora/news/orchard*/*.html' --method gcuts --lambda 5 -o coarse.jsonl"],
            },
        ],
        "blocks" => &[
            Example {
                purpose: "Write what belongs to the topic of each page",
                lines: &["dehusk blocks 'corpora/news/orchard-courier.example/*.html' --min-level 3 -o blocks.jsonl"],
            },
            Example {
                purpose: "Write the links of each page, weighted by the importance of their blocks",
                lines: &["dehusk blocks 'corpora/news/orchard-courier.example/*.html' --links -o links.jsonl"],
            },
            Example {
                purpose: "See all blocks of a page, in colors",
                lines: &["dehusk blocks corpora/news/orchard*/2024-01-06-wassail.html --draw colors.html"],
            },
        ],
        "export" => &[Example {
            purpose: "Write all proposed selectors as XPath, with a line of JSON for each source",
            lines: &["dehusk export -p patterns --to xpath --proposed -o selectors.jsonl"],
        }],
        "review" => &[
            Example {
                purpose: "Decide in a browser on this machine",
                lines: &["dehusk review corpora/news -p patterns"],
            },
            Example {
                purpose: "On another machine: reach its port 8123 with `ssh -L 8123:localhost:8123 HOST`",
                lines: &["dehusk review corpora/news -p patterns --no-open --port 8123"],
            },
            Example {
                purpose: "Write a page that you can keep and send",
                lines: &["dehusk review corpora/news -p patterns --report report.html"],
            },
        ],
        "crawl" => &[
            Example {
                purpose: "From a list of feeds to cleaned text",
                lines: &[
                    "dehusk crawl --feeds feeds.txt --contact me@paper.example -o crawled",
                    "dehusk run crawled -o cleaned-crawl",
                ],
            },
            Example {
                purpose: "Follow 2 links from the home pages of newspapers, and read their sitemaps",
                lines: &["dehusk crawl --urls papers.txt --depth 2 --sitemaps --contact me@paper.example -o crawled"],
            },
            Example {
                purpose: "Clean what appears in feeds as soon as it appears",
                lines: &[
                    "dehusk crawl --feeds feeds.txt --watch --stdout --contact me@paper.example -o crawled |",
                    "dehusk stream - -s learned.state -o cleaned.jsonl",
                ],
            },
        ],
        "eval" => &[
            Example {
                purpose: "Mine and clean the sample pages, and compare them with marked text",
                lines: &["dehusk eval corpora/news --gold corpora/news-gold"],
            },
            Example {
                purpose: "Measure pattern files",
                lines: &["dehusk eval corpora/news --gold corpora/news-gold -p patterns --per-source"],
            },
        ],
        "completions" => &[
            Example {
                purpose: "bash (needs the package bash-completion)",
                lines: &[
                    "mkdir -p ~/.local/share/bash-completion/completions",
                    "dehusk completions bash > ~/.local/share/bash-completion/completions/dehusk",
                ],
            },
            Example {
                purpose: "zsh (needs the line `fpath=(~/.zfunc $fpath)` in ~/.zshrc, before `compinit`)",
                lines: &["mkdir -p ~/.zfunc", "dehusk completions zsh > ~/.zfunc/_dehusk"],
            },
            Example {
                purpose: "fish",
                lines: &[
                    "mkdir -p ~/.config/fish/completions",
                    "dehusk completions fish > ~/.config/fish/completions/dehusk.fish",
                ],
            },
            Example {
                purpose: "elvish (needs the line `use dehusk` in ~/.config/elvish/rc.elv)",
                lines: &[
                    "mkdir -p ~/.config/elvish/lib",
                    "dehusk completions elvish > ~/.config/elvish/lib/dehusk.elv",
                ],
            },
            Example {
                purpose: "powershell (needs the line `. ~/dehusk.ps1` in the file that $PROFILE names)",
                lines: &["dehusk completions powershell > ~/dehusk.ps1"],
            },
        ],
        "man" => &[
            Example {
                purpose: "Install the manual, for `man dehusk-mine`",
                lines: &["dehusk man -o ~/.local/share/man/man1"],
            },
            Example { purpose: "Write all of it to 1 page", lines: &["dehusk man > dehusk.1"] },
        ],
        "schema" => &[Example {
            purpose: "Let an editor complete and check pattern files",
            lines: &["dehusk schema > dehusk.schema.json"],
        }],
        _ => &[],
    }
}
