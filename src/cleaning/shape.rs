//! Judges how much a segment looks like boilerplate by its shape alone.
//!
//! Boilerplate that varies (lists of other headlines, tag clouds, teasers) recurs in its form and not in its words. Its
//! form is that of boilerplate that does recur: short lines without full stops, away from prose. So a logistic model
//! over features of segments is fitted (`dehusk train`; [`training`](crate::training)). The mined templates of many
//! sources are its positive examples, so no person needs to label a page. The features do not depend on the language:
//! no word lists are used, and a character of a script without spaces counts as half a word.

use std::hash::{BuildHasher, Hasher};
use std::ops::Range;
use std::sync::{Arc, LazyLock};

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};

use super::layout::{Layout, look};
use super::matcher::Tokens;
use super::partition::Partition;
use super::segments::Segments;
use crate::tokens::short::{TOP, within};

/// Number of features of a segment.
pub const FEATURES: usize = 22;

/// The features' names, in order.
pub const NAMES: [&str; FEATURES] = [
    "words",
    "few-words",
    "in-sentences",
    "mutable",
    "capitals",
    "separators",
    "repeated",
    "prose-near",
    "prose-near-both-sides",
    "prose-near-before",
    "prose-around",
    "prose-around-both-sides",
    "prose-around-before",
    "prose-far",
    "prose-far-both-sides",
    "prose-far-before",
    "words-before",
    "words-after",
    "sentences-before",
    "sentences-after",
    "position",
    "position-from-middle",
];

/// The features of a segment, in the order of [`NAMES`].
pub type Features = [f64; FEATURES];

/// The distances of "near", "around" and "far", in words. Over each such distance, prose counts less by a factor of e.
static REACH: LazyLock<[Reach; REACHES]> = LazyLock::new(|| [15.0, 60.0, 250.0].map(Reach::new));
const REACHES: usize = 3;
/// A segment with at most this many words has few words.
const FEW_WORDS: f64 = 3.0;

/// A fitted model.
#[derive(Clone, Debug, PartialEq)]
pub struct ShapeModel {
    /// A weight for each feature.
    pub weights: Features,
    /// A number that is added for every segment.
    pub intercept: f64,
}

