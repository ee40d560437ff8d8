//! How text is written at a place of a page.

/// What the text at a place of the source is part of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Syntax {
    /// Markup, also that of `<textarea>`: tags may start here, and characters be references.
    #[default]
    Markup,
    /// The raw text of `<xmp>`, which its end tag ends.
    Raw,
    /// The raw text of `<plaintext>`, which nothing ends.
    Plain,
    /// A CDATA section.
    Section,
    /// An attribute's value within quotes.
    Quoted,
    /// An attribute's value without quotes.
    Unquoted,
}
