//! How good dehusk is, measured against text that is known to be right.
//!
//! - Against gold text: [`words`] says what is compared, [`score`] how, [`opponents`] are rules to beat, [`losses`]
//!   says which content was lost, and to which pattern.
//! - Against what was put in: [`injection`] puts templates into clean text, and counts what goes.

pub mod words;
pub mod score;
pub mod opponents;
pub mod losses;
pub mod injection;
