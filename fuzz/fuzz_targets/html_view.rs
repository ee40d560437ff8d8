//! Any string is a page: its visible text is the same with a map and without, has no blank edges, and every character
//! of it leads back to what it stands for.

#![no_main]

use dehusk::html::{SourceMap, read, visible_text};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|html: &str| {
    let (text, map) = read::<SourceMap>(html);
    assert_eq!(text, visible_text(html));
    assert!(!text.ends_with(['\n', '\t', ' ']), "{text:?} ends in white space");
    let mut seen = 0;
    for (at, char) in text.char_indices() {
        let range = map.source_range(at..at + char.len_utf8());
        assert!(range.start >= seen, "{text:?} at {at}: {} after {seen}", range.start);
        seen = range.start;
        assert!(stands_for(&html[range.clone()], char), "{text:?} at {at}: {char:?} from {:?}", &html[range]);
    }
    let all = map.source_ranges(0..text.len()).fold(0, |end, range| {
        assert!(end <= range.start && range.end <= html.len(), "{range:?} after {end}");
        range.end
    });
    assert!(all <= html.len());
});

/// Whether the source is the character, a reference, white space that became other white space, or what is no text.
fn stands_for(source: &str, char: char) -> bool {
    let is_reference = source.contains('&') && source.len() > 1;
    let is_space = char.is_ascii_whitespace() && source.trim_ascii().is_empty();
    let is_replaced = char == '\u{fffd}' && source == "\0";
    is_reference || is_space || is_replaced || source.strip_prefix(char) == Some("")
}
