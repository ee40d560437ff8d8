//! Sizes in bytes, written as 256M.

use std::fmt;

/// A number of bytes. It is written in the largest unit in which it is a whole number: `256M`.
#[derive(Clone, Copy, Debug)]
pub struct Size(pub u64);

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let units = [(1_000_000_000, "G"), (1_000_000, "M"), (1000, "K")];
        let (factor, unit) = units.into_iter().find(|(factor, _)| self.0.is_multiple_of(*factor)).unwrap_or((1, ""));
        write!(f, "{}{unit}", self.0 / factor)
    }
}

/// Parses `500M`, `4G`, or a number of bytes.
pub fn parse(text: &str) -> Result<u64, String> {
    let (number, unit) = match text.trim().char_indices().last() {
        Some((at, unit)) if unit.is_ascii_alphabetic() => (&text.trim()[..at], unit.to_ascii_uppercase()),
        _ => (text.trim(), 'B'),
    };
    let factor = match unit {
        'B' => 1.0,
        'K' => 1e3,
        'M' => 1e6,
        'G' => 1e9,
        'T' => 1e12,
        _ => return Err("a size is given as 500M, 4G or 1.5T, or in bytes".to_owned()),
    };
    match number.trim().parse::<f64>() {
        Ok(number) if number > 0.0 && number.is_finite() => Ok((number * factor) as u64),
        _ => Err("a size is given as 500M, 4G or 1.5T, or in bytes".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read() {
        assert_eq!(parse("4G"), Ok(4_000_000_000));
        assert_eq!((parse("1.5k"), parse(" 20 "), parse("7b")), (Ok(1500), Ok(20), Ok(7)));
        for bad in ["", "G", "-1M", "0", "4X", "many", "infG"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
