//! Draws a block: its rows, one below the other, with what may be between them.

use dehusk_core::patterns::readable::{chips as parts_of, row_chips};
use dehusk_core::patterns::{Block, Open, Pattern, Row};
use dehusk_core::tokens::MutableSet;
use maud::{Markup, html};

use super::chips::chips;

/// A pattern in words: the rows of a block, or the parts of any other pattern in one line.
pub fn reading(pattern: &Pattern, mutable: &MutableSet) -> Markup {
    match pattern.block() {
        Some(block) => rows(block, pattern.documents, mutable),
        None => html! { p.reading { (chips(&parts_of(pattern, mutable))) } },
    }
}

/// The rows of a block that was found in this number of documents.
fn rows(block: &Block, documents: usize, mutable: &MutableSet) -> Markup {
    let last_open = block.rows.iter().map(|row| row.after).max().unwrap_or_default();
    html! {
        ol.rows {
            @for row in &block.rows {
                li { (chips(&row_chips(row, mutable))) " " (remarks(row, documents)) }
                @if row.between.lines > 0 { li.open { (open(row.between)) } }
            }
            @if last_open.lines > 0 { li.open { (open(last_open)) " at the end" } }
        }
    }
}

/// How often a row is there, and whether it is enough.
fn remarks(row: &Row, documents: usize) -> Markup {
    let is_optional = row.documents < documents;
    html! {
        @if is_optional { small.hint { "in " (row.documents) " of " (documents) } }
        @if !row.is_sure { " " small.hint { "only beside another row" } }
    }
}

fn open(Open { lines, characters }: Open) -> String {
    let lines = match lines {
        1 => "a line".to_owned(),
        lines => format!("up to {lines} lines"),
    };
    format!("{lines} of up to {characters} characters")
}
