//! The figures as text, for people.

use std::fmt::Write as _;

use dehusk_lab::stream_figures::{Batch, Figures, Judged, Shares, Storage, Unit, mean};

use dehusk::cli::summary::{Summary, count};
use dehusk::cli::table::{Table, decimal, percent};
use dehusk_core::shown::size;

/// The figures as text.
pub fn of(figures: &Figures, summary: &Summary) -> String {
    let mut text = removal(figures, Unit::Words).to_string();
    let _ = write!(text, "\n{}", removal(figures, Unit::Blocks));
    let _ = write!(text, "\n{}", storage(figures));
    let documents = figures.sources.iter().map(|source| source.pages.len()).sum();
    let _ = write!(text, "{} of {}", count(documents, "document"), count(figures.sources.len(), "source"));
    if summary.skipped > 0 {
        let _ = write!(text, "; {} skipped", summary.skipped);
    }
    let _ = writeln!(text, "\n{}", summary.stages());
    text
}

/// The removals, by pages.
fn removal(figures: &Figures, unit: Unit) -> Table {
    let title = match unit {
        Unit::Words => "words of pages",
        Unit::Blocks => "blocks of pages",
    };
    let mut table = Table::default().words(title).figures(["documents"]);
    for method in ["stream", "segments alone", "whole blocks", "mine, clean"] {
        table = table.group(method.to_owned(), ["precision", "recall"]);
    }
    let mut row = |pages: String, documents: usize, shares: [Shares; 4]| {
        table.row([pages, documents.to_string()].into_iter().chain(shares.iter().flat_map(cells)));
    };
    for pages in figures.windows() {
        let (documents, judged) = figures.within(unit, &pages);
        let (first, last) = pages.into_inner();
        let named = if first == last { first.to_string() } else { format!("{first}-{last}") };
        row(named, documents, shares(&judged));
    }
    let (documents, judged) = figures.in_last_half(unit);
    row("last half".to_owned(), documents, shares(&judged));
    row("mean of sources".to_owned(), documents, figures.means_of_last_half(unit));
    table
}

fn shares(judged: &Judged) -> [Shares; 4] {
    judged.methods().map(|removal| Shares::of(&removal))
}

fn cells(Shares { precision, recall }: &Shares) -> [String; 2] {
    [precision, recall].map(|share| share.map_or("-".to_owned(), |share| decimal(share, 3)))
}

/// How much must be stored, on average over the sources in which the stream finds anything.
fn storage(figures: &Figures) -> Table {
    let found = || {
        let storages = figures.sources.iter().map(|source| &source.storage);
        storages.filter_map(|storage| storage.batch.as_ref().map(|batch| (storage, batch)))
    };
    let pages = mean(found().map(|(_, batch)| batch.pages as f64));
    let pages = pages.map_or("-".to_owned(), |pages| format!("{pages:.1}"));
    let mut table = Table::default().words("stored per source").figures(["pages", "bytes", "the stream saves"]);
    let stream = mean(found().map(|(storage, _)| storage.table));
    let mut row = |what: &str, pages: &str, bytes: fn(&Storage, &Batch) -> f64| {
        let kept = mean(found().map(|(storage, batch)| bytes(storage, batch)));
        let saved = stream.zip(kept).map(|(stream, kept)| 1.0 - stream / kept);
        let kept = kept.map_or("-".to_owned(), |bytes| size(bytes as u64));
        table.row([what.to_owned(), pages.to_owned(), kept, percent(saved, 1)]);
    };
    row("pages of the first half", "", |storage, _| storage.half as f64);
    row("last pages, for the same recall", &pages, |_, batch| batch.bytes);
    row("table of the stream", "", |storage, _| storage.table);
    table
}
