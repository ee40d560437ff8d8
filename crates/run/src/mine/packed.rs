//! Values in files: JSON, compressed by Zstandard.

use std::io::{self, Read};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The compression level of Zstandard.
const LEVEL: i32 = 3;

/// A value as compressed JSON, and the length of the JSON in bytes.
pub(crate) fn packed(value: &impl Serialize) -> io::Result<(Vec<u8>, u64)> {
    let json = serde_json::to_vec(value)?;
    // The length is known beforehand, so that little memory is prepared for a short text.
    Ok((zstd::bulk::compress(&json, LEVEL)?, json.len() as u64))
}

/// The value in the next `bytes` bytes of a file, or what is wrong with its JSON. At most `length` bytes of JSON are
/// decompressed.
pub(crate) fn unpacked<T: DeserializeOwned>(
    file: &mut impl Read,
    bytes: u64,
    length: u64,
) -> io::Result<serde_json::Result<T>> {
    let mut json = Vec::new();
    zstd::Decoder::new(file.take(bytes))?.take(length).read_to_end(&mut json)?;
    Ok(serde_json::from_slice(&json))
}
