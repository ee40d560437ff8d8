//! What interrupts articles is not their end, wherever it stands.

use dehusk_core::mining::cross_source::cross_source;
use dehusk_core::random::Random;
use dehusk_core::selection::ends::Ends;
use dehusk_core::selection::sampling::Sampled;

use crate::samples::{SOURCES, mine, written};

const INTERRUPTION: &str = "Story continues below advertisement";

/// The paragraph before which it stands, of this number of paragraphs. It stands nowhere if that is the last one.
type Place = fn(&mut Random, usize) -> usize;

const PLACES: [(&str, Place); 7] = [
    ("anywhere", |random, paragraphs| random.between(1, paragraphs)),
    ("after the second", |_, _| 2),
    ("after the third", |_, _| 3),
    ("after the sixth", |_, _| 6),
    ("in the middle", |_, paragraphs| paragraphs / 2),
    ("before the last", |_, paragraphs| paragraphs - 1),
    ("before one of the last", |random, paragraphs| paragraphs - random.between(0, 2.min(paragraphs - 1))),
];

fn interrupted(article: &str, random: &mut Random, place: Place) -> String {
    let mut paragraphs: Vec<&str> = article.lines().filter(|line| !line.trim().is_empty()).collect();
    let at = place(random, paragraphs.len());
    // Not every page has room for it.
    if at < paragraphs.len() || random.below(2) == 0 {
        paragraphs.insert(at.clamp(1, paragraphs.len()), INTERRUPTION);
    }
    paragraphs.join("\n\n") + "\n"
}

#[test]
fn interrupted_articles_go_on() {
    for (name, place) in PLACES {
        for (number, source) in SOURCES.iter().enumerate() {
            let mut random = Random::new(number as u64);
            let articles = source.gold.iter().filter(|gold| gold.split_whitespace().count() >= 20);
            let texts: Vec<String> = articles.map(|article| interrupted(article, &mut random, place)).collect();
            let mined = [mine(&texts)];
            let own = cross_source(&mined).own.remove(0);
            let mut file = written(&source.name, mined[0].facts(), own);
            let sampled = Sampled::new(&file, None, &texts);
            let ends = Ends::of(&sampled);
            ends.mark(&mut file);
            let ending = file.patterns.iter().filter(|pattern| pattern.ends_after.is_some());
            assert_eq!(ending.map(|pattern| &pattern.example).collect::<Vec<_>>(), [""; 0], "{}, {name}", source.name);
        }
    }
}
