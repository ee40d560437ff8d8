//! Parts of HTML pages that the report and the review share.
//!
//! Takes plain data, gives [`Markup`](maud::Markup), which escapes whatever it is given. Nothing here reads files or
//! knows a server, and nothing needs a script. There are no `style` attributes, so that a page may forbid them: sizes of
//! what is drawn stand in presentation attributes, all looks in [`STYLE`], which is meant to stand in the page itself.

pub mod charts;
pub mod chips;
pub mod marks;

/// The style sheet of all pages. Above each of its parts stands the HTML that it is for.
pub const STYLE: &str = include_str!("style.css");

/// A whole number as people read it: `12,345`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let comma = |at: usize| if at > 0 && (digits.len() - at).is_multiple_of(3) { "," } else { "" };
    digits.char_indices().flat_map(|(at, digit)| [comma(at).to_owned(), digit.to_string()]).collect()
}

#[cfg(test)]
mod testing;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_apart() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }
}
