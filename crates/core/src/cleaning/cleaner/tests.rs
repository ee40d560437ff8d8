//! Whole cleaners on small texts.

use super::*;
use crate::cleaning::decide::decision_model::DecisionModel;
use crate::patterns::{LexerCache, PatternFile, SHARED};

fn cleaned(patterns: &str, text: &str) -> String {
    cleaned_with(&by_recurrence(), patterns, text)
}

fn cleaned_with(options: &CleanOptions, patterns: &str, text: &str) -> String {
    let yaml = format!(
        "dehusk: 1\nsource: s\nmined: {{documents: 9, tokens: 9, cutoff: 0.5, tokenizer: words}}\npatterns:\n{patterns}"
    );
    let file = PatternFile::parse(&yaml, &LexerCache::default()).unwrap();
    let cleaner = Cleaner::new(&[&file], options);
    cleaner.clean(&mut Scratch::default(), text).unwrap().strip(text)
}

/// Options with a model that gives all text the same log-odds of being boilerplate.
fn all_alike(log_odds: f32) -> CleanOptions {
    CleanOptions { decision: Some(Arc::new(DecisionModel::always(log_odds))), ..CleanOptions::default() }
}

fn by_recurrence() -> CleanOptions {
    CleanOptions { decision: None, ..CleanOptions::default() }
}

#[test]
fn what_a_person_wrote_acts_and_cuts_no_word() {
    let foo = "  - {id: mine, regex: foo}\n";
    assert_eq!(cleaned(foo, "a foo, foobar and foo."), "a , foobar and .");
}

#[test]
fn what_is_to_be_kept_stays_whatever_says_that_it_goes() {
    let keep = "keep:\n  - {text: 'By the sea'}\npatterns:\n  - {id: mine, status: accepted, regex: 'By [^\\n]*'}\n";
    let yaml = "dehusk: 1\nsource: s\nmined: {documents: 9, tokens: 9, cutoff: 0.5, tokenizer: words}\n";
    let file = PatternFile::parse(&format!("{yaml}{keep}"), &LexerCache::default()).unwrap();
    let text = format!("By the  sea, by Ann\n{STORY}\nBy the seaside\n");
    for method in [Method::Learned, Method::Union { merge_gap: 0, second_filter: false }] {
        let cleaner = Cleaner::new(&[&file], &CleanOptions { method, ..by_recurrence() });
        let cleaned = cleaner.clean(&mut Scratch::default(), &text).unwrap().strip(&text);
        assert_eq!(cleaned, format!("By the  sea\n{STORY}\n"));
    }
}

#[test]
fn the_second_filter_keeps_what_several_sources_have() {
    let file = |source: &str, patterns: &str| {
        let head = "mined: {documents: 9, tokens: 9, cutoff: 0.5, tokenizer: words}";
        let yaml = format!("dehusk: 1\nsource: {source}\n{head}\npatterns:\n{patterns}");
        PatternFile::parse(&yaml, &LexerCache::default()).unwrap()
    };
    let pattern = |text: &str, more: &str| {
        format!("  - {{id: {}, regex: '(?m)^\\s*{text}\\s*$', documents: 9, among: 9{more}}}\n", text.len())
    };
    let own = file("s", &(pattern("Home News Sport", "") + &pattern("Follow us on Twitter", "")));
    let left = |status: &str, second_filter: bool| {
        let shared = pattern("Follow us on Twitter", &format!(", sources: 3, status: {status}"));
        let options = CleanOptions { method: Method::Union { merge_gap: 0, second_filter }, ..by_recurrence() };
        let cleaner = Cleaner::new(&[&own, &file("_shared", &shared)], &options);
        let text = format!("Home News Sport\n{STORY}\nFollow us on Twitter\n");
        cleaner.clean(&mut Scratch::default(), &text).unwrap().strip(&text)
    };
    assert_eq!(left("proposed", false), format!("{STORY}\n"));
    assert_eq!(left("proposed", true), format!("{STORY}\nFollow us on Twitter\n"));
    assert_eq!(left("accepted", true), format!("{STORY}\n"));
}

#[test]
fn what_a_person_rejected_does_not() {
    assert_eq!(cleaned("  - {id: mine, status: rejected, regex: foo}\n", "a foo"), "a foo");
}

