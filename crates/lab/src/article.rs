//! Locates a page's article in the page.
//!
//! The words of the gold text are aligned with the page: first the longest common run, then the longest runs before and
//! after it, and so on. So the runs have the same order in both texts. A run counts if it has at least
//! [`MIN_RUN_OF_ARTICLE`] words. Between two runs, the rest of the gold text is only compared with whole lines of the
//! page. So "Three people" in a menu is not the article, but a headline of two words on its own line is.

use std::ops::Range;

use rustc_hash::FxHashMap;

use dehusk_run::scoring::words::{Word, is_letter_or_number, words};

/// Minimum number of words of a run. A shorter run may be chance, unless it is a whole line.
pub const MIN_RUN_OF_ARTICLE: usize = 4;
/// If at most this many words are between two runs in a line, these words belong to the article. For example, a word
/// may have another spelling.
pub const MAX_GAP: usize = 3;

/// The article in a page.
#[derive(Clone, Debug, PartialEq)]
pub struct Article {
    /// The stretches of the page with the article, in order. None is longer than a line.
    pub stretches: Vec<Range<usize>>,
    /// The share of the gold text's words that was found, 0..=1.
    pub found: f64,
}

impl Article {
    /// Searches the page for the gold text.
    pub fn locate(page: &str, gold: &str) -> Article {
        let (page_words, gold_words): (Vec<Word>, Vec<Word>) = (words(page).collect(), words(gold).collect());
        let alignment = Alignment::new(page, &page_words, &gold_words);
        let runs = alignment.runs();
        let found: usize = runs.iter().map(|run| run.words).sum();
        Article {
            stretches: stretches(page, &page_words, &alignment.lines, &runs),
            found: found as f64 / gold_words.len().max(1) as f64,
        }
    }
}

/// Consecutive words that are in both texts.
#[derive(Clone, Copy, Debug)]
struct Run {
    page: usize,
    gold: usize,
    words: usize,
}

/// A part of the page, and the part of the gold text that may be in it. Ranges of words.
#[derive(Clone, Debug)]
struct Part {
    page: Range<usize>,
    gold: Range<usize>,
}

struct Alignment {
    page: Vec<u64>,
    gold: Vec<u64>,
    /// The positions of each word in the gold text.
    places: FxHashMap<u64, Vec<usize>>,
    /// The line number of each word of the page.
    lines: Vec<usize>,
}

impl Alignment {
    fn new(page: &str, page_words: &[Word], gold_words: &[Word]) -> Alignment {
        let hashes = |words: &[Word]| words.iter().map(|word| word.hash).collect::<Vec<u64>>();
        let gold = hashes(gold_words);
        let mut places: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
        gold.iter().enumerate().for_each(|(at, &word)| places.entry(word).or_default().push(at));
        Alignment { page: hashes(page_words), gold, places, lines: lines(page, page_words) }
    }

    /// All runs, sorted by page position.
    fn runs(&self) -> Vec<Run> {
        let mut runs = Vec::new();
        let mut parts = vec![Part { page: 0..self.page.len(), gold: 0..self.gold.len() }];
        while let Some(part) = parts.pop() {
            match self.longest(&part) {
                Some(run) => {
                    parts.push(Part { page: part.page.start..run.page, gold: part.gold.start..run.gold });
                    parts.push(Part {
                        page: run.page + run.words..part.page.end,
                        gold: run.gold + run.words..part.gold.end,
                    });
                    runs.push(run);
                }
                None => self.short_lines(part, &mut runs),
            }
        }
        runs.sort_by_key(|run| run.page);
        runs
    }

    /// The longest run of a part, if it is long enough. Of equally long ones, the first.
    fn longest(&self, part: &Part) -> Option<Run> {
        let mut longest = Run { page: 0, gold: 0, words: MIN_RUN_OF_ARTICLE - 1 };
        if part.gold.len() < MIN_RUN_OF_ARTICLE {
            return None;
        }
        for page in part.page.clone() {
            for &gold in self.places_in(self.page[page], &part.gold) {
                let is_inside = page > part.page.start && gold > part.gold.start;
                if is_inside && self.page[page - 1] == self.gold[gold - 1] {
                    continue; // part of a run that was measured from its start
                }
                let words = self.common(page..part.page.end, gold..part.gold.end);
                if words > longest.words {
                    longest = Run { page, gold, words };
                }
            }
        }
        (longest.words >= MIN_RUN_OF_ARTICLE).then_some(longest)
    }

    fn places_in(&self, word: u64, gold: &Range<usize>) -> &[usize] {
        let places = self.places.get(&word).map_or(&[][..], Vec::as_slice);
        let at = |limit: usize| places.partition_point(|&place| place < limit);
        &places[at(gold.start)..at(gold.end)]
    }

    fn common(&self, page: Range<usize>, gold: Range<usize>) -> usize {
        self.page[page].iter().zip(&self.gold[gold]).take_while(|(a, b)| a == b).count()
    }

