//! Networks of radial basis functions that are moved by gradient descent.
//!
//! Song, Liu, Wen and Ma (WWW 2004, section 2.5) learn all numbers of a network by gradient descent on the squared
//! error: output weights, centers and widths. Here, the centers and widths start as in [`super::rbf_network`], and all
//! output weights start at 0.
//!
//! The length of a step changes as in T. P. Vogl and others, "Accelerating the convergence of the back-propagation
//! method", Biological Cybernetics 59, 1988: a step that lowers the error is made, and the next one is longer; any other
//! step is undone, and the next one is shorter. So the error never rises.

use super::points::{Points, squared_distance};
use super::rbf_network::{RbfNetwork, fit as fit_least_squares};

/// Number of steps, those that are undone included.
const STEPS_OF_DESCENT: usize = 300;
/// The length of the first step, as a multiple of the gradient.
const FIRST_RATE: f64 = 1.0;
/// A step that lowers the error makes the next one longer by this factor.
const LONGER: f64 = 1.2;
/// Any other step makes the next one shorter by this factor.
const SHORTER: f64 = 0.5;

/// The slopes of the squared error.
#[derive(Clone, Debug, PartialEq)]
pub struct Gradient {
    /// For each class, by the weight of each center.
    pub weights: Vec<Vec<f64>>,
    /// By the values of each center.
    pub centers: Points,
    /// By the width of each center.
    pub widths: Vec<f64>,
}

/// Fits a network with this many centers, or with fewer if fewer points differ. Another seed gives a network that is
/// about as good.
///
/// # Panics
/// If there is not a class for each point, or a class is not below the number of classes.
pub fn fit(points: &Points, classes: &[usize], class_count: usize, centers: usize, seed: u64) -> RbfNetwork {
    let start = fit_least_squares(points, classes, class_count, centers, seed);
    let zero = vec![vec![0.0; start.centers().len()]; class_count];
    descend(RbfNetwork::from_parts(start.centers().clone(), start.widths().to_vec(), zero), points, classes)
}

/// Moves a network downhill. Its error does not rise.
///
/// # Panics
/// If there is not a class for each point.
pub fn descend(mut network: RbfNetwork, points: &Points, classes: &[usize]) -> RbfNetwork {
    let (mut error, mut gradient) = error_and_gradient(&network, points, classes);
    let mut rate = FIRST_RATE;
    for _ in 0..STEPS_OF_DESCENT {
        let next = moved(&network, &gradient, rate).map(|next| (error_and_gradient(&next, points, classes), next));
        match next {
            Some(((next_error, next_gradient), next)) if next_error < error => {
                (network, error, gradient) = (next, next_error, next_gradient);
                rate *= LONGER;
            }
            _ => rate *= SHORTER,
        }
    }
    network
}

/// The network after a step against the gradient. `None` if a number is too large, or a width is not above 0.
fn moved(network: &RbfNetwork, gradient: &Gradient, rate: f64) -> Option<RbfNetwork> {
    let step = |values: &[f64], slopes: &[f64]| -> Vec<f64> {
        values.iter().zip(slopes).map(|(value, slope)| value - rate * slope).collect()
    };
    let weights: Vec<Vec<f64>> = network.weights().iter().zip(&gradient.weights).map(|(w, of)| step(w, of)).collect();
    let widths = step(network.widths(), &gradient.widths);
    let mut centers = Points::new(network.centers().width());
    for (center, slopes) in network.centers().rows().zip(gradient.centers.rows()) {
        centers.push(&step(center, slopes));
    }

    let is_finite = |values: &[f64]| values.iter().all(|value| value.is_finite());
    let are_finite = weights.iter().all(|of| is_finite(of)) && is_finite(&widths) && centers.rows().all(is_finite);
    let is_possible = are_finite && widths.iter().all(|&width| width > 0.0);
    is_possible.then(|| RbfNetwork::from_parts(centers, widths, weights))
}

