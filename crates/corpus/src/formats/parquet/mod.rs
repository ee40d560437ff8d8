//! A Parquet file: one document per row.
//!
//! Takes an open file and the [`Keys`], which name columns at the top level of its schema. Reads its rows, some
//! thousand at a time ([`Table::batches`]), and writes the file again with other texts ([`Table::writer`]).
//!
//! Only the columns that the keys name are decoded. All others are copied as Parquet stores them and never converted to
//! other types. So their types do not matter. If all rows of a row group are kept, the bytes of these columns are
//! copied. Otherwise their values are copied, with repetition and definition levels.
//!
//! The Parquet crate trusts the content of files and may panic on a damaged one. So every call to it is made through
//! [`caught`], which turns a panic into an error. (The panic hook still gets the panic's message.)

mod arrow_schema;
mod columns;
mod copying;
mod edits;
mod held;
mod input;
mod plan;
mod rows;
mod settings;
#[cfg(test)]
mod testing;
mod writer;

use std::io::{self, Write};
use std::sync::Arc;

use ::parquet::column::reader::{ColumnReader, get_column_reader};
use ::parquet::errors::ParquetError;
use ::parquet::file::metadata::{
    PageIndexPolicy, ParquetMetaData, ParquetMetaDataOptions, ParquetMetaDataReader, RowGroupMetaData,
};
use ::parquet::file::reader::{ChunkReader, Length};
use ::parquet::file::serialized_reader::SerializedPageReader;

use self::columns::{ByKey, Column};
use self::input::Input;
pub(crate) use self::rows::{Batches, Rows};
pub(crate) use self::writer::{NewRow, TableWriter};
use crate::guarded::guarded;
use crate::read::open_file::OpenFile;
use crate::{HtmlView, Keys, Reason};

/// The result type of the Parquet crate.
type Parquet<T> = ::parquet::errors::Result<T>;

/// The last bytes of a file with an encrypted footer.
const ENCRYPTED: &[u8] = b"PARE";

/// An open Parquet file. Its metadata are read, its rows are not.
#[derive(Clone)]
pub(crate) struct Table {
    opened: Arc<Opened>,
}

/// The data that reading and writing share.
pub(crate) struct Opened {
    input: Arc<Input>,
    metadata: ParquetMetaData,
    columns: ByKey<Column>,
    keys: Keys,
}

impl Table {
    /// Reads the footer of `file` and finds the columns of the `keys`. Pages that need more than `memory` bytes are not
    /// unpacked. Fails if the file is encrypted or damaged, or lacks the columns.
    pub(crate) fn open(file: OpenFile, keys: &Keys, memory: u64) -> Result<Table, Reason> {
        let input = Arc::new(Input::new(file, memory));
        refuse_encrypted(&input)?;
        let metadata = caught(|| metadata(&input)).map_err(reason)?;
        let columns = columns::find(metadata.file_metadata().schema_descr(), keys)?;
        Ok(Table { opened: Arc::new(Opened { input, metadata, columns, keys: keys.clone() }) })
    }

    /// The estimated size of the first `rows` rows in the file, in bytes. It assumes that all rows have the same size.
    pub(crate) fn bytes_of(&self, rows: u64) -> u64 {
        let bytes = u128::from(self.opened.input.len()) * u128::from(rows) / u128::from(self.rows().max(1));
        // This fits, because there are never more `rows` than the file has.
        bytes as u64
    }

    /// Number of rows.
    fn rows(&self) -> u64 {
        self.opened.metadata.row_groups().iter().map(rows_of).sum()
    }

    /// Reads the rows in order, some thousand at a time: see [`Batches`].
    pub(crate) fn batches(&self) -> Batches {
        Batches::new(Arc::clone(&self.opened))
    }

    /// Starts to write this file again to `sink`, with other texts: see [`TableWriter`].
    pub(crate) fn writer<W: Write + Send>(&self, sink: W, html: HtmlView) -> Result<TableWriter<W>, Reason> {
        TableWriter::new(Arc::clone(&self.opened), sink, html)
    }
}

