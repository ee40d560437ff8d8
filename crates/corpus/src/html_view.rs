//! The views of an HTML document: which text is read from it, and how its cleaned copy is written.

/// Which text is read from an HTML document, and how the cleaned document is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum HtmlView {
    /// The text that a reader of the page sees, one line per block. The output is text, too.
    #[default]
    Text,
    /// The same text. The output is the page without the removed text, without the elements that this leaves empty, and
    /// without pictures that are boilerplate.
    Page,
    /// The same text. The output is the page without the removed text, as Markdown.
    Markdown,
    /// The same text. The output is a line of JSON, with the metadata that the page declares.
    Json,
    /// The markup itself.
    Markup,
}

impl HtmlView {
    /// Returns the view for callers that only read documents. Without output, the way from the text back to the page
    /// would waste memory.
    pub fn read_only(self) -> HtmlView {
        if self == HtmlView::Markup { self } else { HtmlView::Text }
    }

    /// Whether a cleaned page is written as text, not as HTML.
    pub(crate) fn is_written_as_text(self) -> bool {
        matches!(self, HtmlView::Text | HtmlView::Markdown | HtmlView::Json)
    }

    /// The extension of a file in which a cleaned page is written as text.
    pub(crate) fn text_extension(self) -> &'static str {
        if self == HtmlView::Markdown { "md" } else { "txt" }
    }

    /// Whether patterns can end articles. In markup they cannot, because the elements that are open at the end of an
    /// article are closed after it.
    #[doc(hidden)]
    pub fn has_ends(self) -> bool {
        !matches!(self, HtmlView::Page | HtmlView::Markup)
    }

    /// Whether this view gives the text that a reader of the page sees.
    #[doc(hidden)]
    pub fn is_text(self) -> bool {
        self != HtmlView::Markup
    }
}
