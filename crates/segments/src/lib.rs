//! Divides pages into parts that people see as one thing.
//!
//! This crate is for the other crates of the workspace, and promises others no stable interface. [`segmentation`]
//! divides pages (Chakrabarti, Kumar and Punera, WWW 2008; VIPS, Cai et al. 2003), [`importance`] says how important
//! each block is (Song et al., WWW 2004), [`learners`] fit their models.

pub mod importance;
pub mod learners;
pub mod segmentation;
