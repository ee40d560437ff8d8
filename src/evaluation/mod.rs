//! How good dehusk is, measured against text that is known to be right.
//!
//! The experiments of the literature ask what cleaning is good for: whether the same article is recognised under the
//! templates of two sites ([`duplicates`], [`mirrors`]), and whether articles rather than sites form clusters
//! ([`clusters`]). Their material is made of pages and their gold text ([`twins`]). Nothing here mines or cleans: texts
//! come in, figures go out, and the same seed gives the same figures on every machine.

pub mod article;
pub mod clusters;
pub mod duplicates;
pub mod edit_distance;
pub mod k_means;
pub mod mirrors;
pub mod random;
pub mod twins;
pub mod words;
