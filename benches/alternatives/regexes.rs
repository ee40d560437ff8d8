//! Removes the matches of emitted regexes with the `regex` crate, as a person would do who only has the regexes.
//!
//! The crate has no look-around, so the edges of the regexes are written differently: `(?!\w)` is its `\b{end-half}`,
//! and the text before a match is checked when a match is found.

use std::fs;
use std::ops::Range;
use std::path::Path;

use anyhow::Context;
use clap::ValueEnum;
use regex::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};

use dehusk_core::tokens::characters::is_word_character;

/// How the regexes are looked for.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Search {
    /// Each in every text
    Each,
    /// Each that a set of all says to match
    Set,
}

/// Memory limit of compiled regexes. With the default, large sets are refused, or often clear their cache.
const SIZE_LIMIT: usize = 1 << 30;

/// Cleans the files of a folder into another.
pub fn clean_folder(search: Search, regexes: &Path, from: &Path, to: &Path) -> anyhow::Result<()> {
    let regexes: Vec<String> = serde_json::from_slice(&fs::read(regexes)?)?;
    let remover = Remover::new(&regexes, search)?;
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        fs::write(to.join(entry.file_name()), remover.stripped(&fs::read_to_string(entry.path())?))?;
    }
    Ok(())
}

struct Remover {
    regexes: Vec<Emitted>,
    /// Finds the regexes that may match.
    set: Option<RegexSet>,
}

impl Remover {
    fn new(regexes: &[String], search: Search) -> anyhow::Result<Remover> {
        let regexes = regexes.iter().map(|regex| Emitted::new(regex)).collect::<anyhow::Result<Vec<Emitted>>>()?;
        let set_of_all = || {
            // Without the end edges, which need to know word characters: with them, the fast engine gives up beyond
            // ASCII.
            let all = regexes.iter().map(|emitted| emitted.regex.as_str().replace(BEFORE_NO_WORD, ""));
            RegexSetBuilder::new(all).size_limit(SIZE_LIMIT).dfa_size_limit(SIZE_LIMIT).build()
        };
        let set = (search == Search::Set).then(set_of_all).transpose()?;
        Ok(Remover { regexes, set })
    }

    /// The text without the union of all matches. They are found in the original text, so no match prevents another.
    fn stripped(&self, text: &str) -> String {
        let mut found: Vec<Range<usize>> = match &self.set {
            None => self.regexes.iter().flat_map(|emitted| emitted.matches(text)).collect(),
            Some(set) => set.matches(text).iter().flat_map(|index| self.regexes[index].matches(text)).collect(),
        };
        found.sort_unstable_by_key(|range| range.start);
        let (mut kept, mut at) = (String::with_capacity(text.len()), 0);
        for range in found {
            kept.push_str(text.get(at..range.start).unwrap_or(""));
            at = at.max(range.end);
        }
        kept + &text[at..]
    }
}

/// The text after a match does not start with a word character.
const BEFORE_NO_WORD: &str = r"\b{end-half}";

/// A regex of a pattern file.
struct Emitted {
    regex: Regex,
    may_follow: MayFollow,
}

/// Whether a match may start after a character, or at the start of the text.
type MayFollow = fn(Option<char>) -> bool;

/// The starts of a regex that say what must be before a match.
const STARTS: [(&str, MayFollow); 3] = [
    (r"(?<!\S)", |before| before.is_none_or(char::is_whitespace)),
    (r"(?<=\S)", |before| before.is_some_and(|c| !c.is_whitespace())),
    (r"(?<=[^\w\s])", |before| before.is_some_and(|c| !c.is_whitespace() && !is_word_character(c))),
];

impl Emitted {
    fn new(regex: &str) -> anyhow::Result<Emitted> {
        let (mode, rest) = regex.strip_prefix("(?m)").map_or(("", regex), |rest| ("(?m)", rest));
        let start = STARTS.iter().find_map(|(start, may_follow)| Some((rest.strip_prefix(start)?, *may_follow)));
        let (rest, may_follow) = start.unwrap_or((rest, |_| true));
        let rewritten = format!("{mode}{}", rest.replace(r"(?!\w)", BEFORE_NO_WORD));
        let compiled = RegexBuilder::new(&rewritten).size_limit(SIZE_LIMIT).build();
        Ok(Emitted { regex: compiled.with_context(|| format!("the regex crate cannot run {regex}"))?, may_follow })
    }

    /// The matches of the regex, from left to right, without overlaps. No emitted regex matches the empty text.
    fn matches<'s>(&'s self, text: &'s str) -> impl Iterator<Item = Range<usize>> + use<'s> {
        let mut from = 0;
        std::iter::from_fn(move || {
            loop {
                let found = self.regex.find_at(text, from)?;
                if (self.may_follow)(text[..found.start()].chars().next_back()) {
                    from = found.end();
                    return Some(found.range());
                }
                from = found.start() + found.as_str().chars().next()?.len_utf8();
            }
        })
    }
}
