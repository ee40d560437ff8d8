//! Measures dehusk, and prepares the lessons for its models. Not published: nothing that cleans text needs it.
//!
//! - Gold text: [`block_lessons`] and [`decision_lessons`] label pages and texts by means of it, with the words that
//!   [`alignment`] finds; [`article`] locates gold text in its page. `feeds` takes gold texts from the feeds of a
//!   crawl.
//! - Templates that are put into clean text ([`injection`]), and sources that are made of texts ([`made_sources`]).
//! - Templates that are found while documents arrive: [`stream_measuring`] cleans, [`removal`] judges the removals,
//!   [`recent`] is detection with a cache of pages, [`stream_figures`] has the figures by page, and [`line_chart`]
//!   draws them.
//! - Parts of pages: [`nodes`] judges the page-level model, and [`segments`] and [`importance`] judge models by what
//!   people marked; [`agreement`] compares groupings.

pub mod article;
pub mod alignment;
pub mod agreement;
pub mod line_chart;

pub mod injection;
pub mod made_sources;
pub mod block_lessons;
pub mod decision_lessons;
pub mod decision_table;

pub mod feeds;
pub mod nodes;
pub mod segments;
pub mod importance;

pub mod removal;
pub mod recent;
pub mod stream_figures;
pub mod stream_measuring;
