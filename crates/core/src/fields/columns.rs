//! The fields of a document, by column.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Value;

/// The columns of a document, by name. Serializes as an object of texts and lists of texts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Columns<'a>(BTreeMap<&'a str, Column<'a>>);

/// The values of a document in one column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Column<'a> {
    /// One value.
    One(&'a str),
    /// Several values, in the order of the text.
    Many(Vec<&'a str>),
}

impl<'a> Columns<'a> {
    /// The columns of the values in a text.
    pub fn of(text: &'a str, values: &[Value<'a>]) -> Columns<'a> {
        let mut columns: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for Value { column, bytes } in values {
            columns.entry(column).or_default().push(&text[bytes.clone()]);
        }
        let column = |values: Vec<&'a str>| match *values {
            [value] => Column::One(value),
            _ => Column::Many(values),
        };
        Columns(columns.into_iter().map(|(name, values)| (name, column(values))).collect())
    }

    /// The columns, each with its name, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = (&'a str, &Column<'a>)> {
        self.0.iter().map(|(name, column)| (*name, column))
    }
}

impl Column<'_> {
    /// Number of its values, at least one.
    pub fn values(&self) -> usize {
        match self {
            Column::One(_) => 1,
            Column::Many(values) => values.len(),
        }
    }
}