/// Why a file is not a shape model.
#[derive(Debug, thiserror::Error)]
pub enum ShapeError {
    /// It does not have the form that `dehusk train` writes.
    #[error("{0}")]
    Yaml(String),
    /// A weight is missing.
    #[error("there is no weight for '{0}'; train again with this version")]
    Missing(&'static str),
    /// There is a weight for a feature that this version does not know.
    #[error("this version does not know the feature '{0}'; train again with this version")]
    Unknown(String),
    /// A weight is not a finite number.
    #[error("the weight of '{0}' is not a finite number")]
    NotFinite(String),
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Written {
    shape: u32,
    intercept: f64,
    weights: std::collections::BTreeMap<String, f64>,
}

const VERSION: u32 = 1;

impl ShapeModel {
    /// The model that comes with dehusk.
    pub fn shipped() -> Arc<ShapeModel> {
        static SHIPPED: LazyLock<Arc<ShapeModel>> = LazyLock::new(|| {
            let model = ShapeModel::parse(include_str!("shape.yaml"));
            Arc::new(model.unwrap_or_else(|error| panic!("the shipped shape model: {error}")))
        });
        Arc::clone(&SHIPPED)
    }

    /// Parses a file that [`to_yaml`](ShapeModel::to_yaml) wrote. Fails if a weight is missing, unknown or not finite.
    pub fn parse(yaml: &str) -> Result<ShapeModel, ShapeError> {
        let written: Written =
            serde_saphyr::from_str(yaml).map_err(|error| ShapeError::Yaml(error.without_snippet().to_string()))?;
        if written.shape != VERSION {
            return Err(ShapeError::Yaml(format!("this version only reads shape models of form {VERSION}")));
        }
        let mut weights = [0.0; FEATURES];
        for (weight, name) in weights.iter_mut().zip(NAMES) {
            *weight = *written.weights.get(name).ok_or(ShapeError::Missing(name))?;
        }
        if let Some(name) = written.weights.keys().find(|name| !NAMES.contains(&name.as_str())) {
            return Err(ShapeError::Unknown(name.clone()));
        }
        let numbers = written.weights.iter().map(|(name, weight)| (name.as_str(), *weight));
        match numbers.chain([("intercept", written.intercept)]).find(|(_, number)| !number.is_finite()) {
            Some((name, _)) => Err(ShapeError::NotFinite(name.to_owned())),
            None => Ok(ShapeModel { weights, intercept: written.intercept }),
        }
    }

    /// The model as a readable file.
    pub fn to_yaml(&self) -> String {
        let mut yaml = format!("shape: {VERSION}\nintercept: {:.3}\nweights:\n", self.intercept);
        for (name, weight) in NAMES.iter().zip(self.weights) {
            yaml += &format!("  {name}: {weight:.3}\n");
        }
        yaml
    }

    /// The log-odds that a segment with these features is boilerplate.
    #[doc(hidden)]
    pub fn log_odds(&self, features: &Features) -> f64 {
        self.intercept + self.weights.iter().zip(features).map(|(weight, feature)| weight * feature).sum::<f64>()
    }
}

/// The features of each segment of a document. The time is linear. There may be a segment for every 2 bytes. So only
/// values that cannot be computed in one pass from front to back are stored for each segment.
pub fn features<'d>(
    text: &str,
    tokens: &Tokens,
    layout: &'d Layout,
    segments: &'d Segments,
) -> impl Iterator<Item = Features> + use<'d> {
    let Segments { tokens: segments, prose } = segments;
    let repeated = repeated(text, tokens, segments);
    let mut prose_after = ProseAfter::of(layout, segments, prose);
    let all: f64 = segments.iter().map(|segment| layout.mass(&segment)).sum::<f64>().max(1.0);
    let mut prose_before = [0.0; REACHES];
    let mut mass_before = 0.0;
    let (mut previous, mut here) = (Words::default(), Words::of(layout, segments, 0));
    segments.iter().enumerate().map(move |(index, segment)| {
        let [varying, capitals, words, separators] = counts(&layout.looks[segment.clone()]);
        let next = Words::of(layout, segments, index + 1);
        let mass = layout.mass(&segment);
        let prose_after = prose_after.at(index);
        let position = (mass_before + mass / 2.0) / all;
        mass_before += mass;
        let mut features = [0.0; FEATURES];
        features[..7].copy_from_slice(&[
            here.telling,
            f64::from(u8::from(here.count <= FEW_WORDS)),
            here.in_sentences,
            varying / (segment.len() as f64).max(1.0),
            capitals / words.max(1.0),
            separators / (segment.len() as f64).max(1.0),
            f64::from(u8::from(repeated[index])),
        ]);
        for (number, reach) in REACH.iter().enumerate() {
            prose_before[number] += prose[index];
            let (before, after) = (prose_before[number].ln_1p(), prose_after[number].ln_1p());
            features[7 + 3 * number..10 + 3 * number].copy_from_slice(&[before + after, before.min(after), before]);
            prose_before[number] *= reach.left_after(mass);
        }
        features[16..].copy_from_slice(&[
            previous.telling,
            next.telling,
            previous.in_sentences,
            next.in_sentences,
            position,
            (position - 0.5).powi(2),
        ]);
        (previous, here) = (here, next);
        features
    })
}

/// The words of a segment. All values are 0 if there is no such segment.
#[derive(Clone, Copy, Default)]
struct Words {
    count: f64,
    /// ln(1 + count).
    telling: f64,
    /// The share of them in sentences.
    in_sentences: f64,
}

impl Words {
    fn of(layout: &Layout, segments: &Partition, number: usize) -> Words {
        if number >= segments.len() {
            return Words::default();
        }
        let segment = segments.tokens(number);
        let count = layout.words(&segment);
        Words { count, telling: telling(count), in_sentences: layout.words_in_sentences(&segment) / count.max(1.0) }
    }
}

/// ln(1 + words), from a table for the lengths of nearly all segments.
fn telling(words: f64) -> f64 {
    static TELLING: LazyLock<[f64; 128]> =
        LazyLock::new(|| std::array::from_fn(|half_words| (half_words as f64 / 2.0).ln_1p()));
    TELLING.get((2.0 * words) as usize).copied().unwrap_or_else(|| words.ln_1p())
}

/// Numbers of tokens of a segment that vary, start with a capital letter, are words, and are separators.
fn counts(looks: &[u8]) -> [f64; 4] {
    /// For each look: a byte for each of the 4.
    static OF_LOOKS: LazyLock<[u32; look::END]> = LazyLock::new(|| {
        let counted = [look::VARYING, look::CAPITAL, look::WORD, look::SEPARATOR];
        std::array::from_fn(|look| u32::from_le_bytes(counted.map(|bit| u8::from(look as u8 & bit != 0))))
    });
    let of_looks = &*OF_LOOKS;
    let mut counts = [0; 4];
    // The sums over so many tokens fit in bytes.
    for some in looks.chunks(255) {
        let sums: u32 = some.iter().map(|&look| of_looks[usize::from(look) % look::END]).sum();
        counts.iter_mut().zip(sums.to_le_bytes()).for_each(|(count, sum)| *count += u32::from(sum));
    }
    counts.map(f64::from)
}

