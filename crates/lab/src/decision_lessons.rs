//! Lessons about segments, from documents with gold text
//! ([`decision_model`](dehusk_core::cleaning::decide::decision_model)).
//!
//! A segment is boilerplate if less than half of its words are in the gold text. The features of a segment depend on
//! the number of documents that were mined. So each source is mined in several variants ([`Variant`]), which all count
//! alike. Further lessons come from sources that are made of these ([`made_sources`](super::made_sources)).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use rayon::prelude::*;

use super::alignment::matched;
use super::made_sources::{MadeSource, Material, made_sources};
use dehusk_core::cleaning::decide::decision_model::Lesson;
use dehusk_core::cleaning::decide::features::Divided;
use dehusk_core::cleaning::{CleanOptions, Cleaner, Scratch};
use dehusk_core::mining::Mined;
use dehusk_core::mining::cross_source::cross_source;
use dehusk_core::models::course::PARTS;
use dehusk_core::patterns::PatternFile;
use dehusk_core::selection::sampling::evenly_spread;
use dehusk_core::selection::{SelectOptions, Selector};
use dehusk_core::tokens::Lexer;
use dehusk_corpus::{Budget, Inventory, SourceId};
use dehusk_run::CorpusMineOptions;
use dehusk_run::left_out::tell_of_skipped;
use dehusk_run::mine::mining::mine_within;
use dehusk_run::reading::read_documents;
use dehusk_run::scoring::gold_texts::GoldTexts;
use dehusk_run::scoring::words::{Word, word_hashes, words};
use dehusk_run::{Observer, WarningKind};

/// A document with a smaller share of its gold text was read in another way than the gold text.
const LEAST_FOUND_IN_DOCUMENT: f64 = 0.8;
/// Maximum weight of a segment, in words: a long paragraph says no more than a shorter one.
const MAX_WEIGHT: f32 = 60.0;
/// Maximum number of documents that are learned from in each variant. More documents of a source teach little.
const MAX_DOCUMENTS: usize = 60;

/// Which documents of a source are mined, and which are learned from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// All are mined.
    All,
    /// This many, evenly spread, are mined and learned from.
    Some(usize),
    /// Every second one is mined; the others are learned from.
    Half,
}

/// A corpus counts as the number of its sources to this power. With 0, all kinds of text would count alike, and less
/// boilerplate of news would be removed. With 1, all sources would count alike, and kinds of text that were not learned
/// from would lose more content.
const OF_SOURCES: f32 = 0.75;
/// The weight of all made sources of invented text. A corpus of 1 source has the weight 1.
const WEIGHT_OF_INVENTED: f32 = 25.0;
/// The share of the weight of a corpus that its made sources have.
const MADE_SHARE: f32 = 0.6;

const VARIANTS: [Variant; 4] = [Variant::All, Variant::Some(30), Variant::Some(10), Variant::Half];

/// The lessons of a source.
#[derive(Debug)]
pub struct SourceLessons {
    /// The number of its corpus, or the number of corpora if its texts are invented.
    pub corpus: usize,
    /// Whether it was made.
    pub is_made: bool,
    /// The lessons of its documents, in each variant.
    pub lessons: Vec<(Variant, Lesson)>,
}

impl SourceLessons {
    /// Number of documents that are learned from.
    pub fn documents(&self) -> usize {
        self.lessons.iter().filter(|(variant, _)| *variant == Variant::All).count()
    }
}

