//! Decides for each token whether it is removed. Combines all evidence and considers the whole document.
//!
//! Takes the evidence of the matches, the shape of the text and the document's own headline. Gives a probability for
//! each token, and a label by smoothing.
//!
//! The log-odds of the two kinds of evidence are added, as naive Bayes does for independent witnesses:
//!
//! ```text
//! of matches    p (4 + 2 log2(documents / 5))    p from `evidence`; documents at least 5; 12 if proven
//! of the shape  z / 2 + logit(matched)           at least -6; halved, because neighbours' shapes depend on each other
//! ```
//!
//! `matched` is the number of the document's tokens that matches cover for each token they do not cover, at most one
//! half. It stands for the prior probability that a token is boilerplate: where little recurs, little of the rest is
//! boilerplate either, and where nothing recurs, nothing is. Two segments are exempt, because they are content of their
//! own document whatever they look like: the headline, and the longest paragraph that no match covers.

use std::ops::Range;

use super::article_end::{LastPlace, article_end};
use super::evidence::{Evidence, Match, Weight};
use super::headline::Heading;
use super::segments::{MIN_PARAGRAPH_WORDS, Segments};
use super::shape::{ShapeModel, features};
use super::smooth::smooth;
use super::{EvidenceKind, EvidenceKinds, Reading};
use crate::tokens::free_positions::FreePositions;

/// Cost of a change of label between two tokens of a line. So a template inside a line needs 17 tokens to be removed.
const COST_INSIDE_LINE: f64 = 8.0;
/// Cost of a change at a line break. Low, because templates end there: a line that no match covers goes with the
/// template around it only if it has one or two tokens.
const COST_AT_LINE_BREAK: f64 = 1.5;
/// Cost of a change where a proven template begins or ends. So low that two words can be removed.
const COST_AT_PROVEN_EDGE: f64 = 0.75;

/// Mass of a token that a person wants to keep. More than two changes cost, so it is never removed with its neighbours.
const HELD_BACK: f64 = 100.0;

/// Log-odds of full evidence of matches.
const MATCHED: f64 = 4.0;
/// Added for each doubling of the documents beyond [`FEW_DOCUMENTS`].
const PER_DOUBLING: f64 = 2.0;
/// A pattern seen in this many documents or fewer gets no bonus for them.
const FEW_DOCUMENTS: f64 = 5.0;
/// Log-odds of a proven template. More than the shape can subtract.
const PROVEN: f64 = 12.0;
/// Weight of the shape's log-odds. Neighbouring segments share features, so they are no independent witnesses.
const TRUST_IN_SHAPE: f64 = 0.5;
/// Limits of the prior probability that a token is boilerplate, which is estimated from how much is matched.
const PRIORS: std::ops::RangeInclusive<f64> = 0.01..=0.5;
/// The most that the shape can subtract.
const MAX_VETO: f64 = 6.0;

/// All that is known about a document before the decision.
#[derive(Debug)]
pub struct Case<'d> {
    text: &'d str,
    reading: &'d Reading,
    matches: &'d [Match],
    weights: &'d [Weight],
    evidence: &'d Evidence,
    evidence_kinds: EvidenceKinds,
    /// Whether each token is a value that distinguishes the document from others. Empty if none is.
    is_value: Vec<bool>,
    /// The segments up to the end of the article.
    segments: Segments,
    /// Where the article ends, if it ends before the document does.
    pub end: Option<LastPlace>,
}

