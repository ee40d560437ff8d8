//! Any text as a pattern file: it is refused with what is wrong, or read; what was read is written so that it is read
//! again the same, and writing that changes nothing.

#![no_main]

use dehusk_core::patterns::{LexerCache, Pattern, PatternFile};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|yaml: &str| {
    let cache = LexerCache::default();
    let file = match PatternFile::parse(yaml, &cache) {
        Ok(file) => file,
        Err(problems) => return assert!(!problems.is_empty(), "refused, and not told why"),
    };
    let written = file.to_yaml();
    let read = PatternFile::parse(&written, &cache);
    let read = read.unwrap_or_else(|problems| panic!("what was written is refused: {problems:?}\n{written}"));
    assert_eq!(read.to_yaml(), written, "canonical form is not canonical");
    check_same(&read, &file);
    file.check_examples(yaml);
});

fn check_same(read: &PatternFile, file: &PatternFile) {
    assert_eq!((&read.source, &read.heading), (&file.source, &file.heading));
    assert_eq!(read.mined, file.mined);
    assert_eq!(read.lexer.tokenizer().name(), file.lexer.tokenizer().name());
    assert_eq!(read.lexer.mutable().patterns(), file.lexer.mutable().patterns());
    assert_eq!(read.keep.len(), file.keep.len());
    for (read, kept) in read.keep.iter().zip(&file.keep) {
        assert_eq!((read.text(), &read.note), (kept.text(), &kept.note));
    }
    let facts = |file: &PatternFile| file.patterns.iter().map(facts).collect::<Vec<String>>();
    assert_eq!(facts(read), facts(file));
}

/// All of a pattern but a compiled regex, which says nothing that the regex as written does not.
fn facts(pattern: &Pattern) -> String {
    let Pattern {
        id, status, regex, documents, among, occurrences, sources, removes, ends_after, example, note, ..
    } = pattern;
    let counts = (documents, among, occurrences, sources, removes, ends_after);
    format!("{:?}", (id, status, regex, counts, example, note, pattern.is_as_mined()))
}
