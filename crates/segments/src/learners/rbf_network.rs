//! Networks of radial basis functions: `f_i(x) = sum_j o_ij G_j(x)` with `G_j(x) = exp(-|x - c_j|^2 / s_j^2)`.
//!
//! J. Moody, C. J. Darken, "Fast learning in networks of locally-tuned processing units", Neural Computation 1, 1989.
//! The centers are those of k-means, which starts as in D. Arthur, S. Vassilvitskii, "k-means++: the advantages of
//! careful seeding", SODA 2007. A width is the mean distance to the nearest other centers. Each class has an output
//! that should be 1 for the examples of the class and 0 for others. The output weights come from least squares.

use rayon::prelude::*;

use super::one_against_all::{Task, first_greatest};
use super::points::{Points, dot, squared_distance};
use dehusk_core::random::Random;

/// Maximum number of rounds of k-means.
const MAX_ROUNDS: usize = 100;
/// Number of other centers that a width is taken from.
const NEIGHBOURS: usize = 5;
/// The penalty for each squared output weight that is added to the sum of squares.
pub const RIDGE_OF_OUTPUT: f64 = 1e-6;

/// A fitted network.
#[derive(Clone, Debug, PartialEq)]
pub struct RbfNetwork {
    centers: Points,
    /// The width of each center, greater than 0.
    widths: Vec<f64>,
    /// For each class, the weight of each center.
    weights: Vec<Vec<f64>>,
}

impl RbfNetwork {
    /// The network with these centers, a width for each of them, and a weight for each class and center.
    ///
    /// # Panics
    /// If there is not a width for each center, and a weight in each class.
    pub fn from_parts(centers: Points, widths: Vec<f64>, weights: Vec<Vec<f64>>) -> RbfNetwork {
        assert_eq!(widths.len(), centers.len(), "a width for each center");
        assert!(weights.iter().all(|weights| weights.len() == centers.len()), "a weight for each center");
        RbfNetwork { centers, widths, weights }
    }

    /// The centers.
    pub fn centers(&self) -> &Points {
        &self.centers
    }

    /// The width of each center.
    pub fn widths(&self) -> &[f64] {
        &self.widths
    }

    /// For each class, the weight of each center.
    pub fn weights(&self) -> &[Vec<f64>] {
        &self.weights
    }

    /// The output for each class: near 1 for points like those of the class, near 0 for others. Outputs are not
    /// probabilities.
    ///
    /// # Panics
    /// If the number of features is not that of the network.
    pub fn outputs(&self, point: &[f64]) -> Vec<f64> {
        assert_eq!(point.len(), self.centers.width(), "a value for each feature");
        let activations = activations(point, &self.centers, &self.widths);
        self.weights.iter().map(|weights| dot(weights, &activations)).collect()
    }

    /// The class of a point: the first one with the greatest output.
    ///
    /// # Panics
    /// If the number of features is not that of the network.
    pub fn class(&self, point: &[f64]) -> usize {
        first_greatest(&self.outputs(point))
    }
}

/// The nearness of a point to each center, in 0..=1.
fn activations(point: &[f64], centers: &Points, widths: &[f64]) -> Vec<f64> {
    let of = |(center, width): (&[f64], &f64)| (-squared_distance(point, center) / (width * width)).exp();
    centers.rows().zip(widths).map(of).collect()
}

/// The result of a number of centers, for examples that were left out of training.
#[derive(Clone, Debug, PartialEq)]
pub struct SizeResult {
    /// Number of centers that were asked for.
    pub centers: usize,
    /// Number of examples that get their right class.
    pub right: usize,
    /// Number of examples.
    pub count: usize,
}

/// A way of fitting a network to points and their classes, such as [`fit`]: with a number of classes, a number of
/// centers, and a seed.
pub type FitNetwork = fn(&Points, &[usize], usize, usize, u64) -> RbfNetwork;

