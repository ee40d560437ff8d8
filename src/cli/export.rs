//! `dehusk export`: writes the regexes and selectors of pattern files for other programs.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use serde::Serialize;

use dehusk_core::dom::selector::Selector;
use dehusk_core::patterns::{Pattern, PatternFile, Role, SHARED, Status};
use dehusk_corpus::{OutputKind, Reads};
use dehusk_run::Library;

use super::force::ForceArgs;
use super::reporter::{Reporter, print};
use super::summary::count;
use super::{Exit, Global, interrupt};

/// The lines of `--to regex`.
const REGEXES: OutputKind = OutputKind::Lines(&[&["source", "regexes"]]);
/// The lines of `--to css` and `--to xpath`.
const SELECTORS: OutputKind = OutputKind::Lines(&[&["source", "content", "drop"]]);
/// A file of `--to ftr`.
const SITE_CONFIG: OutputKind = OutputKind::Text(SITE_CONFIG_MARK);
const SITE_CONFIG_MARK: &str = "# Written by dehusk";

/// Options of `dehusk export`.
#[derive(Args, Debug)]
pub struct ExportArgs {
    /// Folder with the pattern files, or a single file
    #[arg(short, long, value_name = "PATTERNS")]
    patterns: PathBuf,
    /// What is written
    ///
    /// What is written. `regex` writes a line of JSON for each source, with the list `regexes`: one for each
    /// block, for Python's `re`, PCRE2 and `fancy-regex`. `css` and `xpath` write the selectors for HTML pages, in the lists
    /// `content` and `drop`. `ftr` writes a file for each source, as Full-Text RSS and programs like it read site configurations.
    #[arg(long, value_enum, value_name = "FORM")]
    to: To,
    /// JSONL file, or folder for `ftr`; `-` for stdout
    #[arg(short, long, value_name = "OUT", help_heading = "Output", display_order = 0)]
    output: PathBuf,
    /// Also write patterns that nobody decided about
    #[arg(long)]
    proposed: bool,
    #[command(flatten)]
    force: ForceArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum To {
    Regex,
    Css,
    Xpath,
    Ftr,
}

/// The regexes of a source, or of all sources.
#[derive(Serialize)]
struct Regexes<'f> {
    source: &'f str,
    regexes: Vec<&'f str>,
}

/// The selectors of a source.
#[derive(Serialize)]
struct Selectors<'f> {
    source: &'f str,
    content: Vec<String>,
    drop: Vec<String>,
}

/// Runs the command.
pub fn run(args: &ExportArgs, global: &Global, reporter: &Reporter) -> anyhow::Result<Exit> {
    let library = Library::load(&args.patterns)?;
    match args.to {
        To::Regex => args.write_regexes(&library, global, reporter)?,
        To::Css | To::Xpath | To::Ftr => args.write_selectors(&library, global, reporter)?,
    }
    Ok(Exit::Done)
}

impl ExportArgs {
    fn write_selectors(&self, library: &Library, global: &Global, reporter: &Reporter) -> anyhow::Result<()> {
        // Each selector belongs to one source, so shared patterns have none.
        let files: Vec<_> = library.files().filter(|file| file.source != SHARED).collect();
        let sources = files.iter().map(|file| self.selectors(file, reporter));
        let sources: Vec<Selectors> = sources.filter(|of| !(of.content.is_empty() && of.drop.is_empty())).collect();
        if sources.is_empty() {
            reporter.warn(match self.proposed {
                true => "the pattern files have no selectors; mine HTML pages to have some proposed",
                false => "no selector is accepted; accept some with `dehusk review`, or add --proposed",
            });
        }
        if self.to == To::Ftr {
            self.write_site_configs(&sources, &global.reads)?;
        } else {
            self.write_lines(&sources, SELECTORS, &global.reads)?;
        }
        let number: usize = sources.iter().map(|of| of.content.len() + of.drop.len()).sum();
        reporter.note(&format!("{} of {}", count(number, "selector"), count(sources.len(), "source")));
        Ok(())
    }

