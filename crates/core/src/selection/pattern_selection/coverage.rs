//! The text of one document that all patterns explain, and how much of it the chosen patterns explain.

use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::cleaning::reading::Match;
use crate::cleaning::{Cleaner, Reading};
use crate::selection::sampling::Sample;

/// From this strength on, a token is more likely template than not.
const HALF: f32 = 0.5;

/// A document with the patterns chosen so far. See the module.
pub struct Coverage<'t> {
    cleaner: &'t Cleaner,
    reading: &'t Reading,
    /// Whether each token has a strong match of any pattern.
    is_explained: Vec<bool>,
    /// Size of the explained tokens, in bytes.
    size: u64,
    /// For each token: the largest strength of a match of a chosen pattern.
    reached: Vec<f32>,
    /// Size of the explained tokens that have no strong match of a chosen pattern, in bytes.
    unmet: u64,
    /// Sums for the current `reached`. Computed only when `sampled`, the number of tokens visited so far, shows that
    /// the sums save time.
    sums: OnceLock<Sums>,
    sampled: AtomicUsize,
}

impl<'t> Coverage<'t> {
    /// A page with no chosen pattern. The matches must be sorted by pattern.
    pub fn new(cleaner: &'t Cleaner, Sample { reading, .. }: &'t Sample) -> Coverage<'t> {
        let evidence = cleaner.weigh(reading, &reading.matches).of_token;
        // A rejected pattern is not applied, so its text need not be explained.
        let is_explained: Vec<bool> =
            evidence.iter().zip(&reading.is_rejected).map(|(&p, &is_rejected)| p >= HALF && !is_rejected).collect();
        let mut page = Coverage {
            cleaner,
            reading,
            size: 0,
            unmet: 0,
            reached: vec![0.0; is_explained.len()],
            is_explained,
            sums: OnceLock::new(),
            sampled: AtomicUsize::new(0),
        };
        page.size =
            (0..page.reached.len()).filter(|&token| page.is_explained[token]).map(|token| page.bytes_of(token)).sum();
        page.unmet = page.size;
        page
    }

    /// Size of the text that all patterns explain, in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Size of the part of this text that has no strong match of a chosen pattern, in bytes.
    pub fn unmet(&self) -> u64 {
        self.unmet
    }

    /// The patterns that match, ascending, each with the range of its matches.
    pub fn patterns(&self) -> impl Iterator<Item = (usize, Range<usize>)> {
        let mut next = 0;
        self.reading.matches.chunk_by(|a, b| a.pattern == b.pattern).map(move |matches| {
            next += matches.len();
            (matches[0].pattern, next - matches.len()..next)
        })
    }

    /// How much these matches of a pattern add to the evidence of the explained tokens, in bytes times strength.
    /// Thousands of matches may overlap. So tokens are visited one by one only until the number of visits is the number
    /// of tokens of the page. After that, prefix sums are used. The result is the same.
    pub fn gain(&self, matches: Range<usize>) -> f64 {
        let matches = &self.reading.matches[matches];
        let tokens = matches.iter().map(|found| found.tokens.len()).sum();
        let mut gain = 0.0;
        if self.sampled.fetch_add(tokens, Ordering::Relaxed) <= self.reached.len() && tokens <= self.reached.len() {
            self.strengths(matches, |tokens, strength| gain += self.gain_of_each(tokens, strength));
        } else {
            let sums = self.sums.get_or_init(|| self.summed_up());
            self.strengths(matches, |tokens, strength| gain += sums.gain(tokens, strength));
        }
        gain
    }

    /// Marks the pattern of these matches as chosen.
    pub fn take(&mut self, matches: Range<usize>) {
        let mut strengths: Vec<(f32, Range<usize>)> = Vec::new();
        self.strengths(&self.reading.matches[matches], |tokens, strength| strengths.push((strength, tokens)));
        strengths.sort_unstable_by(|(a, one), (b, other)| a.total_cmp(b).then(one.start.cmp(&other.start)));
        for equal in strengths.chunk_by(|a, b| a.0 == b.0) {
            let mut done = 0;
            for (strength, tokens) in equal {
                (tokens.start.max(done)..tokens.end).for_each(|token| self.reach(token, *strength));
                done = done.max(tokens.end);
            }
        }
        self.forget_sums();
    }

    fn forget_sums(&mut self) {
        self.sums = OnceLock::new();
        self.sampled = AtomicUsize::new(0);
    }

    fn reach(&mut self, token: usize, strength: f32) {
        if self.is_explained[token] && self.reached[token] < HALF && strength >= HALF {
            self.unmet -= self.bytes_of(token);
        }
        self.reached[token] = self.reached[token].max(strength);
    }

    /// Calls `visit` with stretches of the tokens of each match, and with the strength of each stretch.
    fn strengths(&self, matches: &[Match], mut visit: impl FnMut(Range<usize>, f32)) {
        for found in matches {
            self.cleaner.weigh_alone(self.reading, found).stretches(&self.reading.layout, &mut visit);
        }
    }

    fn gain_of_each(&self, tokens: Range<usize>, strength: f32) -> f64 {
        let missing = tokens.filter(|&token| self.is_explained[token]);
        missing.map(|token| added(strength, self.reached[token]) * self.bytes_of(token) as f64).sum()
    }

    fn summed_up(&self) -> Sums {
        let (mut sums, mut bytes) = (Sums { missing: vec![0], levels: Vec::new() }, 0);
        let mut start = 0;
        for equal in self.reached.chunk_by(|a, b| a == b) {
            let full = sums.before(start);
            sums.levels.push(Level { start, reached: equal[0], full });
            for token in start..start + equal.len() {
                bytes += if self.is_explained[token] { self.bytes_of(token) } else { 0 };
                sums.missing.push(bytes);
            }
            start += equal.len();
        }
        sums
    }

    fn bytes_of(&self, token: usize) -> u64 {
        self.reading.tokens.tokens[token].range().len() as u64
    }
}