    /// Adds the lines of a part that are in the rest of the gold text, in the same order.
    fn short_lines(&self, mut part: Part, runs: &mut Vec<Run>) {
        let mut page = part.page.start;
        while page < part.page.end && !part.gold.is_empty() {
            let words = self.line_end(page) - page;
            let is_whole = self.starts_line(page) && page + words <= part.page.end;
            let fits = |&&gold: &&usize| self.common(page..page + words, gold..part.gold.end) == words;
            let place = self.places_in(self.page[page], &part.gold).iter().find(fits).filter(|_| is_whole);
            if let Some(&gold) = place {
                runs.push(Run { page, gold, words });
                part.gold.start = gold + words;
            }
            page += words;
        }
    }

    fn starts_line(&self, word: usize) -> bool {
        word == 0 || self.lines[word - 1] != self.lines[word]
    }

    /// The first word of the next line.
    fn line_end(&self, word: usize) -> usize {
        word + self.lines[word..].partition_point(|&line| line == self.lines[word])
    }
}

/// The line number of each word.
fn lines(page: &str, words: &[Word]) -> Vec<usize> {
    let (mut line, mut at) = (0, 0);
    let number = |word: &Word| {
        line += page[at..word.range.start].matches('\n').count();
        at = word.range.start;
        line
    };
    words.iter().map(number).collect()
}

/// The stretches of the page that the runs cover: one or more per line, with adjoining punctuation.
fn stretches(page: &str, words: &[Word], lines: &[usize], runs: &[Run]) -> Vec<Range<usize>> {
    let mut joined: Vec<Range<usize>> = Vec::new();
    for word in runs.iter().flat_map(|run| run.page..run.page + run.words) {
        match joined.last_mut() {
            Some(last) if lines[last.end - 1] == lines[word] && word - last.end <= MAX_GAP => last.end = word + 1,
            _ => joined.push(word..word + 1),
        }
    }
    let mut end = 0;
    let stretch = |stretch: Range<usize>| {
        let is_first = stretch.start == 0 || lines[stretch.start - 1] != lines[stretch.start];
        let is_last = stretch.end == words.len() || lines[stretch.end] != lines[stretch.end - 1];
        let start = grown_back(page, words[stretch.start].range.start, is_first).max(end);
        end = grown(page, words[stretch.end - 1].range.end, is_last);
        start..end
    };
    joined.into_iter().map(stretch).collect()
}

/// Extends the start back to white space or a word, or to the start of the line.
fn grown_back(page: &str, start: usize, to_line_start: bool) -> usize {
    let line = page[..start].rfind('\n').map_or(0, |at| at + 1);
    let before = &page[line..start];
    if to_line_start {
        return start - before.trim_start().len();
    }
    let kept = before.trim_end_matches(|c: char| !c.is_whitespace() && !is_letter_or_number(c));
    line + kept.len()
}

/// Extends the end to white space or a word, or to the end of the line.
fn grown(page: &str, end: usize, to_line_end: bool) -> usize {
    let after = page[end..].lines().next().unwrap_or_default();
    if to_line_end {
        return end + after.trim_end().len();
    }
    let is_other = |c: char| c.is_whitespace() || is_letter_or_number(c);
    end + after.find(is_other).unwrap_or(after.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn located<'p>(page: &'p str, gold: &str) -> (Vec<&'p str>, f64) {
        let article = Article::locate(page, gold);
        (article.stretches.into_iter().map(|stretch| &page[stretch]).collect(), article.found)
    }

    #[test]
    fn lines_and_stretches_of_lines_are_found() {
        let page = "Home | Sport\n\nPilot saved\nBy M. O.\n\nELSA (AP) -- \"Three people were pulled out,\" he said. (Red)\n\
                    Advertisement\n  * The launch was on the slip.\nRead more\n";
        let gold = "Pilot saved\n\"Three people were pulled out,\" he said.\nThe launch was on the slip.";
        let expected = ["Pilot saved", "\"Three people were pulled out,\" he said.", "* The launch was on the slip."];
        assert_eq!(located(page, gold), (expected.to_vec(), 1.0));
    }

    #[test]
    fn a_word_spelt_differently_does_not_part_a_stretch() {
        let page = "Menu\nthe ferry sails at nin every single day now\n";
        let (found, share) = located(page, "The ferry sails at nine every single day now");
        assert_eq!(found, ["the ferry sails at nin every single day now"]);
        assert!((share - 8.0 / 9.0).abs() < 1e-9);
    }

    #[test]
    fn short_matches_count_as_whole_lines_only_and_in_order() {
        let gold = "Boats\nAll of them came home before the night fell.\nThe end";
        let page = "The end\nBoats and planes\nAll of them came home before the night fell.\nBoats\nThe end of it\n";
        let (found, _) = located(page, gold);
        assert_eq!(found, ["All of them came home before the night fell."]);
    }

    #[test]
    fn nothing_is_found_where_nothing_is() {
        assert_eq!(located("", "gold"), (vec![], 0.0));
        assert_eq!(located("a page", ""), (vec![], 0.0));
    }
}