const STORY: &str = "The ferry was late again on Monday, and nobody on the quay knew why or until when.";

#[test]
fn an_accepted_headline_goes() {
    let text = format!("Mayor opens the new bridge\n{STORY}\n");
    let pattern = |status| {
        format!("  - {{id: mine, status: {status}, regex: Mayor opens the new bridge, documents: 2, among: 9}}\n")
    };
    assert_eq!(cleaned(&pattern("proposed"), &text), text);
    assert_eq!(cleaned(&pattern("accepted"), &text), format!("{STORY}\n"));
}

#[test]
fn what_a_person_accepted_goes_whatever_the_model_says() {
    let text = format!("{STORY}\nNobody came.\n");
    let accepted = format!("  - {{id: mine, status: accepted, regex: '{}', documents: 2, among: 9}}\n", STORY);
    assert_eq!(cleaned_with(&all_alike(-60.0), &accepted, &text), "Nobody came.\n");
}

#[test]
fn accepting_removes_what_matches_and_nothing_beside_it() {
    let text = format!("{STORY}\nShare this with us, or with them\nTags\nSend us your letters, please\n");
    let patterns = |status| {
        format!(
            "  - {{id: a, status: {status}, regex: Share this with us, documents: 1, among: 9}}\n  - {{id: b, status: {status}, regex: Send us your letters, documents: 1, among: 9}}\n"
        )
    };
    assert_eq!(cleaned(&patterns("proposed"), &text), text);
    assert_eq!(cleaned(&patterns("accepted"), &text), format!("{STORY}\n, or with them\nTags\n, please\n"));
}

#[test]
fn of_accepted_matches_in_each_other_the_longest_says_why() {
    let yaml = "dehusk: 1\nsource: s\nmined: {documents: 9, tokens: 9, cutoff: 0.5, tokenizer: words}\npatterns:\n  \
        - {id: a, status: accepted, regex: News}\n  - {id: b, status: accepted, regex: Home News Sport}\n";
    let file = PatternFile::parse(yaml, &LexerCache::default()).unwrap();
    let cleaner = Cleaner::new(&[&file], &CleanOptions::default());
    let cleaning = cleaner.clean(&mut Scratch::default(), "Home News Sport\nA boat.\n").unwrap();
    let because =
        cleaning.spans[0].because.iter().map(|(bytes, pattern)| (bytes.clone(), &*cleaner.pattern(*pattern).id));
    assert_eq!(because.collect::<Vec<_>>(), [(0..15, "b")]);
}

#[test]
fn marks_alone_go_if_a_person_says_so() {
    let text = format!("• Salt, water\n• Flour\n{STORY}\n");
    assert_eq!(cleaned("  - {id: mine, regex: •}\n", &text), format!("Salt, water\nFlour\n{STORY}\n"));
    assert_eq!(cleaned("  - {id: mine, status: accepted, regex: ', '}\n", "Salt, water"), "Salt water");
}

#[test]
fn a_mark_that_a_person_rejected_stays_beside_what_goes() {
    let rejected = "  - {id: other, status: rejected, regex: '---'}\n";
    let text = format!("{STORY}\n---\nHome News Sport\n");
    let accepted = "  - {id: mine, status: accepted, regex: Home News Sport}\n";
    assert_eq!(cleaned(accepted, &text), format!("{STORY}\n"));
    assert_eq!(cleaned(&format!("{accepted}{rejected}"), &text), format!("{STORY}\n---\n"));
}

#[test]
fn who_goes_by_what_was_accepted_alone_asks_no_model() {
    let patterns = "  - {id: mine, status: accepted, regex: Home News Sport}\n";
    let text = format!("Home News Sport\nTags\n{STORY}\n");
    assert_eq!(cleaned_with(&all_alike(60.0), patterns, &text), "");
    let strict = CleanOptions { only_accepted: true, ..all_alike(60.0) };
    assert_eq!(cleaned_with(&strict, patterns, &text), format!("Tags\n{STORY}\n"));
}

