//! Counts in a line of the manifest: keys of one letter, without zeros.
//!
//! Serializes counts by source, as the `with` of a serde field. There is a line for each of millions of outputs, and
//! most of their counts are zero.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::cleaning::Grounds;

use super::is_zero;
use crate::pipeline::clean::Cleaned;

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
    #[serde(default, skip_serializing_if = "is_zero")]
    n: usize,
    #[serde(default, skip_serializing_if = "is_none")]
    g: [u64; 3],
    #[serde(default, skip_serializing_if = "is_zero")]
    c: usize,
}

fn is_none(grounds: &[u64; 3]) -> bool {
    *grounds == [0; 3]
}

impl From<&Cleaned> for Counts {
    fn from(cleaned: &Cleaned) -> Counts {
        let Cleaned { documents, patterns_found, bytes_in, bytes_out, emptied, kept_whole, .. } = *cleaned;
        let Cleaned { cautious, grounds: Grounds { proven, matched, shape }, converted, .. } = *cleaned;
        let (d, p, i, o, e, k) = (documents, patterns_found, bytes_in, bytes_out, emptied, kept_whole);
        Counts { d, p, i, o, e, k, n: cautious, g: [proven, matched, shape], c: converted }
    }
}

impl From<Counts> for Cleaned {
    fn from(Counts { d, p, i, o, e, k, n, g: [proven, matched, shape], c }: Counts) -> Cleaned {
        Cleaned {
            documents: d,
            patterns_found: p,
            bytes_in: i,
            bytes_out: o,
            emptied: e,
            kept_whole: k,
            cautious: n,
            grounds: Grounds { proven, matched, shape },
            converted: c,
        }
    }
}
