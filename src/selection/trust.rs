//! Computes the trust: how far shape and matches can be relied on in a source.
//!
//! The shape model was fitted to news, and mining takes what recurs for template. Both can be wrong: code, verse, lists
//! and quotations have the shape of boilerplate, and names, formulas and quotations recur. 4 signs in the source's own
//! documents show this:
//!
//! - *No paragraphs.* The model separates boilerplate from articles. Where most documents have no paragraphs, there are
//!   no articles.
//! - *Records.* Most documents have a number or a price of their own in a fixed frame
//!   ([`values`](crate::selection::values)). These are pages of a shop or a catalogue: their content stands in short
//!   lines inside the frame.
//! - *Alarms.* Of the text that does not recur, little is boilerplate that varies, and there is less of it than of text
//!   that recurs. If the model takes much of it for boilerplate, both as a share and compared with what is matched, it
//!   does not know this kind of text.
//! - *Holes.* Templates stand together, mostly at the ends of documents. What recurs within texts stands in short
//!   stretches between text that does not recur. If the prose that is kept has many holes, much of the removed text is
//!   content.

use std::ops::{Range, RangeInclusive};

use rayon::prelude::*;

use crate::cleaning::decision::Case;
use crate::cleaning::evidence::{Evidence, Match, Weight, weigh};
use crate::cleaning::layout::Layout;
use crate::cleaning::segments::{MIN_PARAGRAPH_WORDS, Segments, is_matched};
use crate::cleaning::shape::{ShapeModel, features};
use crate::cleaning::{EvidenceKind, EvidenceKinds, Method, Reading, Recurring};
use crate::patterns::Trust;
use crate::selection::sampling::{Sample, Sampled};
use crate::selection::values::Values;
use crate::stretches::stretches_of_true;

/// The ranges in which doubt grows, for the signs that a stream sees differently from mining.
struct Signs {
    alarms: RangeInclusive<f64>,
    for_each_matched: RangeInclusive<f64>,
    holes: RangeInclusive<f64>,
}

/// The range for alarms (words that no pattern matches, in segments that the shape model takes for boilerplate) as a
/// share of the words that no pattern matches. Up to the start of the range there is no doubt. From its end on there is
/// full doubt.
const ALARMS: RangeInclusive<f64> = 0.1..=0.12;
/// The range for the number of alarms for each matched word.
const FOR_EACH_MATCHED: RangeInclusive<f64> = 1.0..=1.2;
/// The range for the number of words in holes for each word that is kept. Templates inside articles make some holes.
const HOLES: RangeInclusive<f64> = 0.105..=0.125;
/// The range for the share of documents without a paragraph.
const WITHOUT_PARAGRAPH: RangeInclusive<f64> = 0.4..=0.6;
/// The range for the share of documents with a value of their own.
const RECORDS: RangeInclusive<f64> = 0.4..=0.6;
/// Like [`ALARMS`], for a stream. The range is higher, because text that is seen for the first time counts as not
/// recurring, and some of it has the shape of boilerplate.
const ALARMS_SO_FAR: RangeInclusive<f64> = 0.3..=0.36;
/// In a stream, holes appear while documents come. After this many documents, half of the holes are seen.
const HALF_OF_HOLES: f64 = 2.5;
/// Matches also appear while documents come. So a stream's limits for alarms per matched word are higher at first: by
/// the factor 1 + this number / number of documents.
const MORE_ALARMS: f64 = 5.0;
/// Above this number of documents, all counts are halved. So new documents weigh more, and the trust of a source can
/// change.
const MAX_DOCUMENTS: u64 = 1000;
/// A removed stretch between prose that is kept is a hole if it has fewer words than this.
const MAX_HOLE: f64 = 30.0;
/// Two such stretches with at most this many words between them count as one.
const MAX_GAP: f64 = 2.0;

/// Counts of a source's documents and of words in them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    /// Number of documents.
    pub documents: u64,
    /// Number of documents without a paragraph.
    pub without_paragraph: u64,
    /// Number of documents with a value of their own.
    pub records: u64,
    /// Number of matched words. Matches alone make them more likely template than not.
    pub matched: f64,
    /// Number of words in segments that are not matched.
    pub unmatched: f64,
    /// Number of those in segments with the shape of boilerplate.
    pub alarms: f64,
    /// Number of words that are kept if matches alone decide.
    pub staying: f64,
    /// Number of words that matches alone remove in short stretches between prose that is kept.
    pub holes: f64,
}