impl Opened {
    /// A reader of a column's values in a row group.
    fn reader(&self, group: usize, leaf: usize) -> Parquet<ColumnReader> {
        let column = self.metadata.file_metadata().schema_descr().column(leaf);
        Ok(get_column_reader(column, Box::new(self.pages(group, leaf)?)))
    }

    /// The pages of a column in a row group. Their positions are read from the page headers, because an index of them
    /// can be wrong.
    fn pages(&self, group: usize, leaf: usize) -> Parquet<SerializedPageReader<Input>> {
        let group = self.metadata.row_group(group);
        let rows = usize::try_from(rows_of(group))?;
        SerializedPageReader::new(Arc::clone(&self.input), group.column(leaf), rows, None)
    }
}

fn refuse_encrypted(input: &Input) -> Result<(), Reason> {
    let at = input.len().saturating_sub(ENCRYPTED.len() as u64);
    let end = input.get_bytes(at, ENCRYPTED.len()).map_err(reason)?;
    if end == ENCRYPTED { Err(Reason::EncryptedParquet) } else { Ok(()) }
}

fn metadata(input: &Input) -> Parquet<ParquetMetaData> {
    // The full statistics of page encodings are read, so that they can be written again.
    let options = ParquetMetaDataOptions::new().with_encoding_stats_as_mask(false);
    let reader = ParquetMetaDataReader::new().with_metadata_options(Some(options));
    let metadata = reader.with_page_index_policy(PageIndexPolicy::Optional).parse_and_finish(input)?;
    metadata.row_groups().iter().try_for_each(refuse_impossible)?;
    Ok(metadata)
}

fn refuse_impossible(group: &RowGroupMetaData) -> Parquet<()> {
    let has_all = group.num_columns() == group.schema_descr().num_columns();
    let lies_elsewhere = group.columns().iter().any(|column| column.file_path().is_some());
    match group.num_rows() >= 0 && has_all {
        false => Err(ParquetError::General("a row group does not fit the schema".to_owned())),
        true if lies_elsewhere => Err(ParquetError::NYI("its columns are in other files".to_owned())),
        true => Ok(()),
    }
}

fn rows_of(group: &RowGroupMetaData) -> u64 {
    u64::try_from(group.num_rows()).unwrap_or(0)
}

/// Runs `step` and turns a panic in it into an error. After an error, the values that `step` used must not be used
/// again.
fn caught<T>(step: impl FnOnce() -> Parquet<T>) -> Parquet<T> {
    guarded(step).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("it did not say why");
        Err(ParquetError::General(format!("its reader gave up: {text}")))
    })
}

fn reason(error: ParquetError) -> Reason {
    match of_input(error) {
        ParquetError::General(text) | ParquetError::EOF(text) => Reason::DamagedParquet(text),
        ParquetError::NYI(text) => Reason::UnsupportedParquet(text),
        ParquetError::External(error) => match error.downcast::<Reason>() {
            Ok(reason) => *reason,
            Err(error) => Reason::Unreadable(error.to_string()),
        },
        error => Reason::DamagedParquet(error.to_string()),
    }
}

/// Turns a reading error, such as one of decompression, into an error of the file. Errors of the operating system stay
/// unchanged.
fn of_input(error: ParquetError) -> ParquetError {
    let is_of_system = |error: &io::Error| error.raw_os_error().is_some();
    match error {
        ParquetError::External(error) if !error.is::<Reason>() && !error.downcast_ref().is_some_and(is_of_system) => {
            ParquetError::General(error.to_string())
        }
        error => error,
    }
}

/// Like [`reason`], but errors of the output are not changed. An error of the input has a [`Reason`] inside.
fn io_error(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(error) if error.is::<io::Error>() => match error.downcast() {
            Ok(error) => *error,
            Err(error) => io::Error::other(error),
        },
        error => io::Error::new(io::ErrorKind::InvalidData, reason(error)),
    }
}