/// Makes lessons from the documents of some corpora that have gold text.
///
/// # Errors
/// If a corpus cannot be listed, no document of it has gold text, or the observer stops it.
pub fn decision_lessons(
    corpora: &[(Inventory, GoldTexts)],
    lexer: &Lexer,
    options: &CorpusMineOptions,
    observer: &dyn Observer,
) -> dehusk_run::Result<Vec<SourceLessons>> {
    let mut sources = Vec::new();
    for (corpus, (inventory, gold)) in corpora.iter().enumerate() {
        let listed = inventory.sources()?;
        inventory.skipped().iter().chain(&listed.skipped).for_each(|skipped| tell_of_skipped(skipped, observer));
        sources.extend(listed.listings.into_iter().map(|listing| (corpus, inventory, gold, listing)));
    }
    // Sources with similar names are often of one website, so they are in one part.
    let names: BTreeSet<&str> = sources.iter().map(|(.., listing)| listing.id.as_str()).collect();
    let names: Vec<&str> = names.into_iter().collect();
    let part = |name: &str| names.partition_point(|&other| other < name) * PARTS / names.len();

    observer.start("mining", sources.len().into());
    let left_out = AtomicUsize::new(0);
    let of_source = |(corpus, inventory, gold, listing): &(usize, &Inventory, &GoldTexts, _)| {
        let listing: &dehusk_corpus::SourceListing = listing;
        let documents = read_documents(inventory, &listing.documents, observer)?;
        let pairs = gold.with_documents(listing.id.as_str(), &documents);
        let pairs: Vec<Pair> = pairs.into_iter().map(|(gold, document)| (&gold.text[..], &document.text[..])).collect();
        let source = Source { id: &listing.id, part: part(listing.id.as_str()), lexer, options, left_out: &left_out };
        let lessons = source.lessons(&pairs)?;
        let documents: Vec<Pair> = pairs.into_iter().map(|(gold, text)| (text, gold)).collect();
        let material = Material::new(listing.id.as_str(), &documents);
        observer.step(1);
        Ok((SourceLessons { corpus: *corpus, is_made: false, lessons }, material))
    };
    let of_sources = sources.par_iter().map(of_source).collect::<dehusk_run::Result<Vec<_>>>()?;
    observer.finish();

    let mut materials: Vec<Vec<Material>> = corpora.iter().map(|_| Vec::new()).collect();
    let mut lessons = Vec::new();
    for (of_source, material) in of_sources {
        materials[of_source.corpus].push(material);
        lessons.push(of_source);
    }

    let made = made_sources(&materials);
    observer.start("mining made sources", made.len().into());
    let of_made = |(number, made): (usize, &MadeSource)| {
        let id = SourceId::parse(&format!("made-{number}")).expect("letters, digits and a hyphen");
        let part = if made.of.is_empty() { number % PARTS } else { part(&made.of) };
        let source = Source { id: &id, part, lexer, options, left_out: &left_out };
        let pairs: Vec<Pair> = made.documents.iter().map(|(text, whole)| (&whole[..], &text[..])).collect();
        let lessons = source.lessons(&pairs)?;
        observer.step(1);
        Ok(SourceLessons { corpus: made.corpus, is_made: true, lessons })
    };
    lessons.extend(made.par_iter().enumerate().map(of_made).collect::<dehusk_run::Result<Vec<_>>>()?);
    observer.finish();

    let left_out = left_out.into_inner();
    if left_out > 0 {
        let message = format!(
            "documents are left out that have less than {LEAST_FOUND_IN_DOCUMENT} of their gold text: {left_out}"
        );
        observer.warn(WarningKind::NoLesson, &message);
    }
    Ok(weighed(lessons))
}

/// A gold text, and the text of its document.
type Pair<'p> = (&'p str, &'p str);

struct Source<'s> {
    id: &'s SourceId,
    part: usize,
    lexer: &'s Lexer,
    options: &'s CorpusMineOptions,
    left_out: &'s AtomicUsize,
}

