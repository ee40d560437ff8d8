//! Renames a column in the Arrow schema of a Parquet file.
//!
//! Under a key of its own, Arrow stores types and column metadata that Parquet cannot express. The value is a message
//! of Arrow's IPC format (a FlatBuffer) in base64. Arrow's readers expect the column names there as well. So a renamed
//! column must be renamed there, too. No other byte is changed: the new name is added at the end, and the offset of the
//! old name is changed to point to it.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

/// The key of the schema in a file's metadata.
pub(super) const KEY: &str = "ARROW:schema";

/// The marker before a message. Files written before 2019 do not have it.
const MARKER: u32 = u32::MAX;

/// The number of the message type "schema".
const SCHEMA: u8 = 1;

// The fields of the FlatBuffer tables, by number.
const MESSAGE_KIND: usize = 1;
const MESSAGE_HEADER: usize = 2;
const SCHEMA_FIELDS: usize = 1;
const FIELD_NAME: usize = 0;

/// The `schema` with a new name for the column with this index. `None` if that column does not have the name `old` in
/// the schema.
pub(super) fn renamed(schema: &str, index: usize, old: &str, new: &str) -> Option<String> {
    let bytes = BASE64_STANDARD.decode(schema).ok()?;
    let (prefix, message) = message(&bytes)?;
    let name = name_offset(message, index)?;
    let length = u32_at(message, follow(message, name)?)? as usize;
    let start = follow(message, name)? + 4;
    if message.get(start..start.checked_add(length)?)? != old.as_bytes() {
        return None;
    }
    let message = with_string(message, name, new)?;
    Some(BASE64_STANDARD.encode(framed(prefix, &message)?))
}

/// Splits a decoded schema into the bytes before the message's length (the marker or nothing) and the message.
fn message(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let prefix = if u32_at(bytes, 0)? == MARKER { 4 } else { 0 };
    let length = u32_at(bytes, prefix)? as usize;
    let start = prefix + 4;
    Some((&bytes[..prefix], bytes.get(start..start.checked_add(length)?)?))
}

/// Puts `prefix` and the length of the message before the message.
fn framed(prefix: &[u8], message: &[u8]) -> Option<Vec<u8>> {
    let length = u32::try_from(message.len()).ok()?;
    Some([prefix, &length.to_le_bytes(), message].concat())
}

/// The position of the offset of a column's name.
fn name_offset(message: &[u8], index: usize) -> Option<usize> {
    let root = follow(message, 0)?;
    let kind = *message.get(field(message, root, MESSAGE_KIND)?)?;
    if kind != SCHEMA {
        return None;
    }
    let schema = follow(message, field(message, root, MESSAGE_HEADER)?)?;
    let columns = follow(message, field(message, schema, SCHEMA_FIELDS)?)?;
    if index >= u32_at(message, columns)? as usize {
        return None;
    }
    let column = follow(message, columns + 4 + 4 * index)?;
    field(message, column, FIELD_NAME)
}

/// The message with a new string at its end, to which the offset at `at` points now. It is padded to 8 bytes, like the
/// original.
fn with_string(message: &[u8], at: usize, string: &str) -> Option<Vec<u8>> {
    let mut longer = message.to_vec();
    longer.resize(message.len().next_multiple_of(4), 0);
    let offset = u32::try_from(longer.len() - at).ok()?;
    longer.get_mut(at..at + 4)?.copy_from_slice(&offset.to_le_bytes());
    longer.extend_from_slice(&u32::try_from(string.len()).ok()?.to_le_bytes());
    longer.extend_from_slice(string.as_bytes());
    longer.push(0);
    longer.resize(longer.len().next_multiple_of(8), 0);
    Some(longer)
}

/// The position of field `number` in the table at `table`. `None` if the table does not have it.
fn field(message: &[u8], table: usize, number: usize) -> Option<usize> {
    let back = i64::from(u32_at(message, table)?.cast_signed());
    let offsets = usize::try_from(i64::try_from(table).ok()? - back).ok()?;
    let entry = 4 + 2 * number;
    if entry + 2 > usize::from(u16_at(message, offsets)?) {
        return None;
    }
    match u16_at(message, offsets + entry)? {
        0 => None,
        offset => Some(table + usize::from(offset)),
    }
}

/// The target of the offset at `at`.
fn follow(message: &[u8], at: usize) -> Option<usize> {
    at.checked_add(u32_at(message, at)? as usize)
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A schema that Arrow for C++ wrote: the columns `n` and `html`. `html` is a large string with the metadata `a`.
    /// The schema has the metadata `huggingface`.
    const SCHEMA: &str = "/////xgBAAAQAAAAAAAKAA4ABgAFAAgACgAAAAABBAAQAAAAAAAKAAwAAAAEAAgACgAAADQAAAAEAAAAAQAAAAQAAACM////EAAA\
        AAQAAAACAAAAe30AAAsAAABodWdnaW5nZmFjZQACAAAAiAAAABgAAAAAABIAGAAIAAYABwAMAAAAEAAUABIAAAAAAAEUFAAAAEwA\
        AAAIAAAAFAAAAAAAAAAEAAAAaHRtbAAAAAABAAAADAAAAAgADAAEAAgACAAAABAAAAAEAAAAAQAAAGIAAAABAAAAYQAAAAQABAAE\
        AAAAEAAUAAgABgAHAAwAAAAQABAAAAAAAAECEAAAABgAAAAEAAAAAAAAAAEAAABuAAYACAAEAAYAAAAIAAAA";

    fn name_of(schema: &str, index: usize) -> String {
        let bytes = BASE64_STANDARD.decode(schema).expect("base64");
        let (_, message) = message(&bytes).expect("a message");
        let at = follow(message, name_offset(message, index).expect("a column")).expect("a name");
        assert_eq!((at % 4, message.len() % 8), (0, 0), "FlatBuffers align");
        let length = u32_at(message, at).expect("a length") as usize;
        String::from_utf8(message[at + 4..at + 4 + length].to_vec()).expect("UTF-8")
    }

    #[test]
    fn one_column_gets_another_name() {
        for name in ["text", "a much longer name", ""] {
            let renamed = renamed(SCHEMA, 1, "html", name).expect("it can be renamed");
            assert_eq!((name_of(&renamed, 0), name_of(&renamed, 1)), ("n".to_owned(), name.to_owned()));
        }
    }

    #[test]
    fn another_schema_is_left_alone() {
        assert_eq!(renamed(SCHEMA, 0, "html", "text"), None);
        assert_eq!(renamed(SCHEMA, 2, "html", "text"), None);
        assert_eq!(renamed("", 0, "html", "text"), None);
        assert_eq!(renamed("no base64", 0, "html", "text"), None);
    }

    #[test]
    fn damage_does_no_harm() {
        let bytes = BASE64_STANDARD.decode(SCHEMA).expect("base64");
        for at in 0..bytes.len() {
            for value in [0, 1, 127, 128, 255] {
                let mut damaged = bytes.clone();
                damaged[at] = value;
                let _ = renamed(&BASE64_STANDARD.encode(damaged), 1, "html", "text");
            }
            assert_eq!(renamed(&BASE64_STANDARD.encode(&bytes[..at]), 1, "html", "text"), None);
        }
    }
}
