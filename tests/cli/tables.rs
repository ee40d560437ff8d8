//! Parquet files, as other programs write them.

/// A Parquet file of strings, with a column for each name.
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