impl Tally {
    /// Counts the documents. Linear in them and their matches.
    pub fn of(sampled: &Sampled, values: &Values, shape: &ShapeModel) -> Tally {
        let of_sample = |sample: &Sample| {
            let goes =
                sampled.cleaner.decide(sample.text, &sample.reading, &sample.reading.matches, Method::Smooth).goes;
            let evidence = sampled.cleaner.weigh(&sample.reading, &sample.reading.matches);
            Tally::of_document(sample.text, &sample.reading, &evidence, &goes, shape)
        };
        // The sum is taken in order, because the rounding of fractions depends on the order.
        let tallies: Vec<Tally> = sampled.samples.par_iter().map(of_sample).collect();
        tallies.into_iter().fold(Tally { records: values.documents, ..Tally::default() }, Tally::with)
    }

    /// Counts a document in which only these recurring stretches are known.
    pub fn of_recurring(text: &str, reading: &Reading, recurring: &[Recurring], shape: &ShapeModel) -> Tally {
        // As for samples, the end of the article is not searched for.
        let evidence_kinds = EvidenceKinds::ALL.without(EvidenceKind::End);
        let weights: Vec<Weight> = recurring.iter().map(|recurring| recurring.weight).collect();
        let found = |(pattern, recurring): (usize, &Recurring)| Match { tokens: recurring.tokens.clone(), pattern };
        let matches: Vec<Match> = recurring.iter().enumerate().map(found).collect();
        let evidence = weigh(&reading.layout, &matches, &weights, evidence_kinds);
        let case = Case::of(text, reading, &matches, &weights, &evidence, evidence_kinds);
        let goes = case.labels(&case.probabilities(None, 0.0));
        Tally::of_document(text, reading, &evidence, &goes, shape)
    }

    /// Counts one document. `goes` says for each token whether matches alone remove it.
    pub fn of_document(
        text: &str,
        Reading { tokens, layout, .. }: &Reading,
        evidence: &Evidence,
        goes: &[bool],
        shape: &ShapeModel,
    ) -> Tally {
        let segments = Segments::of(text, tokens, layout, &evidence.of_token);
        let without_paragraph = u64::from(!segments.has_paragraph());
        let mut tally = Tally { documents: 1, without_paragraph, ..Tally::default() };
        for (segment, features) in segments.tokens.iter().zip(features(text, tokens, layout, &segments)) {
            if !is_matched(&segment, &evidence.of_token) {
                tally.unmatched += layout.words(&segment);
                tally.alarms += if shape.log_odds(&features) > 0.0 { layout.words(&segment) } else { 0.0 };
            }
        }
        tally.matched = stretches_of_true(&evidence.of_token.iter().map(|&p| p >= 0.5).collect::<Vec<bool>>())
            .map(|stretch| layout.words(&stretch))
            .sum();
        let going: f64 = stretches_of_true(goes).map(|stretch| layout.words(&stretch)).sum();
        tally.staying = layout.words(&(0..layout.tokens())) - going;
        tally.holes = holes(layout, &segments, goes);
        tally
    }

    /// The sum of both.
    pub fn with(self, other: Tally) -> Tally {
        Tally {
            documents: self.documents + other.documents,
            without_paragraph: self.without_paragraph + other.without_paragraph,
            records: self.records + other.records,
            matched: self.matched + other.matched,
            unmatched: self.unmatched + other.unmatched,
            alarms: self.alarms + other.alarms,
            staying: self.staying + other.staying,
            holes: self.holes + other.holes,
        }
    }

    /// The counts, halved until the number of documents is small enough.
    pub fn bounded(self) -> Tally {
        let mut tally = self;
        // Rounding down keeps words multiples of 1/2.
        let half = |words: f64| words.floor() / 2.0;
        while tally.documents > MAX_DOCUMENTS {
            tally = Tally {
                documents: tally.documents / 2,
                without_paragraph: tally.without_paragraph / 2,
                records: tally.records / 2,
                matched: half(tally.matched),
                unmatched: half(tally.unmatched),
                alarms: half(tally.alarms),
                staying: half(tally.staying),
                holes: half(tally.holes),
            };
        }
        tally
    }

    /// The trust for these counts.
    pub fn trust(&self) -> Trust {
        self.trust_by(&Signs { alarms: ALARMS, for_each_matched: FOR_EACH_MATCHED, holes: HOLES })
    }

