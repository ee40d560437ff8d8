//! The place of templates in documents, computed by [`places`](crate::selection::places).

/// The end of the document where a pattern has its place: templates stand there one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Place {
    /// At the head of the document.
    Head,
    /// At its tail.
    Tail,
    /// At both.
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