impl<'d> Case<'d> {
    /// `matches` are those that count, `weights` those of the patterns, `evidence` the evidence of the matches,
    /// `evidence_kinds` the kinds of evidence that count.
    pub fn of(
        text: &'d str,
        reading: &'d Reading,
        matches: &'d [Match],
        weights: &'d [Weight],
        evidence: &'d Evidence,
        evidence_kinds: EvidenceKinds,
    ) -> Case<'d> {
        let mut segments = Segments::of(text, &reading.tokens, &reading.layout, &evidence.of_token);
        let end = match evidence_kinds.has(EvidenceKind::End) {
            true => article_end(reading, matches, weights, evidence, &segments),
            false => None,
        };
        // After the end there is no longest paragraph and no headline.
        end.inspect(|end| segments.end_at(end.start));
        let mut case =
            Case { text, reading, matches, weights, evidence, evidence_kinds, is_value: Vec::new(), segments, end };
        case.is_value = case.values();
        case
    }

    /// The probability that a token is boilerplate, for each token. `trust` is how much the shape counts, 0..=1.
    pub fn probabilities(&self, shape: Option<&ShapeModel>, trust: f64) -> Vec<f32> {
        let is_matched = self.evidence.of_token.iter().any(|&p| p > 0.0);
        let mut probabilities = match shape.filter(|_| is_matched && self.segments.has_paragraph()) {
            Some(model) => self.trusting(trust, self.weighed_with_shape(model)),
            None => self.evidence.of_token.clone(),
        };
        if self.evidence_kinds.has(EvidenceKind::Headline)
            && let Some(index) = self.headline()
        {
            probabilities[self.segments.tokens.tokens(index)].fill(0.0);
        }
        let values = self.is_value.iter().zip(&mut probabilities);
        values.filter(|(is_value, _)| **is_value).for_each(|(_, probability)| *probability = 0.0);
        let end = self.end.map_or(probabilities.len(), |end| end.start);
        for (token, probability) in probabilities.iter_mut().enumerate().skip(end) {
            *probability = if self.is_held_back(token) { 0.0 } else { 1.0 };
        }
        probabilities
    }

    /// The labels of least cost; true is removed.
    pub fn labels(&self, probabilities: &[f32]) -> Vec<bool> {
        let Reading { tokens, layout, .. } = self.reading;
        let cost = |(&is_edge, &starts_line): (&bool, &bool)| match (is_edge, starts_line) {
            (true, _) => COST_AT_PROVEN_EDGE,
            (_, true) => COST_AT_LINE_BREAK,
            _ => COST_INSIDE_LINE,
        };
        let costs = self.evidence.is_edge.iter().zip(&tokens.line_starts).map(cost);
        if !self.holds_back() {
            return smooth(probabilities, layout.masses(), costs);
        }
        let mass = |(token, mass)| if self.is_held_back(token) { HELD_BACK } else { mass };
        smooth(probabilities, layout.masses().enumerate().map(mass), costs)
    }

    /// The probabilities with shape and those without it, weighted by `trust`.
    fn trusting(&self, trust: f64, mut with_shape: Vec<f32>) -> Vec<f32> {
        if trust < 1.0 {
            let of_matches = self.evidence.of_token.iter();
            with_shape
                .iter_mut()
                .zip(of_matches)
                .for_each(|(p, of_match)| *p = of_match + trust as f32 * (*p - of_match));
        }
        with_shape
    }

    fn weighed_with_shape(&self, model: &ShapeModel) -> Vec<f32> {
        let Case { segments, evidence_kinds, .. } = self;
        let prior = if evidence_kinds.has(EvidenceKind::Prior) { self.prior() } else { 0.0 };
        let article = if evidence_kinds.has(EvidenceKind::Article) { longest_prose(segments) } else { None };
        let mut probabilities = self.evidence.of_token.clone();
        let features = features(self.text, &self.reading.tokens, &self.reading.layout, segments);
        for (index, (segment, features)) in segments.tokens.iter().zip(features).enumerate() {
            let of_shape = if article == Some(index) {
                -MAX_VETO
            } else {
                (TRUST_IN_SHAPE * model.log_odds(&features) + prior).max(-MAX_VETO)
            };
            let Evidence { of_token, pattern, is_proven, .. } = self.evidence;
            // Most segments have no match at all. This is faster to check than each token.
            if pattern[segment.clone()].iter().all(Option::is_none) {
                probabilities[segment].fill(logistic(of_shape) as f32);
                continue;
            }
            // Most neighbouring tokens have the same match, or none, so their log-odds are computed once.
            let of_match = |token: usize| (pattern[token], of_token[token].to_bits(), is_proven[token]);
            let mut start = segment.start;
            while start < segment.end {
                let same = of_match(start);
                let more = (start + 1..segment.end).take_while(|&token| of_match(token) == same).count();
                let end = start + 1 + more;
                probabilities[start..end].fill(logistic(self.log_odds_of_match(start) + of_shape) as f32);
                start = end;
            }
        }
        if self.holds_back() {
            let held_back = (0..probabilities.len()).filter(|&token| self.is_held_back(token));
            held_back.for_each(|token| probabilities[token] = 0.0);
        }
        probabilities
    }

    /// Whether any token may have to stay.
    fn holds_back(&self) -> bool {
        !self.is_value.is_empty() || self.reading.is_rejected.contains(&true)
    }

    /// Whether a token must stay: a person rejected a pattern here and no other pattern matches, or it is a value.
    fn is_held_back(&self, token: usize) -> bool {
        self.reading.is_rejected[token] && self.evidence.of_token[token] == 0.0
            || self.is_value.get(token).is_some_and(|&is_value| is_value)
    }

    /// Whether each token is a value. The whole line of a value counts, as far as its pattern covers it. Empty if there
    /// is no value.
    fn values(&self) -> Vec<bool> {
        let mut values = Vec::new();
        if !self.evidence_kinds.has(EvidenceKind::Values) {
            return values;
        }
        let mut hold = |tokens: Range<usize>| {
            values.resize(self.evidence.of_token.len(), false);
            values[tokens].fill(true);
        };
        let segments = &self.segments;
        for Match { tokens, .. } in self.matches.iter().filter(|found| self.weights[found.pattern].value) {
            let here = segments.tokens.touching(tokens).map(|number| segments.tokens.tokens(number));
            let parts = here.map(|segment| segment.start.max(tokens.start)..segment.end.min(tokens.end));
            parts.filter(|part| self.reading.layout.has_mutable(part)).for_each(&mut hold);
        }
        values
    }

    fn log_odds_of_match(&self, token: usize) -> f64 {
        let Some(pattern) = self.evidence.pattern[token] else { return 0.0 };
        let p = f64::from(self.evidence.of_token[token]);
        let documents = self.weights[pattern.get()].documents as f64;
        if self.evidence.is_proven[token] {
            return PROVEN;
        }
        let of_documents = PER_DOUBLING * (documents / FEW_DOCUMENTS).log2().max(0.0);
        MATCHED * p + if self.evidence_kinds.has(EvidenceKind::Documents) { p * of_documents } else { 0.0 }
    }

    /// The log-odds that any token of the document is boilerplate, from how much of it is matched.
    fn prior(&self) -> f64 {
        let matched = self.evidence.of_token.iter().filter(|&&p| p >= 0.5).count();
        let unmatched = self.evidence.of_token.len() - matched;
        let prior = (matched as f64 / unmatched.max(1) as f64).clamp(*PRIORS.start(), *PRIORS.end());
        (prior / (1.0 - prior)).ln()
    }

    fn headline(&self) -> Option<usize> {
        let Reading { tokens, layout, .. } = self.reading;
        let shares = |first: usize| self.shares(first);
        Heading { text: self.text, tokens, layout, segments: &self.segments, shares: &shares }.headline()
    }

    /// For each of the first segments: the mean share of its tokens. The share of a token is the largest of the
    /// patterns that match it.
    fn shares(&self, first: usize) -> Vec<f64> {
        let segments = self.segments.tokens.iter().take(first);
        let end = segments.clone().next_back().map_or(0, |segment| segment.end);
        let mut largest = vec![0.0f64; end];
        let share = |found: &Match| self.weights[found.pattern].share;
        let mut here: Vec<&Match> = self.matches.iter().filter(|found| found.tokens.start < end).collect();
        here.sort_unstable_by(|a, b| share(b).total_cmp(&share(a)));
        let mut free = FreePositions::new(end);
        for found in here {
            let tokens = found.tokens.start..found.tokens.end.min(end);
            free.take(tokens, |token| largest[token] = share(found));
        }
        let mean = |segment: Range<usize>| largest[segment.clone()].iter().sum::<f64>() / segment.len() as f64;
        segments.map(mean).collect()
    }
}

