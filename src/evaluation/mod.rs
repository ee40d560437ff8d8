//! How good cleaning is: cleaned text against what it should be, and against what simpler rules give.
//!
//! [`words`] says what is compared, [`score`] how, [`opponents`] are rules to beat, [`losses`] says which content was
//! lost, and to which pattern. Nothing here mines, cleans, or reads a file.

pub mod words;
pub mod score;
pub mod opponents;
pub mod losses;
