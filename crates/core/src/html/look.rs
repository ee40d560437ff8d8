//! The visibility of an element according to its attributes.

/// The visibility of an element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Look {
    #[default]
    Shown,
    /// Invisible, but it takes space on the page: `visibility: hidden`.
    Blank,
    /// Not displayed at all: `display: none`, or the `hidden` attribute.
    Gone,
}

impl Look {
    /// The visibility that a `style` attribute gives.
    pub(super) fn of_style(style: &[u8]) -> Look {
        let mut display = Winner::default();
        let mut visibility = Winner::default();
        for (property, value) in style.split(|&byte| byte == b';').filter_map(declaration) {
            match property.len() {
                7 if property.eq_ignore_ascii_case(b"display") => display.hear(value),
                10 if property.eq_ignore_ascii_case(b"visibility") => visibility.hear(value),
                _ => {}
            }
        }
        if display.is(b"none") {
            Look::Gone
        } else if visibility.is(b"hidden") || visibility.is(b"collapse") {
            Look::Blank
        } else {
            Look::Shown
        }
    }
}

/// Of the values that a style gives to a property, the one that wins.
#[derive(Default)]
struct Winner<'a> {
    value: &'a [u8],
    important: bool,
}

impl<'a> Winner<'a> {
    /// Adds a value. The last value wins, unless an earlier one is `!important` and this one is not.
    fn hear(&mut self, value: &'a [u8]) {
        let mut parts = value.splitn(2, |&byte| byte == b'!');
        let value = parts.next().unwrap_or_default().trim_ascii();
        let flag = parts.next().unwrap_or_default().trim_ascii();
        let important = flag.eq_ignore_ascii_case(b"important");
        if important || !self.important {
            *self = Winner { value, important };
        }
    }

    fn is(&self, value: &[u8]) -> bool {
        self.value.eq_ignore_ascii_case(value)
    }
}

/// The property and the value of a declaration.
fn declaration(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let colon = text.iter().position(|&byte| byte == b':')?;
    Some((text[..colon].trim_ascii(), &text[colon + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn look(style: &str, expected: Look) {
        assert_eq!(Look::of_style(style.as_bytes()), expected, "{style}");
    }

    #[test]
    fn display_none_is_gone() {
        look("display:none", Look::Gone);
        look("color: red; DISPLAY : None ;", Look::Gone);
        look("display:none!important", Look::Gone);
        look("display: none ! Important; x", Look::Gone);
    }

    #[test]
    fn visibility_hidden_is_blank() {
        look("visibility:hidden", Look::Blank);
        look("visibility: collapse", Look::Blank);
        look("visibility:hidden; display:none", Look::Gone);
    }

    #[test]
    fn others_are_shown() {
        look("", Look::Shown);
        look(";;:;display", Look::Shown);
        look("display:block; overflow:hidden", Look::Shown);
        look("background:url(display:none)", Look::Shown);
    }

    #[test]
    fn the_last_or_important_declaration_wins() {
        look("display:none;display:block", Look::Shown);
        look("display:none!important;display:block", Look::Gone);
    }
}
