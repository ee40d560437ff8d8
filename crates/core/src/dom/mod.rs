//! Pages as trees: what the structure of a page says about its parts.
//!
//! Trees come in, and scores, labels and groups of nodes come out. Nothing is mined or removed here. Knowledge about
//! the text comes in as ranges of the text.

pub mod facts;
pub mod features;
pub mod selector;
pub mod site_level;
pub mod isotonic;
pub mod page_level;
pub mod naming;
pub mod blocks;
pub mod block_features;
pub mod block_places;
pub mod page_parts;
pub mod block_model;
pub mod page_judge;