    /// The trust for documents of a stream, each counted with what was known to recur when it came. There may be few
    /// documents; `None` if there are none.
    pub fn trust_so_far(&self) -> Option<Trust> {
        // The first document of a source shows nothing, but what recurs in the second one is in both.
        let documents = self.documents as f64 + 1.0;
        let seen = documents / (documents + HALF_OF_HOLES);
        let more = 1.0 + MORE_ALARMS / documents;
        let signs = Signs {
            alarms: ALARMS_SO_FAR,
            for_each_matched: more * FOR_EACH_MATCHED.start()..=more * FOR_EACH_MATCHED.end(),
            holes: seen * HOLES.start()..=seen * HOLES.end(),
        };
        (self.documents > 0).then(|| self.trust_by(&signs))
    }

    fn trust_by(&self, signs: &Signs) -> Trust {
        let share = self.alarms / self.unmatched.max(1.0);
        let for_each_matched = self.alarms / self.matched.max(1.0);
        let holes = self.holes / self.staying.max(1.0);
        let by_alarms = within(share, &signs.alarms) * within(for_each_matched, &signs.for_each_matched);
        let by_holes = within(holes, &signs.holes);
        let without = self.without_paragraph as f64 / self.documents.max(1) as f64;
        let by_paragraphs = within(without, &WITHOUT_PARAGRAPH);
        let records = self.records as f64 / self.documents.max(1) as f64;
        let by_records = within(records, &RECORDS);
        let doubt = by_alarms.max(by_holes).max(by_paragraphs).max(by_records);
        let because = if doubt <= 0.0 {
            String::new()
        } else if by_paragraphs >= doubt {
            format!("{:.0} % of its documents have no paragraph of {MIN_PARAGRAPH_WORDS} words", 100.0 * without)
        } else if by_records >= doubt {
            format!("{:.0} % of its documents have a number or price of their own in a fixed frame", 100.0 * records)
        } else if by_holes >= doubt {
            format!(
                "text that recurs is in the middle of other text, {holes:.2} words in short pieces for each word \
                     that is kept"
            )
        } else {
            format!(
                "{:.0} % of the text that does not recur has the shape of boilerplate, {for_each_matched:.1} words \
                 for each word that recurs",
                100.0 * share
            )
        };
        Trust { share: (100.0 * (1.0 - doubt)).round() / 100.0, because }
    }
}

/// Documents, those without a paragraph, and twice the words: matched, unmatched, alarms, staying and holes.
#[cfg(feature = "stream")]
pub(crate) type StoredTally = [u64; 7];

#[cfg(feature = "stream")]
impl Tally {
    pub(crate) fn stored(&[documents, without_paragraph, ref words @ ..]: &StoredTally) -> Tally {
        let [matched, unmatched, alarms, staying, holes] = words.map(|twice| twice as f64 / 2.0);
        Tally { documents, without_paragraph, records: 0, matched, unmatched, alarms, staying, holes }
    }

    pub(crate) fn to_store(self) -> StoredTally {
        let Tally { documents, without_paragraph, .. } = self;
        let words = [self.matched, self.unmatched, self.alarms, self.staying, self.holes];
        let [matched, unmatched, alarms, staying, holes] = words.map(|words| (2.0 * words) as u64);
        [documents, without_paragraph, matched, unmatched, alarms, staying, holes]
    }
}

/// The position of a number in a range: 0 up to its start, 1 from its end on.
fn within(number: f64, range: &RangeInclusive<f64>) -> f64 {
    ((number - range.start()) / (range.end() - range.start())).clamp(0.0, 1.0)
}

