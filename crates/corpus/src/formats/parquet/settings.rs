//! Settings to write a file like the original.
//!
//! Takes the metadata of a file. Returns settings for the columns that are encoded again. Each column keeps its
//! compression, encoding, dictionary, statistics, page index and Bloom filter, as in its first row group. The
//! compression level is not stored in a file, so the lowest usual one is used.

use ::parquet::basic::{Encoding, Type as Physical};
use ::parquet::column::page::PageReader;
use ::parquet::file::metadata::{ColumnChunkMetaData, KeyValue, SortingColumn};
use ::parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder, WriterVersion};
use ::parquet::schema::types::{ColumnPath, SchemaDescriptor};

use super::{Opened, Parquet, rows_of};

/// The settings for a file like `table`, with these columns, key-value metadata and sort order.
pub(super) fn settings(
    table: &Opened,
    schema: &SchemaDescriptor,
    notes: Option<Vec<KeyValue>>,
    sorting: Option<Vec<SortingColumn>>,
) -> Parquet<WriterProperties> {
    let columns = table.metadata.row_groups().first().map(|group| group.columns()).unwrap_or_default();
    let has_page_index = columns.iter().any(|column| column.offset_index_offset().is_some());
    let settings = WriterProperties::builder()
        .set_writer_version(version(table)?)
        .set_offset_index_disabled(!has_page_index)
        .set_key_value_metadata(notes)
        .set_sorting_columns(sorting);
    let paths = schema.columns().iter().map(|column| column.path().clone());
    Ok(paths.zip(columns).fold(settings, with_column).build())
}

fn with_column(
    settings: WriterPropertiesBuilder,
    (path, column): (ColumnPath, &ColumnChunkMetaData),
) -> WriterPropertiesBuilder {
    let settings = settings
        .set_column_compression(path.clone(), column.compression())
        .set_column_dictionary_enabled(path.clone(), has_dictionary(column))
        .set_column_statistics_enabled(path.clone(), statistics(column))
        .set_column_bloom_filter_enabled(path.clone(), column.bloom_filter_offset().is_some());
    match encoding(column) {
        Some(encoding) => settings.set_column_encoding(path, encoding),
        None => settings,
    }
}

/// The format version, judged by the kind of pages. The version number in the file does not count: many writers set it
/// to 2 but write pages of version 1, which more readers know.
fn version(table: &Opened) -> Parquet<WriterVersion> {
    let groups = table.metadata.row_groups();
    let Some(group) = groups.iter().position(|group| rows_of(group) > 0) else {
        return Ok(WriterVersion::PARQUET_1_0);
    };
    let mut pages = table.pages(group, 0)?;
    while pages.peek_next_page()?.is_some_and(|page| page.is_dict) {
        pages.skip_next_page()?;
    }
    // Only pages of version 2 say how many rows they have.
    match pages.peek_next_page()?.is_some_and(|page| page.num_rows.is_some()) {
        true => Ok(WriterVersion::PARQUET_2_0),
        false => Ok(WriterVersion::PARQUET_1_0),
    }
}

fn has_dictionary(column: &ColumnChunkMetaData) -> bool {
    let mut encodings = column.encodings();
    encodings.any(|encoding| matches!(encoding, Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY))
}

/// The encoding of values that are not in a dictionary. `None` if it is not known.
fn encoding(column: &ColumnChunkMetaData) -> Option<Encoding> {
    use Encoding::{BYTE_STREAM_SPLIT, DELTA_BINARY_PACKED, DELTA_BYTE_ARRAY, DELTA_LENGTH_BYTE_ARRAY, PLAIN};
    let special = [BYTE_STREAM_SPLIT, DELTA_BINARY_PACKED, DELTA_BYTE_ARRAY, DELTA_LENGTH_BYTE_ARRAY];
    let found = column.encodings().find(|encoding| special.contains(encoding));
    // The levels of a column of booleans have the same encodings as its values. So the encoding of the values is not
    // known.
    found.or_else(|| (column.column_type() != Physical::BOOLEAN).then_some(PLAIN))
}

fn statistics(column: &ColumnChunkMetaData) -> EnabledStatistics {
    match (column.column_index_offset(), column.statistics()) {
        (Some(_), _) => EnabledStatistics::Page,
        (None, Some(_)) => EnabledStatistics::Chunk,
        (None, None) => EnabledStatistics::None,
    }
}
