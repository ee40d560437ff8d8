//! How a segment recurs in its source.

use super::{Divided, flag, ln_1p};
use crate::cleaning::decide::evidence::without_stop_before;
use crate::cleaning::reading::Match;
use crate::tokens::free_positions::FreePositions;

/// First means, greatest and least values over the tokens of a segment. Then, as `whole`, the values of a single run:
/// of the runs that have the whole segment, the one with the largest share.
pub const NAMES: [&str; 20] = [
    "recurs",
    "strength",
    "beyond-chance",
    "share",
    "share-most",
    "share-least",
    "surprise",
    "surprise-most",
    "surprise-least",
    "run",
    "run-least",
    "whole",
    "whole-is-exact",
    "whole-share",
    "whole-documents",
    "whole-once",
    "whole-surprise",
    "whole-run",
    "whole-lines",
    "whole-has-free",
];

/// How the tokens and segments of a document recur.
pub struct Recurrence {
    /// For each token, the largest share of a run that covers it, as far as the share counts (`Weight::told_share`).
    share: Vec<f32>,
    /// For each segment, the mean of these shares.
    mean_shares: Vec<f32>,
    /// For each token, the largest `Weight::beyond` of a run that covers it: ln(1 + nats).
    surprise: Vec<f32>,
    /// For each token, the length of the longest run that covers it: ln(1 + words).
    run: Vec<f32>,
    /// For each segment, of the matches that have all of it, the index + 1 of the one with the largest share. 0 if
    /// there is none.
    whole: Vec<u32>,
}

impl Recurrence {
    pub fn of(document: &Divided) -> Recurrence {
        let Divided { layout, matches, weights, segments, .. } = *document;
        let matches: Vec<Match> = matches.iter().map(|found| without_stop_before(layout, found)).collect();
        let share = |found: &Match| weights[found.pattern].told_share(layout, &found.tokens);
        let by_share = descending(&matches, share);
        let mut whole = vec![0; segments.tokens.len()];
        let mut free = FreePositions::new(whole.len());
        for (_, index) in &by_share {
            let within = segments.tokens.within(&matches[*index as usize].tokens);
            free.take(within, |segment| whole[segment] = index + 1);
        }
        let tokens = layout.tokens();
        let surprise = descending(&matches, |found| weights[found.pattern].beyond);
        let run = descending(&matches, |found| layout.telling_words(&found.tokens) as f32);
        let share = painted(&matches, by_share, tokens, |share| share);
        let mean = |segment: usize| {
            let tokens = segments.tokens.tokens(segment);
            share[tokens.clone()].iter().sum::<f32>() / tokens.len() as f32
        };
        let mean_shares = (0..segments.tokens.len()).map(mean).collect();
        let surprise = painted(&matches, surprise, tokens, ln_1p);
        let run = painted(&matches, run, tokens, ln_1p);
        Recurrence { share, mean_shares, surprise, run, whole }
    }

    /// The mean share of the tokens of a segment. 0 if there is no such segment.
    pub fn mean_share(&self, segment: usize) -> f32 {
        self.mean_shares.get(segment).copied().unwrap_or(0.0)
    }

    pub fn put(&self, document: &Divided, segment: usize, row: &mut Vec<f32>) {
        let Divided { matches, weights, evidence, layout, .. } = *document;
        let tokens = document.segment(segment);
        let length = tokens.len() as f32;
        let share = Summary::of(&self.share[tokens.clone()]);
        if share.most == 0.0 {
            row.extend([0.0; NAMES.len()]);
            return;
        }
        let surprise = Summary::of(&self.surprise[tokens.clone()]);
        let run = Summary::of(&self.run[tokens.clone()]);
        let count = |is: &dyn Fn(usize) -> bool| tokens.clone().filter(|&token| is(token)).count() as f32 / length;
        row.extend([
            count(&|token| self.share[token] > 0.0),
            evidence.of_token[tokens.clone()].iter().sum::<f32>() / length,
            count(&|token| evidence.is_beyond_chance[token]),
            share.mean,
            share.most,
            share.least,
            surprise.mean,
            surprise.most,
            surprise.least,
            run.mean,
            run.least,
        ]);

        match (self.whole[segment] as usize).checked_sub(1) {
            None => row.extend([0.0; 9]),
            Some(index) => {
                let weight = &weights[matches[index].pattern];
                let of_match = without_stop_before(layout, &matches[index]).tokens;
                let is_exact = layout.telling_words(&of_match) == layout.telling_words(&tokens);
                row.extend([
                    1.0,
                    flag(is_exact),
                    weight.share as f32,
                    ln_1p(weight.documents as f32),
                    weight.documents as f32 / weight.occurrences.max(1) as f32,
                    ln_1p(weight.beyond),
                    ln_1p(layout.telling_words(&of_match) as f32),
                    flag(weight.holds_lines),
                    flag(weight.has_free),
                ]);
            }
        }
    }
}

/// The positive values of the matches, the largest first, each with the index of its match.
fn descending(matches: &[Match], value: impl Fn(&Match) -> f32) -> Vec<(f32, u32)> {
    let mut order: Vec<(f32, u32)> =
        matches.iter().zip(0..).map(|(found, index)| (value(found), index)).filter(|(value, _)| *value > 0.0).collect();
    // The bits of positive floats have the order of the floats.
    order.sort_unstable_by_key(|(value, index)| (!value.to_bits(), *index));
    order
}

/// For each token, the largest value of a match that covers it, scaled.
fn painted(matches: &[Match], order: Vec<(f32, u32)>, tokens: usize, scaled: impl Fn(f32) -> f32) -> Vec<f32> {
    let mut of_token = vec![0.0; tokens];
    let mut free = FreePositions::new(tokens);
    for (value, index) in order {
        let value = scaled(value);
        free.take(matches[index as usize].tokens.clone(), |token| of_token[token] = value);
    }
    of_token
}

struct Summary {
    mean: f32,
    most: f32,
    least: f32,
}

impl Summary {
    fn of(values: &[f32]) -> Summary {
        let (mut sum, mut most, mut least) = (0.0, f32::MIN, f32::MAX);
        for &value in values {
            sum += value;
            most = most.max(value);
            least = least.min(value);
        }
        Summary { mean: sum / values.len() as f32, most, least }
    }
}