    fn write_regexes(&self, library: &Library, global: &Global, reporter: &Reporter) -> anyhow::Result<()> {
        let files: Vec<_> = library.files().collect();
        let sources = files.iter().map(|file| self.regexes(file)).filter(|of| !of.regexes.is_empty());
        let sources: Vec<Regexes> = sources.collect();
        if sources.is_empty() {
            reporter.warn(match self.proposed {
                true => "the pattern files have no patterns",
                false => "no pattern is accepted; accept some with `dehusk review`, or add --proposed",
            });
        }
        self.write_lines(&sources, REGEXES, &global.reads)?;
        let number: usize = sources.iter().map(|of| of.regexes.len()).sum();
        reporter.note(&format!(
            "{number} regex{} of {}",
            if number == 1 { "" } else { "es" },
            count(sources.len(), "source")
        ));
        Ok(())
    }

    fn regexes<'f>(&self, file: &'f PatternFile) -> Regexes<'f> {
        let patterns = self.wanted(file).filter(|pattern| pattern.elements().is_none());
        Regexes { source: &file.source, regexes: patterns.map(|pattern| pattern.regex.as_str()).collect() }
    }

    /// The patterns to write.
    fn wanted<'f>(&self, file: &'f PatternFile) -> impl Iterator<Item = &'f Pattern> + use<'f> {
        let proposed = self.proposed;
        let is_wanted = move |status| status == Status::Accepted || proposed && status == Status::Proposed;
        file.patterns.iter().filter(move |pattern| is_wanted(pattern.status))
    }

    fn selectors<'f>(&self, file: &'f PatternFile, reporter: &Reporter) -> Selectors<'f> {
        let of = |role: Role| {
            let elements =
                self.wanted(file).filter_map(|pattern| pattern.elements()).filter(|elements| elements.role == role);
            elements.filter_map(|elements| self.written(&elements.selector, &file.source, reporter)).collect()
        };
        Selectors { source: &file.source, content: of(Role::Content), drop: of(Role::Drop) }
    }

    fn written(&self, selector: &Selector, source: &str, reporter: &Reporter) -> Option<String> {
        if self.to == To::Css {
            return Some(selector.css().to_owned());
        }
        let xpath = selector.xpath();
        // In a site configuration, the text after a line break would be a new directive.
        let is_line = !xpath.contains(|c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}'));
        if self.to == To::Ftr && !is_line {
            let css = selector.css();
            reporter.warn(&format!(
                "source '{source}': the selector {css:?} is left out, because no site configuration can hold a value with a \
                 line break; use --to css or --to xpath"
            ));
            return None;
        }
        Some(xpath)
    }

    fn write_lines(&self, sources: &[impl Serialize], kind: OutputKind, reads: &Reads) -> anyhow::Result<()> {
        let mut lines = String::new();
        for source in sources {
            lines += &serde_json::to_string(source)?;
            lines.push('\n');
        }
        if self.output == Path::new("-") {
            return print(&lines);
        }
        self.write(&self.output, kind, &lines, reads)
    }

    fn write_site_configs(&self, sources: &[Selectors], reads: &Reads) -> anyhow::Result<()> {
        if self.output == Path::new("-") {
            bail!("--to ftr writes a file for each source: name a folder with -o");
        }
        std::fs::create_dir_all(&self.output).with_context(|| format!("cannot create {:?}", self.output))?;
        for source in sources {
            self.write(&self.output.join(format!("{}.txt", source.source)), SITE_CONFIG, &site_config(source), reads)?;
        }
        Ok(())
    }

    fn write(&self, path: &Path, kind: OutputKind, text: &str, reads: &Reads) -> anyhow::Result<()> {
        let _permission = interrupt::writing()?;
        let file = self.force.file(path, reads, kind)?;
        Ok(file.write_atomic(|writer| writer.write_all(text.as_bytes()))?)
    }
}

fn site_config(Selectors { source, content, drop }: &Selectors) -> String {
    let line = |key: &str, xpath: &String| format!("{key}: {xpath}\n");
    let bodies: String = content.iter().map(|xpath| line("body", xpath)).collect();
    let strips: String = drop.iter().map(|xpath| line("strip", xpath)).collect();
    format!("{SITE_CONFIG_MARK} from the pages of {source}\n{bodies}{strips}")
}
