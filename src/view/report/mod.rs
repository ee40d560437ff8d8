//! The report: pages that show what the patterns of all sources do to a corpus.
//!
//! Takes the counts of each source, gives self-contained HTML: no script, no network. It is one page, which can be
//! stored, sent and printed, or a page for each source with an index. Links lead only to these pages.
//!
//! On one page, the sources are folded. A browser unfolds a source when a link leads into it. On paper, all is unfolded.

pub mod dates;
pub mod documents;
pub mod patterns;
pub mod ranking;
pub mod source;

use maud::{DOCTYPE, Markup, PreEscaped, html};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use self::patterns::Patterns;
use super::{STYLE, grouped, percent, policy, size};
use dehusk_core::patterns::{PatternFile, SHARED, Status};
use dehusk_core::selection::effects::DocumentEffect;
use dehusk_core::shown::shown;

/// The prefix of the ids of shared patterns.
pub const SHARED_ANCHOR: &str = "shared";

/// The files of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReportLayout {
    /// One page.
    #[default]
    OnePage,
    /// A folder with an index, and a page for each source.
    Folder,
}

/// A file of a report.
#[derive(Debug)]
pub struct ReportPage {
    /// Its path in the folder. Empty if it is the only page.
    pub path: String,
    /// Its content.
    pub html: Markup,
}

/// All characters that are percent-encoded in an address.
const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

impl ReportLayout {
    /// The path of the page of a source in the folder.
    fn path(self, source: &str) -> String {
        match self {
            ReportLayout::OnePage => String::new(),
            ReportLayout::Folder => format!("sources/{source}.html"),
        }
    }

    /// The address that leads from the index to the section of a source.
    fn to_source(self, source: &str, anchor: &str) -> String {
        match self {
            ReportLayout::OnePage => format!("#{anchor}"),
            ReportLayout::Folder => format!("sources/{}.html", utf8_percent_encode(source, UNRESERVED)),
        }
    }

    /// The address that leads from the page of a source to the index.
    pub fn to_index(self) -> &'static str {
        match self {
            ReportLayout::OnePage => "#sources",
            ReportLayout::Folder => "../index.html",
        }
    }

    /// The address that leads from the page of a source to the page of the shared patterns, without an anchor.
    pub fn to_shared(self) -> &'static str {
        match self {
            ReportLayout::OnePage => "",
            ReportLayout::Folder => "_shared.html",
        }
    }
}

/// Maximum number of skipped documents that are listed.
const SKIPPED_NAMED: usize = 200;

/// A source in the overview.
#[derive(Clone, Debug, Default)]
pub struct SourceRow {
    /// The id of its section.
    pub anchor: String,
    /// Its name.
    pub name: String,
    /// Number of its documents, including those that could not be read.
    pub documents: usize,
    /// Numbers of its own patterns: proposed, accepted, rejected.
    pub patterns: [usize; 3],
    /// The size of its text, and how much of it is removed.
    pub total: DocumentEffect,
    /// The share that was removed at mining, if known.
    pub when_mined: Option<f64>,
    /// Number of warnings in its section.
    pub warnings: usize,
}

/// The index of the sources.
#[derive(Clone, Debug, Default)]
pub struct Overview {
    /// The files of the report.
    pub layout: ReportLayout,
    /// All sources, in order.
    pub rows: Vec<SourceRow>,
    /// A sentence on how documents were cleaned.
    pub method: String,
    /// Skipped documents with the reason.
    pub skipped: Vec<String>,
    /// Number of further skipped documents.
    pub unnamed_skips: usize,
}

/// Numbers of patterns in a file: proposed, accepted, rejected.
pub fn by_status(file: &PatternFile) -> [usize; 3] {
    [Status::Proposed, Status::Accepted, Status::Rejected]
        .map(|status| file.patterns.iter().filter(|pattern| pattern.status == status).count())
}

