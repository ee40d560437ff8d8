//! How text is written at a place of a page.
//!
//! The same characters are text in one place and markup in another. A [`Syntax`] says which kind of place it is, and
//! how a character must be written there to be text. Where text was removed or inserted, the syntax repairs the joined
//! text, so that no part of it becomes markup.

/// The kind of place in the source at which a text is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Syntax {
    /// Markup, also inside `<textarea>`: tags and character references are possible here.
    #[default]
    Markup,
    /// The tag of a picture that ends an `<svg>` or `<math>` whose end tag is missing.
    EndOfForeign,
    /// The raw text of `<xmp>`, which ends at the end tag.
    Raw,
    /// The raw text of `<plaintext>`, which never ends.
    Plain,
    /// A CDATA section.
    Section,
    /// The value of an attribute in quotes.
    Quoted,
    /// The value of an attribute without quotes.
    Unquoted,
}

impl Syntax {
    /// How a character is written here, if not as itself. A line break becomes a space, because most places show it as
    /// a space.
    pub(super) fn written(self, char: char) -> Option<&'static str> {
        let is_value = matches!(self, Syntax::Quoted | Syntax::Unquoted);
        let knows_references = is_value || matches!(self, Syntax::Markup | Syntax::EndOfForeign);
        match char {
            '&' if knows_references => Some("&amp;"),
            '<' if knows_references => Some("&lt;"),
            '>' if knows_references => Some("&gt;"),
            '"' if is_value => Some("&quot;"),
            '\'' if is_value => Some("&#39;"),
            ' ' | '\t' | '\n' | '\x0C' | '\r' if self == Syntax::Unquoted => Some("&#32;"),
            '\t' | '\n' | '\x0C' | '\r' => Some(" "),
            _ => None,
        }
    }

    /// Repairs the end of `page`, from `start` on, before `next` is added. In the source, `next` did not follow there.
    ///
    /// A `<` that would open a tag, and an `&` that would start a reference, become references. A reference that would
    /// continue in `next` gets a `;`. Raw text has no references, so a space is put into any characters that would end
    /// it. `reference` takes a number of bytes before the end of the page. It returns the length of the named reference
    /// that starts there, if any.
    pub(super) fn mend(self, page: &mut String, start: usize, next: &str, reference: impl Fn(usize) -> Option<usize>) {
        match self {
            Syntax::Markup | Syntax::EndOfForeign => {
                mend_tag(page, start, next);
                mend_reference(page, start, next, reference, false);
            }
            Syntax::Quoted | Syntax::Unquoted => mend_reference(page, start, next, reference, true),
            Syntax::Raw => part::<6>(page, next, ends_xmp),
            Syntax::Section => part::<3>(page, next, |bytes| bytes == b"]]>"),
            Syntax::Plain => {}
        }
    }
}

fn mend_tag(page: &mut String, start: usize, next: &str) {
    let text = &page[start..];
    let before_name = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let before_slash = before_name.strip_suffix('/');
    let has_name = before_name.len() < text.len();
    let Some(before) = before_slash.unwrap_or(before_name).strip_suffix('<') else {
        return;
    };
    let at = start + before.len();
    let opens = match (before_slash.is_some(), has_name) {
        (false, false) => next.starts_with(|c: char| c.is_ascii_alphabetic() || "/!?".contains(c)),
        (true, false) => true,
        (true, true) => next.starts_with(|c: char| c.is_ascii_alphabetic() || ends_name(c)),
        (false, true) => false,
    };
    if opens {
        page.replace_range(at..=at, "&lt;");
    }
}

fn ends_name(char: char) -> bool {
    matches!(char, '\t' | '\n' | '\x0C' | '\r' | ' ' | '/' | '>')
}

fn mend_reference(
    page: &mut String,
    start: usize,
    next: &str,
    reference: impl Fn(usize) -> Option<usize>,
    in_value: bool,
) {
    let text = &page[start..];
    let before_name = text.trim_end_matches(|c: char| c.is_ascii_alphanumeric());
    let before_name = before_name.strip_suffix('#').unwrap_or(before_name);
    let Some(before) = before_name.strip_suffix('&') else {
        return;
    };
    let at = start + before.len();
    let name = &page[at + 1..];
    let goes_on = next.starts_with(|c: char| c.is_ascii_alphanumeric() || c == ';');
    let len = number_len(name).map(|len| len + 1).or_else(|| reference(page.len() - at));
    match len {
        Some(len) if goes_on || in_value && next.starts_with('=') => page.insert(at + len, ';'),
        // In a value, a name such as `&copy` is not a reference if letters follow it. If these letters were removed,
        // the name would become a reference. So its `&` is escaped, whatever follows now.
        None if goes_on || next.starts_with('#') || in_value && !name.is_empty() => page.insert_str(at + 1, "amp;"),
        _ => {}
    }
}