/// Finds the best number of centers with networks fitted without one fold each, and fits a network of this size to all
/// examples. Of equally good numbers, the smallest is the best. Also returns the result of each number, in the order of
/// `sizes`.
///
/// # Panics
/// If there is not a class and a fold for each point, a class is not below the number of classes, or there are no
/// sizes.
pub fn fit_best(task: &Task<'_>, sizes: &[usize], seed: u64, fit: FitNetwork) -> (RbfNetwork, Vec<SizeResult>) {
    assert_eq!(task.folds.len(), task.points.len(), "a fold for each point");
    let folds = task.left_out();
    let parts: Vec<(usize, &Vec<usize>)> =
        sizes.iter().flat_map(|&size| folds.iter().map(move |left_out| (size, left_out))).collect();
    let right_without = |&(size, left_out): &(usize, &Vec<usize>)| {
        let rows = task.others(left_out);
        let classes: Vec<usize> = rows.iter().map(|&row| task.classes[row]).collect();
        let network = fit(&task.points.part(&rows), &classes, task.class_count, size, seed);
        left_out.iter().filter(|&&row| network.class(task.points.row(row)) == task.classes[row]).count()
    };
    let rights: Vec<usize> = parts.par_iter().map(right_without).collect();
    let of_size = |(index, &centers): (usize, &usize)| SizeResult {
        centers,
        right: rights[index * folds.len()..][..folds.len()].iter().sum(),
        count: task.points.len(),
    };
    let results: Vec<SizeResult> = sizes.iter().enumerate().map(of_size).collect();
    let best = results.iter().min_by_key(|result| (std::cmp::Reverse(result.right), result.centers));
    let size = best.expect("there is a number of centers").centers;
    (fit(task.points, task.classes, task.class_count, size, seed), results)
}

/// Fits a network with this many centers, or with fewer if fewer points differ. Another seed gives a network that is
/// about as good.
///
/// # Panics
/// If there is not a class for each point, or a class is not below the number of classes.
pub fn fit(points: &Points, classes: &[usize], class_count: usize, centers: usize, seed: u64) -> RbfNetwork {
    fit_at(centers_of(points, centers, seed), points, classes, class_count)
}

/// Fits a network with these centers.
///
/// # Panics
/// If there is not a class for each point, a class is not below the number of classes, or the centers do not have the
/// features of the points.
pub fn fit_at(centers: Points, points: &Points, classes: &[usize], class_count: usize) -> RbfNetwork {
    assert_eq!(classes.len(), points.len(), "a class for each point");
    assert!(classes.iter().all(|&class| class < class_count), "classes are below their number");
    assert_eq!(centers.width(), points.width(), "centers have the features of the points");
    let widths = widths_of(&centers);
    let mut columns = vec![Vec::with_capacity(points.len() + centers.len()); centers.len()];
    for point in points.rows() {
        let activations = activations(point, &centers, &widths);
        columns.iter_mut().zip(activations).for_each(|(column, activation)| column.push(activation));
    }
    let targets = |class| classes.iter().map(|&of| if of == class { 1.0 } else { 0.0 }).collect();
    let weights = least_squares(columns, (0..class_count).map(targets).collect(), RIDGE_OF_OUTPUT);
    RbfNetwork { centers, widths, weights }
}

/// The width of each center: its mean distance to the nearest other centers. If that is 0, the smallest width above 0.
fn widths_of(centers: &Points) -> Vec<f64> {
    let of = |(number, center): (usize, &[f64])| {
        let others = centers.rows().enumerate().filter(|(other, _)| *other != number);
        let mut squares: Vec<f64> = others.map(|(_, other)| squared_distance(center, other)).collect();
        squares.sort_by(f64::total_cmp);
        squares.truncate(NEIGHBOURS);
        squares.iter().map(|square| square.sqrt()).sum::<f64>() / squares.len().max(1) as f64
    };
    let widths: Vec<f64> = centers.rows().enumerate().map(of).collect();
    let smallest = widths.iter().copied().filter(|&width| width > 0.0).min_by(f64::total_cmp).unwrap_or(1.0);
    widths.into_iter().map(|width| if width > 0.0 { width } else { smallest }).collect()
}