/// The segment with the most words in sentences. Shape alone must not remove it.
fn longest_prose(segments: &Segments) -> Option<usize> {
    let words = |index: usize| segments.prose[index];
    let longest = (0..segments.prose.len()).max_by(|&a, &b| words(a).total_cmp(&words(b)).then(b.cmp(&a)))?;
    (words(longest) >= MIN_PARAGRAPH_WORDS).then_some(longest)
}

fn logistic(log_odds: f64) -> f64 {
    1.0 / (1.0 + (-log_odds).exp())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::cleaning::evidence::weigh;
    use crate::cleaning::layout::Layout;
    use crate::cleaning::matcher::Tokens;
    use crate::cleaning::shape::FEATURES;
    use crate::tokens::{Lexer, MutableSet, Tokenizer};

    /// A line of a document, with the pattern that matches it.
    #[derive(Clone, Copy)]
    enum Line {
        /// No pattern.
        Bare(&'static str),
        /// A pattern in this many of 100 documents.
        Matched(&'static str, usize),
        /// A rejected pattern.
        Rejected(&'static str),
        /// A pattern that ends articles of at least this many words of prose.
        Ends(&'static str, usize),
    }
    use Line::{Bare, Ends, Matched, Rejected};

    impl Line {
        fn text(self) -> &'static str {
            let (Bare(text) | Matched(text, _) | Rejected(text) | Ends(text, _)) = self;
            text
        }

        fn weight(self) -> Option<Weight> {
            let documents = match self {
                Matched(_, documents) => documents,
                Ends(..) => 50,
                Bare(_) | Rejected(_) => return None,
            };
            let ends_after = if let Ends(_, words) = self { Some(words) } else { None };
            let (share, occurrences) = (documents as f64 / 100.0, documents);
            Some(Weight { share, documents, occurrences, holds_lines: true, ends_after, ..Weight::default() })
        }
    }

    /// A model that gives every segment these log-odds.
    fn alike(log_odds: f64) -> ShapeModel {
        ShapeModel { weights: [0.0; FEATURES], intercept: log_odds }
    }

    /// Calls `look` for a document of these lines, with the tokens of each line.
    fn look<T>(lines: &[Line], evidence_kinds: EvidenceKinds, look: impl FnOnce(&Case, &[Range<usize>]) -> T) -> T {
        let text = lines.iter().map(|line| line.text()).collect::<Vec<_>>().join("\n");
        let mut lexer = Lexer::new(Tokenizer::Words, Arc::new(MutableSet::shipped()));
        let tokens = Tokens::of(&text, &mut lexer);
        let layout = Layout::of(&text, &tokens);
        let ranges: Vec<Range<usize>> = layout.lines.iter().collect();
        let mut is_rejected = vec![false; tokens.tokens.len()];
        let (mut matches, mut weights) = (Vec::new(), Vec::new());
        for (line, range) in lines.iter().zip(&ranges) {
            if let Some(weight) = line.weight() {
                matches.push(Match { tokens: range.clone(), pattern: weights.len() });
                weights.push(weight);
            }
            is_rejected[range.clone()].fill(matches!(line, Rejected(_)));
        }
        let evidence = weigh(&layout, &matches, &weights, evidence_kinds);
        let reading = Reading { tokens, layout, matches: matches.clone(), is_rejected, ..Reading::default() };
        let case = Case::of(&text, &reading, &matches, &weights, &evidence, evidence_kinds);
        look(&case, &ranges)
    }

    /// The lines of which at least one token stays.
    fn kept(lines: &[Line], shape: Option<&ShapeModel>, evidence_kinds: EvidenceKinds) -> Vec<&'static str> {
        look(lines, evidence_kinds, |case, ranges| {
            let goes = case.labels(&case.probabilities(shape, 1.0));
            let stays = |range: &Range<usize>| !goes[range.clone()].iter().all(|&goes| goes);
            lines.iter().zip(ranges).filter(|(_, range)| stays(range)).map(|(line, _)| line.text()).collect()
        })
    }

    const MENU: &str = "Home News Sport Weather Tides";
    const HEADLINE: &str = "Mayor opens the new bridge";
    const OTHER_HEADLINE: &str = "Choir wins the cup again";
    const TEASER: &str = "Bakers strike over flour prices";
    const STORY: &str = "The mayor opened the new bridge on Sunday, and hundreds came to see it in the rain.";
    const LONG: &str = "When the ferry came in the men of the harbour threw their caps into the water, and the water threw them \
        back, as it does with caps and with everything else that people throw.";
    const MORE: &str = "It is forty steps long, and older people say that the ferry was quicker.";

    #[test]
    fn a_headline_stays_in_its_own_document_though_others_list_it() {
        let page = [Matched(MENU, 90), Matched(HEADLINE, 9), Bare(STORY), Bare(MORE), Matched(OTHER_HEADLINE, 9)];
        let shape = ShapeModel::shipped();
        for shape in [None, Some(&*shape)] {
            assert_eq!(kept(&page, shape, EvidenceKinds::ALL), [HEADLINE, STORY, MORE]);
            assert_eq!(kept(&page, shape, EvidenceKinds::ALL.without(EvidenceKind::Headline)), [STORY, MORE]);
        }
    }

    #[test]
    fn of_what_no_match_covers_the_longest_paragraph_stays_whatever_its_shape() {
        let page = [Matched(MENU, 90), Bare(MORE), Bare(STORY), Bare(TEASER), Matched(OTHER_HEADLINE, 90)];
        let all = EvidenceKinds::ALL.without(EvidenceKind::Headline);
        assert_eq!(kept(&page, Some(&alike(60.0)), all), [STORY]);
        assert_eq!(kept(&page, Some(&alike(60.0)), all.without(EvidenceKind::Article)), [""; 0]);
    }

    #[test]
    fn a_paragraph_that_recurs_or_is_short_is_no_article() {
        let all = EvidenceKinds::ALL.without(EvidenceKind::Headline);
        let page = [Matched(STORY, 90), Bare(MORE), Bare(LONG)];
        assert_eq!(kept(&page, Some(&alike(60.0)), all), [LONG]);
    }

    #[test]
    fn without_a_paragraph_there_is_no_article_that_shape_could_tell_from() {
        let all = EvidenceKinds::ALL.without(EvidenceKind::Headline);
        let kept = |lines: &[Line]| kept(lines, Some(&alike(60.0)), all);
        assert_eq!(kept(&[Matched(MENU, 90), Bare(MORE), Bare(TEASER)]), [MORE, TEASER]);
        assert_eq!(kept(&[Matched(MENU, 90), Bare(MORE), Bare(TEASER), Bare(LONG)]), [LONG]);
    }

    #[test]
    fn shape_counts_as_far_as_it_is_trusted() {
        let lines = [Matched(MENU, 90), Bare(LONG), Bare(TEASER)];
        let trusted = |trust| {
            look(&lines, EvidenceKinds::ALL.without(EvidenceKind::Headline), |case, ranges| {
                let probabilities = case.probabilities(Some(&alike(60.0)), trust);
                [0, 2].map(|line| probabilities[ranges[line].start])
            })
        };
        assert_eq!(trusted(1.0).map(f32::round), [1.0, 1.0]);
        assert_eq!(trusted(0.0), [1.0, 0.0]);
        assert!((trusted(0.3)[1] - 0.3).abs() < 0.01, "{:?}", trusted(0.3));
    }

    #[test]
    fn what_a_person_rejected_stays_whatever_its_shape() {
        let page = |teaser| [Matched(MENU, 90), Bare(STORY), Matched(OTHER_HEADLINE, 90), teaser];
        assert_eq!(kept(&page(Bare(TEASER)), Some(&alike(60.0)), EvidenceKinds::ALL), [STORY]);
        assert_eq!(kept(&page(Rejected(TEASER)), Some(&alike(60.0)), EvidenceKinds::ALL), [STORY, TEASER]);
    }

    #[test]
    fn what_a_person_rejected_stays_whatever_goes_around_it() {
        let page = |mark| [Bare(STORY), Matched(MENU, 90), mark, Matched(OTHER_HEADLINE, 90)];
        let all = EvidenceKinds::ALL.without(EvidenceKind::Headline);
        assert_eq!(kept(&page(Bare("-")), None, all), [STORY]);
        assert_eq!(kept(&page(Rejected("-")), None, all), [STORY, "-"]);
    }

    #[test]
    fn shape_tells_little_where_little_is_matched() {
        let all = EvidenceKinds::ALL.without(EvidenceKind::Headline);
        let kept = |lines: [Line; 4], evidence_kinds| kept(&lines, Some(&alike(3.0)), evidence_kinds);
        let half = [Matched(MENU, 90), Matched(OTHER_HEADLINE, 90), Bare(STORY), Bare(TEASER)];
        assert_eq!(kept(half, all), [STORY]);
        let little = [Matched(MENU, 90), Bare(STORY), Bare(MORE), Bare(TEASER)];
        assert_eq!(kept(little, all), [STORY, MORE, TEASER]);
        assert_eq!(kept(little, all.without(EvidenceKind::Prior)), [STORY]);
    }

    #[test]
    fn shape_tells_nothing_where_nothing_is_matched() {
        let page = [Bare(MENU), Bare(HEADLINE), Bare(STORY), Bare(TEASER)];
        assert_eq!(kept(&page, Some(&alike(60.0)), EvidenceKinds::ALL), [MENU, HEADLINE, STORY, TEASER]);
    }

    #[test]
    fn no_shape_outvotes_what_is_proven() {
        let page = |documents| [Matched(MENU, documents), Bare(STORY)];
        assert_eq!(kept(&page(90), Some(&alike(-1e9)), EvidenceKinds::ALL), [STORY]);
        assert_eq!(kept(&page(2), Some(&alike(-1e9)), EvidenceKinds::ALL), [MENU, STORY]);
    }

    #[test]
    fn what_follows_the_end_of_the_article_goes_whatever_it_looks_like() {
        let page = |words| [Bare(STORY), Ends("Comments", words), Bare(MORE), Bare(TEASER)];
        let shape = ShapeModel::shipped();
        for shape in [None, Some(&*shape)] {
            assert_eq!(kept(&page(10), shape, EvidenceKinds::ALL), [STORY], "shape: {}", shape.is_some());
            // Too few words before it for an article of this source.
            assert!(kept(&page(30), shape, EvidenceKinds::ALL).contains(&MORE));
            assert!(kept(&page(10), shape, EvidenceKinds::ALL.without(EvidenceKind::End)).contains(&MORE));
        }
    }

    #[test]
    fn nothing_ends_before_it_began() {
        let page = [Ends("Comments", 10), Bare(STORY), Bare(MORE)];
        assert!(kept(&page, None, EvidenceKinds::ALL).ends_with(&[STORY, MORE]));
    }

    #[test]
    fn what_a_person_rejected_stays_beyond_the_end() {
        let page = [Bare(STORY), Ends("Comments", 10), Bare(MORE), Rejected(TEASER)];
        assert_eq!(kept(&page, None, EvidenceKinds::ALL), [STORY, TEASER]);
    }

    #[test]
    fn a_shorter_article_than_was_seen_is_none_if_more_comes_after_it() {
        let page = |more| [Bare(STORY), Ends("Comments", 10), Bare(more)];
        assert_eq!(kept(&page("They are right, and he is wrong."), None, EvidenceKinds::ALL), [STORY]);
        assert_eq!(kept(&page(LONG), None, EvidenceKinds::ALL).len(), 3);
    }
}
