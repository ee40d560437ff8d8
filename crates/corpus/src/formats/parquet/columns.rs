//! Finds the columns that the keys name.
//!
//! Takes the schema and the [`Keys`]. Returns for each key the column of this name at the top level of the schema, if
//! there is one. A column of strings is one that Parquet marks as strings, or one of bytes without a type. Each value
//! is checked to be UTF-8 when it is read.

use ::parquet::basic::{ConvertedType, LogicalType, Repetition, Type as Physical};
use ::parquet::schema::types::{SchemaDescriptor, Type};

use crate::formats::keys_found::listed;
use crate::{Keys, Reason};

/// A value for each key that has a column.
#[derive(Debug, Clone)]
pub(super) struct ByKey<T> {
    pub(super) id: Option<T>,
    pub(super) source: Option<T>,
    pub(super) url: Option<T>,
    pub(super) text: Option<T>,
    pub(super) html: Option<T>,
}

/// A column that a key names.
#[derive(Debug, Clone)]
pub(super) struct Column {
    /// The key.
    pub(super) name: String,
    /// The index among the columns with values.
    pub(super) leaf: usize,
    /// The index among the columns at the top level of the schema.
    pub(super) root: usize,
    pub(super) is_nullable: bool,
    pub(super) holds: Holds,
}

/// The type of a column's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    Strings,
    Integers,
    /// Unsigned integers. Parquet stores large ones as negative numbers.
    Unsigned,
}

impl<T> ByKey<T> {
    /// Applies `make` to each value. Fails with the first error.
    pub(super) fn try_map<U, E>(&self, mut make: impl FnMut(&T) -> Result<U, E>) -> Result<ByKey<U>, E> {
        let mut make = |value: &Option<T>| value.as_ref().map(&mut make).transpose();
        Ok(ByKey {
            id: make(&self.id)?,
            source: make(&self.source)?,
            url: make(&self.url)?,
            text: make(&self.text)?,
            html: make(&self.html)?,
        })
    }

    /// Applies `make` to each value.
    pub(super) fn map_mut<U>(&mut self, mut make: impl FnMut(&mut T) -> U) -> ByKey<U> {
        let mut make = |value: &mut Option<T>| value.as_mut().map(&mut make);
        ByKey {
            id: make(&mut self.id),
            source: make(&mut self.source),
            url: make(&mut self.url),
            text: make(&mut self.text),
            html: make(&mut self.html),
        }
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        let ByKey { id, source, url, text, html } = self;
        [id, source, url, text, html].into_iter().flatten()
    }
}

/// Finds the columns of the `keys`. If 2 keys have the same name, only the first of them gets the column, in the order
/// text, HTML, id, source, URL, as for a JSONL line. Fails if there is no column for text or HTML, or if a column has
/// the wrong type.
pub(super) fn find(schema: &SchemaDescriptor, keys: &Keys) -> Result<ByKey<Column>, Reason> {
    let mut taken: Vec<&str> = Vec::new();
    let mut take = |key, expected| {
        let is_free = !taken.contains(&key);
        taken.push(key);
        if is_free { column(schema, key, expected) } else { Ok(None) }
    };
    let text = take(keys.text.as_str(), STRINGS)?;
    let html = take(keys.html.as_str(), STRINGS)?;
    let id = take(keys.id.as_str(), NAMES)?;
    let source = take(keys.source.as_str(), STRINGS)?;
    let url = take(keys.url.as_str(), STRINGS)?;
    if text.is_none() && html.is_none() {
        return Err(no_text_column(schema, keys));
    }
    Ok(ByKey { id, source, url, text, html })
}

/// The expected content of a column: in words, and as a test.
type Expected = (&'static str, fn(Holds) -> bool);

const STRINGS: Expected = ("a column of strings", |holds| holds == Holds::Strings);
const NAMES: Expected = ("a column of strings or integers", |_| true);

fn column(schema: &SchemaDescriptor, key: &str, expected: Expected) -> Result<Option<Column>, Reason> {
    let fields = schema.root_schema().get_fields();
    let mut found = fields.iter().enumerate().filter(|(_, field)| field.name() == key);
    let Some((root, field)) = found.next() else {
        return Ok(None);
    };
    if found.next().is_some() {
        return Err(Reason::DuplicateKey(key.to_owned()));
    }
    let (words, fits) = expected;
    let wrong = || Reason::WrongColumn { column: key.to_owned(), found: describe(field), expected: words };
    let holds = holds(field).filter(|holds| fits(*holds)).ok_or_else(wrong)?;
    let leaf = (0..schema.num_columns()).find(|leaf| schema.get_column_root_idx(*leaf) == root).ok_or_else(wrong)?;
    Ok(Some(Column { name: key.to_owned(), leaf, root, is_nullable: field.is_optional(), holds }))
}

/// The type of the values of the column `field`. `None` if no key can use it.
fn holds(field: &Type) -> Option<Holds> {
    let info = field.get_basic_info();
    if !field.is_primitive() || info.repetition() == Repetition::REPEATED {
        return None;
    }
    match (field.get_physical_type(), info.logical_type_ref(), info.converted_type()) {
        (Physical::BYTE_ARRAY, Some(LogicalType::String | LogicalType::Enum | LogicalType::Json), _)
        | (Physical::BYTE_ARRAY, None, ConvertedType::NONE | ConvertedType::UTF8)
        | (Physical::BYTE_ARRAY, None, ConvertedType::ENUM | ConvertedType::JSON) => Some(Holds::Strings),
        (Physical::INT32 | Physical::INT64, logical, converted) => integers(logical, converted),
        _ => None,
    }
}

fn integers(logical: Option<&LogicalType>, converted: ConvertedType) -> Option<Holds> {
    use ConvertedType::{INT_8, INT_16, INT_32, INT_64, NONE, UINT_8, UINT_16, UINT_32, UINT_64};
    match (logical, converted) {
        (Some(LogicalType::Integer(integer)), _) if integer.is_signed => Some(Holds::Integers),
        (Some(LogicalType::Integer(_)), _) | (None, UINT_8 | UINT_16 | UINT_32 | UINT_64) => Some(Holds::Unsigned),
        (None, NONE | INT_8 | INT_16 | INT_32 | INT_64) => Some(Holds::Integers),
        _ => None,
    }
}

/// Describes the type of a column in Parquet's terms.
fn describe(field: &Type) -> String {
    let info = field.get_basic_info();
    if !field.is_primitive() || info.repetition() == Repetition::REPEATED {
        return "a nested column".to_owned();
    }
    match (info.logical_type_ref(), info.converted_type()) {
        (None, ConvertedType::NONE) => format!("a column of type {}", field.get_physical_type()),
        (None, converted) => format!("a column of type {converted}"),
        (Some(logical), _) => format!("a column of type {logical:?}"),
    }
}

fn no_text_column(schema: &SchemaDescriptor, keys: &Keys) -> Reason {
    Reason::NoTextColumn { text: keys.text.clone(), html: keys.html.clone(), columns: names(schema) }
}

/// The names of all columns, for a message.
pub(super) fn names(schema: &SchemaDescriptor) -> String {
    listed(schema.root_schema().get_fields().iter().map(|field| field.name()))
}
