//! What patterns do to their own documents: tried on a sample of them, and chosen by that.
//!
//! Takes a source's pattern file, as it was just mined, and texts of the source ([`sampling`]). Gives the file with what can
//! be relied on ([`trust`], [`places`], [`values`]), without the patterns that nobody needs ([`thinning`]), and with marks on
//! those that articles end before ([`ends`]). What the chosen patterns remove is for people to see ([`effects`], [`warnings`]).
//!
//! Mining and cleaning know nothing of it.

pub mod effects;
pub mod ends;
pub mod places;
pub mod sampling;
pub mod thinning;
pub mod trust;
pub mod values;
pub mod warnings;
