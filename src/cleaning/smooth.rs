//! Computes labels from evidence, with a chain of two states.
//!
//! Takes the evidence p_t that each token is template, its mass m_t, and the cost c_t of a change of label between
//! neighbours. Returns the labels y_t in {0, 1} that minimise
//!
//! ```text
//! sum_t m_t |y_t - p_t| + sum_t c_t [y_t != y_{t+1}]
//! ```
//!
//! The minimum is exact. It is found by dynamic programming in O(n). Single matches inside clean text are dropped, and
//! gaps inside boilerplate are closed. (On trees, the same idea is the regularised isotonic smoothing of Chakrabarti,
//! Kumar and Punera, 2007.)

/// The labels with the lowest total cost; true is template. `masses` has the mass of each token, and `costs` the cost of a
/// change between it and the token before it. If both labels cost the same, the token is kept.
pub fn smooth(
    evidence: &[f32],
    masses: impl IntoIterator<Item = f64>,
    costs: impl IntoIterator<Item = f64>,
) -> Vec<bool> {
    // For each token: whether the cheapest path to "kept" changes from "template" here, and the other way round.
    const KEPT_FROM_TEMPLATE: u8 = 1;
    const TEMPLATE_FROM_KEPT: u8 = 2;
    let mut changes = Vec::with_capacity(evidence.len());
    // How much more the cheapest path to "template" costs than the one to "kept". Only this difference decides. It
    // stays small, so little of it is lost to rounding.
    let mut more = 0.0f64;
    let steps = evidence.iter().zip(masses).zip(costs);
    changes.extend(steps.map(|((&p, mass), cost)| {
        let (to_kept, to_template) = (u8::from(more < -cost), u8::from(more > cost));
        let change = (to_kept * KEPT_FROM_TEMPLATE) | (to_template * TEMPLATE_FROM_KEPT);
        more = more.clamp(-cost, cost) + mass * (1.0 - 2.0 * f64::from(p));
        change
    }));
    let mut labels = vec![false; evidence.len()];
    let mut label = more < 0.0;
    for (of_token, changes) in labels.iter_mut().zip(changes).rev() {
        *of_token = label;
        label ^= changes & if label { TEMPLATE_FROM_KEPT } else { KEPT_FROM_TEMPLATE } != 0;
    }
    labels
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cost(evidence: &[f32], masses: &[f32], costs: &[f32], labels: &[bool]) -> f64 {
        let misfit = |((&p, &mass), &label): ((&f32, &f32), &bool)| f64::from(mass * if label { 1.0 - p } else { p });
        let change = |(pair, &cost): (&[bool], &f32)| if pair[0] != pair[1] { f64::from(cost) } else { 0.0 };
        let misfits: f64 = evidence.iter().zip(masses).zip(labels).map(misfit).sum();
        misfits + labels.windows(2).zip(costs).map(change).sum::<f64>()
    }

    fn labelings(tokens: usize) -> impl Iterator<Item = Vec<bool>> {
        (0..1u32 << tokens).map(move |bits| (0..tokens).map(|t| bits >> t & 1 == 1).collect())
    }

    proptest! {
        #[test]
        fn no_labeling_of_a_short_text_is_cheaper(
            (evidence, masses, costs) in (1usize..10).prop_flat_map(|tokens| (
                prop::collection::vec(0.0f32..=1.0, tokens),
                prop::collection::vec(prop::sample::select(&[0.5f32, 1.0]), tokens),
                prop::collection::vec(0.0f32..3.0, tokens - 1),
            ))
        ) {
            let of_first = [0.0].into_iter();
            let chosen = smooth(
                &evidence,
                masses.iter().copied().map(f64::from),
                of_first.chain(costs.iter().copied().map(f64::from)),
            );
            let chosen = cost(&evidence, &masses, &costs, &chosen);
            let best =
                labelings(evidence.len()).map(|labels| cost(&evidence, &masses, &costs, &labels)).fold(f64::MAX, f64::min);
            prop_assert!((chosen - best).abs() < 1e-6, "chose {chosen}, best {best}");
        }
    }

    #[test]
    fn a_lone_match_is_dropped_and_a_gap_closed() {
        let evidence = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0];
        let labels = smooth(&evidence, [1.0; 13], [1.5; 13]);
        assert_eq!(
            labels.iter().map(|&label| u8::from(label)).collect::<Vec<_>>(),
            [0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1]
        );
    }

    #[test]
    fn nothing_in_nothing_out() {
        assert_eq!(smooth(&[], [], []), Vec::<bool>::new());
        assert_eq!(smooth(&[0.5], [1.0], [1.5]), [false], "a tie keeps the text");
    }
}