/// How much a match adds to a token's evidence.
fn added(strength: f32, reached: f32) -> f64 {
    f64::from((strength - reached).max(0.0))
}

/// Prefix sums of the amounts that matches add, so that not every token must be visited. The terms are products of
/// numbers with few digits, so the sums are exact in any order.
struct Sums {
    /// Number of explained bytes before each token, and in the whole document.
    missing: Vec<u64>,
    /// The stretches of tokens with equal `reached`, from left to right.
    levels: Vec<Level>,
}

struct Level {
    start: usize,
    reached: f32,
    /// The amount that full evidence for all tokens before this level would add.
    full: f64,
}

impl Sums {
    fn gain(&self, tokens: Range<usize>, strength: f32) -> f64 {
        if tokens.is_empty() || strength <= 0.0 {
            return 0.0;
        }
        if strength == 1.0 {
            return self.before(tokens.end) - self.before(tokens.start);
        }
        let first = self.level_of(tokens.start);
        let here = self.levels[first..].iter().take_while(|level| level.start < tokens.end);
        let ends = self.levels[first + 1..].iter().map(|level| level.start.min(tokens.end)).chain([tokens.end]);
        let gain = |(level, end): (&Level, usize)| {
            let bytes = self.missing[end] - self.missing[level.start.max(tokens.start)];
            added(strength, level.reached) * bytes as f64
        };
        here.zip(ends).map(gain).sum()
    }

    /// The amount that full evidence for all tokens before this one would add.
    fn before(&self, token: usize) -> f64 {
        if token == 0 {
            return 0.0;
        }
        let level = &self.levels[self.level_of(token - 1)];
        level.full + added(1.0, level.reached) * (self.missing[token] - self.missing[level.start]) as f64
    }

    fn level_of(&self, token: usize) -> usize {
        self.levels.partition_point(|level| level.start <= token) - 1
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::patterns::{LexerCache, PatternFile};
    use crate::selection::sampling::Sampled;

    /// Patterns that match each line of several lines, and others that match 2 or 3 of these lines, or parts of them.
    fn file() -> PatternFile {
        let lines =
            |lines: usize| vec![r"Item of it"; lines].join("\n").replace(' ', r"\s+").replace('\n', r"\s*\n\s*");
        let pattern = |id: usize, regex: &str, documents: usize| {
            format!("  - {{id: p{id}, regex: '{regex}', documents: {documents}, example: x}}\n")
        };
        let head =
            "dehusk: 1\nsource: s\nmined: {documents: 100, tokens: 99, cutoff: 0.1, tokenizer: words}\npatterns:\n";
        let patterns = [
            pattern(1, &format!(r"(?m)^\s*{}\s*$", lines(1)), 6),
            pattern(2, &format!(r"(?m)^\s*{}\s*$", lines(2)), 30),
            pattern(3, r"(?<!\S)of\s+it\s+Item\s+of(?!\w)", 10),
            pattern(4, r"(?<!\S)it\s+Item\s+of\s+it\s+Item(?!\w)", 12),
            pattern(5, &format!(r"(?m)^\s*{}\s*$", lines(3)), 2),
        ];
        PatternFile::parse(&(head.to_owned() + &patterns.concat()), &LexerCache::default()).unwrap()
    }

    proptest! {
        #[test]
        fn what_a_pattern_adds_is_what_its_matches_add_token_by_token(
            lines in prop::collection::vec(prop::sample::select(&["Item of it\n", "A boat.\n", "Item of it Item of it\n"]), 1..20),
            taken in prop::collection::vec(0usize..5, 0..4),
        ) {
            let (file, texts) = (file(), [lines.concat()]);
            let sampled = Sampled::new(&file, None, &texts);
            let mut page = Coverage::new(&sampled.cleaner, &sampled.samples[0]);
            let mut reached = vec![0.0_f32; page.reached.len()];
            let of_patterns: Vec<Range<usize>> = page.patterns().map(|(_, matches)| matches).collect();
            for taken in taken {
                for matches in &of_patterns {
                    let mut naive = 0.0;
                    page.strengths(&page.reading.matches[matches.clone()], |tokens, strength| {
                        naive += page.gain_of_each(tokens.clone(), strength);
                        assert_eq!(page.summed_up().gain(tokens.clone(), strength), page.gain_of_each(tokens, strength));
                    });
                    prop_assert_eq!(page.gain(matches.clone()), naive);
                }
                let Some(matches) = of_patterns.get(taken) else { continue };
                page.take(matches.clone());
                page.strengths(&page.reading.matches[matches.clone()], |tokens, strength| {
                    tokens.for_each(|token| reached[token] = reached[token].max(strength));
                });
                prop_assert_eq!(&page.reached, &reached);
                prop_assert_eq!(page.unmet, (0..reached.len()).filter(|&token| page.is_explained[token] && reached[token] < HALF).map(|token| page.bytes_of(token)).sum::<u64>());
            }
        }
    }
}
