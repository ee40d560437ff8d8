//! URLs as the crawler compares them.

use url::Url;

/// An `http` or `https` URL in one of its equal spellings: without a fragment, without session ids, with as few escapes as possible.
///
/// Two pages with the same address are one page.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address {
    url: Url,
}

/// Why a URL is not visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// It cannot be parsed.
    #[error("it is not a URL")]
    Malformed,
    /// Its scheme is another.
    #[error("only http and https URLs are visited")]
    OtherScheme,
    /// It is longer than [`Address::LONGEST`].
    #[error("it is longer than {} bytes", Address::LONGEST)]
    TooLong,
    /// It has a user name or a password.
    #[error("it has a user name or a password")]
    Credentials,
    /// Its path repeats itself, or has very many parts.
    #[error("its path repeats itself or is very deep, like those that pages make without an end")]
    Trap,
}

impl Address {
    /// Length of the longest URL that is visited, in bytes.
    pub const LONGEST: usize = 2048;

    /// Parses an absolute URL.
    pub fn parse(text: &str) -> Result<Address, AddressError> {
        todo!("{text}")
    }

    /// The address of what a page at this address links to.
    pub fn join(&self, link: &str) -> Result<Address, AddressError> {
        todo!("{link}")
    }

    /// The URL.
    pub fn as_str(&self) -> &str {
        self.url.as_str()
    }

    /// The URL, parsed.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// Scheme, host and port: what one robots.txt is for. Such as `https://www.paper.example`, or `http://paper.example:8080`.
    pub fn origin(&self) -> String {
        todo!()
    }

    /// The host, without the port. An IPv6 address has no brackets.
    pub fn host(&self) -> &str {
        todo!()
    }

    /// The registered domain of the host by the public suffix list, such as `paper.co.uk` for `www.paper.co.uk`; the host itself if it
    /// is an IP address, or a public suffix.
    pub fn domain(&self) -> &str {
        todo!()
    }
}
