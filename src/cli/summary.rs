//! The summary of a run, as text for people and as JSON for scripts.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

use serde::Serialize;

use dehusk_core::cleaning::cleaner::drift::Drift;
pub use dehusk_core::shown::count;
use dehusk_core::shown::{shown, size};
use dehusk_core::streaming::drift::Change;
pub use dehusk_run::Cleaned;
use dehusk_run::StreamedSource;

/// The summary that is printed at the end of a run.
#[derive(Debug, Default, Serialize)]
pub struct Summary {
    /// Number of documents that were mined. If nothing was mined, the number that were cleaned, or else read.
    pub documents: usize,
    /// Number of documents that were skipped. Of many with the same reason, only the first were named on stderr.
    pub skipped: usize,
    /// Totals of cleaning. Absent if nothing was cleaned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cleaned: Option<Cleaned>,
    /// Number of cleaned documents whose source has no pattern file. Absent if there is none.
    #[serde(skip_serializing_if = "is_zero")]
    pub without_patterns: usize,
    /// The figures of each source.
    pub sources: BTreeMap<String, SourceSummary>,
    /// Number of patterns that many sources share. Absent if nothing was mined.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared_patterns: Option<usize>,
    /// Seconds that each stage took, in order.
    pub seconds: Vec<(&'static str, f64)>,
    /// Folders and files that were written.
    pub wrote: Vec<String>,
    /// Commands that the person may want next.
    #[serde(skip)]
    pub next: Vec<String>,
}

/// What happened to one source.
#[derive(Debug, Default, Serialize)]
pub struct SourceSummary {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mined: Option<MinedSummary>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cleaned: Option<Cleaned>,
    /// How the source differs from all text that the model has learned from. Absent if it does not differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unusual: Option<String>,
    /// The text that varies in the templates of its documents. Absent except for `dehusk fields`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fields: Option<FieldsSummary>,
    /// How its pages were divided. Absent except for `dehusk segment`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub segmented: Option<SegmentedSummary>,
    /// The blocks of its pages. Absent except for `dehusk blocks`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocks: Option<BlocksSummary>,
    /// The links in these blocks. Absent except for `dehusk blocks --links`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub links: Option<LinksSummary>,
    /// How much the source has changed since it was mined. Absent if nothing or too little was cleaned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drift: Option<Drift>,
    /// What a stream has learned. Absent except for `dehusk stream`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub learned: Option<LearnedSummary>,
}

/// What a stream has learned about a source.
#[derive(Debug, Default, Serialize)]
pub struct LearnedSummary {
    /// Number of documents that were counted, in all runs.
    pub pages: u32,
    /// Number of documents that were not counted, because they repeat others.
    pub copies: u64,
    /// Number of segments that are remembered.
    pub segments: usize,
    /// Number of these segments that are in enough documents for a template.
    pub templates: usize,
    /// For each range of pages (from, to), the share of their template text that was already known as template when it
    /// arrived.
    pub recall: Vec<(u64, u64, f64)>,
    /// How the template of the source changed recently. Absent if it did not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<Change>,
}

impl SourceSummary {
    /// Number of documents that were cleaned, or else mined, or else read.
    fn documents(&self) -> Option<usize> {
        let cleaned = self.cleaned.as_ref().map(|cleaned| cleaned.documents);
        let mined = || self.mined.as_ref().map(|mined| mined.documents);
        let segmented = || self.segmented.as_ref().map(|segmented| segmented.documents);
        let blocks = || self.blocks.as_ref().map(|blocks| blocks.documents);
        let links = || self.links.as_ref().map(|links| links.documents);
        let fields = || self.fields.as_ref().map(|fields| fields.documents);
        cleaned.or_else(mined).or_else(segmented).or_else(blocks).or_else(links).or_else(fields)
    }

    /// The sums over several sources, for the table.
    fn of_all(sources: &[&SourceSummary]) -> SourceSummary {
        let mut all = SourceSummary::default();
        for source in sources {
            if let Some(mined) = &source.mined {
                let sum = all.mined.get_or_insert_default();
                sum.documents += mined.documents;
                sum.near_duplicates += mined.near_duplicates;
                sum.patterns += mined.patterns;
            }
            if let Some(cleaned) = &source.cleaned {
                all.cleaned.get_or_insert_default().add(cleaned);
            }
            if let Some(segmented) = &source.segmented {
                let sum = all.segmented.get_or_insert_default();
                sum.documents += segmented.documents;
                sum.segments += segmented.segments;
            }
            if let Some(blocks) = &source.blocks {
                let sum = all.blocks.get_or_insert_default();
                sum.documents += blocks.documents;
                sum.blocks += blocks.blocks;
            }
            if let Some(links) = &source.links {
                let sum = all.links.get_or_insert_default();
                sum.documents += links.documents;
                sum.links += links.links;
            }
            if let Some(fields) = &source.fields {
                let sum = all.fields.get_or_insert_default();
                sum.documents += fields.documents;
                sum.values += fields.values;
            }
            if let Some(learned) = &source.learned {
                let sum = all.learned.get_or_insert_default();
                sum.pages += learned.pages;
                sum.copies += learned.copies;
                sum.segments += learned.segments;
                sum.templates += learned.templates;
            }
        }
        all
    }