/// The vector x that makes `|A x - b|^2 + ridge |x|^2` least, for each b.
///
/// Takes the columns of A. They are made orthogonal by reflections (A. S. Householder, 1958), with the square root of
/// the ridge in rows below. This loses half as many digits as products of the columns would.
fn least_squares(mut columns: Vec<Vec<f64>>, mut targets: Vec<Vec<f64>>, ridge: f64) -> Vec<Vec<f64>> {
    let count = columns.len();
    let Some(rows) = columns.first().map(Vec::len) else { return vec![Vec::new(); targets.len()] };
    columns.iter_mut().enumerate().for_each(|(index, column)| {
        column.resize(rows + count, 0.0);
        column[rows + index] = ridge.sqrt();
    });
    targets.iter_mut().for_each(|target| target.resize(rows + count, 0.0));
    let mut diagonal = Vec::with_capacity(count);
    for index in 0..count {
        let (done, rest) = columns.split_at_mut(index + 1);
        let mirror = &mut done[index][index..];
        let norm = dot(mirror, mirror).sqrt();
        // The sign keeps the subtraction below from cancelling.
        let entry = if mirror[0] > 0.0 { -norm } else { norm };
        mirror[0] -= entry;
        diagonal.push(entry);
        let square = dot(mirror, mirror);
        for other in rest.iter_mut().chain(&mut targets) {
            let other = &mut other[index..];
            let factor = 2.0 * dot(mirror, other) / square;
            other.iter_mut().zip(&*mirror).for_each(|(other, mirror)| *other -= factor * mirror);
        }
    }
    let solve = |mut x: Vec<f64>| {
        x.truncate(count);
        for index in (0..count).rev() {
            x[index] /= diagonal[index];
            let solved = x[index];
            x[..index].iter_mut().zip(&columns[index]).for_each(|(above, entry)| *above -= solved * entry);
        }
        x
    };
    targets.into_iter().map(solve).collect()
}

/// The centers of k-means: `count`, or fewer if fewer points differ.
fn centers_of(points: &Points, count: usize, seed: u64) -> Points {
    let mut centers = first_centers(points, count, seed);
    if centers.is_empty() {
        return centers;
    }
    let mut nearest = Vec::new();
    for _ in 0..MAX_ROUNDS {
        let now: Vec<(usize, f64)> = points.rows().map(|point| nearest_of(point, &centers)).collect();
        let clusters: Vec<usize> = now.iter().map(|(center, _)| *center).collect();
        if clusters == nearest {
            break;
        }
        centers = means(points, &now, centers);
        nearest = clusters;
    }
    centers
}

/// Points that are far from each other: each is drawn in proportion to its squared distance from the nearest point
/// before (k-means++).
fn first_centers(points: &Points, count: usize, seed: u64) -> Points {
    let mut random = Random::new(seed);
    let mut centers = Points::new(points.width());
    if points.is_empty() || count == 0 {
        return centers;
    }
    let mut next = random.below(points.len());
    let mut squares = vec![f64::INFINITY; points.len()];
    loop {
        centers.push(points.row(next));
        for (square, point) in squares.iter_mut().zip(points.rows()) {
            *square = square.min(squared_distance(point, points.row(next)));
        }
        let sum: f64 = squares.iter().sum();
        if centers.len() == count || sum <= 0.0 {
            return centers;
        }
        let at = random.unit() * sum;
        let mut passed = 0.0;
        let reaches = |square: &f64| {
            passed += square;
            *square > 0.0 && passed > at
        };
        // Rounding can keep the sum from reaching `at`. Then the last point that can be drawn is taken.
        let last = squares.iter().rposition(|&square| square > 0.0).unwrap_or(0);
        next = squares.iter().position(reaches).unwrap_or(last);
    }
}

