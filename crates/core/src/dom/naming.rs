//! The names that authors give to the parts of their pages.
//!
//! Takes the names in an element: its own, its classes, id, role and item properties. Returns the hints that they give.
//! Names are in English on nearly all sites, whatever the language of the text.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

/// A set of hints, with a bit for each.
pub type Hints = u16;

/// Number of hints.
pub const HINTS: usize = 14;

/// The set of all hints.
pub const ALL_HINTS: Hints = (1 << HINTS) - 1;

/// The name of each hint, and the words in names that give it. A word with `^` must be at the start of a part of a
/// name, a word with `$` at the end. Parts end at hyphens, underlines, spaces, digits and capitals.
const WORDS: [(&str, &[&str]); HINTS] = [
    ("comment", &["comment", "disqus", "respon", "^repl", "discuss", "komment", "coment"]),
    ("post", &["message", "thread", "^post", "forum", "bbs", "topic", "question", "answer"]),
    (
        "navigation",
        &["nav", "menu", "crumb", "footer", "header", "masthead", "topbar", "toolbar", "^foot$", "pagination"],
    ),
    (
        "related",
        &[
            "relat",
            "recommend",
            "popular",
            "^most$",
            "promo",
            "teaser",
            "^more$",
            "trending",
            "latest",
            "outbrain",
            "taboola",
            "readnext",
            "upsell",
        ],
    ),
    (
        "social",
        &[
            "share",
            "sharing",
            "social",
            "facebook",
            "twitter",
            "whatsapp",
            "bookmark",
            "^like",
            "follow",
            "newsletter",
            "subscri",
            "signup",
        ],
    ),
    ("advert", &["^ad$", "^ads$", "advert", "sponsor", "banner", "adsense", "commercial", "^adv$", "dfp"]),
    ("meta", &["byline", "author", "^date", "^time", "^meta", "posted", "publish", "credit", "dateline", "timestamp"]),
    (
        "caption",
        &["caption", "photo", "image", "^img", "picture", "figure", "gallery", "thumb", "media$", "video", "slide"],
    ),
    ("side", &["^side", "^rail", "aside", "widget", "right$", "left$", "sticky"]),
    ("tags", &["^tag$", "^tags", "categor", "keyword", "taxonom"]),
    ("legal", &["cookie", "consent", "copyright", "legal", "privacy", "gdpr", "disclaim", "modal", "popup", "overlay"]),
    (
        "content",
        &["article", "content", "story", "entry", "^text", "^body", "^main", "prose", "markdown", "description"],
    ),
    (
        "product",
        &["product", "price", "^spec", "feature", "rating", "review", "detail", "summary", "ingredient", "offer"],
    ),
    ("title", &["title", "headline", "heading", "^head$"]),
];

/// The hint that an element contains comments of readers. It is not a feature of the model, and stricter than the hint
/// `comment`.
pub const COMMENTS: Hints = 1 << HINTS;

/// The words that give [`COMMENTS`], in the languages in which authors name parts of their pages.
const COMMENT_WORDS: &[&str] =
    &["comment", "komment", "koment", "coment", "disqus", "^respond$", "^replies$", "^reacties$", "^yorum"];

static AUTOMATON: LazyLock<(AhoCorasick, Vec<Word>)> = LazyLock::new(|| {
    let words: Vec<Word> = (WORDS.iter().map(|(_, words)| *words).chain([COMMENT_WORDS]).enumerate())
        .flat_map(|(hint, words)| words.iter().map(move |word| Word::of(hint, word)))
        .collect();
    let automaton = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::Standard)
        .kind(Some(AhoCorasickKind::DFA))
        .build(words.iter().map(|word| word.text))
        .expect("a few short words");
    (automaton, words)
});

struct Word {
    hint: usize,
    text: &'static str,
    starts: bool,
    ends: bool,
}

impl Word {
    fn of(hint: usize, word: &'static str) -> Word {
        let text = word.trim_start_matches('^').trim_end_matches('$');
        Word { hint, text, starts: word.starts_with('^'), ends: word.ends_with('$') }
    }
}

/// The hints in some names.
pub fn hints(names: &str) -> Hints {
    let (automaton, words) = &*AUTOMATON;
    let bytes = names.as_bytes();
    let starts = |at: usize| {
        let Some(before) = at.checked_sub(1).map(|before| bytes[before]) else { return true };
        !before.is_ascii_alphabetic() || before.is_ascii_lowercase() && bytes[at].is_ascii_uppercase()
    };
    let ends = |at: usize| {
        let Some(after) = bytes.get(at) else { return true };
        !after.is_ascii_alphabetic() || after.is_ascii_uppercase()
    };
    automaton.find_overlapping_iter(names).fold(0, |hints, found| {
        let word = &words[found.pattern().as_usize()];
        let is_here = (!word.starts || starts(found.start())) && (!word.ends || ends(found.end()));
        hints | Hints::from(is_here) << word.hint
    })
}
