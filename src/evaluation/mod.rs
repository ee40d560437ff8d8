//! Measures the quality of dehusk against text that is known to be right.
//!
//! - With gold text: [`score`] compares cleaned text with it, [`opponents`] are simple rules to beat, [`losses`] tells
//!   which content was removed by which pattern.
//! - With inserted templates: [`injection`] puts templates into clean text and counts what is removed.
//! - By applications, as in the literature: is the same article recognised under the templates of two sites
//!   ([`duplicates`], [`mirrors`]), and do articles rather than sites form clusters ([`clusters`])? The texts are made
//!   from pages and their gold text ([`twins`]).
//! - For templates found while documents arrive: [`removal`] judges what was removed, [`recent`] is detection with a
//!   cache of pages, [`style_tree`] is the size of another data structure for templates, and [`line_chart`] draws it
//!   all page by page.
//!
//! All of them compare [`words`]. [`random`] gives the same figures on every machine for the same seed.

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