/// The length of a numeric reference after the `&`, with its `#`. `None` if the name is not numeric.
fn number_len(name: &str) -> Option<usize> {
    let number = name.strip_prefix('#')?;
    let hexadecimal = number.strip_prefix(['x', 'X']);
    let is_digit = |c: &char| c.is_digit(if hexadecimal.is_some() { 16 } else { 10 });
    let digits = hexadecimal.unwrap_or(number).chars().take_while(is_digit).count();
    let len = name.len() - hexadecimal.unwrap_or(number).len() + digits;
    (digits > 0).then_some(len)
}

/// Puts a space after the first byte of an end mark of `LEN` bytes, if `page` and `next` together form one.
fn part<const LEN: usize>(page: &mut String, next: &str, is_end: impl Fn(&[u8; LEN]) -> bool) {
    let start = page.len().saturating_sub(LEN - 1);
    let after = &next.as_bytes()[..next.len().min(LEN - 1)];
    let joined = [&page.as_bytes()[start..], after].concat();
    let mut windows = joined.windows(LEN).filter_map(|window| window.try_into().ok());
    if let Some(at) = windows.position(is_end) {
        page.insert(start + at + 1, ' ');
    }
}

fn ends_xmp(bytes: &[u8; 6]) -> bool {
    let [name @ .., last] = bytes;
    name.eq_ignore_ascii_case(b"</xmp") && ends_name(char::from(*last))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Joins the texts on both sides of the `|`. The known named references are `&copy` and `&not`.
    #[track_caller]
    fn joins(syntax: Syntax, parted: &str, expected: &str) {
        let (before, next) = parted.split_once('|').expect("a place");
        let mut page = before.to_owned();
        let reference = |back: usize| {
            let rest = &before[before.len() - back..];
            ["&copy", "&not"].iter().find(|name| rest.starts_with(**name)).map(|name| name.len())
        };
        syntax.mend(&mut page, 0, next, reference);
        assert_eq!(page + next, expected, "{parted}");
    }

    #[test]
    fn no_tag_comes_about_in_markup() {
        joins(Syntax::Markup, "1 <|b>", "1 &lt;b>");
        joins(Syntax::Markup, "1 <|/b>", "1 &lt;/b>");
        joins(Syntax::Markup, "1 <|!--", "1 &lt;!--");
        joins(Syntax::Markup, "</|1", "&lt;/1");
        joins(Syntax::Markup, "</text|area>", "&lt;/textarea>");
        joins(Syntax::Markup, "</textarea|\n", "&lt;/textarea\n");
    }

    #[test]
    fn what_is_no_tag_stays() {
        for parted in ["1 <| 2", "1 <|<b>", "<b>|c", "<b|>", "</b|.", "a/b|/", "/|b"] {
            joins(Syntax::Markup, parted, &parted.replace('|', ""));
        }
        joins(Syntax::Quoted, "<|b", "<b");
    }

    #[test]
    fn no_reference_comes_about() {
        for syntax in [Syntax::Markup, Syntax::Quoted, Syntax::Unquoted] {
            joins(syntax, "a &|lt;", "a &amp;lt;");
            joins(syntax, "a &l|t;", "a &amp;lt;");
            joins(syntax, "a &|#60;", "a &amp;#60;");
            joins(syntax, "a &#|60;", "a &amp;#60;");
            joins(syntax, "a &#x|3c;", "a &amp;#x3c;");
        }
        joins(Syntax::Quoted, "&lt|\"", "&amp;lt\"");
    }

    #[test]
    fn references_end_where_they_ended() {
        for syntax in [Syntax::Markup, Syntax::Quoted, Syntax::Unquoted] {
            joins(syntax, "&#6|0", "&#6;0");
            joins(syntax, "&#x6|c", "&#x6;c");
            joins(syntax, "&copy|;", "&copy;;");
        }
        joins(Syntax::Markup, "&not|in;", "&not;in;");
        joins(Syntax::Markup, "&noti|n;", "&not;in;");
        joins(Syntax::Quoted, "&copy|=", "&copy;=");
    }

    #[test]
    fn what_is_no_reference_stays() {
        for parted in ["a & |b", "a &|<b>", "&copy| 1", "&copy;|b", "&#60;|1", "a#|1", "&copy|="] {
            joins(Syntax::Markup, parted, &parted.replace('|', ""));
        }
        joins(Syntax::Raw, "&|lt;", "&lt;");
    }

    #[test]
    fn raw_text_and_sections_do_not_end() {
        joins(Syntax::Raw, "</x|MP>", "< /xMP>");
        joins(Syntax::Raw, "</xmp|/", "< /xmp/");
        joins(Syntax::Raw, "</xmp|s </xmp>", "</xmps </xmp>");
        joins(Syntax::Raw, "<|</xmp>", "<</xmp>");
        joins(Syntax::Section, "a]|]>", "a] ]>");
        joins(Syntax::Section, "a]|]]>", "a]]]>");
        joins(Syntax::Plain, "</|plaintext>", "</plaintext>");
    }
}
