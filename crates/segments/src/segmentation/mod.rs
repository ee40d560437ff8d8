//! Divides pages into segments that look and read as one thing (D. Chakrabarti, R. Kumar, K. Punera, "A graph-theoretic
//! approach to webpage segmentation", WWW 2008), and into the blocks that people see ([`vision`]).

pub mod parts;
pub mod neighbours;
pub mod features;
pub mod grouping;
pub mod model;
pub mod simple;
pub mod vision;
pub mod segmenter;
pub mod paths;
pub mod record;
pub mod marked_range;
pub mod energy;
pub mod max_flow;
pub mod expansion;
pub mod correlation;
pub mod laws;