/// The number of the nearest center, the first of several, and the square of its distance.
fn nearest_of(point: &[f64], centers: &Points) -> (usize, f64) {
    let squares = centers.rows().map(|center| squared_distance(point, center)).enumerate();
    squares.fold((0, f64::INFINITY), |best, next| if next.1 < best.1 { next } else { best })
}

/// Moves each center to the mean of the points that are nearest to it. A center without points moves to the point that
/// is farthest from its own center.
fn means(points: &Points, nearest: &[(usize, f64)], mut centers: Points) -> Points {
    let mut counts = vec![0_usize; centers.len()];
    let mut sums = vec![vec![0.0; points.width()]; centers.len()];
    for (point, &(center, _)) in points.rows().zip(nearest) {
        counts[center] += 1;
        sums[center].iter_mut().zip(point).for_each(|(sum, value)| *sum += value);
    }
    let mut squares: Vec<f64> = nearest.iter().map(|(_, square)| *square).collect();
    for center in 0..centers.len() {
        if counts[center] > 0 {
            let count = counts[center] as f64;
            centers.row_mut(center).iter_mut().zip(&sums[center]).for_each(|(value, sum)| *value = sum / count);
        } else {
            let farthest = first_greatest(&squares);
            squares[farthest] = 0.0; // Another empty center should move elsewhere.
            centers.row_mut(center).copy_from_slice(points.row(farthest));
        }
    }
    centers
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn random_points(random: &mut Random, count: usize, width: usize) -> Points {
        let mut points = Points::new(width);
        (0..count).for_each(|_| points.push(&(0..width).map(|_| random.unit()).collect::<Vec<_>>()));
        points
    }

    /// Three clusters with their classes.
    fn clusters(random: &mut Random, count: usize) -> (Points, Vec<usize>) {
        let mut points = Points::new(2);
        let classes: Vec<usize> = (0..count).map(|number| number % 3).collect();
        for &class in &classes {
            let [x, y] = [[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]][class];
            points.push(&[x + random.unit(), y + random.unit()]);
        }
        (points, classes)
    }

    fn assert_near(a: &[f64], b: &[f64], within: f64) {
        assert_eq!(a.len(), b.len());
        assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() <= within), "{a:?} {b:?}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        /// At the minimum, the slope of the squares is 0: G^T (t - G o) = ridge o.
        #[test]
        fn what_is_left_is_orthogonal_to_all_functions(seed: u64, count in 1_usize..60, centers in 1_usize..20) {
            let mut random = Random::new(seed);
            let points = random_points(&mut random, count, 3);
            let classes: Vec<usize> = (0..count).map(|_| random.below(3)).collect();
            let network = fit(&points, &classes, 3, centers, seed);
            prop_assert_eq!(network.centers().len(), centers.min(count));
            for center in 0..network.centers().len() {
                for class in 0..3 {
                    let mut product = 0.0;
                    for (point, &of) in points.rows().zip(&classes) {
                        let s = network.widths()[center];
                        let square: f64 =
                            point.iter().zip(network.centers().row(center)).map(|(x, c)| (x - c).powi(2)).sum();
                        let target = if of == class { 1.0 } else { 0.0 };
                        product += (-square / s.powi(2)).exp() * (target - network.outputs(point)[class]);
                    }
                    let expected = 1e-6 * network.weights()[class][center];
                    prop_assert!((product - expected).abs() < 1e-8, "{product} {expected}");
                }
            }
        }

        /// Compares least squares with a plain solution of the equations (Gauss and Jordan), where these are
        /// well-conditioned.
        #[test]
        fn least_squares_solve_the_equations(seed: u64, rows in 1_usize..12, count in 1_usize..6, ridge in 0.01..1.0) {
            let mut random = Random::new(seed);
            let mut column = |_| (0..rows).map(|_| random.unit() * 2.0 - 1.0).collect::<Vec<f64>>();
            let columns: Vec<Vec<f64>> = (0..count).map(&mut column).collect();
            let target = column(0);
            let plain = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            let mut system: Vec<Vec<f64>> = columns.iter().map(|a| {
                columns.iter().chain([&target]).map(|b| plain(a, b)).collect()
            }).collect();
            (0..count).for_each(|index| system[index][index] += ridge);
            for pivot in 0..count {
                let row: Vec<f64> = system[pivot].iter().map(|entry| entry / system[pivot][pivot]).collect();
                for (index, other) in system.iter_mut().enumerate() {
                    let factor = other[pivot];
                    let minus = |(entry, row): (&f64, &f64)| if index == pivot { *row } else { entry - factor * row };
                    *other = other.iter().zip(&row).map(minus).collect();
                }
            }
            let expected: Vec<f64> = system.iter().map(|row| row[count]).collect();
            assert_near(&least_squares(columns, vec![target], ridge)[0], &expected, 1e-9);
        }
    }

    #[test]
    fn centers_at_all_points_reproduce_their_classes() {
        let mut random = Random::new(3);
        let points = random_points(&mut random, 30, 4);
        let classes: Vec<usize> = (0..30).map(|_| random.below(3)).collect();
        let network = fit_at(points.clone(), &points, &classes, 3);
        for (point, &class) in points.rows().zip(&classes) {
            let mut expected = [0.0; 3];
            expected[class] = 1.0;
            assert_near(&network.outputs(point), &expected, 1e-2);
            assert_eq!(network.class(point), class);
        }
        // With as many centers as points, the centers are the points.
        let fitted = fit(&points, &classes, 3, 30, 8);
        let mut rows: Vec<Vec<u64>> =
            fitted.centers().rows().map(|row| row.iter().map(|x| x.to_bits()).collect()).collect();
        let mut expected: Vec<Vec<u64>> = points.rows().map(|row| row.iter().map(|x| x.to_bits()).collect()).collect();
        rows.sort_unstable();
        expected.sort_unstable();
        assert_eq!(rows, expected);
    }

    #[test]
    fn the_order_of_examples_does_not_matter_for_given_centers() {
        let mut random = Random::new(4);
        let points = random_points(&mut random, 50, 3);
        let classes: Vec<usize> = (0..50).map(|_| random.below(2)).collect();
        let centers = random_points(&mut random, 8, 3);
        let mut order: Vec<usize> = (0..50).collect();
        random.shuffle(&mut order);
        let shuffled: Vec<usize> = order.iter().map(|&row| classes[row]).collect();
        let networks =
            [fit_at(centers.clone(), &points, &classes, 2), fit_at(centers, &points.part(&order), &shuffled, 2)];
        assert_eq!(networks[0].widths(), networks[1].widths());
        for point in points.rows() {
            assert_near(&networks[0].outputs(point), &networks[1].outputs(point), 1e-7);
        }
    }

    #[test]
    fn functions_have_the_form_of_the_doc() {
        let mut centers = Points::new(1);
        [0.0, 3.0].iter().for_each(|&center| centers.push(&[center]));
        let network = RbfNetwork::from_parts(centers, vec![2.0, 1.0], vec![vec![5.0, 0.0], vec![0.0, -1.0]]);
        // There is no factor 2 in the exponent.
        assert_near(&network.outputs(&[1.0]), &[5.0 * (-0.25_f64).exp(), -(-4.0_f64).exp()], 1e-12);
    }

    #[test]
    fn a_width_is_the_mean_distance_to_five_others() {
        let mut centers = Points::new(1);
        [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 100.0].iter().for_each(|&center| centers.push(&[center]));
        let widths = widths_of(&centers);
        assert_near(&[widths[0], widths[6]], &[3.0, 97.0], 1e-12);
        assert_near(&widths_of(&centers.part(&[1, 4])), &[3.0, 3.0], 1e-12);
        assert_eq!(widths_of(&centers.part(&[1])), [1.0]);
        assert_eq!(widths_of(&centers.part(&[1, 1, 1])), [1.0; 3]);
        // Six equal centers get the width of the only other center.
        assert_near(&widths_of(&centers.part(&[0, 0, 0, 0, 0, 0, 3])), &[3.0; 7], 1e-12);
    }

    #[test]
    fn k_means_finds_clusters() {
        let (points, _) = clusters(&mut Random::new(5), 300);
        for seed in 0..10 {
            let centers = centers_of(&points, 3, seed);
            for middle in [[0.5, 0.5], [4.5, 0.5], [0.5, 4.5]] {
                assert!(nearest_of(&middle, &centers).1.sqrt() < 0.1, "{centers:?}");
            }
            // Each center is the mean of its points.
            let nearest: Vec<(usize, f64)> = points.rows().map(|point| nearest_of(point, &centers)).collect();
            assert_eq!(means(&points, &nearest, centers.clone()), centers);
        }
    }

    #[test]
    fn an_empty_cluster_moves_to_the_farthest_point() {
        let mut points = Points::new(1);
        [0.0, 1.0, 7.0, 9.0].iter().for_each(|&value| points.push(&[value]));
        let mut centers = Points::new(1);
        [0.0, 500.0, 600.0].iter().for_each(|&value| centers.push(&[value]));
        let nearest: Vec<(usize, f64)> = points.rows().map(|point| nearest_of(point, &centers)).collect();
        let moved = means(&points, &nearest, centers);
        assert_eq!(moved.rows().map(|row| row[0]).collect::<Vec<_>>(), [4.25, 9.0, 7.0]);
    }

    #[test]
    fn the_best_size_is_found_by_folds() {
        let mut random = Random::new(6);
        let (points, classes) = clusters(&mut random, 120);
        let folds: Vec<usize> = (0..120).map(|number| number / 12).collect();
        let task = Task { points: &points, classes: &classes, class_count: 3, folds: &folds };
        let (network, results) = fit_best(&task, &[20, 1, 10], 7, fit);
        assert_eq!(results.iter().map(|result| result.centers).collect::<Vec<_>>(), [20, 1, 10]);
        assert_eq!(results.iter().map(|result| result.count).collect::<Vec<_>>(), [120; 3]);
        // Of equally good numbers, the smaller one.
        assert_eq!((results[0].right, results[2].right, network.centers().len()), (120, 120, 10));
        assert!(results[1].right < 100);
        assert_eq!(network, fit(&points, &classes, 3, 10, 7));
        assert_ne!(network, fit(&points, &classes, 3, 10, 8));
    }

    #[test]
    fn little_to_learn_from_is_fine() {
        let empty = fit(&Points::new(2), &[], 3, 50, 1);
        assert_eq!(empty.outputs(&[1.0, 2.0]), [0.0; 3]);
        let mut equal = Points::new(2);
        (0..5).for_each(|_| equal.push(&[1.0, 2.0]));
        let network = fit(&equal, &[1, 1, 0, 1, 1], 2, 50, 1);
        assert_eq!(network.centers().len(), 1);
        assert_near(&network.outputs(&[1.0, 2.0]), &[0.2, 0.8], 1e-6);
        assert_eq!(network.class(&[1.0, 2.0]), 1);
        // Equal centers make equal columns: the ridge shares the weight out.
        let twins = fit_at(equal.clone(), &equal, &[1; 5], 2);
        assert_near(&twins.outputs(&[1.0, 2.0]), &[0.0, 1.0], 1e-6);
        assert_eq!(fit(&equal, &[0; 5], 1, 0, 1).class(&[0.0, 0.0]), 0);
    }
}