impl Source<'_> {
    fn lessons(&self, pairs: &[Pair]) -> dehusk_run::Result<Vec<(Variant, Lesson)>> {
        let mut lessons = Vec::new();
        for variant in VARIANTS {
            let (mined, learned): (Vec<&Pair>, Vec<&Pair>) = match variant {
                Variant::All => (pairs.iter().collect(), evenly_spread(pairs, MAX_DOCUMENTS).collect()),
                Variant::Some(count) if 2 * pairs.len() >= 3 * count => {
                    let some: Vec<_> = evenly_spread(pairs, count).collect();
                    (some.clone(), some)
                }
                Variant::Some(_) => continue,
                Variant::Half if pairs.len() < 2 * Mined::MIN_DOCUMENTS => continue,
                Variant::Half => {
                    let others: Vec<_> = pairs.iter().skip(1).step_by(2).collect();
                    let others = evenly_spread(&others, MAX_DOCUMENTS / 2).copied().collect();
                    (pairs.iter().step_by(2).collect(), others)
                }
            };
            let texts: Vec<String> = mined.iter().map(|(_, text)| (*text).to_owned()).collect();
            let cleaner = self.cleaner(&texts)?;
            let lesson = |(gold, text): &Pair| self.lesson(gold, text, &cleaner);
            let of_variant: Vec<Option<Lesson>> = learned.into_par_iter().map(lesson).collect();
            if variant == Variant::All {
                self.left_out.fetch_add(of_variant.iter().filter(|lesson| lesson.is_none()).count(), Relaxed);
            }
            lessons.extend(of_variant.into_iter().flatten().map(|lesson| (variant, lesson)));
        }
        Ok(lessons)
    }

    /// A cleaner with the patterns of these texts.
    fn cleaner(&self, texts: &[String]) -> dehusk_run::Result<Cleaner> {
        let mined = mine_within(&Budget::new(self.options.memory), self.id, texts, self.lexer, &self.options.mining)?;
        let mined = [mined];
        let own = cross_source(&mined).own.remove(0);
        let file = PatternFile::of_templates(self.id.as_str(), mined[0].facts(), own, self.lexer);
        let cleaning = CleanOptions::default();
        let select =
            SelectOptions { has_ends: true, all_patterns: self.options.all_patterns, cleaning: cleaning.clone() };
        Ok(Cleaner::new(&[&Selector::new(None, select).needed(&file, texts)], &cleaning))
    }

    /// The lesson of a document. `None` if it has too little of the gold text, or cannot be read.
    fn lesson(&self, gold: &str, text: &str, cleaner: &Cleaner) -> Option<Lesson> {
        let all: Vec<Word> = words(text).collect();
        let hashes: Vec<u64> = all.iter().map(|word| word.hash).collect();
        let gold = word_hashes(gold);
        let found = matched(&hashes, &gold);
        if (found.len() as f64) < LEAST_FOUND_IN_DOCUMENT * gold.len() as f64 {
            return None;
        }
        let places: Vec<usize> = found.into_iter().map(|word| all[word].range.start).collect();
        let reading = cleaner.read(&mut Scratch::default(), text).ok()?;
        let label = |document: &Divided, segment: usize| {
            let bytes = document.bytes(segment);
            let in_segment = |starts: &dyn Fn(usize) -> usize| starts(bytes.end) - starts(bytes.start);
            let words = in_segment(&|limit| all.partition_point(|word| word.range.start < limit));
            let found = in_segment(&|limit| places.partition_point(|&place| place < limit));
            (2 * found < words, (words as f32).min(MAX_WEIGHT))
        };
        let lesson = |document: Divided| {
            let labels = (0..document.count()).map(|segment| label(&document, segment)).collect();
            Lesson::of(self.part, document, labels)
        };
        Some(cleaner.weigh_segments(text, &reading, lesson))
    }
}

/// Weighs the lessons, and sorts the sources by corpus. The weight of a corpus depends on the number of its sources
/// ([`OF_SOURCES`]). The sources of a corpus have equal weights, and so do the variants of a source. Made sources share
/// a part of the weight of their corpus ([`MADE_SHARE`]).
fn weighed(mut sources: Vec<SourceLessons>) -> Vec<SourceLessons> {
    sources.retain(|source| !source.lessons.is_empty());
    sources.sort_by_key(|source| source.corpus);
    let mut counts: BTreeMap<(usize, bool), usize> = BTreeMap::new();
    sources.iter().for_each(|source| *counts.entry((source.corpus, source.is_made)).or_default() += 1);
    for source in &mut sources {
        let count = |is_made| counts.get(&(source.corpus, is_made)).map_or(0.0, |&count| count as f32);
        let of_corpus = if count(false) == 0.0 { WEIGHT_OF_INVENTED } else { count(false).powf(OF_SOURCES) };
        let share = if source.is_made { MADE_SHARE } else { 1.0 - MADE_SHARE };
        let of_source = of_corpus * share / count(source.is_made);
        let variants = VARIANTS.iter().filter(|variant| source.lessons.iter().any(|(of, _)| of == *variant));
        let of_variant = of_source / variants.count() as f32;
        for variant in VARIANTS {
            let mut of_these: Vec<&mut Lesson> =
                source.lessons.iter_mut().filter(|(of, _)| *of == variant).map(|(_, lesson)| lesson).collect();
            let all: f32 = of_these.iter().flat_map(|lesson| &lesson.labels).map(|label| label.1).sum();
            let labels = of_these.iter_mut().flat_map(|lesson| &mut lesson.labels);
            labels.for_each(|label| label.1 *= of_variant / all.max(1.0));
        }
    }
    sources
}
