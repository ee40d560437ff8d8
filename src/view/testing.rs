//! Reads the text in a piece of HTML.

/// Its text, without tags and escapes.
pub fn text_of(html: &str) -> String {
    let mut text = String::new();
    for (index, part) in html.split('<').enumerate() {
        text.push_str(if index == 0 { part } else { part.split_once('>').map_or(part, |(_, after)| after) });
    }
    unescaped(&text)
}

/// Reverses maud's escapes.
fn unescaped(text: &str) -> String {
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"");
    text.replace("&amp;", "&")
}
