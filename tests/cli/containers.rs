//! Files that hold many documents, and compressed ones, as other programs write them.

use std::io::{Read, Write};

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).expect("written");
    encoder.finish().expect("finished")
}

pub fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 3).expect("compressed")
}

/// The uncompressed content, if it is compressed and complete.
pub fn unpacked(bytes: &[u8]) -> Vec<u8> {
    let mut behind = Vec::new();
    match bytes {
        [0x1f, 0x8b, ..] => flate2::read::MultiGzDecoder::new(bytes).read_to_end(&mut behind).expect("whole gzip"),
        [0x28, 0xb5, ..] => zstd::stream::copy_decode(bytes, &mut behind).map(|()| 0).expect("whole zstd"),
        _ => return bytes.to_vec(),
    };
    behind
}

/// A WARC record of a text, as WET files have them.
pub fn conversion(url: &str, text: &str) -> Vec<u8> {
    record(&format!("WARC-Type: conversion\r\nWARC-Target-URI: {url}\r\nContent-Type: text/plain"), text.as_bytes())
}

/// A WARC record of a page as a server sent it, with the fields of its header.
pub fn response(url: &str, fields: &str, body: &[u8]) -> Vec<u8> {
    let block = [format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n{fields}\r\n").as_bytes(), body].concat();
    let kind = "Content-Type: application/http; msgtype=response";
    record(&format!("WARC-Type: response\r\nWARC-Target-URI: {url}\r\n{kind}"), &block)
}

/// A WARC record with these fields.
pub fn record(fields: &str, block: &[u8]) -> Vec<u8> {
    record_of_length(fields, &format!("Content-Length: {}\r\n", block.len()), block)
}

/// A WARC record with these fields and this name.
#[cfg(feature = "crawl")]
pub fn record_of(name: &str, fields: &str, block: &[u8]) -> Vec<u8> {
    let length = block.len();
    let header = format!("WARC/1.1\r\nWARC-Record-ID: <{name}>\r\n{fields}\r\nContent-Length: {length}\r\n\r\n");
    [header.as_bytes(), block, b"\r\n\r\n"].concat()
}

/// A WARC record with this value as its length.
pub fn record_of_length(fields: &str, length: &str, block: &[u8]) -> Vec<u8> {
    let id = block.iter().fold(block.len() as u64, |hash, byte| hash.wrapping_mul(31).wrapping_add(u64::from(*byte)));
    let id = format!("WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-{:012x}>", id & 0xffff_ffff_ffff);
    let header = format!("WARC/1.0\r\n{fields}\r\n{id}\r\nWARC-Date: 2024-01-01T00:00:00Z\r\n{length}\r\n");
    [header.as_bytes(), block, b"\r\n\r\n"].concat()
}

/// A Parquet file of strings, with a column for each name.
#[cfg(feature = "parquet")]
pub fn table(columns: &[&str], rows: &[Vec<Option<String>>]) -> Vec<u8> {
    let schema: String = columns.iter().map(|name| format!("optional binary {name} (UTF8); ")).collect();
    table_of(&schema, |writer, column| {
        let values: Vec<_> = rows.iter().filter_map(|row| row[column].as_deref()).map(Into::into).collect();
        let levels: Vec<i16> = rows.iter().map(|row| i16::from(row[column].is_some())).collect();
        let writer = writer.typed::<parquet::data_type::ByteArrayType>();
        writer.write_batch(&values, Some(&levels), None).expect("values");
    })
}

/// A Parquet file of one row group, with the columns of this schema.
#[cfg(feature = "parquet")]
pub fn table_of(
    columns: &str,
    mut write: impl FnMut(&mut parquet::file::writer::SerializedColumnWriter, usize),
) -> Vec<u8> {
    let schema = parquet::schema::parser::parse_message_type(&format!("message x {{ {columns} }}")).expect("a schema");
    let mut writer = parquet::file::writer::SerializedFileWriter::new(Vec::new(), schema.into(), Default::default())
        .expect("a writer");
    let mut group = writer.next_row_group().expect("a row group");
    let mut number = 0;
    while let Some(mut column) = group.next_column().expect("a column") {
        write(&mut column, number);
        column.close().expect("a column");
        number += 1;
    }
    group.close().expect("a row group");
    writer.into_inner().expect("a file")
}

/// The values of a column of strings in a Parquet file.
#[cfg(feature = "parquet")]
pub fn column(bytes: &[u8], name: &str) -> Vec<Option<String>> {
    use parquet::file::reader::FileReader;
    use parquet::file::serialized_reader::SerializedFileReader;
    let reader = SerializedFileReader::new(bytes::Bytes::copy_from_slice(bytes)).expect("a Parquet file");
    let value = |row: parquet::record::Row| {
        row.get_column_iter().find(|(column, _)| *column == name).and_then(|(_, field)| match field {
            parquet::record::Field::Str(value) => Some(value.clone()),
            _ => None,
        })
    };
    reader.get_row_iter(None).expect("rows").map(|row| value(row.expect("a row"))).collect()
}
