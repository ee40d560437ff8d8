//! dehusk learns the boilerplate that a text source repeats and strips it.

pub mod cleaning;
pub mod corpus;
pub mod mining;
pub mod patterns;
pub mod tokens;
