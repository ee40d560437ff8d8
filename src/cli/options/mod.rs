//! Flags that several commands share, and the options that are made from them.

mod cleaning;
mod input;
mod mining;
mod models;
mod output;
mod paths;

pub use cleaning::*;
pub use input::*;
pub use mining::*;
pub use models::*;
pub use output::*;
pub use paths::*;

use std::fmt::Display;
use std::str::FromStr;

/// Parses a share.
pub fn share(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("a share is a number from 0 to 1".to_owned()),
    }
}

/// Parses a whole number of at least `least`. The message of clap's own range names the largest number of the type, which
/// tells nobody what to give.
pub fn at_least<N: FromStr + PartialOrd + Display + Clone>(least: N) -> impl Fn(&str) -> Result<N, String> + Clone {
    move |text| match text.parse() {
        Ok(number) if number >= least => Ok(number),
        _ => Err(format!("give a whole number of at least {least}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_numbers_are_refused_with_the_least() {
        let parsed = |text: &str| at_least(2_u8)(text);
        assert_eq!((parsed("2"), parsed("255")), (Ok(2), Ok(255)));
        for text in ["1", "-3", "256", "2.5", "two", ""] {
            assert_eq!(parsed(text), Err("give a whole number of at least 2".to_owned()), "{text}");
        }
    }
}