/// The section of a source, or of the shared patterns.
#[derive(Debug)]
pub struct Section {
    /// The id of the section.
    pub anchor: String,
    /// The name of the source, which is also the name of its file.
    pub name: String,
    /// The heading.
    pub title: String,
    /// The most important figures, in words.
    pub summary: String,
    /// The content below the heading.
    pub body: Markup,
}

/// The pages: the index, the sections of the sources, and the shared patterns.
pub fn pages(overview: &Overview, sections: Vec<Section>, shared: Option<&Patterns>) -> Vec<ReportPage> {
    let layout = overview.layout;
    let index = |sections: &[Section]| {
        let main = html! {
            (overview.draw())
            @for section in sections { (section.folded()) }
            (skipped(overview))
        };
        page("dehusk report", &header(overview, shared.is_some()), &main)
    };
    let sections: Vec<Section> = sections.into_iter().chain(shared.map(shared_section)).collect();
    match layout {
        ReportLayout::OnePage => vec![ReportPage { path: layout.path(""), html: index(&sections) }],
        ReportLayout::Folder => {
            let of_source =
                |section: Section| ReportPage { path: layout.path(&section.name), html: section.page(layout) };
            let index = ReportPage { path: "index.html".to_owned(), html: index(&[]) };
            std::iter::once(index).chain(sections.into_iter().map(of_source)).collect()
        }
    }
}

fn page(title: &str, header: &Markup, main: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            (head(title))
            body {
                a.skip href="#main" { "Skip to the sources" }
                (header)
                main #main { (main) }
            }
        }
    }
}

impl Section {
    /// The section, folded, for the page of all sources. Its anchor is inside the folded part, because a browser
    /// unfolds a part when a link leads into it.
    fn folded(&self) -> Markup {
        html! {
            details.source {
                summary { h2 id={ (self.anchor) "-title" } { bdi { (self.title) } } " " span.quiet { (self.summary) } }
                (self.draw())
            }
        }
    }

    /// The section on a page of its own.
    fn page(&self, layout: ReportLayout) -> Markup {
        let header = html! {
            header.page {
                h1 { "dehusk report" }
                nav aria-label="Other pages" { a href=(layout.to_index()) { "All sources" } }
            }
        };
        let main = html! {
            h2 id={ (self.anchor) "-title" } { bdi { (self.title) } }
            p.quiet { (self.summary) }
            (self.draw())
        };
        page(&format!("{} – dehusk report", self.title), &header, &main)
    }

    fn draw(&self) -> Markup {
        html! { section id=(self.anchor) aria-labelledby={ (self.anchor) "-title" } { (self.body) } }
    }
}

fn head(title: &str) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta http-equiv="Content-Security-Policy" content=(policy());
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="generator" content={ "dehusk " (env!("CARGO_PKG_VERSION")) };
            title { (title) }
            style { (PreEscaped(STYLE)) }
        }
    }
}

fn header(overview: &Overview, has_shared: bool) -> Markup {
    let documents = overview.rows.iter().map(|row| row.documents).sum();
    html! {
        header.page {
            h1 { "dehusk report" }
            p.quiet { (counted(overview.rows.len(), "source")) ", " (counted(documents, "document")) }
            nav aria-label="Parts of this page" {
                a href="#sources" { "Sources" }
                @if has_shared { a href=(overview.layout.to_source(SHARED, SHARED_ANCHOR)) { "Shared patterns" } }
                @if !overview.skipped.is_empty() { a href="#skipped" { "Skipped documents" } }
            }
        }
    }
}

/// `1 source`, `2 sources`.
fn counted(count: usize, what: &str) -> String {
    format!("{} {what}{}", grouped(count as u64), if count == 1 { "" } else { "s" })
}

/// The share that is removed. A dash if there is no text.
fn share(effect: DocumentEffect) -> String {
    if effect.bytes == 0 { "–".to_owned() } else { percent(effect.share()) }
}

