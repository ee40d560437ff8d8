//! Which columns hold what.
//!
//! Takes the schema and the [`Keys`]; gives for each key the column of that name, if there is one at the top of the
//! schema. Strings are what Parquet calls so, and bytes without a type: they have to be UTF-8, which each value proves.

use ::parquet::basic::{ConvertedType, LogicalType, Repetition, Type as Physical};
use ::parquet::schema::types::{SchemaDescriptor, Type};

use super::super::{Keys, Reason};

/// How many columns an error names.
const MAX_NAMED: usize = 20;

/// Something for each key that has a column.
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
    /// Which of the columns that hold values it is.
    pub(super) leaf: usize,
    /// Which of the columns at the top of the schema it is.
    pub(super) root: usize,
    pub(super) is_nullable: bool,
    pub(super) holds: Holds,
}

/// What a column's values are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    Strings,
    Integers,
    /// Integers as well, of which Parquet stores large ones as if they were negative.
    Unsigned,
}

impl<T> ByKey<T> {
    /// The same keys, with what `make` makes of each.
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

    /// The same keys, with what `make` makes of each.
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

/// Finds the columns of the `keys`. Of two keys of the same name the first has the column, text before all others, as
/// in a JSONL line.
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

/// What a column is expected to hold: in words, and as a test.
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

/// What the column `field` holds, if it is anything of use.
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

/// What a column is, in the words of Parquet.
fn describe(field: &Type) -> String {
    let info = field.get_basic_info();
    if !field.is_primitive() || info.repetition() == Repetition::REPEATED {
        return "a nested one".to_owned();
    }
    match (info.logical_type_ref(), info.converted_type()) {
        (None, ConvertedType::NONE) => format!("one of type {}", field.get_physical_type()),
        (None, converted) => format!("one of type {converted}"),
        (Some(logical), _) => format!("one of type {logical:?}"),
    }
}

fn no_text_column(schema: &SchemaDescriptor, keys: &Keys) -> Reason {
    let fields = schema.root_schema().get_fields();
    let names = fields.iter().take(MAX_NAMED).map(|field| format!("{:?}", field.name()));
    let more = fields.len().checked_sub(MAX_NAMED).filter(|more| *more > 0).map(|more| format!("{more} more"));
    let columns = match fields {
        [] => "no column at all".to_owned(),
        _ => names.chain(more).collect::<Vec<_>>().join(", "),
    };
    Reason::NoTextColumn { text: keys.text.clone(), html: keys.html.clone(), columns }
}
