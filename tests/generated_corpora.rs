//! The corpora of the benches have the properties that the documentation claims.

#[path = "../benches/support/mod.rs"]
mod support;

use std::collections::BTreeSet;
use std::sync::Arc;

use dehusk_core::cleaning::{CleanOptions, Cleaner, Scratch};
use dehusk_core::mining::cross_source::cross_source;
use dehusk_core::mining::{MineOptions, NearDuplicates, mine_texts};
use dehusk_core::patterns::PatternFile;
use dehusk_core::tokens::{Lexer, MutableSet, Tokenizer};

use support::corpus::{Corpus, Extent};
use support::site::{Form, Site};
use support::size::parse_size;
use support::snapshots::Snapshots;
use support::stream::Stream;

/// The number of pages, and their mean size.
fn extent(corpus: Corpus) -> (usize, usize) {
    let sizes: Vec<usize> =
        corpus.sites().flat_map(|site| corpus.pages(&site).map(|page| page.len()).collect::<Vec<usize>>()).collect();
    (sizes.len(), sizes.iter().sum::<usize>() / sizes.len())
}

#[test]
fn a_seed_means_the_same_everywhere() {
    let page = |seed, source, number| Site::new(seed, source, Form::Text, 5000).page(number);
    let story = page(1, 0, 3);
    let lines: Vec<&str> = story.lines().skip_while(|line| !line.starts_with("By ")).take(2).collect();
    insta::assert_snapshot!(lines.join("\n"), @r"
    By Nortam Ti | 212 comments | Published 2 June 2011
    Home > Ti
    ");
    assert_eq!(page(1, 0, 3), story);
    for other in [page(2, 0, 3), page(1, 1, 3), page(1, 0, 4)] {
        assert_ne!(other, story);
    }
}

#[test]
fn a_corpus_has_the_size_that_was_asked_for() {
    for form in [Form::Html, Form::Text] {
        let (documents, mean) = extent(Corpus::of_bytes(form, 3_000_000));
        assert!(mean.abs_diff(form.usual_bytes()) < form.usual_bytes() / 8, "{form:?}: {mean}");
        assert!(documents.abs_diff(3_000_000 / mean) <= 1, "{form:?}: {documents} of {mean}");
    }
    let corpus = Corpus { sources: 3, extent: Extent::Documents(31), ..Corpus::of_bytes(Form::Text, 0) };
    assert_eq!(extent(corpus).0, 31);
    let sizes = ["27M", "5k", "1G", "12", "M", "-1", "99999999999G", "1é"].map(|size| parse_size(size).ok());
    assert_eq!(sizes, [Some(27_000_000), Some(5000), Some(1_000_000_000), Some(12), None, None, None, None]);
}

#[test]
fn there_is_something_to_learn() {
    let site = Site::new(1, 0, Form::Text, 3000);
    let pages: Vec<String> = (0..30).map(|number| site.page(number)).collect();
    let lexer = Lexer::new(Tokenizer::Words, Arc::new(MutableSet::shipped()));
    let mined = mine_texts(&pages, &lexer, &MineOptions::default()).expect("few tokens");
    let templates = cross_source(std::slice::from_ref(&mined)).own.remove(0);
    let patterns = PatternFile::of_templates("site", mined.facts(), templates, &lexer);
    let cleaner = Cleaner::new(&[&patterns], &CleanOptions::default());
    let cleaned = cleaner.clean(&mut Scratch::default(), &pages[5]).expect("no regex of a person").strip(&pages[5]);
    let (before, after) = pages[5].split_once("\nBy ").expect("a byline");
    let story = after.lines().nth(3).expect("a story");
    assert!(cleaned.contains(story), "{cleaned}");
    for line in before.lines().take(5) {
        assert!(!cleaned.lines().any(|kept| kept == line), "{line}\n\n{cleaned}");
    }
}

#[test]
fn a_stream_keeps_its_templates_until_the_redesign() {
    let stream = Stream { seed: 1, sources: 2, pages: 20, redesign_at: Some(11) };
    let template = |source, number| -> BTreeSet<String> {
        let page = stream.page(source, number);
        let is_template = |line: &&str| !line.contains("<h1>") && !page.gold.lines().any(|text| line.contains(text));
        page.html.lines().filter(is_template).map(str::to_owned).collect()
    };
    let shared = |a: (usize, usize), b: (usize, usize)| {
        template(a.0, a.1).intersection(&template(b.0, b.1)).filter(|line| !line.starts_with("<!")).count()
    };
    assert!(shared((0, 1), (0, 10)) >= 16 && shared((0, 11), (0, 20)) >= 16, "menu, footer, headlines");
    assert_eq!((shared((0, 10), (0, 11)), shared((0, 5), (1, 5))), (0, 2), "but for the elements around all");
    assert_eq!(stream.page(1, 3), stream.page(1, 3));
    assert_ne!(stream.page(1, 3).gold, stream.page(1, 4).gold);
}

#[test]
fn of_hourly_front_pages_all_count_and_no_teaser_goes() {
    let lexer = Lexer::new(Tokenizer::Words, Arc::new(MutableSet::shipped()));
    for (seed, turnover) in [(2, (2, 3)), (3, (3, 3))] {
        let pages = Snapshots { seed, snapshots: 20, teasers: 20, turnover }.pages();
        let texts: Vec<&str> = pages.iter().map(|page| page.text.as_str()).collect();
        let mine = |how| mine_texts(&texts, &lexer, &MineOptions::default().near_duplicates(how)).expect("few tokens");
        assert!(mine(NearDuplicates::Group).counted() < 20);
        let mined = mine(NearDuplicates::Auto);
        assert!(mined.are_snapshots && mined.counted() == 20, "{turnover:?}");
        let templates = cross_source(std::slice::from_ref(&mined)).own.remove(0);
        let patterns = PatternFile::of_templates("front", mined.facts(), templates, &lexer);
        let cleaner = Cleaner::new(&[&patterns], &CleanOptions::default());
        for page in &pages {
            let cleaned = cleaner.clean(&mut Scratch::default(), &page.text).expect("no regex of a person");
            let cleaned = cleaned.strip(&page.text);
            let kept: BTreeSet<&str> = cleaned.lines().collect();
            let gone: Vec<&str> = page.gold.lines().filter(|line| !kept.contains(line)).collect();
            assert!(gone.is_empty(), "{turnover:?} {}: {gone:#?}", page.name);
            let menu: Vec<&str> = page.text.lines().take(12).filter(|line| kept.contains(line)).collect();
            assert!(menu.is_empty(), "{turnover:?} {}: {menu:#?}", page.name);
        }
    }
}
