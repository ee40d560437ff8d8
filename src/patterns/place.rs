//! Where templates stand in documents. [`places`](crate::places) finds it out.

/// Where a pattern has its place in documents, if it has one: there stand templates, one after the other, up to an end of
/// the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Place {
    /// At the head of the document.
    Head,
    /// At its tail.
    Tail,
    /// At either.
    Ends,
}

impl Place {
    /// Every one, the narrower first.
    pub const ALL: [Place; 3] = [Place::Head, Place::Tail, Place::Ends];

    /// As it stands in a pattern file.
    pub fn name(self) -> &'static str {
        match self {
            Place::Head => "head",
            Place::Tail => "tail",
            Place::Ends => "ends",
        }
    }

    /// Whether it is at the head.
    pub fn is_head(self) -> bool {
        self != Place::Tail
    }

    /// Whether it is at the tail.
    pub fn is_tail(self) -> bool {
        self != Place::Head
    }
}
