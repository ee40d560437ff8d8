//! The memory needed to mine a source, and to test its patterns.

/// Memory to mine a source, per byte of the source, as long as the number of its tokens is unknown. Language has five
/// or more bytes per token.
pub const BYTES_PER_BYTE: u64 = 12;
/// The same, per byte of HTML that is read as text. At most half of the HTML becomes text.
pub const BYTES_PER_BYTE_OF_HTML: u64 = 5;

/// Minimum memory to mine a source, per byte of its texts. If there is less, the source does not fit.
pub const LEAST_PER_BYTE_OF_SOURCE: u64 = 5;

/// The part of the memory that is for reading documents, to mine them or to test patterns on them.
pub fn for_reading(memory: u64) -> u64 {
    memory / 8
}

/// The memory needed in total: `need`, and the part for reading documents.
pub fn with_reading(need: u64) -> u64 {
    need + need / 7
}

/// Memory for each token, in addition to the text: its position, its place in the sort order, its line.
const BYTES_PER_MINED_TOKEN: u64 = 40;
/// Memory for each run that recurs: the run, the pattern that it may become, its matches.
const BYTES_PER_RUN: f64 = 320.0;

/// Memory to mine a source with known numbers of tokens, in addition to its text. `different` is the number of
/// different tokens. In random text, one token in ln(`different`) starts a run that recurs; in language, no more tokens
/// do. Measured on the worst cases (`benches/memory`).
pub fn need_of_tokens(tokens: usize, different: usize) -> u64 {
    let runs = tokens as f64 / (different.max(3) as f64).ln();
    BYTES_PER_MINED_TOKEN * tokens as u64 + (BYTES_PER_RUN * runs) as u64
}

/// Memory for each tested pattern: the pattern, its automaton, its counts.
const BYTES_PER_PATTERN: u64 = 2000;
/// Memory for each token of a pattern: its text, its regex, its states.
const BYTES_PER_PATTERN_TOKEN: u64 = 160;
/// Memory for each match of a pattern.
const BYTES_PER_MATCH: u64 = 48;
/// Memory for each token of the documents on which patterns are tested, with its text.
const BYTES_PER_READ_TOKEN: u64 = 50;

/// Memory to test patterns with these numbers of tokens, on documents with this number of matches and tokens.
pub fn need_to_try_out(patterns: impl Iterator<Item = usize>, matches: u64, tokens: u64) -> u64 {
    let of_pattern = |length| BYTES_PER_PATTERN + BYTES_PER_PATTERN_TOKEN * length as u64;
    with_reading(patterns.map(of_pattern).sum::<u64>() + BYTES_PER_MATCH * matches + BYTES_PER_READ_TOKEN * tokens)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_few_different_tokens_needs_more() {
        // Language has five bytes per token, and thousands of different tokens.
        let [language, letters] = [30_000, 26].map(|different| need_of_tokens(1_000_000, different));
        assert!(language < 5_000_000 * BYTES_PER_BYTE * 3 / 2 && letters > 3 * language / 2, "{language} {letters}");
    }
}