/// A distance over which prose counts less by a factor of e.
struct Reach {
    tokens: f64,
    /// The factor after each number of half words. Nearly all segments are shorter than this table.
    left: [f64; 128],
}

impl Reach {
    fn new(tokens: f64) -> Reach {
        Reach { tokens, left: std::array::from_fn(|halves| (-(halves as f64 / 2.0) / tokens).exp()) }
    }

    fn left_after(&self, words: f64) -> f64 {
        self.left.get((2.0 * words) as usize).copied().unwrap_or_else(|| (-words / self.tokens).exp())
    }
}

/// For each reach: the prose in each segment and after it, where words further away count less. The sums are built from
/// back to front but needed from front to back. So only the sum after each block of segments is stored, and the sums in
/// a block are computed again.
struct ProseAfter<'d> {
    layout: &'d Layout,
    segments: &'d Partition,
    prose: &'d [f64],
    after_blocks: Vec<[f64; REACHES]>,
    /// The sums of one block, the last segment first.
    of_block: Vec<[f64; REACHES]>,
}

/// Number of segments in a block.
const BLOCK: usize = 64;

impl<'d> ProseAfter<'d> {
    fn of(layout: &'d Layout, segments: &'d Partition, prose: &'d [f64]) -> ProseAfter<'d> {
        let blocks = segments.len().div_ceil(BLOCK);
        let after_blocks = vec![[0.0; REACHES]; blocks];
        let mut after = ProseAfter { layout, segments, prose, after_blocks, of_block: Vec::with_capacity(BLOCK) };
        for block in (1..blocks).rev() {
            after.after_blocks[block - 1] = after.sum_up(block);
        }
        after
    }

    /// The prose after a segment. Segments must be requested in order, from the start of their block.
    fn at(&mut self, segment: usize) -> [f64; REACHES] {
        if segment.is_multiple_of(BLOCK) {
            self.sum_up(segment / BLOCK);
        }
        self.of_block[self.of_block.len() - 1 - segment % BLOCK]
    }

    /// Computes the sums of a block. Returns the sum after the block before.
    fn sum_up(&mut self, block: usize) -> [f64; REACHES] {
        let mut sums = self.after_blocks[block];
        self.of_block.clear();
        for segment in (block * BLOCK..self.segments.len().min((block + 1) * BLOCK)).rev() {
            sums.iter_mut().for_each(|sum| *sum += self.prose[segment]);
            self.of_block.push(sums);
            let mass = self.layout.mass(&self.segments.tokens(segment));
            sums.iter_mut().zip(&*REACH).for_each(|(sum, reach)| *sum *= reach.left_after(mass));
        }
        sums
    }
}

/// Whether each segment occurs more than once in the document, ignoring case.
fn repeated(text: &str, tokens: &Tokens, segments: &Partition) -> Vec<bool> {
    let written = |segment: Range<usize>| {
        &text[tokens.tokens[segment.start].range().start..tokens.tokens[segment.end - 1].range().end]
    };
    // The first segment of each hash, with the hash. Positions in a document fit in 32 bits.
    let mut first: HashTable<(u64, u32)> = HashTable::with_capacity(segments.len());
    let mut repeated = vec![false; segments.len()];
    let mut folded = String::new();
    for (index, segment) in segments.iter().enumerate() {
        let here = written(segment);
        let hash = folded_hash(here, &mut folded);
        let is_same = |&(of_first, first): &(u64, u32)| {
            of_first == hash && is_same_folded(written(segments.tokens(first as usize)), here)
        };
        let entry = first.entry(hash, is_same, |&(hash, _)| hash);
        let first = entry.or_insert((hash, index as u32)).get().1 as usize;
        if first != index {
            (repeated[first], repeated[index]) = (true, true);
        }
    }
    repeated
}

/// A hash of a text that is the same for upper and lower case. `folded` is scratch space.
fn folded_hash(text: &str, folded: &mut String) -> u64 {
    folded.clear();
    if !text.is_ascii() {
        push_folded(folded, text);
    }
    let text = if folded.is_empty() { text } else { folded };
    let mut hasher = FxBuildHasher.build_hasher();
    let (chunks, rest) = text.as_bytes().as_chunks::<8>();
    chunks.iter().for_each(|eight| hasher.write_u64(lower_case(u64::from_le_bytes(*eight))));
    hasher.write_u64(lower_case(rest.iter().fold(0, |sum, &byte| sum << 8 | u64::from(byte))));
    hasher.write_usize(text.len());
    hasher.finish()
}

/// 8 bytes with their ASCII letters in lower case. All bytes are changed at once.
fn lower_case(eight: u64) -> u64 {
    let is_upper = within(eight & !TOP, b'A', b'Z') & !eight & TOP;
    eight | is_upper >> 2
}

/// Folds case like `str::to_lowercase`, but faster if a text is mostly ASCII. ASCII letters keep their case.
fn push_folded(folded: &mut String, text: &str) {
    if text.contains('Σ') {
        // Σ is the only letter whose lower case depends on its neighbours.
        folded.push_str(&text.to_lowercase());
        return;
    }
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|byte| !byte.is_ascii()) {
        let mut characters = rest[at..].chars();
        let character = characters.next();
        folded.push_str(&rest[..at]);
        folded.extend(character.into_iter().flat_map(char::to_lowercase));
        rest = characters.as_str();
    }
    folded.push_str(rest);
}

