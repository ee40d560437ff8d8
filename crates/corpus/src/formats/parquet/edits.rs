//! The changes to the rows of one row group, as far as they are known.

use std::io;

use super::Parquet;
use super::copying::Change;
use super::held::Held;
use super::plan::{Plan, Role};
use super::writer::NewRow;

/// The changes to some rows: a mark for each row, and the new texts in order.
#[derive(Debug, Default)]
pub(super) struct Edits {
    marks: Vec<Mark>,
    texts: Held,
    pages: Held,
}

/// Like [`NewRow`], but without the texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    AsRead,
    Dropped,
    Text,
    /// A text that was made from the HTML of a row without a text. The HTML is removed.
    TextOfHtml,
    Page,
}

impl Edits {
    /// Adds the change of the next row. `lacks_text` says whether the row's value in the column of texts is null. Fails
    /// if there is no column for the new value.
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

    /// Whether each row is kept.
    pub(super) fn stays(&self) -> Vec<bool> {
        self.marks.iter().map(|mark| *mark != Mark::Dropped).collect()
    }

    /// Whether a column of this role is unchanged.
    pub(super) fn leave(&self, role: Role) -> bool {
        let stays = |mark: &Mark| match (role, mark) {
            (Role::HtmlToText, _) | (_, Mark::Dropped) => false,
            (_, Mark::AsRead) | (Role::Other, _) => true,
            (Role::Text, mark) => *mark == Mark::Page,
            (Role::Html, mark) => *mark == Mark::Text,
        };
        self.marks.iter().all(stays)
    }

    /// The changes of the values in a column of this role, row by row.
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
