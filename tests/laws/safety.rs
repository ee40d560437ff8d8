//! What articles say is left to them, on invented texts that tempt to take it.

use dehusk_core::cleaning::{CleanOptions, Cleaner, Scratch};
use dehusk_core::mining::cross_source::cross_source;

use crate::samples::{mine, written};

const DOCUMENTS: usize = 24;
const HEAD: &str = "The Pebble Post\nHome | News | Tides | Letters";
const TAIL: &str = "Share this page with the whole village\nCopyright The Pebble Post. All rights reserved.";

/// Words that stand in no other place.
fn words(document: usize, place: usize, count: usize) -> String {
    (0..count).map(|word| format!("w{document}x{place}x{word}")).collect::<Vec<_>>().join(" ")
}

fn sentence(document: usize, place: usize) -> String {
    format!("The {}, and {}.", words(document, place, 6), words(document, place + 1, 8))
}

fn paragraph(document: usize, place: usize) -> String {
    (0..3).map(|part| sentence(document, 10 * place + 3 * part)).collect::<Vec<_>>().join(" ")
}

fn headline(document: usize) -> String {
    words(document, 900, 6)
}

/// An article of three paragraphs, the middle one made from its own.
fn article(document: usize, middle: impl Fn(usize, String) -> String) -> String {
    let [first, second, third] = [1, 2, 3].map(|place| paragraph(document, place));
    format!("{}\n\n{first}\n\n{}\n\n{third}", headline(document), middle(document, second))
}

/// Pages, cleaned with what is mined from them.
fn cleaned(pages: &[String]) -> Vec<String> {
    let mined = mine(pages);
    let facts = mined.facts();
    let own = cross_source(&[mined]).own.remove(0);
    let file = written("pebble", facts, own);
    let cleaner = Cleaner::new(&[&file], &CleanOptions::default());
    let mut scratch = Scratch::default();
    pages.iter().map(|page| cleaner.clean(&mut scratch, page).unwrap().strip(page)).collect()
}

/// Every article comes out of its page as it went in, and nothing else does.
#[track_caller]
fn survives(article: impl Fn(usize) -> String) {
    let articles: Vec<String> = (0..DOCUMENTS).map(article).collect();
    let pages: Vec<String> = articles.iter().map(|article| format!("{HEAD}\n\n{article}\n\n{TAIL}\n")).collect();
    for (article, cleaned) in articles.iter().zip(cleaned(&pages)) {
        assert_eq!(missing(cleaned.trim(), article), [""; 0]);
        assert_eq!(cleaned.trim(), article);
    }
}

/// The lines of a text that are not in another, for short messages.
fn missing<'t>(cleaned: &str, text: &'t str) -> Vec<&'t str> {
    text.lines().filter(|line| !line.is_empty() && !cleaned.lines().any(|other| other == *line)).collect()
}

#[test]
fn an_article_alone_survives() {
    survives(|document| article(document, |_, own| own));
}

#[test]
fn a_headline_that_others_list_survives_where_it_is_the_headline() {
    let articles: Vec<String> = (0..DOCUMENTS).map(|document| article(document, |_, own| own)).collect();
    let page = |(document, article): (usize, &String)| {
        let listed = (1..5).map(|step| headline((document + step) % DOCUMENTS)).collect::<Vec<_>>().join("\n");
        format!("{HEAD}\n\n{article}\n\nMost read\n{listed}\n\n{TAIL}\n")
    };
    let pages: Vec<String> = articles.iter().enumerate().map(page).collect();
    for (article, cleaned) in articles.iter().zip(cleaned(&pages)) {
        assert_eq!(missing(cleaned.trim(), article), [""; 0]);
        assert!(cleaned.len() < article.len() + 300, "{cleaned}");
    }
}

#[test]
fn a_refrain_survives() {
    let refrain = "And the tide took the keys, and the tide brought them back.";
    survives(|document| {
        article(document, |document, own| match document {
            3 => {
                format!("{own}\n\n{refrain}\n\n{}\n\n{refrain}\n\n{}\n\n{refrain}", sentence(3, 700), sentence(3, 800))
            }
            _ => own,
        })
    });
}

#[test]
fn a_quote_in_two_articles_survives() {
    let quote = "\"We have asked for a new ferry every spring since the old one sank, and every spring we are told that \
                 the money is there, but that the harbour is not,\" said the mayor.";
    survives(|document| {
        article(document, |document, own| match document {
            3 | 11 => format!("{own}\n\n{quote}"),
            _ => own,
        })
    });
}

/// Language repeats itself in a document now and then.
#[test]
fn stock_phrases_survive() {
    survives(|document| {
        article(document, |document, own| {
            let (one, two) = (words(document, 700, 7), words(document, 701, 7));
            match document % 4 {
                0 => format!("{own} According to the police, {one} as well as {two}."),
                1 => format!("{own} The {one} as well as {two}, according to the police."),
                2 => {
                    format!(
                        "{own} According to the police, {one}, but {two}, according to the police as well as him, as well as her."
                    )
                }
                _ => own,
            }
        })
    });
}

#[test]
fn a_masthead_named_in_a_sentence_survives() {
    survives(|document| {
        article(document, |document, own| match document % 4 {
            0 => format!("{own} He told The Pebble Post that {}.", words(document, 700, 8)),
            _ => own,
        })
    });
}

#[test]
fn near_duplicates_are_no_template() {
    survives(|document| match document {
        5..9 => article(5, |_, own| format!("{own} It was updated {document} times.")),
        _ => article(document, |_, own| own),
    });
}

#[test]
fn texts_without_boilerplate_are_left_alone() {
    let articles: Vec<String> = (0..DOCUMENTS).map(|document| article(document, |_, own| own) + "\n").collect();
    assert!(cleaned(&articles) == articles);
    let verses: Vec<String> = (0..DOCUMENTS).map(|document| words(document, 1, 9).replace(' ', "\n")).collect();
    assert_eq!(cleaned(&verses), verses);
}
