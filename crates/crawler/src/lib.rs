//! A polite crawler. It takes URLs, feeds and sitemaps, and writes WARC files.
//!
//! It knows nothing of boilerplate: other programs read what it writes.

pub mod address;
pub mod feed;
pub mod links;
pub mod robots;
pub mod sitemap;

mod date;
mod xml;