#[test]
fn a_rejected_regex_holds_the_model_back() {
    let patterns =
        "  - {id: mine, regex: Home News Sport}\n  - {id: other, status: rejected, regex: Tags of our town}\n";
    let text = format!("Home News Sport\n{STORY}\nTags of our town\n");
    assert_eq!(cleaned_with(&all_alike(60.0), patterns, &text), "Tags of our town\n");
}

#[test]
fn in_a_source_unlike_all_others_recurrence_alone_decides() {
    let yaml = "dehusk: 1\nsource: s\nmined: {documents: 30, tokens: 9, cutoff: 0.5, tokenizer: words}\nunusual: 'it is verse'\npatterns:\n  \
        - {id: mine, regex: Home News Sport Tides, documents: 30, occurrences: 30}\n";
    let file = PatternFile::parse(yaml, &LexerCache::default()).unwrap();
    let text = format!("Home News Sport Tides\n{STORY}\n");
    let cleaning = Cleaner::new(&[&file], &all_alike(60.0)).clean(&mut Scratch::default(), &text).unwrap();
    assert_eq!(cleaning.strip(&text), format!("{STORY}\n"));
    assert_eq!(cleaning.expected.lost, 0);
}

#[test]
fn what_may_be_lost_is_told() {
    let text = format!("Home {STORY}\n");
    let yaml = "dehusk: 1\nsource: s\nmined: {documents: 9, tokens: 9, cutoff: 0.5, tokenizer: words}\npatterns:\n  \
        - {id: home, status: proposed, regex: Home, documents: 9, occurrences: 9}\n";
    let file = PatternFile::parse(yaml, &LexerCache::default()).unwrap();
    let loss = |log_odds: f32| {
        let cleaning = Cleaner::new(&[&file], &all_alike(log_odds)).clean(&mut Scratch::default(), &text).unwrap();
        (cleaning.spans.len(), cleaning.expected.loss(), cleaning.expected.content)
    };
    assert_eq!(loss(-1.0).0, 0);
    assert_eq!(loss(-1.0).1, 0.0);
    // Each letter is content with probability 1/4, and all letters are removed.
    let (spans, lost, content) = loss(3f32.ln());
    assert_eq!((spans, lost), (1, 1.0));
    let ink = text.chars().filter(|c| !c.is_whitespace()).count() as u64;
    assert!(content.abs_diff(ink / 4) <= 1, "{content} of {ink}");
}

#[test]
fn what_is_known_to_recur_is_evidence_like_a_match() {
    let text = format!("Home News Sport\n{STORY}\nSend us your letters by post\n");
    let yaml = "dehusk: 1\nsource: s\nmined: {documents: 9, tokens: 9, cutoff: 0.5, tokenizer: words}\npatterns:\n  \
        - {id: mine, status: accepted, regex: Home News Sport}\n";
    let file = PatternFile::parse(yaml, &LexerCache::default()).unwrap();
    let weight =
        Weight { share: 0.9, documents: 20, occurrences: 20, holds_lines: true, beyond: 20.0, ..Weight::default() };
    let left = |options: &CleanOptions| {
        let cleaner = Cleaner::new(&[&file], options);
        let reading = cleaner.read(&mut Scratch::default(), &text).unwrap();
        let end = reading.tokens.tokens.len();
        let recurring = [Recurring { tokens: end - 6..end, weight }];
        cleaner.explain_with(&text, &reading, &recurring).strip(&text)
    };
    let options = by_recurrence();
    assert_eq!(left(&options), format!("{STORY}\n"));
    assert_eq!(
        left(&CleanOptions { method: Method::Union { merge_gap: 0, second_filter: false }, ..options.clone() }),
        format!("{STORY}\n")
    );
    let strict = CleanOptions { only_accepted: true, ..options };
    assert_eq!(left(&strict), format!("{STORY}\nSend us your letters by post\n"));
}

