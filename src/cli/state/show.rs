//! `dehusk state show`: shows what a state has stored, as text or as JSON.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};

use dehusk_core::streaming::segments::Described;
use dehusk_corpus::SourceId;
use dehusk_run::state::{ListedSegment, Overview, Settings, State, Summary};

use crate::cli::reporter::{Reporter, print};
use crate::cli::summary::count;
use crate::cli::table::{Table, decimal};
use dehusk_core::shown::{shown, size};
use dehusk_run::stream::{open_state, source_named, tell_of_change};

/// Maximum number of files of a folder that are listed one by one.
const MOST_OF_A_FOLDER: usize = 3;
/// Maximum number of characters of a text that are shown. A line can have megabytes.
const CHARACTERS_OF_SEGMENT: usize = 300;

/// Options of `dehusk state show`.
#[derive(Args, Debug)]
pub struct ShowArgs {
    /// State of `dehusk stream`
    state: PathBuf,
    /// Source whose template segments are shown
    ///
    /// Source whose template segments are shown. Segments in most documents come first.
    source: Option<String>,
    /// Show all segments of the source
    ///
    /// Show all segments of the source, even those in too few documents for a template, whose text is not stored.
    #[arg(long, requires = "source")]
    all: bool,
    /// Maximum number of segments to show
    #[arg(long, value_name = "N", requires = "source")]
    limit: Option<usize>,
    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &ShowArgs, reporter: &Reporter) -> anyhow::Result<()> {
    let state = open_state(&args.state)?;
    match &args.source {
        Some(name) => show_source(args, &state, &source_named(name, &state)?, reporter),
        None => show_all(args, &state, reporter),
    }
}

fn show_all(args: &ShowArgs, state: &State, reporter: &Reporter) -> anyhow::Result<()> {
    let findings = DocumentFindings { settings: state.settings(), overview: state.overview()? };
    if args.json {
        return print(&(serde_json::to_string_pretty(&findings.as_json())? + "\n"));
    }
    print(&findings.as_text())?;
    for (source, Summary { progress, .. }) in &findings.overview.sources {
        tell_of_change(source.as_str(), progress.drift(), reporter);
    }
    Ok(())
}

/// The findings that are shown if no source is given.
struct DocumentFindings<'a> {
    settings: &'a Settings,
    overview: Overview,
}

impl DocumentFindings<'_> {
    fn as_text(&self) -> String {
        let heads = ["documents", "copies", "segments", "templates", "lifetime", "size", "recall"];
        let mut sources = Table::default().words("source").figures(heads).words("on pages");
        for (source, summary) in &self.overview.sources {
            sources.row(cells(source, summary));
        }
        let mut text = format!("{sources}{}\n", self.settings_in_words());
        let listed = |named: &[(String, u64)], told: &dyn Fn(u64) -> String| -> String {
            named.iter().map(|(name, figure)| format!("  {}: {}\n", shown(name), told(*figure))).collect()
        };
        for (heading, lines) in [
            ("inputs", listed(&by_folder(&self.overview.inputs), &|records| count(records as usize, "record"))),
            ("outputs", listed(&self.overview.outputs, &size)),
        ] {
            if !lines.is_empty() {
                text += &format!("{heading}:\n{lines}");
            }
        }
        text
    }

    fn settings_in_words(&self) -> String {
        let options = &self.settings.table;
        let at_most = match options.max_segments {
            Some(max) => format!("at most {max} segments of a source are remembered"),
            None => "there is no limit to how many segments are remembered".to_owned(),
        };
        let (documents, share) = (options.detection.template_documents, 100.0 * options.detection.block_share);
        format!(
            "segments count as template if {documents} documents contain them, in blocks of which more than {share} % recurs; {at_most}"
        )
    }

    fn as_json(&self) -> Value {
        let options = &self.settings.table;
        let sources = self.overview.sources.iter().map(|(source, summary)| source_as_json(source, summary));
        let input = |(name, records): &(String, u64)| json!({"name": name, "records": records});
        let output = |(name, bytes): &(String, u64)| json!({"name": name, "bytes": bytes});
        json!({
            "min_documents": options.detection.template_documents,
            "min_evidence": options.detection.evidence_documents,
            "block_share": options.detection.block_share,
            "lifetime": finite(options.lifetime.base),
            "lifetime_factor": options.lifetime.factor,
            "max_segments": options.max_segments,
            "sources": sources.collect::<Vec<Value>>(),
            "inputs": self.overview.inputs.iter().map(input).collect::<Vec<Value>>(),
            "outputs": self.overview.outputs.iter().map(output).collect::<Vec<Value>>(),
        })
    }
}

