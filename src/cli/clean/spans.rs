//! What would be cut, as a line of JSON in the form of Dolma's attributes.

use clap::ValueEnum;
use serde_json::json;

use dehusk::cleaning::Cleaning;
use dehusk::corpus::Document;

/// What positions in a text are counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Unit {
    /// Unicode code points, as Python and Dolma count
    Codepoints,
    /// Bytes of the text in UTF-8
    Bytes,
}

/// One line: `[start, end, score]` for each cut, the end exclusive.
pub fn line(document: &Document, cleaning: &Cleaning, unit: Unit) -> String {
    let mut position = Positions { text: &document.text, unit, byte: 0, points: 0 };
    let cuts = cleaning.cuts(&document.text);
    let spans = cuts.iter().map(|cut| {
        let inside =
            cleaning.spans.iter().filter(|span| cut.range.start <= span.range.start && span.range.end <= cut.range.end);
        let (weighed, bytes) = inside.fold((0.0, 0), |(weighed, bytes), span| {
            (weighed + f64::from(span.score) * span.range.len() as f64, bytes + span.range.len())
        });
        let score = (weighed / bytes.max(1) as f64 * 1000.0).round() / 1000.0;
        json!([position.of(cut.range.start), position.of(cut.range.end), score])
    });
    let spans: Vec<serde_json::Value> = spans.collect();
    format!("{}\n", json!({"id": document.id, "attributes": {"dehusk": spans}}))
}

/// Counts up to ever later bytes.
struct Positions<'t> {
    text: &'t str,
    unit: Unit,
    byte: usize,
    points: usize,
}

impl Positions<'_> {
    fn of(&mut self, byte: usize) -> usize {
        if self.unit == Unit::Bytes {
            return byte;
        }
        self.points += self.text[self.byte..byte].chars().count();
        self.byte = byte;
        self.points
    }
}
