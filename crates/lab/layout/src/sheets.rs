//! What browsers do by default and blitz does not: attributes of old pages that say how things look, and quirks.

use std::collections::BTreeSet;

use blitz_dom::{BaseDocument, NodeId, UserAgentStylesheet};

/// What browsers do otherwise on pages that declare no newer version of HTML, as far as a style sheet can say it. See
/// <https://html.spec.whatwg.org/multipage/rendering.html>. blitz draws all pages as if they declared one.
const QUIRKS: &str = "
    table { white-space: normal; line-height: normal; font-weight: normal; font-size: medium; font-style: normal;
        text-align: start }
    input:not([type=image i]), textarea { box-sizing: border-box }
    form { margin-block-end: 1em }
    img[align=left i] { margin-right: 3px }
    img[align=right i] { margin-left: 3px }
";
/// How lists to choose from look.
const FORMS: &str =
    "select { font-size: 13.3333px; font-weight: 400; font-style: normal; color: #000; background-color: #fff }";
/// The sizes of `<font size>`, from 1.
const FONT_SIZES: [&str; 7] = ["x-small", "small", "medium", "large", "x-large", "xx-large", "xxx-large"];
/// The size that `+1` and `-1` are relative to.
const USUAL_SIZE: i8 = 3;
/// The largest spacing of tables. Larger ones are rare.
const LARGEST_SHEET: usize = 50;

/// The style sheets of the browser.
pub fn sheets(page: &str) -> Vec<UserAgentStylesheet> {
    let mut sheets = vec![UserAgentStylesheet::default_sheet(), UserAgentStylesheet::parse(&attributes())];
    if has_quirks(page) {
        sheets.push(UserAgentStylesheet::parse(QUIRKS));
    }
    sheets
}

/// Spaces and borders of tables, and sizes of fonts.
fn attributes() -> String {
    let cells = |table: &str| {
        let parts = ["> tr > td", "> tr > th", "> * > tr > td", "> * > tr > th"];
        parts.map(|cell| format!("{table} {cell}")).join(", ")
    };
    let mut sheet = FORMS.to_owned();
    for pixels in 0..=LARGEST_SHEET {
        sheet += &format!("table[cellspacing='{pixels}'] {{ border-spacing: {pixels}px }}\n");
        let padded = cells(&format!("table[cellpadding='{pixels}']"));
        sheet += &format!("{padded} {{ padding: {pixels}px }}\n");
        if pixels > 0 {
            sheet += &format!("table[border='{pixels}'] {{ border: {pixels}px outset }}\n");
            let bordered = cells(&format!("table[border='{pixels}']"));
            sheet += &format!("{bordered} {{ border: 1px inset }}\n");
        }
    }
    for place in ["top", "middle", "bottom", "baseline"] {
        let parts = ["td", "th", "tr", "tbody", "thead", "tfoot"].map(|part| format!("{part}[valign={place} i]"));
        sheet += &format!("{} {{ vertical-align: {place} }}\n", parts.join(", "));
    }
    for (number, size) in (1..).zip(FONT_SIZES) {
        let relative = number - USUAL_SIZE;
        sheet += &format!("font[size='{number}'], font[size='{relative:+}'] {{ font-size: {size} }}\n");
    }
    sheet
}

/// Colors and names of fonts, which can be anything.
pub fn own_attributes(document: &BaseDocument) -> UserAgentStylesheet {
    let mut rules = BTreeSet::new();
    let mut open: Vec<NodeId> = document.try_root_element().map(|root| root.id).into_iter().collect();
    while let Some(node) = open.pop().and_then(|id| document.get_node(id)) {
        open.extend(&node.children);
        let Some(element) = node.element_data() else { continue };
        for attribute in node.attrs().unwrap_or_default() {
            let value = attribute.value.as_str();
            // Nothing that could end a rule.
            if !value.chars().all(|char| char.is_alphanumeric() || " ,#-".contains(char)) {
                continue;
            }
            rules.extend(match (&*element.name.local, &*attribute.name.local) {
                ("font", "color") => Some(format!("font[color='{value}'] {{ color: {value} }}")),
                ("font", "face") => Some(format!("font[face='{value}'] {{ font-family: {value} }}")),
                ("body", "text") => Some(format!("body {{ color: {value} }}")),
                ("body", "link") => Some(format!("a[href] {{ color: {value} }}")),
                _ => None,
            });
        }
    }
    UserAgentStylesheet::parse(&rules.into_iter().collect::<Vec<_>>().join("\n"))
}

/// Whether a page declares no version of HTML, or an old one.
fn has_quirks(page: &str) -> bool {
    let mut rest = page.trim_start();
    let prolog = [("<!--", "-->"), ("<?", ">")];
    while let Some((_, after)) = prolog.iter().find_map(|(start, end)| rest.strip_prefix(start)?.split_once(end)) {
        rest = after.trim_start();
    }
    let Some((declaration, _)) = rest.split_once('>') else { return true };
    let declaration = declaration.to_ascii_lowercase();
    if !declaration.starts_with("<!doctype") {
        return true;
    }
    match declaration.split_once("//dtd html ").map(|(_, version)| version) {
        Some(version) if version.starts_with("4.01 transitional") || version.starts_with("4.01 frameset") => {
            !version.contains("http:")
        }
        Some(version) => !version.starts_with("4.01") && !version.starts_with("4.0/"),
        None => declaration.contains("//ietf//dtd"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_pages_have_quirks() {
        let public = |name: &str| format!("<!DOCTYPE HTML PUBLIC \"-//{name}//EN\">");
        let address = "<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 4.01 Transitional//EN\" \"http://www.w3.org/TR/html4/loose.dtd\">";
        for (page, quirks) in [
            ("<p>one", true),
            ("<!-- > --> <!doctype html><p>one", false),
            (&public("W3C//DTD HTML 3.2"), true),
            (&public("W3C//DTD HTML 4.0 Transitional"), true),
            (&public("W3C//DTD HTML 4.01 Transitional"), true),
            (address, false),
            (&public("W3C//DTD HTML 4.01"), false),
            (&public("W3C//DTD XHTML 1.0 Transitional"), false),
        ] {
            assert_eq!(has_quirks(page), quirks, "{page}");
        }
    }
}
