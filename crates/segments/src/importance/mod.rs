//! How important the blocks of a page are (R. Song, H. Liu, J.-R. Wen, W.-Y. Ma, "Learning block importance models for web
//! pages", WWW 2004).
//!
//! | level | what it is |
//! |---|---|
//! | 1 | noise: advertisements, copyright, decoration |
//! | 2 | useful, but not about the topic of the page: navigation |
//! | 3 | about the topic, not prominent: related topics |
//! | 4 | most prominent: headlines, the main text |

pub mod features;
pub mod model;
pub mod record;
