//! Compares how a run is spread over the documents of a source with how chance would spread it.
//!
//! Language repeats runs of words often, and in random places. A template occurs once in each document. So the
//! occurrences of a run are compared with balls that are thrown at random into boxes, one box for each document. If few
//! balls fall into a box that already has one, chance explains little.

/// From this value on, in nats, chance does not explain a run: it would spread only 1 run in 3,000 so evenly.
pub const BEYOND: f32 = 8.0;

/// How improbable it is by chance that a run with this number of occurrences is in this number of documents: the
/// negative logarithm of the probability, in nats. 0 if chance gives as many documents or more.
///
/// The probability is that of exactly `documents` boxes with a ball. For the Stirling number in it, an upper bound is
/// used: S(c, d) is at most half of C(c, d) d^(c - d) (B. C. Rennie, A. J. Dobson, Journal of Combinatorial Theory 7,
/// 1969).
pub fn beyond_chance(documents: usize, occurrences: usize, among: usize) -> f32 {
    let (d, n) = (documents as f64, among as f64);
    let c = (occurrences as f64).max(d);
    if documents < 2 || documents > among {
        return 0.0;
    }
    let expected = expected_documents(c, n);
    if d <= expected {
        return 0.0;
    }
    let repeated = c - d;
    let ways = ln_factorial(c) - ln_factorial(d) - ln_factorial(repeated) - 2f64.ln();
    let distinct = ln_factorial(n) - ln_factorial(n - d) - d * n.ln();
    (-(ways.max(0.0) + repeated * (d / n).ln() + distinct)).max(0.0) as f32
}

/// How close a run is to one occurrence in each of its documents: 1 if it has exactly that, 0 if it is in no more
/// documents than chance gives.
pub fn once(documents: usize, occurrences: usize, among: usize) -> f32 {
    let (d, c) = (documents as f64, (occurrences.max(documents)) as f64);
    let expected = expected_documents(c, (among.max(documents).max(1)) as f64);
    // If chance would put each occurrence into another document, there is nothing to compare.
    if c - expected <= 0.0 { 1.0 } else { ((d - expected) / (c - expected)).clamp(0.0, 1.0) as f32 }
}

/// The expected number of documents, out of `n`, that get one or more of `c` occurrences by chance.
pub fn expected_documents(c: f64, n: f64) -> f64 {
    if n <= 1.0 { n.min(c) } else { n * (1.0 - (c * (-1.0 / n).ln_1p()).exp()) }
}

/// ln(n!), by Stirling's series.
fn ln_factorial(n: f64) -> f64 {
    if n < 2.0 {
        return 0.0;
    }
    n * n.ln() - n + 0.5 * (std::f64::consts::TAU * n).ln() + 1.0 / (12.0 * n) - 1.0 / (360.0 * n.powi(3))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// For each number of boxes: the probability that exactly this number have a ball. Adds one ball after the other.
    fn occupied(balls: usize, boxes: usize) -> Vec<f64> {
        let mut of = vec![0.0; boxes + 1];
        of[0] = 1.0;
        for _ in 0..balls {
            for d in (0..=boxes).rev() {
                let new = if d > 0 { of[d - 1] * (boxes - d + 1) as f64 / boxes as f64 } else { 0.0 };
                of[d] = of[d] * d as f64 / boxes as f64 + new;
            }
        }
        of
    }

    proptest! {
        #[test]
        fn it_is_never_surer_than_the_exact_probability(boxes in 2usize..30, balls in 2usize..60, d in 2usize..30) {
            let d = d.min(boxes).min(balls);
            let exact = -occupied(balls, boxes)[d].ln();
            prop_assert!(f64::from(beyond_chance(d, balls, boxes)) <= exact + 1e-3, "{exact}");
        }
    }

    #[test]
    fn what_stands_once_in_each_document_differs_from_language() {
        assert_eq!([once(30, 30, 30), once(5, 5, 30), once(2, 2, 9)], [1.0; 3]);
        assert_eq!([once(50, 200, 60), once(20, 25, 60), once(1, 9, 9)], [0.0; 3]);
        assert!((0.7..0.8).contains(&once(30, 33, 30)));
        assert_eq!([once(0, 0, 0), once(1, 1, 1)], [1.0; 2]);
    }

    #[test]
    fn once_in_each_document_is_no_chance_and_often_in_some_is() {
        let nats = |documents, occurrences| beyond_chance(documents, occurrences, 30).round();
        assert_eq!([nats(30, 30), nats(20, 20), nats(2, 2)], [27.0, 8.0, 0.0]);
        // A run of language.
        assert_eq!([nats(30, 200), nats(2, 40), nats(12, 17)], [0.0; 3]);
        assert_eq!(beyond_chance(0, 0, 0), 0.0);
        let exact = -occupied(20, 30)[20].ln();
        assert!((f64::from(beyond_chance(20, 20, 30)) - exact).abs() < 0.1, "{exact}");
    }
}
