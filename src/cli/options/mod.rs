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

/// Parses a share.
pub fn share(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("a share is a number from 0 to 1".to_owned()),
    }
}
