//! A polite crawler. It takes URLs, feeds and sitemaps, and writes WARC files.
//!
//! The crawler knows nothing of boilerplate: other programs read the files that it writes.

pub mod address;
pub mod archive;
pub mod crawl;
pub mod examine;
pub mod feed;
pub mod fetch;
pub mod frontier;
pub mod http;
pub mod lanes;
pub mod links;
pub mod public;
pub mod record;
pub mod resolve;
pub mod robots;
pub mod sitemap;

mod date;
mod xml;