/// Whether two texts are the same but for upper and lower case.
fn is_same_folded(a: &str, b: &str) -> bool {
    match a.is_ascii() && b.is_ascii() {
        true => a.eq_ignore_ascii_case(b),
        false => a.to_lowercase() == b.to_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::{Lexer, MutableSet, Tokenizer};

    fn of_lines(text: &str) -> Vec<Features> {
        let mut lexer = Lexer::new(Tokenizer::Words, Arc::new(MutableSet::shipped()));
        let tokens = Tokens::of(text, &mut lexer);
        let layout = Layout::of(text, &tokens);
        let segments = Segments::of(text, &tokens, &layout, &vec![0.0; tokens.tokens.len()]);
        features(text, &tokens, &layout, &segments).collect()
    }

    fn named(features: &Features, name: &str) -> f64 {
        features[NAMES.iter().position(|&known| known == name).unwrap()]
    }

    #[test]
    fn a_model_reads_what_it_writes() {
        let model = ShapeModel::shipped();
        assert_eq!(ShapeModel::parse(&model.to_yaml()).unwrap(), *model);
    }

    #[test]
    fn a_broken_model_says_what_is_wrong() {
        let yaml = ShapeModel::shipped().to_yaml();
        let missing = ShapeModel::parse(&yaml.replace("  words: ", "  wards: ")).unwrap_err().to_string();
        assert!(missing.contains("'words'"), "{missing}");
        let unknown = ShapeModel::parse(&(yaml.clone() + "  luck: 1.0\n")).unwrap_err().to_string();
        assert!(unknown.contains("'luck'"), "{unknown}");
        assert!(ShapeModel::parse(&yaml.replace("shape: 1", "shape: 2")).is_err());
        assert!(ShapeModel::parse(&yaml.replace("intercept: ", "intercept: .nan # ")).is_err());
    }

    #[test]
    fn prose_and_lists_look_different() {
        let text = "Home | News | Sport\nThe ferry was late again on Monday, and nobody knew why.\nMore news";
        let [list, prose, link] = of_lines(text)[..] else { panic!("three lines") };
        assert_eq!(named(&prose, "in-sentences"), 1.0);
        assert!(named(&list, "separators") > named(&prose, "separators"));
        assert!(named(&prose, "prose-near") > named(&list, "prose-near"));
        assert_eq!(named(&link, "few-words"), 1.0);
        assert!(named(&link, "prose-near-before") > 0.0 && named(&list, "prose-near-before") == 0.0);
        assert!(named(&list, "position") < named(&link, "position"));
    }

    #[test]
    fn what_stands_twice_is_repeated() {
        let repeated: Vec<f64> = of_lines("Share\none\nSHARE").iter().map(|of| named(of, "repeated")).collect();
        assert_eq!(repeated, [1.0, 0.0, 1.0]);
    }

    #[test]
    fn letters_and_nothing_else_get_lower_case() {
        for byte in 0..=u8::MAX {
            let eight = u64::from_le_bytes([byte, b'A', b'Z', b'@', b'[', b'z', 0x80 | b'A', byte]);
            let lower = byte.to_ascii_lowercase();
            assert_eq!(lower_case(eight).to_le_bytes(), [lower, b'a', b'z', b'@', b'[', b'z', 0x80 | b'A', lower]);
        }
    }

    #[test]
    fn a_document_without_tokens_has_no_segments() {
        assert!(of_lines(" \n ").is_empty());
    }
}
