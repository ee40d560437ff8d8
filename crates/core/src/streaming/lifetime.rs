//! How long a segment is remembered after it was last seen.
//!
//! Takes the number of documents with a segment, and gives the number of pages for which the segment is kept. A segment
//! seen once may be anything; one seen often is worth keeping longer. The lifetime grows from `base` pages to `factor`
//! times as much.
//!
//! No function of the mathematical library is called, so lifetimes are the same on every machine.

/// e^-n. 40 values are enough: added to 1, the next one would be lost to rounding.
const DECAY: [f64; 40] = decay();

/// The lifetimes of segments, in pages of their source.
///
/// ```
/// use dehusk_core::streaming::lifetime::Lifetime;
///
/// let lifetime = Lifetime { base: 100.0, factor: 2.0 };
/// assert_eq!(lifetime.of(1), 100.0);
/// assert_eq!(lifetime.of(2).round(), 146.0);
/// assert_eq!(lifetime.of(50), 200.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lifetime {
    /// Lifetime of a segment seen in one document, Tb, in pages. Default: infinite, so nothing is forgotten.
    pub base: f64,
    /// The factor N, at least 1, by which a segment seen in many documents is kept longer. Default: 2.
    pub factor: f64,
}

impl Default for Lifetime {
    fn default() -> Lifetime {
        Lifetime { base: f64::INFINITY, factor: 2.0 }
    }
}

impl Lifetime {
    /// The number of pages for which a segment seen in this many documents is kept: t(df) = N Tb / (1 + (N - 1) e^-(df
    /// - 1)) (Wang et al., "table shrinkage").
    pub fn of(&self, documents: u32) -> f64 {
        self.base / self.pace(documents)
    }

    /// The age of a segment, scaled to the lifetime of one seen in one document: pages · Tb / t(df). Its lifetime has
    /// passed if this is more than Tb.
    pub fn age(&self, pages_since: u32, documents: u32) -> f64 {
        f64::from(pages_since) * self.pace(documents)
    }

    /// Whether a segment last seen this many pages ago is forgotten.
    pub fn has_passed(&self, pages_since: u32, documents: u32) -> bool {
        self.age(pages_since, documents) > self.base
    }

    /// The speed of aging: Tb / t(df). Does not depend on Tb.
    fn pace(&self, documents: u32) -> f64 {
        let decay = DECAY.get(documents.saturating_sub(1) as usize).copied().unwrap_or(0.0);
        (1.0 + (self.factor - 1.0) * decay) / self.factor
    }
}

const fn decay() -> [f64; 40] {
    let mut powers = [1.0; 40];
    let mut n = 1;
    while n < powers.len() {
        powers[n] = powers[n - 1] / std::f64::consts::E;
        n += 1;
    }
    powers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lifetime_is_that_of_the_formula() {
        let (base, factor) = (1000.0, 3.0);
        for documents in 1..100 {
            let exact = factor * base / (1.0 + (factor - 1.0) * (-f64::from(documents - 1)).exp());
            let lifetime = Lifetime { base, factor }.of(documents);
            assert!((lifetime - exact).abs() < 1e-9, "{documents}: {lifetime}, not {exact}");
        }
    }

    #[test]
    fn a_segment_lives_as_long_as_its_lifetime_and_no_longer() {
        let lifetime = Lifetime { base: 10.0, factor: 2.0 };
        assert!(!lifetime.has_passed(10, 1));
        assert!(lifetime.has_passed(11, 1));
        assert!(!lifetime.has_passed(20, 99));
        assert!(lifetime.has_passed(21, 99));
    }

    #[test]
    fn by_default_nothing_is_forgotten() {
        assert!(!Lifetime::default().has_passed(u32::MAX, 1));
        assert_eq!(Lifetime::default().of(7), f64::INFINITY);
    }

    #[test]
    fn age_is_comparable_between_segments() {
        let lifetime = Lifetime { base: f64::INFINITY, factor: 2.0 };
        assert_eq!(lifetime.age(100, 1), 100.0);
        assert_eq!(lifetime.age(100, 99), 50.0);
    }
}