impl Overview {
    fn draw(&self) -> Markup {
        html! {
            section aria-labelledby="sources" {
                h2 #sources { "Sources" }
                (self.figures())
                p.quiet { (self.method) " Sizes are bytes of text; white space that is removed with other text \
                                         counts." }
                table.overview {
                    thead { tr {
                        th scope="col" { "source" }
                        @for title in ["documents", "patterns", "removed", "share", "when mined", "warnings"] {
                            th.number scope="col" { (title) }
                        }
                    } }
                    tbody { @for row in &self.rows { (row.draw(self.layout)) } }
                }
            }
        }
    }

    fn figures(&self) -> Markup {
        let sum = |of: fn(&SourceRow) -> usize| self.rows.iter().map(of).sum::<usize>();
        let total = DocumentEffect { bytes: sum(|row| row.total.bytes), removed: sum(|row| row.total.removed) };
        html! {
            dl.figures {
                div { dt { "documents" } dd { (grouped(sum(|row| row.documents) as u64)) } }
                div { dt { "of text" } dd { (size(total.bytes)) } }
                div { dt { "removed" } dd { (share(total)) } }
                div { dt { "patterns of sources" } dd { (grouped(sum(|row| row.patterns.iter().sum()) as u64)) } }
                div { dt { "warnings" } dd { (grouped(sum(|row| row.warnings) as u64)) } }
                @if !self.skipped.is_empty() {
                    @let count = self.skipped.len() + self.unnamed_skips;
                    div { dt { "skipped documents" } dd { (grouped(count as u64)) } }
                }
            }
        }
    }
}

impl SourceRow {
    fn draw(&self, layout: ReportLayout) -> Markup {
        let count = |count: usize| grouped(count as u64);
        html! {
            tr {
                th scope="row" { a href=(layout.to_source(&self.name, &self.anchor)) { bdi { (shown(&self.name)) } } }
                td.number data-label="documents" { (count(self.documents)) }
                td.number data-label="patterns" { (self.patterns_in_words()) }
                td.number data-label="removed" { (size(self.total.removed)) }
                td.number data-label="share" { (share(self.total)) }
                td.number data-label="when mined" { (self.when_mined.map_or_else(|| "–".to_owned(), percent)) }
                td.number data-label="warnings" { @if self.warnings > 0 { span.warning { (count(self.warnings)) } } }
            }
        }
    }

    /// The most important figures.
    pub fn in_words(&self) -> String {
        let warnings =
            if self.warnings > 0 { format!(", {}", counted(self.warnings, "warning")) } else { String::new() };
        format!("{}, {} removed{warnings}", counted(self.documents, "document"), share(self.total))
    }

    /// The number of patterns by status.
    fn patterns_in_words(&self) -> Markup {
        let [proposed, accepted, rejected] = self.patterns.map(|count| grouped(count as u64));
        html! {
            @if self.patterns[1..] == [0, 0] { (proposed) " proposed" } @else {
                span { (proposed) " proposed, " br; (accepted) " accepted, " br; (rejected) " rejected" }
            }
        }
    }
}

fn shared_section(shared: &Patterns) -> Section {
    Section {
        anchor: SHARED_ANCHOR.to_owned(),
        name: SHARED.to_owned(),
        title: "Shared patterns".to_owned(),
        summary: counted(shared.file.patterns.len(), "pattern"),
        body: html! {
            p.quiet { "They act on every source, in addition to its own patterns. Their figures are sums over all \
                       sources." }
            (shared.draw())
            (source::keeps(&shared.file.keep))
        },
    }
}

fn skipped(Overview { skipped, unnamed_skips, .. }: &Overview) -> Markup {
    let named = &skipped[..SKIPPED_NAMED.min(skipped.len())];
    let others = skipped.len() - named.len() + unnamed_skips;
    html! {
        @if !skipped.is_empty() {
            section aria-labelledby="skipped" {
                h2 #skipped { "Skipped documents" }
                ul { @for skipped in named { li dir="auto" { (shown(skipped)) } } }
                @if others > 0 { p.quiet { "Not listed: " (counted(others, "more document")) "." } }
            }
        }
    }
}
