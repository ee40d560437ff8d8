//! The links of a page.

use crate::address::Address;

/// What a page links to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Links {
    /// Other pages, each once, in the order of the page. Links with `rel=nofollow` are left out.
    pub pages: Vec<Address>,
    /// Feeds: `<link rel=alternate>` with the type of a feed.
    pub feeds: Vec<Address>,
    /// Whether the page forbids that its links are followed: `<meta name=robots content=nofollow>`. Then there are none.
    pub is_nofollow: bool,
}

/// Finds the links of a page at this address, with the base that it declares. `charset` is the one of its `Content-Type`.
pub fn links(html: &[u8], charset: Option<&str>, address: &Address) -> Links {
    todo!("{html:?} {charset:?} {address:?}")
}