/// Half of the squared error, as a mean over the examples: outputs should be 1 for the class of a point, and 0 for
/// others. Also returns the slopes of this error. Without examples, all are 0.
///
/// # Panics
/// If there is not a class for each point.
pub fn error_and_gradient(network: &RbfNetwork, points: &Points, classes: &[usize]) -> (f64, Gradient) {
    assert_eq!(classes.len(), points.len(), "a class for each point");
    let (centers, widths, weights) = (network.centers(), network.widths(), network.weights());
    let mut slopes = Gradient {
        weights: vec![vec![0.0; widths.len()]; weights.len()],
        centers: Points::new(centers.width()),
        widths: vec![0.0; widths.len()],
    };
    centers.rows().for_each(|_| slopes.centers.push(&vec![0.0; centers.width()]));

    let mut error = 0.0;
    let share = 1.0 / points.len().max(1) as f64;
    for (point, &of) in points.rows().zip(classes) {
        let squares: Vec<f64> = centers.rows().map(|center| squared_distance(point, center)).collect();
        let activations: Vec<f64> =
            squares.iter().zip(widths).map(|(square, width)| (-square / (width * width)).exp()).collect();

        // How much each center should be less active.
        let mut too_active = vec![0.0; widths.len()];
        for (class, (weights, slopes)) in weights.iter().zip(&mut slopes.weights).enumerate() {
            let output: f64 = weights.iter().zip(&activations).map(|(weight, activation)| weight * activation).sum();
            let excess = output - if class == of { 1.0 } else { 0.0 };
            error += share * excess * excess / 2.0;
            for at in 0..activations.len() {
                slopes[at] += share * excess * activations[at];
                too_active[at] += share * excess * weights[at];
            }
        }

        for (at, center) in centers.rows().enumerate() {
            let width = widths[at];
            let by_square = -too_active[at] * activations[at] / (width * width);
            slopes.widths[at] -= 2.0 * by_square * squares[at] / width;
            let row = slopes.centers.row_mut(at).iter_mut();
            row.zip(center.iter().zip(point)).for_each(|(slope, (c, x))| *slope += 2.0 * by_square * (c - x));
        }
    }
    (error, slopes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use dehusk_core::random::Random;

    /// A network of 4 centers for 3 classes, and 20 points with classes. All numbers are random.
    fn any_network(seed: u64) -> (RbfNetwork, Points, Vec<usize>) {
        let mut random = Random::new(seed);
        let mut any = |count: usize| {
            let mut points = Points::new(3);
            (0..count).for_each(|_| points.push(&[(); 3].map(|()| 2.0 * random.unit())));
            points
        };
        let (centers, points) = (any(4), any(20));
        let widths = (0..4).map(|_| 0.5 + random.unit()).collect();
        let weights = (0..3).map(|_| (0..4).map(|_| 2.0 * random.unit() - 1.0).collect()).collect();
        let classes = (0..20).map(|_| random.below(3)).collect();
        (RbfNetwork::from_parts(centers, widths, weights), points, classes)
    }

    /// The error, by the outputs of the network.
    fn plain_error(network: &RbfNetwork, points: &Points, classes: &[usize]) -> f64 {
        let of = |(point, &class): (&[f64], &usize)| -> f64 {
            let outputs = network.outputs(point).into_iter().enumerate();
            outputs.map(|(of, output)| (output - f64::from(u8::from(of == class))).powi(2) / 2.0).sum()
        };
        points.rows().zip(classes).map(of).sum::<f64>() / classes.len().max(1) as f64
    }

    /// All numbers of a network: weights, centers, widths.
    fn numbers(network: &RbfNetwork) -> Vec<f64> {
        let centers = network.centers().rows().flatten();
        network.weights().iter().flatten().chain(centers).chain(network.widths()).copied().collect()
    }

    /// The network with these numbers.
    fn with_numbers(network: &RbfNetwork, numbers: &[f64]) -> RbfNetwork {
        let (count, width) = (network.centers().len(), network.centers().width());
        let (weights, rest) = numbers.split_at(count * network.weights().len());
        let (rows, widths) = rest.split_at(count * width);
        let mut centers = Points::new(width);
        rows.chunks_exact(width).for_each(|row| centers.push(row));
        RbfNetwork::from_parts(centers, widths.to_vec(), weights.chunks_exact(count).map(<[f64]>::to_vec).collect())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn slopes_are_finite_differences(seed: u64) {
            let (network, points, classes) = any_network(seed);
            let (error, gradient) = error_and_gradient(&network, &points, &classes);
            prop_assert!((error - plain_error(&network, &points, &classes)).abs() < 1e-12);
            let Gradient { weights, centers, widths } = &gradient;
            let slopes = numbers(&RbfNetwork::from_parts(centers.clone(), widths.clone(), weights.clone()));
            let all = numbers(&network);
            for (at, slope) in slopes.iter().enumerate() {
                let moved = |by: f64| {
                    let mut moved = all.clone();
                    moved[at] += by;
                    plain_error(&with_numbers(&network, &moved), &points, &classes)
                };
                let difference = (moved(1e-5) - moved(-1e-5)) / 2e-5;
                prop_assert!((slope - difference).abs() < 1e-7, "{} {} {}", at, slope, difference);
            }
        }

        #[test]
        fn the_error_does_not_rise(seed: u64) {
            let (network, points, classes) = any_network(seed);
            let before = plain_error(&network, &points, &classes);
            let after = descend(network, &points, &classes);
            prop_assert!(plain_error(&after, &points, &classes) < before);
            prop_assert!(after.widths().iter().all(|&width| width > 0.0));
        }
    }

    #[test]
    fn a_step_that_is_too_long_is_undone() {
        // Points with huge weights: the first steps would shoot far beyond the minimum.
        let (network, points, classes) = any_network(1);
        let weights = network.weights().iter().map(|of| of.iter().map(|weight| 1e6 * weight).collect()).collect();
        let steep = RbfNetwork::from_parts(network.centers().clone(), network.widths().to_vec(), weights);
        let before = plain_error(&steep, &points, &classes);
        let after = descend(steep, &points, &classes);
        assert!(plain_error(&after, &points, &classes) < before && numbers(&after).iter().all(|x| x.is_finite()));
    }

    #[test]
    fn centers_and_widths_move_too() {
        // The output should be 1 in the middle and 0 at the other points. The center is beside the middle, and too wide.
        let mut points = Points::new(1);
        [0.0, 1.0, 2.0].iter().for_each(|&x| points.push(&[x]));
        let mut centers = Points::new(1);
        centers.push(&[0.7]);
        let after = descend(RbfNetwork::from_parts(centers, vec![1.0], vec![vec![1.0]]), &points, &[1, 0, 1]);
        assert!((after.centers().row(0)[0] - 1.0).abs() < 0.05 && after.widths()[0] < 0.8, "{after:?}");
    }

    #[test]
    fn classes_are_learned_and_a_seed_gives_the_same_network() {
        let mut random = Random::new(2);
        let mut points = Points::new(2);
        let classes: Vec<usize> = (0..90).map(|number| number % 3).collect();
        for &class in &classes {
            let [x, y] = [[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]][class];
            points.push(&[x + random.unit(), y + random.unit()]);
        }
        let network = fit(&points, &classes, 3, 10, 1);
        assert!(points.rows().zip(&classes).all(|(point, &class)| network.class(point) == class));
        assert_eq!(network, fit(&points, &classes, 3, 10, 1));
        assert_ne!(network, fit(&points, &classes, 3, 10, 2));
        // Least squares has another start, and so another end.
        assert_ne!(network.centers(), fit_least_squares(&points, &classes, 3, 10, 1).centers());
    }

    #[test]
    fn little_to_learn_from_is_fine() {
        assert_eq!(fit(&Points::new(2), &[], 3, 50, 1).outputs(&[1.0, 2.0]), [0.0; 3]);
        let mut equal = Points::new(2);
        (0..5).for_each(|_| equal.push(&[1.0, 2.0]));
        let network = fit(&equal, &[1, 1, 0, 1, 1], 2, 50, 1);
        assert!((network.outputs(&[1.0, 2.0])[1] - 0.8).abs() < 1e-6);
        assert_eq!(network.class(&[1.0, 2.0]), 1);
    }
}
