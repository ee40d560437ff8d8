//! Mines corpora for the lessons that train a shape model ([`train`](crate::training::train)).

use rayon::prelude::*;

use super::error::Result;
use super::left_out::tell_of_skipped;
use super::mining::{CorpusMineOptions, mine_within};
use super::observer::{Observer, WarningKind};
use super::reading::read_documents;
use super::workers::share_out_and_collect;
use crate::cleaning::shape::ShapeModel;
use crate::corpus::{Budget, Inventory, SourceListing};
use crate::mining::Mined;
use crate::mining::cross_source::{cross_source, shared_facts};
use crate::patterns::{PatternFile, SHARED, Trust};
use crate::selection::sampling::{self, Sampled};
use crate::selection::trust::Tally;
use crate::selection::values::Values;
use crate::tokens::Lexer;
use crate::training::Lesson;

/// The sources of a corpus that can be trusted, each with and without its line breaks, because the model must read both
/// kinds of text. Also returns the number of all sources.
///
/// # Errors
/// If the corpus cannot be listed, or a source cannot be mined.
pub fn lessons(
    inventory: &Inventory,
    lexer: &Lexer,
    options: &CorpusMineOptions,
    observer: &dyn Observer,
) -> Result<(Vec<Lesson>, usize)> {
    let sources = inventory.sources()?;
    inventory.skipped().iter().chain(&sources.skipped).for_each(|skipped| tell_of_skipped(skipped, observer));
    let read = |listing: &SourceListing| -> Result<Vec<String>> {
        let documents = read_documents(inventory, &listing.documents, observer)?;
        observer.step(1);
        Ok(documents.into_iter().flatten().map(|document| document.text.to_string()).collect())
    };
    observer.start("reading", sources.listings.len().into());
    let texts: Vec<Vec<String>> = sources.listings.iter().map(read).collect::<Result<_>>()?;
    observer.start("mining", (2 * texts.len()).into());
    let flowing = texts.iter().map(|texts| texts.iter().map(|text| text.replace('\n', " ")).collect()).collect();
    let lessons = mined(&sources.listings, texts, lexer, options, observer)?;
    observer.go_on()?;
    let is_relied_on = relied_on(&lessons, observer);
    let flowing = mined(&sources.listings, flowing, lexer, options, observer)?;
    observer.finish();
    let all = lessons.into_iter().chain(flowing).zip(is_relied_on.iter().cycle());
    Ok((all.filter(|(_, is_relied_on)| **is_relied_on).map(|(lesson, _)| lesson).collect(), is_relied_on.len()))
}

/// For each lesson, whether something is learned from it. A lesson is a source with its line breaks. Nothing is learned
/// if its documents show that text recurs in it that is no boilerplate. A source with too few documents is not tested.
fn relied_on(lessons: &[Lesson], observer: &dyn Observer) -> Vec<bool> {
    let shape = ShapeModel::shipped();
    let trust = |lesson: &Lesson| -> Option<Trust> {
        let (own, shared) = lesson.patterns.split_first()?;
        let texts: Vec<&String> = sampling::sample_of(&lesson.texts).collect();
        let is_told = texts.len() >= Mined::MIN_DOCUMENTS;
        let tally = || {
            let sampled = Sampled::new(own, shared.first(), &texts);
            Tally::of(&sampled, &Values::of(&sampled), &shape)
        };
        is_told.then(|| tally().trust())
    };
    let trusts: Vec<Option<Trust>> = lessons.par_iter().map(trust).collect();
    let is_relied_on = |(lesson, trust): (&Lesson, Option<Trust>)| {
        let doubt = trust.filter(|trust| !trust.is_anywhere());
        if let (Some(Trust { because, .. }), Some(own)) = (&doubt, lesson.patterns.first()) {
            let message = format!("nothing is learned from source '{}', because {because}", own.source);
            observer.warn(WarningKind::NoLesson, &message);
        }
        doubt.is_none()
    };
    lessons.iter().zip(trusts).map(is_relied_on).collect()
}

fn mined(
    listings: &[SourceListing],
    texts: Vec<Vec<String>>,
    lexer: &Lexer,
    options: &CorpusMineOptions,
    observer: &dyn Observer,
) -> Result<Vec<Lesson>> {
    let budget = Budget::new(options.memory);
    let mine = |index: usize| {
        let mined = mine_within(&budget, &listings[index].id, &texts[index], lexer, &options.mining);
        observer.step(1);
        mined
    };
    let mined = share_out_and_collect(options.threads, texts.len(), mine)?;
    let templates = cross_source(&mined);
    let shared = PatternFile::of_templates(SHARED, shared_facts(&mined), templates.shared, lexer);
    let lesson = |(((listing, mined), own), texts): (((&SourceListing, &Mined), _), Vec<String>)| {
        let own = PatternFile::of_templates(listing.id.as_str(), mined.facts(), own, lexer);
        Lesson { patterns: vec![own, shared.clone()], texts }
    };
    Ok(listings.iter().zip(&mined).zip(templates.own).zip(texts).map(lesson).collect())
}
