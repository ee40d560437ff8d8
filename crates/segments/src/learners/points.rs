//! Points with a value for each feature, stored in a single vector.

/// Number of sums that are computed independently, so that none waits for another.
const LANES: usize = 8;

/// Points with the same number of features.
#[derive(Clone, Debug, PartialEq)]
pub struct Points {
    width: usize,
    len: usize,
    values: Vec<f64>,
}

impl Points {
    /// No points yet, of this many features.
    pub fn new(width: usize) -> Points {
        Points { width, len: 0, values: Vec::new() }
    }

    /// Adds a point.
    ///
    /// # Panics
    /// If the point has another number of features.
    pub fn push(&mut self, point: &[f64]) {
        assert_eq!(point.len(), self.width, "a value for each feature");
        self.values.extend_from_slice(point);
        self.len += 1;
    }

    /// Number of features.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// A point.
    ///
    /// # Panics
    /// If there are not that many.
    pub fn row(&self, point: usize) -> &[f64] {
        &self.values[point * self.width..][..self.width]
    }

    /// A point, to change it.
    ///
    /// # Panics
    /// If there are not that many.
    pub fn row_mut(&mut self, point: usize) -> &mut [f64] {
        &mut self.values[point * self.width..][..self.width]
    }

    /// All points in their order.
    pub fn rows(&self) -> impl Iterator<Item = &[f64]> {
        (0..self.len).map(|point| self.row(point))
    }

    /// These points, in this order.
    ///
    /// # Panics
    /// If there are not that many.
    pub fn part(&self, rows: &[usize]) -> Points {
        let mut part = Points::new(self.width);
        rows.iter().for_each(|&row| part.push(self.row(row)));
        part
    }
}

/// The square of the distance of two points with the same number of features.
pub fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    sum_of(a, b, |a, b| (a - b) * (a - b))
}

/// The sum of the products of two points with the same number of features.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    sum_of(a, b, |a, b| a * b)
}

fn sum_of(a: &[f64], b: &[f64], of: impl Fn(f64, f64) -> f64) -> f64 {
    debug_assert_eq!(a.len(), b.len());
    let ((a, last_a), (b, last_b)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    let mut sums = [0.0; LANES];
    for (a, b) in a.iter().zip(b) {
        for lane in 0..LANES {
            sums[lane] += of(a[lane], b[lane]);
        }
    }
    let last: f64 = last_a.iter().zip(last_b).map(|(&a, &b)| of(a, b)).sum();
    sums.iter().sum::<f64>() + last
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn sums_are_those_of_a_plain_loop(pairs in prop::collection::vec((-9.0..9.0, -9.0..9.0), 0..40)) {
            let (a, b): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
            let [mut square, mut product] = [0.0; 2];
            for feature in 0..a.len() {
                square += (a[feature] - b[feature]).powi(2);
                product += a[feature] * b[feature];
            }
            prop_assert!((squared_distance(&a, &b) - square).abs() < 1e-9);
            prop_assert!((dot(&a, &b) - product).abs() < 1e-9);
        }
    }

    #[test]
    fn points_keep_their_order() {
        let mut points = Points::new(2);
        (0..4).for_each(|number| points.push(&[f64::from(number), 9.0]));
        assert_eq!(points.part(&[3, 1]).rows().map(|row| row[0]).collect::<Vec<_>>(), [3.0, 1.0]);
        assert_eq!((points.len(), points.width(), points.is_empty()), (4, 2, false));
        // Points without features still count.
        let mut flat = Points::new(0);
        flat.push(&[]);
        assert_eq!(flat.rows().count(), 1);
    }
}
