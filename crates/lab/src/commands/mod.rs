//! The commands of the lab.

mod block_features;
pub mod blocks;
pub mod features;
pub mod feeds;
pub mod inject;
pub mod nodes;
pub mod segments;
pub mod stream;
pub mod train;
pub mod tree;