#[cfg(test)]
mod tests {
    use ::parquet::basic::{Compression, ZstdLevel};
    use ::parquet::file::metadata::{KeyValue, SortingColumn};
    use ::parquet::file::properties::{EnabledStatistics, WriterProperties, WriterVersion};
    use ::parquet::file::reader::FileReader;
    use ::parquet::schema::types::ColumnPath;

    use super::testing::{Values, made, open, plain, read, reader, rewritten, shown};
    use super::*;

    const DOCUMENTS: &str = "required binary id (UTF8); optional binary text (UTF8);";

    fn documents() -> Vec<u8> {
        let group = |ids, texts| vec![Values::Strings(ids), Values::Maybe(texts)];
        plain(
            DOCUMENTS,
            vec![
                group(vec!["a", "b"], vec![Some("1"), None]),
                group(vec![], vec![]),
                group(vec!["c"], vec![Some("3")]),
            ],
        )
    }

    fn refused(bytes: &[u8]) -> String {
        open(bytes).err().expect("it is refused").to_string()
    }

    #[test]
    fn rows_are_numbered_through_all_row_groups() {
        let table = open(&documents()).expect("a table");
        assert_eq!(table.rows(), 3);
        assert_eq!(read(&table), ["1: id=a text=1", "2: id=b", "3: id=c text=3"]);
    }

    #[test]
    fn strings_and_integers_have_many_types() {
        let columns = "required int32 id (INTEGER(32, false)); required binary source (ENUM);
            required binary url; optional binary text (JSON); required binary html;";
        let values = vec![
            Values::Int32(vec![-1, 2]),
            Values::Strings(vec!["a", "b"]),
            Values::Strings(vec!["u", "v"]),
            Values::Maybe(vec![Some("1"), None]),
            Values::Strings(vec!["h", "größe"]),
        ];
        let table = open(&plain(columns, vec![values])).expect("a table");
        assert_eq!(read(&table), ["1: id=4294967295 source=a url=u text=1", "2: id=2 source=b url=v html=größe"]);
    }

    #[test]
    fn keys_can_be_chosen_and_may_be_the_same() {
        let bytes = plain(
            "required binary a; required binary b;",
            vec![vec![Values::Strings(vec!["1"]), Values::Strings(vec!["2"])]],
        );
        let key = |key: &str| key.to_owned();
        let keys = Keys { text: key("b"), html: key("b"), id: key("a"), url: key("a"), ..Keys::default() };
        let table = Table::open(testing::file_of(&bytes), &keys, u64::MAX).expect("a table");
        assert_eq!(read(&table), ["1: id=1 text=2"]);
    }