/// Combines inputs that are files of the same folder, if there are many. The inputs must be sorted by name.
fn by_folder(inputs: &[(String, u64)]) -> Vec<(String, u64)> {
    let folder = |name: &str| name.strip_prefix("file ").and_then(|path| Some(Path::new(path).parent()?.to_owned()));
    let mut told: Vec<(String, u64)> = Vec::new();
    for beside in inputs.chunk_by(|(a, _), (b, _)| folder(a).is_some() && folder(a) == folder(b)) {
        match folder(&beside[0].0).filter(|_| beside.len() > MOST_OF_A_FOLDER) {
            Some(folder) => {
                let records = beside.iter().map(|(_, records)| records).sum();
                told.push((format!("{} files in {}", beside.len(), folder.display()), records));
            }
            None => told.extend_from_slice(beside),
        }
    }
    told
}

/// The cells of the row of a source. The last two cells are the recall of its last window of pages, and these pages.
fn cells(source: &SourceId, summary: &Summary) -> [String; 9] {
    let Summary { progress, segments, templates, base_in_effect, bytes } = summary;
    let last = progress.windows.recall().pop();
    [
        shown(source.as_str()).into_owned(),
        progress.pages.to_string(),
        progress.copies.to_string(),
        segments.to_string(),
        templates.to_string(),
        finite(*base_in_effect).map_or("-".to_owned(), |pages| format!("{pages:.0}")),
        size(*bytes),
        last.map_or("-".to_owned(), |(_, _, share)| decimal(share, 3)),
        last.map_or(String::new(), |(from, to, _)| format!("{from}-{}", to.min(u64::from(progress.pages)))),
    ]
}

fn source_as_json(source: &SourceId, summary: &Summary) -> Value {
    let Summary { progress, segments, templates, base_in_effect, bytes } = summary;
    json!({
        "source": source.as_str(),
        "documents": progress.pages,
        "copies": progress.copies,
        "segments": segments,
        "templates": templates,
        "lifetime": finite(*base_in_effect),
        "bytes": bytes,
        "recall": progress.windows.recall(),
        "change": progress.drift(),
    })
}

/// The number, or `None` if it is infinite, because JSON has no infinity.
fn finite(pages: f64) -> Option<f64> {
    Some(pages).filter(|pages| pages.is_finite())
}

fn show_source(args: &ShowArgs, state: &State, source: &SourceId, reporter: &Reporter) -> anyhow::Result<()> {
    let detection = state.settings().table.detection;
    let mut segments: Vec<ListedSegment> = match state.segments(source)? {
        Some(listed) => listed.collect::<Result<_, _>>()?,
        None => Vec::new(),
    };
    segments.retain(|segment| args.all || segment.entry.is_template(&detection));
    let left_out = segments.len().saturating_sub(args.limit.unwrap_or(usize::MAX));
    segments.truncate(args.limit.unwrap_or(usize::MAX));
    if args.json {
        let lines: Vec<Value> = segments.iter().map(|segment| segment.to_json(source)).collect();
        let object = json!({"source": source.as_str(), "segments": lines, "left_out": left_out});
        return print(&(serde_json::to_string_pretty(&object)? + "\n"));
    }
    print(&table_of(&segments))?;
    if left_out > 0 {
        reporter.note(&format!("{} not shown; --limit sets how many are shown", count(left_out, "segment")));
    }
    Ok(())
}

fn table_of(segments: &[ListedSegment]) -> String {
    let mut table = Table::default().figures(["documents", "first", "last"]).words("path").words("text");
    for ListedSegment { entry, described, .. } in segments {
        let (path, text) = match described {
            Some(Described { path, text, .. }) => (shown(path).into_owned(), shown(&shortened(text)).into_owned()),
            None => (String::new(), "(not stored)".to_owned()),
        };
        table.row([entry.documents.to_string(), entry.first.to_string(), entry.last.to_string(), path, text]);
    }
    table.to_string()
}

fn shortened(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(CHARACTERS_OF_SEGMENT) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_files_of_a_folder_are_told_together() {
        let inputs = ["feed wire", "file /a/1", "file /a/2", "file /a/3", "file /a/4", "file /b/1"];
        let inputs: Vec<(String, u64)> = inputs.iter().map(|name| (name.to_string(), 2)).collect();
        let told = by_folder(&inputs);
        let told: Vec<(&str, u64)> = told.iter().map(|(name, records)| (name.as_str(), *records)).collect();
        assert_eq!(told, [("feed wire", 2), ("4 files in /a", 8), ("file /b/1", 2)]);
    }
}
