//! Logarithms that are the same on every machine.

/// The binary logarithm of a number of at least 1. Uses basic arithmetic only, which is the same on every machine; the
/// mathematical library is not.
pub fn log2(mut number: f64) -> f64 {
    let mut logarithm = 0.0;
    while number >= 2.0 {
        number /= 2.0;
        logarithm += 1.0;
    }
    let mut bit = 0.5;
    for _ in 0..40 {
        number *= number;
        if number >= 2.0 {
            number /= 2.0;
            logarithm += bit;
        }
        bit /= 2.0;
    }
    logarithm
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_logarithm_is_one() {
        for number in [1.0, 1.5, 2.0, 3.0, 7.25, 1000.0] {
            assert!((log2(number) - f64::log2(number)).abs() < 1e-9, "{number}");
        }
    }
}
