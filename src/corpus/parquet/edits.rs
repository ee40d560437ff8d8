//! What becomes of the rows of one row group, as far as they have come.

use std::io;

use super::Parquet;
use super::copying::Change;
use super::held::Held;
use super::plan::{Plan, Role};
use super::writer::NewRow;

/// What becomes of rows: a mark for each, and the new texts in order.
#[derive(Debug, Default)]
pub(super) struct Edits {
    marks: Vec<Mark>,
    texts: Held,
    pages: Held,
}

/// As [`NewRow`], with the texts elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    AsRead,
    Dropped,
    Text,
    /// A text, of the HTML of a row that had none: the HTML goes.
    TextOfHtml,
    Page,
}

impl Edits {
    /// Takes what becomes of the next row; `lacks_text` if it has none in the column of texts.
    pub(super) fn push(&mut self, new: NewRow, lacks_text: bool, plan: &Plan) -> io::Result<()> {
        let mark = match new {
            NewRow::AsRead => Mark::AsRead,
            NewRow::Dropped => Mark::Dropped,
            NewRow::Text(text) => {
                has_column(plan.has(Role::Text) || plan.has(Role::HtmlToText), "a text")?;
                self.texts.push(&text)?;
                if lacks_text && plan.clears_html { Mark::TextOfHtml } else { Mark::Text }
            }
            NewRow::Page(page) => {
                has_column(plan.has(Role::Html), "a page")?;
                self.pages.push(&page)?;
                Mark::Page
            }
        };
        self.marks.push(mark);
        Ok(())
    }

    pub(super) fn rows(&self) -> usize {
        self.marks.len()
    }

    /// Which of the rows stay.
    pub(super) fn stays(&self) -> Vec<bool> {
        self.marks.iter().map(|mark| *mark != Mark::Dropped).collect()
    }

    /// Whether a column of this role stays as it is.
    pub(super) fn leave(&self, role: Role) -> bool {
        let stays = |mark: &Mark| match (role, mark) {
            (Role::HtmlToText, _) | (_, Mark::Dropped) => false,
            (_, Mark::AsRead) | (Role::Other, _) => true,
            (Role::Text, mark) => *mark == Mark::Page,
            (Role::Html, mark) => *mark == Mark::Text,
        };
        self.marks.iter().all(stays)
    }

    /// What becomes of the values of a column of this role, row by row.
    pub(super) fn changes(&self, role: Role) -> impl Iterator<Item = Parquet<Change>> {
        let mut texts = if role == Role::Html { self.pages.texts() } else { self.texts.texts() };
        self.marks.iter().map(move |mark| match (mark, role) {
            (Mark::Dropped, _) => Ok(Change::Drop),
            (Mark::Text | Mark::TextOfHtml, Role::Text | Role::HtmlToText) => texts.next().map(Change::Replace),
            (Mark::Page, Role::Html) => texts.next().map(Change::Replace),
            (Mark::TextOfHtml, Role::Html) => Ok(Change::Clear),
            _ => Ok(Change::Keep),
        })
    }
}

fn has_column(has: bool, what: &str) -> io::Result<()> {
    match has {
        true => Ok(()),
        false => Err(io::Error::new(io::ErrorKind::InvalidInput, format!("there is no column for {what}"))),
    }
}
