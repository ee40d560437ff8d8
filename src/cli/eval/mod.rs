//! `dehusk eval CORPUS --gold DIR`: how good mining and cleaning are, measured against text that is known to be right.

pub mod gold;
pub mod patterns;

use serde::Serialize;

use super::options::SummaryArgs;
use super::reporter::print;

/// Prints the figures: as JSON for scripts, or as text for people.
pub fn tell(args: &SummaryArgs, figures: &impl Serialize, text: &str) -> anyhow::Result<()> {
    match args.json {
        true => print(&(serde_json::to_string_pretty(figures)? + "\n")),
        false => print(text),
    }
}
