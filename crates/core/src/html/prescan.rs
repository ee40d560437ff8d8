//! Finds the encoding that a page declares.

/// Number of bytes in which a declaration is searched for. Browsers search 1024 bytes, but pages with a long head have
/// the declaration later.
const BYTES_SCANNED_FOR_ENCODING: usize = 4096;

/// The label of the encoding that an HTML page declares, in a `<meta>` tag or else in an XML declaration.
///
/// This is the prescan of the HTML standard: it skips comments, and ignores declarations inside attribute values. The
/// label may name an encoding that does not exist. A label of UTF-16 becomes "utf-8", because a page in UTF-16 could
/// not be read here.
pub fn declared_encoding(bytes: &[u8]) -> Option<&str> {
    let head = &bytes[..bytes.len().min(BYTES_SCANNED_FOR_ENCODING)];
    meta_encoding(head).or_else(|| xml_encoding(head))
}

fn meta_encoding(mut rest: &[u8]) -> Option<&str> {
    loop {
        rest = &rest[find(rest, b"<")?..];
        if rest.starts_with(b"<!--") {
            rest = &rest[2 + find(&rest[2..], b"-->")?..];
        } else if let Some(inside) = after_meta(rest) {
            let mut attributes = Attributes { rest: inside };
            let label = meta_label(&mut attributes);
            rest = attributes.rest;
            if label.is_some() && !rest.is_empty() {
                return label;
            }
        } else if let Some(inside) = after_tag_name(rest) {
            let mut attributes = Attributes { rest: inside };
            attributes.by_ref().for_each(drop);
            rest = attributes.rest;
        } else if matches!(rest.get(1), Some(b'!' | b'/' | b'?')) {
            rest = &rest[find(rest, b">")?..];
        } else {
            rest = &rest[1..];
        }
    }
}

/// The text after `<meta` and the white space or slash that follows it.
fn after_meta(text: &[u8]) -> Option<&[u8]> {
    let inside = strip_prefix_ignoring_case(text, b"<meta")?;
    inside.strip_prefix(&[*inside.first().filter(|&&b| is_space(b) || b == b'/')?])
}

/// The text after the name of a start or end tag.
fn after_tag_name(text: &[u8]) -> Option<&[u8]> {
    let text = text.strip_prefix(b"<")?;
    let name = text.strip_prefix(b"/").unwrap_or(text);
    name.first().filter(|byte| byte.is_ascii_alphabetic())?;
    let end = name.iter().position(|&byte| is_space(byte) || byte == b'>');
    Some(&name[end.unwrap_or(name.len())..])
}

/// The label in the attributes of a `<meta>`. A `content` attribute counts only together with
/// `http-equiv="content-type"`.
fn meta_label<'a>(attributes: &mut Attributes<'a>) -> Option<&'a str> {
    let mut is_content_type = false;
    let mut charset = None;
    let mut content = None;
    for (name, value) in attributes {
        if name.eq_ignore_ascii_case(b"http-equiv") {
            is_content_type |= value.eq_ignore_ascii_case(b"content-type");
        } else if name.eq_ignore_ascii_case(b"charset") {
            charset = charset.or(Some(value));
        } else if name.eq_ignore_ascii_case(b"content") {
            content = content.or_else(|| charset_in_content(value));
        }
    }
    label(charset.or(content.filter(|_| is_content_type))?)
}

/// The attributes of a tag, up to its `>`. The `>` is left in `rest`.
struct Attributes<'a> {
    rest: &'a [u8],
}

impl<'a> Iterator for Attributes<'a> {
    type Item = (&'a [u8], &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        self.skip(|byte| is_space(byte) || byte == b'/');
        if matches!(self.rest.first(), None | Some(b'>')) {
            return None;
        }
        let name = self.name();
        self.skip(is_space);
        let Some(value) = self.rest.strip_prefix(b"=") else {
            return Some((name, b""));
        };
        self.rest = value;
        self.skip(is_space);
        Some((name, self.value()))
    }
}

impl<'a> Attributes<'a> {
    /// An attribute name, which may start with a `=`.
    fn name(&mut self) -> &'a [u8] {
        let ends = |&byte: &u8| is_space(byte) || matches!(byte, b'/' | b'>' | b'=');
        let end = self.rest.iter().skip(1).position(ends);
        self.take(end.map_or(self.rest.len(), |end| end + 1))
    }

    fn value(&mut self) -> &'a [u8] {
        match self.rest.first() {
            Some(&quote @ (b'"' | b'\'')) => {
                self.take(1);
                let value = self.take_until(|byte| byte == quote);
                self.take(1);
                value
            }
            _ => self.take_until(|byte| is_space(byte) || byte == b'>'),
        }
    }

    fn skip(&mut self, skipped: impl Fn(u8) -> bool) {
        self.take_until(|byte| !skipped(byte));
    }

    fn take_until(&mut self, ends: impl Fn(u8) -> bool) -> &'a [u8] {
        let end = self.rest.iter().position(|&byte| ends(byte));
        self.take(end.unwrap_or(self.rest.len()))
    }

    fn take(&mut self, len: usize) -> &'a [u8] {
        let (taken, rest) = self.rest.split_at(len.min(self.rest.len()));
        self.rest = rest;
        taken
    }
}

