//! Makes Parquet files from values for tests, and shows files as text.

use std::io::Write;
use std::sync::Arc;

use ::parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, Int32Type, Int64Type, Int96, Int96Type};
use ::parquet::file::properties::{WriterProperties, WriterPropertiesBuilder};
use ::parquet::file::reader::FileReader;
use ::parquet::file::serialized_reader::SerializedFileReader;
use ::parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use ::parquet::schema::parser::parse_message_type;

use super::input::Input;
use crate::formats::records::Fields;
use crate::read::open_file::OpenFile;

use super::{HtmlView, Keys, NewRow, Reason, Rows, Table};

/// A temporary file with these bytes.
pub(super) fn file_of(bytes: &[u8]) -> OpenFile {
    let mut file = tempfile::tempfile().expect("a temporary file");
    file.write_all(bytes).expect("written");
    OpenFile::of(file).expect("opened")
}

pub(super) fn open(bytes: &[u8]) -> Result<Table, Reason> {
    Table::open(file_of(bytes), &Keys::default(), u64::MAX)
}

/// The values of a column in a row group.
pub(super) enum Values {
    /// Strings in a column with nulls.
    Maybe(Vec<Option<&'static str>>),
    Strings(Vec<&'static str>),
    Int32(Vec<i32>),
    Int64(Vec<i64>),
    Int96(Vec<i64>),
    /// Lists of optional numbers: the values, the definition levels and the repetition levels.
    Lists(Vec<i32>, Vec<i16>, Vec<i16>),
    Truth(Vec<bool>),
}

/// A file with these row groups. `columns` is the content of `message x { ... }`.
pub(super) fn made(columns: &str, settings: WriterPropertiesBuilder, groups: Vec<Vec<Values>>) -> Vec<u8> {
    let schema = parse_message_type(&format!("message x {{ {columns} }}")).expect("a schema");
    let settings = Arc::new(settings.build());
    let mut writer = SerializedFileWriter::new(Vec::new(), Arc::new(schema), settings).expect("a writer");
    for group in groups {
        let mut row_group = writer.next_row_group().expect("a row group");
        for values in group {
            let mut column = row_group.next_column().expect("a column").expect("another column");
            put(&mut column, values);
            column.close().expect("a column");
        }
        row_group.close().expect("a row group");
    }
    writer.into_inner().expect("a file")
}

/// Like [`made`], with default settings.
pub(super) fn plain(columns: &str, groups: Vec<Vec<Values>>) -> Vec<u8> {
    made(columns, WriterProperties::builder(), groups)
}

fn put(column: &mut SerializedColumnWriter, values: Values) {
    match values {
        Values::Maybe(strings) => {
            let levels: Vec<i16> = strings.iter().map(|string| i16::from(string.is_some())).collect();
            let strings: Vec<ByteArray> = strings.into_iter().flatten().map(ByteArray::from).collect();
            write::<ByteArrayType>(column, &strings, Some(&levels), None);
        }
        Values::Strings(strings) => {
            let strings: Vec<ByteArray> = strings.into_iter().map(ByteArray::from).collect();
            write::<ByteArrayType>(column, &strings, None, None);
        }
        Values::Int32(numbers) => write::<Int32Type>(column, &numbers, None, None),
        Values::Int64(numbers) => write::<Int64Type>(column, &numbers, None, None),
        Values::Int96(numbers) => {
            let times = numbers.iter().map(|number| Int96::from(vec![*number as u32, 0, 2_440_588]));
            write::<Int96Type>(column, &times.collect::<Vec<_>>(), None, None);
        }
        Values::Lists(numbers, definitions, repetitions) => {
            write::<Int32Type>(column, &numbers, Some(&definitions), Some(&repetitions));
        }
        Values::Truth(values) => write::<BoolType>(column, &values, None, None),
    }
}

fn write<T: DataType>(column: &mut SerializedColumnWriter, values: &[T::T], def: Option<&[i16]>, rep: Option<&[i16]>) {
    column.typed::<T>().write_batch(values, def, rep).expect("values");
}

/// All rows of a file, as the Parquet crate shows them.
pub(super) fn shown(bytes: &[u8]) -> Vec<String> {
    let reader = reader(bytes);
    let rows = reader.get_row_iter(None).expect("rows");
    rows.map(|row| row.expect("a row").to_string()).collect()
}

pub(super) fn reader(bytes: &[u8]) -> SerializedFileReader<Input> {
    SerializedFileReader::new(Input::new(file_of(bytes), u64::MAX)).expect("a Parquet file")
}

/// The values of each row, as text.
pub(super) fn read(table: &Table) -> Vec<String> {
    let rows = table.batches().flat_map(|rows| {
        let rows = rows.expect("rows");
        (0..rows.len()).map(|row| format!("{}: {}", rows.first() + row as u64, fields(&rows, row))).collect::<Vec<_>>()
    });
    rows.collect()
}

fn fields(rows: &Rows, row: usize) -> String {
    let Fields { id, source, url, text, html } = match rows.fields(row) {
        Ok(fields) => fields,
        Err(reason) => return reason.to_string(),
    };
    let named = [("id", id), ("source", source), ("url", url), ("text", text), ("html", html)];
    let parts = named.into_iter().filter_map(|(name, value)| value.map(|value| format!("{name}={value}")));
    parts.collect::<Vec<_>>().join(" ")
}

/// The file written again. `new` gives the change of each row by its number.
pub(super) fn rewritten(bytes: &[u8], html: HtmlView, mut new: impl FnMut(u64) -> NewRow) -> Vec<u8> {
    let table = open(bytes).expect("a table");
    let mut writer = table.writer(Vec::new(), html).expect("a writer");
    for rows in table.batches() {
        let rows = rows.expect("rows");
        let numbers = rows.first()..rows.first() + rows.len() as u64;
        writer.write(&rows, 0, numbers.map(&mut new).collect()).expect("written");
    }
    writer.finish().expect("a file")
}
