//! The section of one source.

use maud::{Markup, html};

use super::dates::{ByDate, by_date};
use super::documents::{ShownDocument, Target};
use super::patterns::{Patterns, Sights};
use super::ranking::Ranking;
use super::{ReportLayout, SHARED_ANCHOR, share};
use crate::view::charts::{DocumentShare, histogram, removed_over_documents};
use crate::view::{grouped, size};
use dehusk_core::cleaning::Origin;
use dehusk_core::mining::cutoff::{Histogram, choose_cutoff};
use dehusk_core::patterns::{Keep, PatternFile, SHARED};
use dehusk_core::selection::effects::{DocumentEffect, Effects};
use dehusk_core::selection::warnings::{doubtful_cutoff, few_documents};
use dehusk_core::shown::{count, shown};

/// The data of a source's section.
#[derive(Debug)]
pub struct SourceReport<'a> {
    /// The files of the report.
    pub layout: ReportLayout,
    /// The id of its section.
    pub anchor: &'a str,
    /// Its name.
    pub name: &'a str,
    /// The source's own pattern file and the shared pattern file, as far as they exist.
    pub files: &'a [&'a PatternFile],
    /// The effects of their patterns.
    pub effects: &'a Effects,
    /// The names of its documents. Empty for documents that could not be read.
    pub names: &'a [String],
    /// Some matches of its own patterns.
    pub sights: &'a Sights,
    /// The documents of which most is removed, and the documents of which least is removed.
    pub extremes: &'a [Vec<ShownDocument>; 2],
    /// Warnings about the source.
    pub warnings: &'a [String],
    /// Number of patterns of a file shown in full.
    pub in_full: usize,
}

impl SourceReport<'_> {
    /// Draws the section, without its heading.
    pub fn draw(&self) -> Markup {
        html! {
            div {
                @for warning in self.warnings { p.warning dir="auto" { (warning) } }
                @if let Some(few) = self.own().and_then(few_documents) { p.quiet { (few) } }
                (self.figures())
                @if self.effects.documents.is_empty() {
                    p.quiet { "Its patterns are not shown: there is no document to try them on." }
                } @else {
                    (self.links())
                    (self.charts())
                    @if let Some(own) = self.patterns(0).filter(|_| self.own().is_some()) { (own.draw()) }
                    (self.shared_patterns())
                    (self.own().map_or_else(Markup::default, |own| keeps(&own.keep)))
                    (self.documents())
                }
            }
        }
    }

    fn own(&self) -> Option<&PatternFile> {
        self.files.first().copied().filter(|file| file.source != SHARED)
    }

    /// The patterns of the file with this index.
    fn patterns(&self, file: usize) -> Option<Patterns<'_>> {
        let of = self.files.get(file)?;
        let (anchor, page) = match of.source == SHARED {
            true => (SHARED_ANCHOR, self.layout.to_shared()),
            false => (self.anchor, ""),
        };
        Some(Patterns {
            anchor,
            page,
            file: of,
            effects: &self.effects.patterns[file],
            sights: self.sights,
            documents: self.effects.documents.iter().flatten().count(),
            in_full: self.in_full,
        })
    }

    fn figures(&self) -> Markup {
        let total @ DocumentEffect { bytes, removed } = self.effects.total();
        let unmatched = self.effects.unmatched as f64 / bytes.max(1) as f64;
        let mined = self.own().and_then(|own| own.mined.removed);
        html! {
            dl.figures {
                div { dt { "documents" } dd { (grouped(self.effects.documents.len() as u64)) } }
                div { dt { "of text" } dd { (size(bytes)) } }
                div { dt { "removed: " (size(removed)) } dd { (share(total)) } }
                @if bytes > 0 {
                    div { dt { "removed without a pattern" } dd { (crate::view::percent(unmatched)) } }
                    div { dt { "of the content may be lost" } dd { (crate::view::percent(self.effects.expected.loss())) } }
                }
                @if let Some(mined) = mined { div { dt { "removed when mined" } dd { (crate::view::percent(mined)) } } }
            }
        }
    }

    fn links(&self) -> Markup {
        let [most, least] = self.extremes;
        html! {
            nav.quiet aria-label={ "Parts of " (shown(self.name)) } {
                a href=(self.layout.to_index()) { "All sources" }
                @if self.own().is_some() { " · " a href={ "#" (self.anchor) "-patterns" } { "Patterns" } }
                @if !most.is_empty() { " · " a href={ "#" (self.anchor) "-most" } { "Most removed" } }
                @if !least.is_empty() { " · " a href={ "#" (self.anchor) "-least" } { "Least removed" } }
            }
        }
    }

    fn charts(&self) -> Markup {
        let (order, order_in_words) = self.order();
        let share = |index: usize| Some((self.names[index].as_str(), self.effects.documents[index]?.share()));
        let shares: Vec<DocumentShare> =
            order.into_iter().filter_map(share).map(|(name, share)| DocumentShare { name, share }).collect();
        html! {
            h3 { "What was counted" }
            div.charts {
                @if let Some(own) = self.own() { (histogram_of(own)) }
                div { (removed_over_documents(&shares)) p.quiet { (order_in_words) } }
            }
        }
    }

    /// The documents that were read, sorted by time if possible, and a sentence about the order.
    fn order(&self) -> (Vec<usize>, String) {
        let read: Vec<usize> = (0..self.names.len()).filter(|&index| self.effects.documents[index].is_some()).collect();
        match by_date(read.iter().map(|&index| self.names[index].as_str())) {
            Some(ByDate { order, undated: 0 }) => {
                (order.into_iter().map(|index| read[index]).collect(), "Over time, by the dates in their names.".into())
            }
            Some(ByDate { order, undated }) => {
                let (undated, are) = (count(undated, "document"), if undated == 1 { "is" } else { "are" });
                let words = format!(
                    "In order of time, by the dates in their names; {undated} without a date {are} at the end."
                );
                (order.into_iter().map(|index| read[index]).collect(), words)
            }
            None => (read, "In the order of the corpus: too few of their names have a date.".to_owned()),
        }
    }

    fn shared_patterns(&self) -> Markup {
        let shared = (0..self.files.len()).find(|&file| self.files[file].source == SHARED);
        let at_work = shared.and_then(|file| self.patterns(file)?.at_work());
        html! { @if let Some(at_work) = at_work { h3 { "Shared patterns that match here" } (at_work) } }
    }

    fn documents(&self) -> Markup {
        let rankings: Vec<Ranking> =
            self.files.iter().zip(&self.effects.patterns).map(|(file, effects)| Ranking::of(file, effects)).collect();
        let target = |origin| self.target(&rankings, origin);
        let [most, least] = self.extremes;
        html! {
            @for (part, title, documents) in [("most", "Most removed", most), ("least", "Least removed", least)] {
                @if !documents.is_empty() {
                    h3 id={ (self.anchor) "-" (part) } { (title) }
                    @for document in documents { (document.draw(target)) }
                }
            }
        }
    }

    fn target(&self, rankings: &[Ranking], Origin { file, index }: Origin) -> Target {
        let id = self.files[file].patterns[index].id.clone();
        let patterns = self.patterns(file).filter(|patterns| patterns.has_element(&rankings[file], index));
        Target { id, link: patterns.map(|patterns| patterns.link(index)) }
    }
}

