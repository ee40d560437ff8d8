//! The place of templates in documents, computed by [`places`](crate::selection::places).

/// Where a pattern stands in nearly all documents that have it: at the head, at the tail, or at one of the two.
/// Templates stand there one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Place {
    /// At the head of the document.
    Head,
    /// At its tail.
    Tail,
    /// At the head or at the tail.
    Ends,
}

impl Place {
    /// All places, the narrower ones first.
    #[doc(hidden)]
    pub const ALL: [Place; 3] = [Place::Head, Place::Tail, Place::Ends];

    /// The name in a pattern file.
    pub fn name(self) -> &'static str {
        match self {
            Place::Head => "head",
            Place::Tail => "tail",
            Place::Ends => "ends",
        }
    }

    /// Whether it includes the head.
    #[doc(hidden)]
    pub fn is_head(self) -> bool {
        self != Place::Tail
    }

    /// Whether it includes the tail.
    #[doc(hidden)]
    pub fn is_tail(self) -> bool {
        self != Place::Head
    }
}
