//! Feeds: RSS, Atom and JSON Feed.

use std::time::Duration;

use chrono::{DateTime, Utc};

use crate::address::Address;

/// A feed.
#[derive(Clone, Debug, PartialEq)]
pub struct Feed {
    /// In the order of the feed.
    pub entries: Vec<Entry>,
    /// How often it asks to be read: `ttl`, or `sy:updatePeriod` divided by `sy:updateFrequency`.
    pub interval: Option<Duration>,
}

/// An entry of a feed.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The address of its page.
    pub page: Address,
    /// The later one of when it was published and updated.
    pub date: Option<DateTime<Utc>>,
    /// Its title, as plain text.
    pub title: Option<String>,
    /// Its content as HTML: what the feed gives as content, or else as summary or description.
    pub html: Option<String>,
    /// Whether the feed gives it as the content (`content:encoded`, Atom `content`, `content_html`), and not as a summary.
    pub is_content: bool,
}

/// Reads a feed that was found at this address. `None` if it is none. Entries without a page that can be visited are left out.
pub fn parse(bytes: &[u8], address: &Address) -> Option<Feed> {
    todo!("{bytes:?} {address:?}")
}
