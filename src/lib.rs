//! dehusk learns the boilerplate that a text source repeats and strips it.

#[cfg(any())]
pub mod corpus;
pub mod tokens;
pub mod mining;
pub mod patterns;
pub mod cleaning;