/// The charset in a `content` attribute such as `text/html; charset=utf-8`.
fn charset_in_content(mut content: &[u8]) -> Option<&[u8]> {
    loop {
        content = &content[find(content, b"charset")? + b"charset".len()..];
        let value = content.trim_ascii_start().strip_prefix(b"=");
        if let Some(value) = value {
            return unquoted(value.trim_ascii_start());
        }
    }
}

/// A value in quotes, or up to white space or a semicolon.
fn unquoted(value: &[u8]) -> Option<&[u8]> {
    match value.first()? {
        quote @ (b'"' | b'\'') => {
            let value = &value[1..];
            Some(&value[..find(value, &[*quote])?])
        }
        _ => value.split(|&byte| is_space(byte) || byte == b';').next(),
    }
}

/// The encoding in `<?xml version="1.0" encoding="..."?>`.
fn xml_encoding(bytes: &[u8]) -> Option<&str> {
    let declaration = bytes.strip_prefix(b"<?xml")?;
    let declaration = &declaration[..find(declaration, b">")?];
    let encoding = &declaration[find(declaration, b"encoding")? + b"encoding".len()..];
    let value = encoding.trim_ascii_start().strip_prefix(b"=")?;
    let value = value.trim_ascii_start();
    value.first().filter(|byte| matches!(byte, b'"' | b'\''))?;
    label(unquoted(value)?)
}

fn label(value: &[u8]) -> Option<&str> {
    let label = std::str::from_utf8(value.trim_ascii()).ok()?;
    let is_utf16 = strip_prefix_ignoring_case(label.as_bytes(), b"utf-16").is_some();
    match label {
        "" => None,
        _ if is_utf16 => Some("utf-8"),
        _ => Some(label),
    }
}

/// The position of a word, ignoring case.
fn find(text: &[u8], word: &[u8]) -> Option<usize> {
    let mut places = text.windows(word.len());
    places.position(|place| place.eq_ignore_ascii_case(word))
}

fn strip_prefix_ignoring_case<'a>(text: &'a [u8], prefix: &[u8]) -> Option<&'a [u8]> {
    let (start, rest) = text.split_at_checked(prefix.len())?;
    start.eq_ignore_ascii_case(prefix).then_some(rest)
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\x0C' | b'\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn declares(html: &str, expected: Option<&str>) {
        assert_eq!(declared_encoding(html.as_bytes()), expected, "{html}");
    }

    #[test]
    fn meta_charset() {
        declares("<meta charset=utf-8>", Some("utf-8"));
        declares("<html><head><META/CharSet = ' Latin1 ' >", Some("Latin1"));
        declares("<meta name=x charset=\"big5\" charset=no>", Some("big5"));
        declares("<metal charset=utf-8>", None);
        declares("<meta charset=''><meta charset=koi8-r>", Some("koi8-r"));
    }

    #[test]
    fn meta_content_type() {
        let tag = "<meta http-equiv=Content-Type content=\"text/html; charset=gbk\">";
        declares(tag, Some("gbk"));
        let tag = "<meta content=\"charset charset = 'gbk'; x\" http-equiv='content-type'>";
        declares(tag, Some("gbk"));
        declares("<meta content='text/html; charset=gbk'>", None);
        declares("<meta http-equiv=content-type content='charset=\"x'>", None);
    }

    #[test]
    fn comments_and_values_do_not_count() {
        declares("<!-- <meta charset=a> --><meta charset=b>", Some("b"));
        declares("<!--><meta charset=b>", Some("b"));
        declares("<!-- <meta charset=a>", None);
        declares("<a title='<meta charset=a>'><meta charset=b>", Some("b"));
        declares("<? <meta charset=a> ?><meta charset=b>", Some("b"));
        declares("a < b </ <! > <meta charset=b>", Some("b"));
    }

    #[test]
    fn xml_declaration() {
        let xml = "<?xml version='1.0' encoding = \"ISO-8859-2\"?><html>";
        declares(xml, Some("ISO-8859-2"));
        declares(&format!("{xml}<meta charset=b>"), Some("b"));
        declares(" <?xml encoding='a'?>", None);
        declares("<?xml encoding=a?>", None);
        declares("<?xml version='1.0'?>", None);
    }

    #[test]
    fn utf16_cannot_be_true() {
        declares("<meta charset=UTF-16LE>", Some("utf-8"));
    }

    #[test]
    fn only_the_start_counts() {
        let late = format!("{}<meta charset=a>", " ".repeat(BYTES_SCANNED_FOR_ENCODING));
        declares(&late, None);
    }

    #[test]
    fn no_prefix_panics() {
        let html = b"<?xml encoding='a'?><!-- x --><a b = 'c' d></a><! x>\xff\
            <meta http-equiv=content-type content='text/html; charset=\"a\"'>";
        for end in 0..html.len() {
            let declared = declared_encoding(&html[..end]);
            assert!(matches!(declared, None | Some("a")), "{end}");
        }
    }
}
