//! The names that authors give to the parts of their pages.
//!
//! Takes the names in an element: its own, its classes, id, role and item properties. Returns the hints that they give.
//! Names are in English on nearly all sites, whatever the language of the text.

use std::iter;
use std::ops::BitOr;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use crate::html::{Attribute, Tree};

/// A set of hints, with a bit for each.
pub type Hints = u16;

/// Number of hints.
pub const HINTS: usize = 14;

/// The set of all hints.
pub const ALL_HINTS: Hints = (1 << HINTS) - 1;

/// The names of the hints, in the order of their bits.
pub const HINT_NAMES: [&str; HINTS] = {
    let mut names = [""; HINTS];
    let mut hint = 0;
    while hint < HINTS {
        names[hint] = WORDS[hint].0;
        hint += 1;
    }
    names
};

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

/// The hints that an element gives by its name, and by the values of attributes that may name its role.
pub fn hints_of(tree: &Tree, node: usize) -> Hints {
    let telling = [Attribute::Class, Attribute::Id, Attribute::Role, Attribute::ItemProp, Attribute::ItemType];
    let values = telling.into_iter().filter_map(|attribute| tree.attribute(node, attribute));
    iter::once(tree.name(node)).chain(values).map(hints).fold(0, Hints::bitor)
}

/// For each hint, 1 if the first element gives it, 1/2 if the second one is the first that does, and so on. `around` has
/// the hints of the elements around a place, the innermost first.
pub fn nearest_hints(around: impl Iterator<Item = Hints>) -> [f32; HINTS] {
    let (mut nearest, mut hinted) = ([0.0; HINTS], 0);
    for (level, of_element) in around.enumerate() {
        let mut hints = of_element & ALL_HINTS & !hinted;
        hinted |= hints;
        while hints != 0 {
            nearest[hints.trailing_zeros() as usize] = 1.0 / (1.0 + level as f32);
            hints &= hints - 1;
        }
    }
    nearest
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::read;

    fn named(name: &str) -> Hints {
        1 << HINT_NAMES.iter().position(|hint| *hint == name).unwrap()
    }

    #[test]
    fn each_hint_gives_itself() {
        for name in HINT_NAMES {
            assert!(hints(name) & named(name) != 0, "{name}");
        }
    }

    #[test]
    fn all_names_of_an_element_give_hints() {
        let page =
            "<nav class=ads id=share role=comment itemprop=author itemtype=http://schema.org/Product alt=legal>a</nav>";
        let (_, tree) = read::<Tree>(page);
        let node = (0..tree.len()).find(|&node| tree.name(node) == "nav").unwrap();
        let expected = ["navigation", "advert", "social", "comment", "meta", "product"].map(named);
        assert_eq!(hints_of(&tree, node) & ALL_HINTS, expected.into_iter().fold(0, Hints::bitor));
        assert_eq!(hints_of(&tree, node + 1), 0, "a text has no names");
    }

    #[test]
    fn the_innermost_element_counts() {
        let [post, side] = ["post", "side"].map(named);
        let nearest = nearest_hints([COMMENTS, post, 0, post | side].into_iter());
        let expected = |hint: usize| match 1 << hint {
            hint if hint == post => 0.5,
            hint if hint == side => 0.25,
            _ => 0.0,
        };
        assert_eq!(nearest, std::array::from_fn(expected));
    }
}
