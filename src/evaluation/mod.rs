//! How good dehusk is, measured against text that is known to be right.
//!
//! - Against gold text: [`score`] says how cleaned text fits it, [`opponents`] are rules to beat, [`losses`] says which
//!   content went, and because of which pattern.
//! - Against what was put in: [`injection`] puts templates into clean text, and counts what goes.
//! - By what cleaning is good for, as the literature does: whether the same article is recognised under the templates
//!   of two sites ([`duplicates`], [`mirrors`]), and whether articles rather than sites form clusters ([`clusters`]).
//!   The material is made of pages and their gold text ([`twins`]).
//! - Of templates that are found while documents come: [`removal`] says what was removed, [`recent`] what a cache of
//!   pages would tell, [`style_tree`] how large another memory of them is, and [`line_chart`] draws it all page by page.
//!
//! All of them compare [`words`]. Chance is [`random`], and the same seed gives the same figures on every machine.

pub mod words;
pub mod random;

pub mod score;
pub mod opponents;
pub mod losses;

pub mod injection;

pub mod article;
pub mod twins;
pub mod duplicates;
pub mod edit_distance;
pub mod mirrors;
pub mod k_means;
pub mod clusters;

pub mod removal;
pub mod recent;
pub mod style_tree;
pub mod line_chart;