fn histogram_of(file: &PatternFile) -> Markup {
    if file.mined.histogram.is_empty() {
        return html! {
            p.quiet { "The pattern file has no histogram of repeats; mine the source again, and it will have one." }
        };
    }
    let counts = Histogram::of_hundredths(&file.mined.histogram);
    let chosen = choose_cutoff(&counts);
    // If the user set another cutoff, the modes do not explain it, and are not shown.
    let is_chosen = (chosen.share - file.mined.cutoff).abs() < 0.005;
    html! {
        div {
            (histogram(&counts.0, file.mined.cutoff, chosen.modes.filter(|_| is_chosen)))
            @if let Some(doubt) = doubtful_cutoff(file) { p.quiet { (doubt) } }
        }
    }
}

/// The texts to keep.
pub fn keeps(keeps: &[Keep]) -> Markup {
    html! {
        @if !keeps.is_empty() {
            h3 { "Texts to keep" }
            ul.contexts { @for keep in keeps { li {
                span.context dir="auto" { (keep.text()) }
                @if !keep.note.is_empty() { cite { bdi { (keep.note) } } }
            } } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::testing::text_of;
    use dehusk_core::patterns::LexerCache;

    fn drawn(rest: &str, names: &[&str], documents: &[Option<DocumentEffect>]) -> String {
        let yaml =
            format!("dehusk: 1\nsource: s\nmined: {{documents: 9, tokens: 9, cutoff: 0.49, tokenizer: words}}\n{rest}");
        let file = PatternFile::parse(&yaml, &LexerCache::default()).unwrap();
        let effects = Effects { documents: documents.to_vec(), patterns: vec![Vec::new()], ..Effects::default() };
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let report = SourceReport {
            layout: ReportLayout::OnePage,
            anchor: "s1",
            name: "s",
            files: &[&file],
            effects: &effects,
            names: &names,
            sights: &Sights::new(),
            extremes: &Default::default(),
            warnings: &["be warned".to_owned()],
            in_full: 9,
        };
        text_of(&report.draw().into_string())
    }

    fn removed(removed: usize) -> Option<DocumentEffect> {
        Some(DocumentEffect { bytes: 100, removed })
    }

    #[test]
    fn documents_stand_in_the_order_of_time_if_their_names_tell() {
        let names = ["b-2024-01-02", "", "a-2024-01-01"];
        let text = drawn("", &names, &[removed(10), None, removed(70)]);
        assert!(text.find("a-2024") < text.find("b-2024"), "the older one is left: {text}");
        assert!(text.contains("Over time, by the dates in their names.") && text.contains("be warned"), "{text}");
        let text = drawn("", &["b", "a"], &[removed(10), removed(70)]);
        assert!(text.contains("bbaadashed") && text.contains("In the order of the corpus"), "{text}");
    }

    #[test]
    fn modes_are_shown_if_the_cutoff_was_read_off_them() {
        let text = |histogram: &str| drawn(histogram, &["a"], &[removed(10)]);
        assert!(text("histogram: {4: 800, 94: 30}\n").contains("between the two modes, 4\u{a0}% and 94\u{a0}%"));
        assert!(!text("histogram: {4: 800, 64: 30}\n").contains("between the two modes"));
        assert!(text("").contains("has no histogram of repeats"));
    }

    #[test]
    fn a_source_without_documents_is_short() {
        let text = drawn("", &[], &[]);
        assert!(text.contains("there is no document to try them on") && !text.contains("What was counted"), "{text}");
        assert!(text.contains("–removed") || text.contains("removed: 0\u{a0}B–"), "{text}");
    }
}
