//! Pages as trees: what the structure of a single page says about its parts.
//!
//! Scores of nodes come in, and labels and groups of nodes come out. No other page of the site is needed, and nothing is
//! mined or removed here.

pub mod isotonic;