/// Number of words removed in short stretches between the first and the last prose that is kept.
fn holes(layout: &Layout, segments: &Segments, goes: &[bool]) -> f64 {
    let stays = |tokens: &Range<usize>| goes[tokens.clone()].iter().any(|goes| !goes);
    let prose = segments.tokens.iter().zip(&segments.prose).filter(|(tokens, words)| **words > 0.0 && stays(tokens));
    let mut prose = prose.map(|(tokens, _)| tokens);
    let Some(first) = prose.next() else { return 0.0 };
    let last = prose.next_back().unwrap_or(first.clone());
    let mut holes: Vec<Range<usize>> = Vec::new();
    for stretch in stretches_of_true(goes).filter(|stretch| stretch.start >= first.end && stretch.end <= last.start) {
        match holes.last_mut().filter(|before| layout.words(&(before.end..stretch.start)) <= MAX_GAP) {
            Some(before) => before.end = stretch.end,
            None => holes.push(stretch),
        }
    }
    holes.iter().map(|hole| layout.words(hole)).filter(|&words| words < MAX_HOLE).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts of news: most boilerplate in it recurs.
    fn news() -> Tally {
        let (matched, unmatched, alarms, staying, holes) = (400.0, 600.0, 50.0, 550.0, 20.0);
        Tally { documents: 10, without_paragraph: 1, records: 1, matched, unmatched, alarms, staying, holes }
    }

    #[test]
    fn news_are_trusted() {
        assert_eq!(news().trust(), Trust::FULL);
        assert_eq!(Tally::default().trust(), Trust::FULL);
    }

    #[test]
    fn each_doubt_is_enough_and_is_told() {
        let doubted = [
            (
                Tally { records: 8, ..news() },
                "80 % of its documents have a number or price of their own in a fixed frame",
            ),
            (Tally { without_paragraph: 8, ..news() }, "80 % of its documents have no paragraph of 15 words"),
            (
                Tally { alarms: 480.0, ..news() },
                "80 % of the text that does not recur has the shape of boilerplate, 1.2 words for each word that \
                 recurs",
            ),
            (
                Tally { holes: 110.0, ..news() },
                "text that recurs is in the middle of other text, 0.20 words in short pieces for each word that is \
                 kept",
            ),
        ];
        for (tally, because) in doubted {
            assert_eq!(tally.trust(), Trust { share: 0.0, because: because.to_owned() });
        }
    }

    #[test]
    fn alarms_beside_much_that_recurs_are_boilerplate_that_varies() {
        assert!(Tally { alarms: 480.0, matched: 2000.0, ..news() }.trust().is_full());
    }

    #[test]
    fn trust_falls_by_degrees() {
        let of_holes = |holes| Tally { holes, ..news() }.trust().share;
        let shares: Vec<f64> = (0..20).map(|step| of_holes(55.0 + f64::from(step))).collect();
        assert!(shares.windows(2).all(|pair| pair[1] <= pair[0]), "{shares:?}");
        assert!(shares.iter().any(|&share| 0.2 < share && share < 0.8), "{shares:?}");
    }

    /// Counts of a stream of news in which everything that recurs was known before.
    fn stream_of_news(documents: u64) -> Tally {
        let words = documents as f64;
        Tally {
            documents,
            without_paragraph: 0,
            records: 0,
            matched: 200.0 * words,
            unmatched: 500.5 * words,
            alarms: 60.0 * words,
            staying: 400.0 * words,
            holes: 8.0 * words,
        }
    }

    #[test]
    fn nothing_is_known_before_anything_was_shown() {
        assert_eq!(Tally::default().trust_so_far(), None);
        assert_eq!(stream_of_news(1).trust_so_far(), Some(Trust::FULL));
    }

    #[test]
    fn each_sign_is_doubt_enough() {
        let lists = Tally { without_paragraph: 30, ..stream_of_news(40) };
        let code = Tally { alarms: 18_000.0, ..stream_of_news(40) };
        let recipes = Tally { holes: 2400.0, ..stream_of_news(40) };
        for (tally, because) in [(lists, "paragraph"), (code, "shape"), (recipes, "in the middle of other text")] {
            let trust = tally.trust_so_far().expect("there are documents");
            assert!(!trust.is_anywhere() && trust.because.contains(because), "{trust}");
        }
    }

    #[test]
    fn few_holes_in_few_documents_are_many() {
        let with_holes = |documents: u64| Tally { holes: 28.0 * documents as f64, ..stream_of_news(documents) };
        assert!(!with_holes(2).trust_so_far().is_some_and(|trust| trust.is_anywhere()));
        assert_eq!(with_holes(30).trust_so_far(), Some(Trust::FULL));
    }

    #[test]
    fn of_many_documents_the_last_count_most() {
        let mut tally = (0..5000).fold(Tally::default(), |tally, _| tally.with(stream_of_news(1)).bounded());
        assert!(tally.documents <= MAX_DOCUMENTS && tally.trust_so_far() == Some(Trust::FULL));
        for _ in 0..2000 {
            tally = tally.with(Tally { without_paragraph: 1, ..stream_of_news(1) }).bounded();
        }
        assert!(!tally.trust_so_far().is_some_and(|trust| trust.is_anywhere()));
    }

    #[cfg(feature = "stream")]
    #[test]
    fn what_is_stored_is_the_tally() {
        for documents in [0, 1, 7, 999, 1001, 40_001] {
            let tally = stream_of_news(documents).bounded();
            assert_eq!(Tally::stored(&tally.to_store()), tally);
        }
    }
}
