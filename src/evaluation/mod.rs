//! Measures the quality of dehusk against text that is known to be right.
//!
//! - With gold text: [`score`] compares cleaned text with it, [`opponents`] are simple rules to beat, [`losses`] tells
//!   which content was removed by which pattern. `gold_texts` reads gold texts, and `scoring` scores whole corpora (feature
//!   `pipeline`). `feeds` takes gold texts from the feeds of a crawl (feature `crawl`).
//! - With inserted templates: [`injection`] puts templates into clean text and counts what is removed.
//! - For templates found while documents arrive: [`removal`] judges what was removed, [`recent`] is detection with a
//!   cache of pages, [`stream_figures`] are the figures by page, and [`line_chart`] draws them.
//!
//! - For pages as trees: `nodes` judges page-level templates by gold text. [`article`] locates the gold text in its page,
//!   and [`agreement`] compares groupings. `block_lessons` labels blocks by gold text, with the words that [`alignment`] finds.
//!
//! All of them compare [`words`].

pub mod words;

pub mod score;
pub mod opponents;
pub mod losses;
pub mod article;
pub mod alignment;
pub mod agreement;
#[cfg(feature = "pipeline")]
pub mod gold_texts;
#[cfg(feature = "pipeline")]
pub mod scoring;
#[cfg(feature = "crawl")]
pub mod feeds;
#[cfg(feature = "pipeline")]
pub mod nodes;
#[cfg(feature = "pipeline")]
pub mod block_lessons;
pub mod decision_lessons;
pub mod made_sources;
pub mod decision_table;
#[cfg(feature = "pipeline")]
pub mod segments;
pub mod importance;

pub mod injection;

pub mod removal;
pub mod recent;
pub mod stream_figures;
#[cfg(feature = "pipeline")]
pub mod stream_measuring;
pub mod line_chart;
