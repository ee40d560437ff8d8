//! A mean of several measurements, and how far it can be relied on.

use serde::Serialize;

use dehusk::cli::table::percent;

/// The mean of independent measurements.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// The standard error of the mean. 0 for a single measurement.
    pub standard_error: f64,
}

impl Estimate {
    /// `None` if there is no measurement.
    pub fn of(measured: &[f64]) -> Option<Estimate> {
        let count = measured.len() as f64;
        let mean = measured.iter().sum::<f64>() / count;
        let squares: f64 = measured.iter().map(|value| (value - mean) * (value - mean)).sum();
        let standard_error = (squares / (count - 1.0).max(1.0) / count).sqrt();
        (!measured.is_empty()).then_some(Estimate { mean, standard_error })
    }

    /// The mean and its standard error, in percent.
    pub fn cells(estimate: Option<Estimate>) -> [String; 2] {
        [
            percent(estimate.map(|estimate| estimate.mean), 1),
            percent(estimate.map(|estimate| estimate.standard_error), 1),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_of_a_mean() {
        let found = Estimate::of(&[0.2, 0.4, 0.6, 0.8]).expect("measurements");
        assert!((found.mean - 0.5).abs() < 1e-12);
        // The variance is .2 / 3, and that of the mean of 4 is a quarter of it.
        assert!((found.standard_error - (0.2_f64 / 12.0).sqrt()).abs() < 1e-12);
        assert_eq!(Estimate::of(&[0.3]), Some(Estimate { mean: 0.3, standard_error: 0.0 }));
        assert_eq!(Estimate::of(&[]), None);
    }
}