#[test]
fn cleaners_that_share_a_part_are_those_that_do_not() {
    let lexers = LexerCache::default();
    let file = |source: &str, rest: &str| {
        let head = "mined: {documents: 9, tokens: 9, cutoff: 0.5, tokenizer: words}";
        PatternFile::parse(&format!("dehusk: 1\nsource: {source}\n{head}\n{rest}"), &lexers).unwrap()
    };
    let entry = |id: &str, status: &str, regex: &str| {
        format!("  - {{id: {id}, status: {status}, documents: 8, among: 9, occurrences: 8, regex: '{regex}'}}\n")
    };
    let line = |id: &str, status: &str, words: &str| {
        entry(id, status, &format!("(?m)^\\s*{}\\s*$", words.replace(' ', "\\s+")))
    };
    let own = line("own", "proposed", "Home News Sport");
    let shared = [
        line("a", "proposed", "Share on Twitter"),
        line("b", "rejected", "By our staff"),
        line("c", "accepted", "All rights reserved"),
        entry("d", "proposed", "Photo by \\w+"),
    ];
    let shared = file(SHARED, &format!("patterns:\n{}", shared.concat()));
    let own = [
        format!("patterns:\n{own}"),
        format!("patterns:\n{own}{}", line("a", "rejected", "Share on Twitter")),
        format!("loose: keep\npatterns:\n{own}"),
        "patterns: []\n".to_owned(),
        format!("keep:\n  - {{text: 'Share on'}}\npatterns:\n{own}"),
        format!("patterns:\n{}", line("own", "accepted", "Home News Sport")),
        format!("patterns:\n{}", line("x", "rejected", "Home News Sport")),
    ];
    let own: Vec<PatternFile> = own.iter().map(|rest| file("s", rest)).collect();
    let text = format!("Home News Sport\nShare on Twitter\n{STORY}\nBy our staff\nPhoto by Ann\nAll rights reserved\n");
    for only_accepted in [false, true] {
        let options = by_recurrence().only_accepted(only_accepted);
        let compiler = Compiler::new(Some(Arc::new(shared.clone())), options.clone());
        for own in own.iter().chain(&own) {
            let [one, other] = [compiler.cleaner(&[own]), Cleaner::new(&[own, &shared], &options)];
            let [of_one, of_other] = [&one, &other].map(|cleaner| {
                let reading = cleaner.read(&mut Scratch::default(), &text).unwrap();
                let origins = (0..cleaner.count() + cleaner.rejected().count()).map(|index| cleaner.origin(index));
                let ids = cleaner.patterns().map(|pattern| pattern.id.clone()).collect::<Vec<String>>();
                let matches = (reading.matches.clone(), reading.rejected.clone());
                (origins.collect::<Vec<_>>(), ids, matches, cleaner.explain(&text, &reading).strip(&text))
            });
            assert_eq!(of_one, of_other, "{}", own.to_yaml());
        }
    }
}

#[test]
fn origins_name_files_and_places() {
    let parse = |source: &str, patterns: &str| {
        let head = "mined: {documents: 9, tokens: 9, cutoff: 0.5, tokenizer: words}";
        let yaml = format!("dehusk: 1\nsource: {source}\n{head}\npatterns:{patterns}");
        PatternFile::parse(&yaml, &LexerCache::default()).unwrap()
    };
    let [none, own, shared] = [
        parse("n", " []"),
        parse("s", "\n  - {id: a, regex: One}\n  - {id: b, status: rejected, regex: Two}\n"),
        parse(
            SHARED,
            "\n  - {id: c, status: rejected, regex: One}\n  - {id: d, regex: Four}\n  - {id: b, regex: Two}\n",
        ),
    ];
    let cleaner = Cleaner::new(&[&none, &own, &shared], &by_recurrence());
    let ids: Vec<&str> = cleaner.patterns().chain(cleaner.rejected()).map(|pattern| pattern.id.as_str()).collect();
    let files = [&none, &own, &shared];
    let of_origin = |index: usize| {
        let Origin { file, index } = cleaner.origin(index).unwrap();
        files[file].patterns[index].id.as_str()
    };
    assert_eq!(ids, ["a", "d", "b", "c"]);
    assert_eq!((0..4).map(of_origin).collect::<Vec<_>>(), ids);
    assert_eq!((cleaner.count(), cleaner.pattern(1).id.as_str()), (2, "d"));
    let found = cleaner.read(&mut Scratch::default(), "One, Two, Four").unwrap();
    assert_eq!(found.matches.iter().map(|found| found.pattern).collect::<Vec<_>>(), [0, 1]);
    assert_eq!(found.rejected.iter().map(|found| found.pattern).collect::<Vec<_>>(), [0, 1]);
}
