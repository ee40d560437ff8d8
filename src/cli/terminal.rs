//! How results look on stdout: colours if they are wanted, and no text that could control a terminal.

use std::borrow::Cow;
use std::io::IsTerminal;

use anstyle::AnsiColor;
use clap::{Args, ValueEnum};

use dehusk_core::patterns::Status;
use dehusk_core::shown::misleads;

/// Whether colours are used.
#[derive(Args, Clone, Copy, Debug)]
pub struct ColorArgs {
    /// When colours are used
    ///
    /// When colours are used. `auto` uses them on a terminal, unless NO_COLOR is set or TERM is `dumb`.
    #[arg(long, value_enum, value_name = "auto|always|never", hide_possible_values = true, default_value_t = When::Auto)]
    color: When,
}

/// When colours are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum When {
    Auto,
    Always,
    Never,
}

/// How a piece of text is marked.
#[derive(Clone, Copy, Debug)]
pub enum Style {
    /// Something that was added, or is accepted.
    Good,
    /// Something that was removed, or is rejected.
    Bad,
    /// Something that changed, or waits for a decision.
    Open,
    /// The id of a pattern.
    Id,
    /// Something less important.
    Faint,
    /// Text that would be removed.
    Removed,
    /// Text that matches and is kept.
    Kept,
}

/// Where a result is shown.
#[derive(Clone, Copy, Debug)]
pub struct Screen {
    has_colours: bool,
    is_terminal: bool,
}

impl Screen {
    /// Standard output, with the colours that the user wants.
    pub fn of_stdout(args: ColorArgs) -> Screen {
        let is_terminal = std::io::stdout().is_terminal();
        let is_unset = |name| std::env::var_os(name).is_none_or(|value| value.is_empty());
        let is_dumb = std::env::var_os("TERM").is_some_and(|terminal| terminal == "dumb");
        let has_colours = match args.color {
            When::Always => true,
            When::Never => false,
            When::Auto => is_terminal && is_unset("NO_COLOR") && !is_dumb,
        };
        Screen { has_colours, is_terminal }
    }

    /// Whether painted text looks different.
    pub fn has_colours(self) -> bool {
        self.has_colours
    }

    /// The line in a style, if there are colours. Each line has its own style, so that a pager can start at any line.
    pub fn paint(self, style: Style, line: &str) -> String {
        let style = if self.has_colours { style.of_terminal() } else { anstyle::Style::new() };
        format!("{style}{line}{style:#}")
    }

    /// Text from outside, made harmless if a terminal may show it: stdout is a terminal, or a pager may pass the text
    /// on, because there are colours.
    pub fn harmless(self, text: &str) -> Cow<'_, str> {
        if self.is_terminal || self.has_colours { harmless(text) } else { Cow::Borrowed(text) }
    }

    /// As [`Screen::harmless`], with line breaks written as `\n` and `\r`.
    pub fn on_one_line(self, text: &str) -> String {
        self.harmless(&text.replace('\r', "\\r").replace('\n', "\\n")).into_owned()
    }
}

impl Style {
    /// The style of a status.
    pub fn of_status(status: Status) -> Style {
        match status {
            Status::Accepted => Style::Good,
            Status::Proposed => Style::Open,
            Status::Rejected => Style::Bad,
        }
    }

    fn of_terminal(self) -> anstyle::Style {
        match self {
            Style::Good => AnsiColor::Green.on_default(),
            Style::Bad => AnsiColor::Red.on_default(),
            Style::Open => AnsiColor::Yellow.on_default(),
            Style::Id => AnsiColor::Cyan.on_default(),
            Style::Faint => anstyle::Style::new().dimmed(),
            Style::Removed => AnsiColor::Red.on_default().strikethrough(),
            Style::Kept => AnsiColor::Yellow.on_default().underline(),
        }
    }
}

/// The text with all characters escaped that could control a terminal or mislead a reader ([`misleads`]), except for tabs
/// and line breaks.
pub fn harmless(text: &str) -> Cow<'_, str> {
    let is_escaped = |c: char| misleads(c) && !matches!(c, '\n' | '\t');
    if !text.contains(is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut harmless = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        let is_line_end = c == '\r' && characters.peek() == Some(&'\n');
        if is_escaped(c) && !is_line_end { harmless.extend(c.escape_default()) } else { harmless.push(c) }
    }
    Cow::Owned(harmless)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_drives_a_terminal_is_escaped() {
        assert_eq!(harmless("a\x1b[2J\u{9b}2J\x07\rb\r\n\tc"), "a\\u{1b}[2J\\u{9b}2J\\u{7}\\rb\r\n\tc");
        assert_eq!(harmless("moc.b\u{202e}a.com\n"), "moc.b\\u{202e}a.com\n");
        assert!(matches!(harmless("Käse\n\t"), Cow::Borrowed(_)));
    }

    #[test]
    fn where_nothing_shows_colours_text_stays_as_it_is() {
        let shown = |has_colours, is_terminal| Screen { has_colours, is_terminal }.harmless("\x07").into_owned();
        assert_eq!([shown(false, false), shown(false, true), shown(true, false)], ["\x07", "\\u{7}", "\\u{7}"]);
    }
}