    #[test]
    fn columns_that_do_not_fit_are_named() {
        let columns = |columns| refused(&plain(columns, vec![]));
        assert_eq!(
            columns("required int32 text;"),
            r#"the column "text" is a column of type INT32, not a column of strings: name another column"#
        );
        assert!(columns("required binary text; required double id;").contains("DOUBLE, not a column of strings or"));
        assert!(columns("required binary text; required int32 id (DATE);").contains("of type Date"));
        assert!(columns("required binary text; optional binary url (BSON);").contains("of type Bson"));
        assert!(columns("repeated binary text;").contains("is a nested column, not"));
        assert!(columns("required group text { required binary text; }").contains("is a nested column, not"));
        assert_eq!(columns("required binary text; required binary text;"), r#"has the key "text" twice"#);
        assert_eq!(
            columns("required binary body; required int32 n;"),
            r#"has neither a column "text" nor a column "html" (its columns: "body", "n"): name the right one with `text_key` or `html_key`"#
        );
        let many: String = (0..30).map(|number| format!("required int32 n{number};")).collect();
        assert!(columns(&many).ends_with(r#""n19", 10 more): name the right one with `text_key` or `html_key`"#));
    }

    #[test]
    fn a_value_that_is_not_utf_8_concerns_its_row_alone() {
        let mut bytes = plain("required binary text;", vec![vec![Values::Strings(vec!["good", "b@d", "good"])]]);
        while let Some(at) = bytes.windows(3).position(|bytes| bytes == b"b@d") {
            bytes[at + 1] = 0xff;
        }
        let table = open(&bytes).expect("a table");
        let message = r#"2: the value of "text" is not valid UTF-8 from byte 2 on"#;
        assert_eq!(read(&table), ["1: text=good", message, "3: text=good"]);
    }

    #[test]
    fn batches_are_bounded_by_rows_and_bytes() {
        let lengths = |texts: Vec<&'static str>| {
            let table = open(&plain("required binary text;", vec![vec![Values::Strings(texts)]])).expect("a table");
            table.batches().map(|rows| rows.expect("rows").len()).collect::<Vec<_>>()
        };
        assert_eq!(lengths(vec!["x"; 10_000]), [4096, 4096, 1808]);
        let long: &'static str = "x".repeat(100_000).leak();
        assert_eq!(lengths(vec![long; 300]), [84, 84, 84, 48]);
    }

    #[test]
    fn texts_are_replaced_and_rows_left_out() {
        let new = |row| match row {
            1 => NewRow::Text("new".to_owned()),
            2 => NewRow::Dropped,
            _ => NewRow::AsRead,
        };
        let out = rewritten(&documents(), HtmlView::Text, new);
        assert_eq!(out, rewritten(&documents(), HtmlView::Text, new));
        assert_eq!(out, rewritten(&documents(), HtmlView::Markdown, new));
        assert_eq!(shown(&out), [r#"{id: "a", text: "new"}"#, r#"{id: "c", text: "3"}"#]);
        assert_eq!(reader(&out).num_row_groups(), 2);
        assert_eq!(shown(&rewritten(&documents(), HtmlView::Text, |_| NewRow::Dropped)), [""; 0]);
    }

    /// A column of texts, columns of many other types, and 3 rows.
    fn all_kinds() -> (&'static str, Vec<Values>) {
        let columns = "required int96 time; required boolean truth; required binary text (UTF8);
            optional group list (LIST) { repeated group list { optional int32 element = 5; } }
            required int64 price (DECIMAL(10, 2));";
        let values = vec![
            Values::Int96(vec![1_000_000, 2_000_000, 3_000_000]),
            Values::Truth(vec![true, false, true]),
            Values::Strings(vec!["1", "2", "3"]),
            // The lists [7, null, 8], null and [], as levels.
            Values::Lists(vec![7, 8], vec![3, 2, 3, 0, 1], vec![0, 1, 1, 0, 0]),
            Values::Int64(vec![150, 250, 350]),
        ];
        (columns, values)
    }

    #[test]
    fn all_other_columns_are_carried_over() {
        let (columns, values) = all_kinds();
        let bytes = plain(columns, vec![values]);
        let dropped = rewritten(&bytes, HtmlView::Text, |row| match row {
            2 => NewRow::Dropped,
            row => NewRow::Text(format!("new {row}")),
        });
        let mut expected: Vec<String> =
            shown(&bytes).into_iter().map(|row| row.replace("text: \"", "text: \"new ")).collect();
        assert_ne!(expected, shown(&bytes));
        let second = expected.remove(1);
        assert_eq!(shown(&dropped), expected);
        let kept = rewritten(&bytes, HtmlView::Text, |row| NewRow::Text(format!("new {row}")));
        expected.insert(1, second);
        assert_eq!(shown(&kept), expected);
        let schema = |bytes: &[u8]| reader(bytes).metadata().file_metadata().schema().clone();
        assert_eq!(schema(&kept), schema(&bytes));
        assert_eq!(schema(&dropped), schema(&bytes));
    }

    #[test]
    fn what_nobody_changes_keeps_its_bytes() {
        let (columns, values) = all_kinds();
        let settings = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::try_new(19).expect("a level")))
            .set_bloom_filter_enabled(true);
        let bytes = made(columns, settings, vec![values]);
        let out = rewritten(&bytes, HtmlView::Text, |_| NewRow::AsRead);
        assert_eq!(shown(&out), shown(&bytes));
        let columns = |bytes: &[u8]| {
            let reader = reader(bytes);
            let group = reader.metadata().row_group(0).clone();
            let start = group.column(0).byte_range().0 as usize;
            bytes[start..start + group.compressed_size() as usize].to_vec()
        };
        assert_eq!(columns(&out), columns(&bytes));
        assert!(reader(&out).metadata().row_group(0).column(2).bloom_filter_offset().is_some());
    }

    #[test]
    fn a_file_keeps_its_notes_and_settings() {
        let note = |key: &str, value: &str| KeyValue::new(key.to_owned(), value.to_owned());
        let notes = vec![note("huggingface", "{\"info\": {}}"), note("ARROW:schema", "as it is")];
        let text = ColumnPath::from("text");
        let settings = WriterProperties::builder()
            .set_key_value_metadata(Some(notes.clone()))
            .set_column_compression(text.clone(), Compression::SNAPPY)
            .set_column_dictionary_enabled(text, false)
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_offset_index_disabled(true);
        let group = vec![Values::Strings(vec!["a"]), Values::Maybe(vec![Some("1")])];
        let out =
            rewritten(&made(DOCUMENTS, settings, vec![group]), HtmlView::Text, |_| NewRow::Text("new".to_owned()));
        let reader = reader(&out);
        assert_eq!(reader.metadata().file_metadata().key_value_metadata(), Some(&notes));
        let [id, text] = reader.metadata().row_group(0).columns() else {
            panic!("not two columns");
        };
        assert_eq!((id.compression(), text.compression()), (Compression::UNCOMPRESSED, Compression::SNAPPY));
        assert_eq!((id.dictionary_page_offset().is_some(), text.dictionary_page_offset()), (true, None));
        assert!(text.statistics().is_some() && text.column_index_offset().is_none());
        assert!(text.offset_index_offset().is_none());
    }

    #[test]
    fn the_later_kind_of_pages_stays() {
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            let settings = WriterProperties::builder().set_writer_version(version);
            let group = vec![Values::Strings(vec!["a"]), Values::Maybe(vec![Some("1")])];
            let out = rewritten(&made(DOCUMENTS, settings, vec![group]), HtmlView::Text, new_text);
            assert_eq!(reader(&out).metadata().file_metadata().version(), version.as_num());
        }
    }

    #[test]
    fn the_order_of_rows_stays_on_record_unless_it_is_by_text() {
        for (column_idx, is_kept) in [(0, true), (1, false)] {
            let sorting = Some(vec![SortingColumn { column_idx, descending: false, nulls_first: false }]);
            let settings = WriterProperties::builder().set_sorting_columns(sorting.clone());
            let group = vec![Values::Strings(vec!["a"]), Values::Maybe(vec![Some("1")])];
            let out = rewritten(&made(DOCUMENTS, settings, vec![group]), HtmlView::Text, new_text);
            let found = reader(&out).metadata().row_group(0).sorting_columns().cloned();
            assert_eq!(found, sorting.filter(|_| is_kept));
        }
    }

    #[test]
    fn no_bytes_are_passed_on_that_are_no_pages() {
        let group = vec![Values::Strings(vec!["1"]), Values::Int32(vec![7])];
        let mut bytes = plain("required binary text; required int32 n;", vec![group]);
        let column = reader(&bytes).metadata().row_group(0).column(1).byte_range();
        bytes[column.0 as usize..][..8].fill(0xff);
        let table = open(&bytes).expect("a table");
        let rows = table.batches().next().expect("a batch").expect("rows");
        let mut writer = table.writer(Vec::new(), HtmlView::Text).expect("a writer");
        let error = writer.write(&rows, 0, vec![NewRow::AsRead]).expect_err("it is refused").to_string();
        assert!(error.starts_with("is not Parquet, or is damaged ("), "{error}");
    }

    #[test]
    fn what_the_sink_says_stays() {
        struct Full;
        impl Write for Full {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::Error::new(io::ErrorKind::StorageFull, "no space"))
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let long: &'static str = "x".repeat(100_000).leak();
        let bytes = plain("required binary text;", vec![vec![Values::Strings(vec![long])]]);
        let table = open(&bytes).expect("a table");
        let rows = table.batches().next().expect("a batch").expect("rows");
        let mut writer = table.writer(Full, HtmlView::Text).expect("a writer");
        let written = writer.write(&rows, 0, vec![NewRow::AsRead]).and_then(|()| writer.finish().map(|_| ()));
        assert_eq!(written.expect_err("it is full").kind(), io::ErrorKind::StorageFull);
    }

    #[test]
    fn reading_and_writing_may_be_done_by_several_threads() {
        fn is_send<T: Send>() {}
        fn is_sync<T: Sync>() {}
        is_send::<Batches>();
        is_send::<TableWriter<Vec<u8>>>();
        is_sync::<Rows>();
        is_sync::<Table>();
    }

    fn pages(columns: &str, texts: Option<Vec<Option<&'static str>>>, html: Values) -> Vec<u8> {
        let ids = Values::Strings(vec!["a", "b"]);
        let values = [Some(ids), Some(html), texts.map(Values::Maybe)];
        plain(&format!("required binary id (UTF8); {columns}"), vec![values.into_iter().flatten().collect()])
    }

    fn new_text(_: u64) -> NewRow {
        NewRow::Text("new".to_owned())
    }

    #[test]
    fn html_becomes_text() {
        let bytes = pages("optional binary html = 4;", None, Values::Maybe(vec![Some("<p>"), None]));
        let out = rewritten(&bytes, HtmlView::Text, |row| if row == 1 { new_text(row) } else { NewRow::AsRead });
        assert_eq!(shown(&out), ["{id: \"a\", text: [110, 101, 119]}", "{id: \"b\", text: null}"]);
        let reader = reader(&out);
        assert_eq!(reader.metadata().file_metadata().schema().get_fields()[1].get_basic_info().id(), 4);
        let page = |_| NewRow::Page("<p>".to_owned());
        let out = rewritten(&bytes, HtmlView::Markup, page);
        assert_eq!(shown(&out), ["{id: \"a\", html: [60, 112, 62]}", "{id: \"b\", html: [60, 112, 62]}"]);
    }

    #[test]
    fn a_schema_of_arrow_that_cannot_be_renamed_is_refused() {
        let note = KeyValue::new("ARROW:schema".to_owned(), "no schema".to_owned());
        let settings = WriterProperties::builder().set_key_value_metadata(Some(vec![note]));
        let bytes = made("required binary html;", settings, vec![]);
        let table = open(&bytes).expect("a table");
        assert!(table.writer(Vec::new(), HtmlView::Markup).is_ok());
        let reason = table.writer(Vec::new(), HtmlView::Text).err().expect("it is refused").to_string();
        assert!(reason.contains(r#"its key "ARROW:schema" does not describe its columns"#), "{reason}");
    }

    #[test]
    fn html_beside_an_empty_text_makes_way() {
        let texts = Some(vec![None, Some("t")]);
        let columns = "optional binary html (UTF8); optional binary text (UTF8);";
        let bytes = pages(columns, texts.clone(), Values::Maybe(vec![Some("<p>"), Some("<b>")]));
        let out = rewritten(&bytes, HtmlView::Text, new_text);
        let expected = [r#"{id: "a", html: null, text: "new"}"#, r#"{id: "b", html: "<b>", text: "new"}"#];
        assert_eq!(shown(&out), expected);
        let columns = "required binary html (UTF8); optional binary text (UTF8);";
        let out = rewritten(&pages(columns, texts, Values::Strings(vec!["<p>", "<b>"])), HtmlView::Text, new_text);
        assert_eq!(shown(&out)[0], r#"{id: "a", html: "", text: "new"}"#);
    }

    #[test]
    fn rows_are_written_in_order_and_all_of_them() {
        let table = open(&documents()).expect("a table");
        let rows: Vec<Rows> = table.batches().map(|rows| rows.expect("rows")).collect();
        let mut writer = table.writer(Vec::new(), HtmlView::Text).expect("a writer");
        assert!(writer.write(&rows[1], 0, vec![NewRow::AsRead]).is_err());
        assert!(writer.write(&rows[0], 1, vec![NewRow::AsRead]).is_err());
        assert!(writer.write(&rows[0], 0, vec![NewRow::AsRead; 3]).is_err());
        let page = NewRow::Page("<p>".to_owned());
        let error = writer.write(&rows[0], 0, vec![NewRow::AsRead, page]).expect_err("there is no column for it");
        assert_eq!(error.to_string(), "there is no column for a page");
        let mut writer = table.writer(Vec::new(), HtmlView::Text).expect("a writer");
        writer.write(&rows[0], 0, vec![NewRow::AsRead]).expect("written");
        writer.write(&rows[0], 1, vec![NewRow::AsRead]).expect("written");
        assert!(writer.finish().is_err());
    }

    #[test]
    fn a_file_without_rows_stays_one() {
        for groups in [vec![], vec![vec![Values::Strings(vec![]), Values::Maybe(vec![])]]] {
            let out = rewritten(&plain(DOCUMENTS, groups), HtmlView::Text, new_text);
            assert_eq!((shown(&out), open(&out).expect("a table").rows()), (vec![], 0));
        }
    }

    #[test]
    fn what_is_no_parquet_says_so() {
        let bytes = documents();
        let empty = "is not Parquet, or is damaged (it does not have 4 bytes from byte 0 on): get it again";
        assert_eq!(refused(b""), empty);
        assert!(refused(b"{\"text\": \"no table\"}").starts_with("is not Parquet, or is damaged"));
        assert!(refused(&bytes[..bytes.len() / 2]).starts_with("is not Parquet, or is damaged"));
        let encrypted = [&bytes[..bytes.len() - 4], b"PARE"].concat();
        assert_eq!(refused(&encrypted), "is encrypted Parquet: decrypt it first");
    }

    /// Pseudo-random numbers, the same in every run.
    fn numbers() -> impl FnMut(usize) -> usize {
        let mut state = 88_172_645_463_325_252_u64;
        move |below| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % below as u64) as usize
        }
    }

    /// Tries to read and write bytes that may not be a Parquet file. Returns whether that succeeded.
    fn survives(bytes: &[u8]) -> bool {
        let Ok(table) = open(bytes) else {
            return false;
        };
        let Ok(mut writer) = table.writer(Vec::new(), HtmlView::Text) else {
            return false;
        };
        for rows in table.batches() {
            let Ok(rows) = rows else {
                return false;
            };
            let new = |row| match row % 3 {
                _ if rows.fields(row).is_err() => NewRow::Dropped,
                0 => NewRow::AsRead,
                1 => NewRow::Dropped,
                _ => NewRow::Text("new".to_owned()),
            };
            if writer.write(&rows, 0, (0..rows.len()).map(new).collect()).is_err() {
                return false;
            }
        }
        writer.finish().is_ok()
    }

    #[test]
    fn damaged_files_are_errors_and_no_panics() {
        let (columns, values) = all_kinds();
        let settings = WriterProperties::builder().set_compression(Compression::SNAPPY);
        let bytes = made(columns, settings, vec![values]);
        let mut number = numbers();
        let mut survived = 0;
        for _ in 0..500 {
            let mut damaged = bytes.clone();
            for _ in 0..=number(4) {
                damaged[number(bytes.len())] = number(256) as u8;
            }
            survived += usize::from(survives(&damaged));
        }
        assert!(survives(&bytes) && survived < 500, "{survived} survived");
    }
}