    /// Number of segments that a stream remembers, or that pages were divided into.
    fn segments(&self) -> Option<usize> {
        let segmented = || self.segmented.as_ref().map(|segmented| segmented.segments);
        self.learned.as_ref().map(|learned| learned.segments).or_else(segmented)
    }
}

impl LearnedSummary {
    pub fn of(StreamedSource { progress, segments, templates, .. }: &StreamedSource) -> LearnedSummary {
        LearnedSummary {
            pages: progress.pages,
            copies: progress.copies,
            segments: *segments,
            templates: *templates,
            recall: progress.windows.recall(),
            change: progress.drift(),
        }
    }
}

/// What mining found in one source.
#[derive(Debug, Default, Serialize)]
pub struct MinedSummary {
    pub documents: usize,
    pub near_duplicates: usize,
    /// Whether the documents are snapshots of one page.
    pub snapshots: bool,
    pub tokens: usize,
    pub cutoff: f64,
    /// Number of patterns in the source's pattern file.
    pub patterns: usize,
    /// Number of candidates that turned out to be language, not template.
    pub language: usize,
}

/// How the pages of one source were divided.
#[derive(Debug, Default, Serialize)]
pub struct SegmentedSummary {
    pub documents: usize,
    pub segments: usize,
}

/// The blocks of the pages of one source.
#[derive(Debug, Default, Serialize)]
pub struct BlocksSummary {
    pub documents: usize,
    pub blocks: usize,
}

/// The links in the blocks of the pages of one source.
#[derive(Debug, Default, Serialize)]
pub struct LinksSummary {
    pub documents: usize,
    pub links: usize,
}

/// The text that varies in the templates of one source.
#[derive(Debug, Default, Serialize)]
pub struct FieldsSummary {
    pub documents: usize,
    pub values: usize,
    /// The number of documents that have each column.
    pub columns: BTreeMap<String, usize>,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Summary {
    /// Runs a stage and notes how long it took.
    pub fn time<T>(&mut self, stage: &'static str, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        self.add_time(stage, start.elapsed());
        result
    }

    /// The time of each stage, in words.
    pub fn stages(&self) -> String {
        let stage = |(stage, seconds): &(&str, f64)| format!("{stage} {seconds:.2} s");
        self.seconds.iter().map(stage).collect::<Vec<String>>().join(", ")
    }

    /// Prints the summary: as JSON, as text, or not at all.
    pub fn print(&self, json: bool, quiet: bool) -> anyhow::Result<()> {
        match (json, quiet) {
            (true, _) => super::reporter::print(&(serde_json::to_string_pretty(self)? + "\n")),
            (false, true) => Ok(()),
            (false, false) => super::reporter::print(&self.to_text()),
        }
    }

    /// Prints the summary like [`Summary::print`], but on stderr, because stdout is for documents.
    pub fn print_beside(&self, json: bool, quiet: bool) -> anyhow::Result<()> {
        match (json, quiet) {
            (true, _) => super::reporter::print_line(&serde_json::to_string_pretty(self)?),
            (false, true) => {}
            (false, false) => super::reporter::print_line(self.to_text().trim_end()),
        }
        Ok(())
    }

    fn add_time(&mut self, stage: &'static str, elapsed: Duration) {
        self.seconds.push((stage, elapsed.as_secs_f64()));
    }

    fn to_text(&self) -> String {
        let mut text = String::new();
        self.write_table(&mut text);
        let _ = write!(text, "{} of {}", count(self.documents, "document"), count(self.sources.len(), "source"));
        if let Some(cleaned) = &self.cleaned {
            let (bytes_in, bytes_out) = (size(cleaned.bytes_in), size(cleaned.bytes_out));
            let _ =
                write!(text, ": {bytes_in} in, {bytes_out} out, {:.1} % of bytes removed", cleaned.removed_percent());
            if cleaned.emptied > 0 {
                let _ = write!(text, ", {} with no text left", count(cleaned.emptied, "document"));
            }
            if cleaned.kept_whole > 0 {
                let _ = write!(text, ", {} kept whole", count(cleaned.kept_whole, "document"));
            }
            if cleaned.expected.content > 0 {
                let _ = write!(text, ", about {:.1} % of the content may be lost", 100.0 * cleaned.expected.loss());
            }
            if cleaned.converted > 0 {
                let _ = write!(text, ", {} converted to UTF-8", count(cleaned.converted, "document"));
            }
        }
        if self.without_patterns > 0 {
            let _ = write!(text, ", {} whose source has no patterns", count(self.without_patterns, "document"));
        }
        if self.skipped > 0 {
            let _ = write!(text, "; {} skipped", self.skipped);
        }
        let _ = writeln!(text, "\n{}", self.stages());
        if !self.wrote.is_empty() {
            let _ = writeln!(text, "wrote {}", shown(&self.wrote.join(" and ")));
        }
        for (number, command) in self.next.iter().enumerate() {
            let _ = writeln!(text, "{} {}", if number == 0 { "next:" } else { "     " }, shown(command));
        }
        text
    }

    /// The sources that the table names, and the others. If there are many, those with the most documents are named.
    fn largest(&self) -> (Vec<(&String, &SourceSummary)>, Vec<&SourceSummary>) {
        let mut sources: Vec<(&String, &SourceSummary)> = self.sources.iter().collect();
        if sources.len() <= NAMED_SOURCES {
            return (sources, Vec::new());
        }
        sources.sort_by_key(|(_, source)| std::cmp::Reverse(source.documents()));
        let others = sources.split_off(NAMED_SOURCES).into_iter().map(|(_, source)| source).collect();
        (sources, others)
    }

    fn write_table(&self, text: &mut String) {
        if self.sources.is_empty() {
            return;
        }
        let (largest, others) = self.largest();
        let names = largest.iter().map(|(name, _)| shown(name).chars().count());
        let of_others = of_others(others.len());
        let others_width = if others.is_empty() { 0 } else { of_others.len() };
        let width = names.chain(["(shared)".len(), others_width]).max().unwrap_or(0);
        let is_told = |column: &&Column| self.sources.values().any(|source| (column.cell)(source).is_some());
        let columns: Vec<&Column> = COLUMNS.iter().filter(is_told).collect();
        let mut write_row = |name: &str, cell: &dyn Fn(&Column) -> String| {
            let cells = columns.iter().map(|column| format!("  {:>1$}", cell(column), column.width));
            let row = format!("{name:width$}{}", cells.collect::<String>());
            let _ = writeln!(text, "{}", row.trim_end());
        };
        write_row("source", &|column| column.name.to_owned());
        for (name, source) in largest {
            write_row(&shown(name), &|column| (column.cell)(source).unwrap_or_default());
        }
        if !others.is_empty() {
            let all = SourceSummary::of_all(&others);
            write_row(&of_others, &|column| (column.cell)(&all).unwrap_or_default());
        }
        if let Some(shared) = self.shared_patterns {
            let is_patterns = |column: &Column| column.name == PATTERNS;
            write_row("(shared)", &|column| if is_patterns(column) { shared.to_string() } else { String::new() });
        }
    }
}

/// Maximum number of sources that the table names. All of them are in the JSON summary.
const NAMED_SOURCES: usize = 20;

/// The name of the row for sources that are not named.
fn of_others(count: usize) -> String {
    format!("({count} others)")
}

/// A column of the table of sources. It is left out if it is empty for all sources.
struct Column {
    name: &'static str,
    width: usize,
    cell: fn(&SourceSummary) -> Option<String>,
}

const PATTERNS: &str = "patterns";

const COLUMNS: [Column; 12] = [
    Column { name: "documents", width: 9, cell: |source| source.documents().map(|count| count.to_string()) },
    Column { name: "duplicates", width: 10, cell: |source| Some(source.mined.as_ref()?.near_duplicates.to_string()) },
    Column { name: PATTERNS, width: 8, cell: |source| Some(source.mined.as_ref()?.patterns.to_string()) },
    Column { name: "columns", width: 7, cell: |source| Some(source.fields.as_ref()?.columns.len().to_string()) },
    Column { name: "values", width: 8, cell: |source| Some(source.fields.as_ref()?.values.to_string()) },
    Column { name: "pages", width: 7, cell: |source| Some(source.learned.as_ref()?.pages.to_string()) },
    Column { name: "copies", width: 6, cell: |source| Some(source.learned.as_ref()?.copies.to_string()) },
    Column { name: "segments", width: 8, cell: |source| source.segments().map(|count| count.to_string()) },
    Column { name: "links", width: 8, cell: |source| Some(source.links.as_ref()?.links.to_string()) },
    Column { name: "blocks", width: 8, cell: |source| Some(source.blocks.as_ref()?.blocks.to_string()) },
    Column { name: "templates", width: 9, cell: |source| Some(source.learned.as_ref()?.templates.to_string()) },
    Column {
        name: "bytes removed",
        width: 13,
        cell: |source| Some(format!("{:.1} %", source.cleaned.as_ref()?.removed_percent())),
    },
];
