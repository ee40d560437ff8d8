//! Parts of HTML pages that the report and the review share.
//!
//! Takes plain data, gives [`Markup`](maud::Markup), which escapes its contents. Nothing here reads files, knows a
//! server or needs a script. There are no `style` attributes, so that a page may forbid them: drawings have their sizes
//! in presentation attributes, and all other styles are in [`STYLE`], which is put into the page itself.

pub mod charts;
pub mod chips;
pub mod marks;
pub mod report;
pub mod rows;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use dehusk_core::shown;

/// The style sheet of all pages. In it, a comment above each part shows the HTML that the part is for.
pub const STYLE: &str = include_str!("style.css");

/// A whole number in readable form: `12,345`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let comma = |at: usize| if at > 0 && (digits.len() - at).is_multiple_of(3) { "," } else { "" };
    digits.char_indices().flat_map(|(at, digit)| [comma(at).to_owned(), digit.to_string()]).collect()
}

/// A size in readable form: `1.2 MB`, with a no-break space.
pub fn size(bytes: usize) -> String {
    shown::size(bytes as u64).replace(' ', "\u{a0}")
}

/// A share in readable form: `48.1 %`, with a no-break space.
pub fn percent(share: f64) -> String {
    format!("{:.1}\u{a0}%", 100.0 * share)
}

/// The content security policy of a page: it may only use [`STYLE`], embedded in the page.
pub fn policy() -> String {
    let hash = STANDARD.encode(Sha256::digest(STYLE));
    format!("default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'")
}

#[cfg(test)]
mod testing;

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn the_style_sheet_needs_nothing_else() {
        for fetching in ["@import", "url(", "http", "@font-face", "</style", "<!--"] {
            assert!(!STYLE.contains(fetching), "{fetching}");
        }
    }

    /// The colours of each scheme: light, dark, paper.
    fn schemes() -> Vec<HashMap<&'static str, &'static str>> {
        let blocks = STYLE.split(":root {").skip(1).map(|block| block.split('}').next().unwrap());
        let colours = |block: &'static str| block.split(';').filter_map(|line| line.trim().split_once(": #"));
        let named = |(name, colour): (&'static str, &'static str)| (name.trim_start_matches('-'), colour);
        blocks.map(|block| colours(block).map(named).collect()).collect()
    }

    /// The relative luminance of a colour (WCAG 2).
    fn luminance(colour: &str) -> f64 {
        let long: String =
            if colour.len() == 3 { colour.chars().flat_map(|c| [c, c]).collect() } else { colour.into() };
        let channel = |at: usize| f64::from(u8::from_str_radix(&long[at..at + 2], 16).unwrap()) / 255.0;
        let linear = |value: f64| if value <= 0.03928 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) };
        0.2126 * linear(channel(0)) + 0.7152 * linear(channel(2)) + 0.0722 * linear(channel(4))
    }

    fn contrast(one: &str, other: &str) -> f64 {
        let (one, other) = (luminance(one), luminance(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    #[test]
    fn text_is_readable_in_every_scheme() {
        let coloured = ["removed", "unmatched", "matched", "accepted", "mutable", "raw"].map(|name| (name, "-ground"));
        let plain = ["ink", "quiet"].map(|text| ["ground", "surface", "raised"].map(|ground| (text, ground)));
        assert_eq!(schemes().len(), 3);
        for scheme in schemes() {
            for (text, ground) in plain.iter().flatten().chain(&coloured) {
                let ground = if ground.starts_with('-') { format!("{text}{ground}") } else { (*ground).to_owned() };
                let contrast = contrast(scheme[text], scheme[ground.as_str()]);
                assert!(contrast >= 4.5, "{text} on {ground}: {contrast:.1}");
            }
            assert!(
                contrast(scheme["edge"], scheme["surface"]) >= 3.0
                    && contrast(scheme["bars"], scheme["surface"]) >= 3.0
            );
        }
    }

    #[test]
    fn sizes_have_units() {
        assert_eq!([999, 1000, 1_250_000].map(size), ["999\u{a0}B", "1.0\u{a0}kB", "1.2\u{a0}MB"]);
        assert_eq!(size(3_000_000_000), "3.0\u{a0}GB");
    }

    #[test]
    fn a_page_may_fetch_and_run_nothing() {
        let policy = policy();
        assert!(policy.starts_with("default-src 'none'; style-src 'sha256-"), "{policy}");
        assert!(!policy.contains("unsafe") && !policy.contains("script"), "{policy}");
    }

    #[test]
    fn thousands_are_set_apart() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }
}
