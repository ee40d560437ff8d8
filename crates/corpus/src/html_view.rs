//! What the text of an HTML document is, and all that follows from it.

/// What the text of an HTML document is, and what a cleaned one is written as.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum HtmlView {
    /// The text that a reader of the page sees, one line per block. What is written is text too.
    #[default]
    Text,
    /// The same text. What is written is the page without the text that was removed, the elements that are empty then,
    /// and pictures that are boilerplate.
    Page,
    /// The same text. What is written is the page without the text that was removed, as Markdown.
    Markdown,
    /// The same text. What is written is a line of JSON, with what the page says about itself.
    Json,
    /// The markup itself.
    Markup,
}

impl HtmlView {
    /// The view for those who read documents and write none: a way back to the page takes memory.
    pub fn read_only(self) -> HtmlView {
        if self == HtmlView::Markup { self } else { HtmlView::Text }
    }

    /// Whether a cleaned page is written as text, and is no HTML any more.
    pub(crate) fn is_written_as_text(self) -> bool {
        matches!(self, HtmlView::Text | HtmlView::Markdown | HtmlView::Json)
    }

    /// The extension of a file in which a cleaned page is written as text.
    pub(crate) fn text_extension(self) -> &'static str {
        if self == HtmlView::Markdown { "md" } else { "txt" }
    }

    /// Whether patterns can end articles. In markup they cannot: elements that are open when an article ends are closed
    /// after it.
    #[doc(hidden)]
    pub fn has_ends(self) -> bool {
        !matches!(self, HtmlView::Page | HtmlView::Markup)
    }

    /// Whether it is the text that a reader of the page sees.
    #[doc(hidden)]
    pub fn is_text(self) -> bool {
        self != HtmlView::Markup
    }
}
