//! Counts in a line of the manifest: keys of one letter, without zeros.
//!
//! Serializes counts by source, as the `with` of a serde field. There is a line for each of millions of outputs, and
//! most of their counts are zero.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use dehusk_core::cleaning::{Expected, Grounds};

use super::is_zero;
use crate::clean::Cleaned;

/// Writes the counts of each source.
pub fn serialize<S: Serializer>(sources: &BTreeMap<String, Cleaned>, to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(sources.iter().map(|(source, cleaned)| (source, Counts::from(cleaned))))
}

/// Reads the counts of each source. Missing counts are zero.
pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<String, Cleaned>, D::Error> {
    let sources = BTreeMap::<String, Counts>::deserialize(from)?;
    Ok(sources.into_iter().map(|(source, counts)| (source, counts.into())).collect())
}

#[derive(Serialize, Deserialize)]
struct Counts {
    #[serde(default, skip_serializing_if = "is_zero")]
    d: usize,
    #[serde(default, skip_serializing_if = "is_zero")]
    p: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    i: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    o: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    e: usize,
    #[serde(default, skip_serializing_if = "is_zero")]
    k: usize,
    #[serde(default, skip_serializing_if = "is_none")]
    g: [u64; 2],
    #[serde(default, skip_serializing_if = "is_none")]
    x: [u64; 2],
    #[serde(default, skip_serializing_if = "is_zero")]
    c: usize,
}

fn is_none(pair: &[u64; 2]) -> bool {
    *pair == [0; 2]
}

impl From<&Cleaned> for Counts {
    fn from(cleaned: &Cleaned) -> Counts {
        let Cleaned { documents, patterns_found, bytes_in, bytes_out, emptied, kept_whole, .. } = *cleaned;
        let Cleaned {
            grounds: Grounds { matched, unmatched }, expected: Expected { content, lost }, converted, ..
        } = *cleaned;
        let (d, p, i, o, e, k) = (documents, patterns_found, bytes_in, bytes_out, emptied, kept_whole);
        Counts { d, p, i, o, e, k, g: [matched, unmatched], x: [content, lost], c: converted }
    }
}

impl From<Counts> for Cleaned {
    fn from(Counts { d, p, i, o, e, k, g: [matched, unmatched], x: [content, lost], c }: Counts) -> Cleaned {
        Cleaned {
            documents: d,
            patterns_found: p,
            bytes_in: i,
            bytes_out: o,
            emptied: e,
            kept_whole: k,
            grounds: Grounds { matched, unmatched },
            expected: Expected { content, lost },
            converted: c,
        }
    }
}
