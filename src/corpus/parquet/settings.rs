//! How a file is written: as the one it comes from was.
//!
//! Takes what a file says of itself; gives the settings for the columns that are encoded anew. Each column keeps its
//! compression, encoding, dictionary, statistics, page index and Bloom filter, as its first row group has them. Levels
//! of compression are not on record: they are the lowest usual ones.

use ::parquet::basic::{Encoding, Type as Physical};
use ::parquet::column::page::PageReader;
use ::parquet::file::metadata::{ColumnChunkMetaData, KeyValue, SortingColumn};
use ::parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder, WriterVersion};
use ::parquet::schema::types::{ColumnPath, SchemaDescriptor};

use super::{Opened, Parquet, rows_of};

/// The settings of a file like `table`, with these columns, notes and order of rows.
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

/// The later version of the format is that with the later kind of pages, whatever number the file bears: many writers
/// number their files 2 and fill them with pages of the first kind, which more readers know.
fn version(table: &Opened) -> Parquet<WriterVersion> {
    let groups = table.metadata.row_groups();
    let Some(group) = groups.iter().position(|group| rows_of(group) > 0) else {
        return Ok(WriterVersion::PARQUET_1_0);
    };
    let mut pages = table.pages(group, 0)?;
    while pages.peek_next_page()?.is_some_and(|page| page.is_dict) {
        pages.skip_next_page()?;
    }
    // only the later kind says how many rows a page has
    match pages.peek_next_page()?.is_some_and(|page| page.num_rows.is_some()) {
        true => Ok(WriterVersion::PARQUET_2_0),
        false => Ok(WriterVersion::PARQUET_1_0),
    }
}

fn has_dictionary(column: &ColumnChunkMetaData) -> bool {
    let mut encodings = column.encodings();
    encodings.any(|encoding| matches!(encoding, Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY))
}

/// How values are encoded that are in no dictionary.
fn encoding(column: &ColumnChunkMetaData) -> Option<Encoding> {
    use Encoding::{BYTE_STREAM_SPLIT, DELTA_BINARY_PACKED, DELTA_BYTE_ARRAY, DELTA_LENGTH_BYTE_ARRAY, PLAIN};
    let special = [BYTE_STREAM_SPLIT, DELTA_BINARY_PACKED, DELTA_BYTE_ARRAY, DELTA_LENGTH_BYTE_ARRAY];
    let found = column.encodings().find(|encoding| special.contains(encoding));
    // the encoding of truth values says nothing, as their levels have the same
    found.or_else(|| (column.column_type() != Physical::BOOLEAN).then_some(PLAIN))
}

fn statistics(column: &ColumnChunkMetaData) -> EnabledStatistics {
    match (column.column_index_offset(), column.statistics()) {
        (Some(_), _) => EnabledStatistics::Page,
        (None, Some(_)) => EnabledStatistics::Chunk,
        (None, None) => EnabledStatistics::None,
    }
}
