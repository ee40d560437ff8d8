//! The requests that show pages and parts of pages.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, Query as Parameters, State};
use axum::response::{Html, IntoResponse};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::json;

use super::{Done, Failure, PageResponse, Review, apart, apart_while_asked, page};
use crate::review::alike::alike_patterns;
use crate::review::decision::{Change, Step};
use crate::review::documents::{LoadedDocument, Texts};
use crate::review::files::SaveError;
use crate::review::guard::of_marked_page;
use crate::review::many::{ChosenPatterns, Group};
use crate::review::pages::document::{Located, View};
use crate::review::pages::pattern::Offer;
use crate::review::pages::source::Listing;
use crate::review::pages::{self, SourceHeader, about, document, loose, overview, pattern, preview, source};
use crate::review::query::Query;
use crate::review::sources::{Row, SourcesQuery};
use crate::review::survey::{FirstRemoved, SurveyResult};
use crate::review::{Session, loose_of};
use dehusk_core::cleaning::{CleanError, Scratch};
use dehusk_core::patterns::{PatternFile, SHARED, Status};
use dehusk_core::selection::effects::{Effects, PatternEffect, Question};
use dehusk_core::selection::warnings::warnings;
use dehusk_run::explain::drawn::{Canvas, drawn};
use dehusk_run::explain::in_words;

pub(super) async fn home(State(review): State<Review>, Parameters(query): Parameters<SourcesQuery>) -> PageResponse {
    apart(move || {
        review.session.refresh();
        let session = &review.session;
        let version = session.seen(None);
        let body = overview::overview(&review.links, &query, session.rows(), &session.warnings());
        Ok(page(pages::page(&review.links, "Sources", &version, None, &body)))
    })
    .await
}

#[derive(Deserialize)]
pub(super) struct Around {
    source: String,
}

/// Links from a source to the sources beside it in the overview.
pub(super) async fn beside(
    State(review): State<Review>,
    Parameters(query): Parameters<SourcesQuery>,
    Parameters(Around { source }): Parameters<Around>,
) -> PageResponse {
    apart(move || {
        let file = review.session.file(&source)?;
        let beside = query.beside(review.session.rows(), &source);
        Ok(page(overview::beside(&review.links, &beside, decided(&file))))
    })
    .await
}

#[derive(Deserialize)]
pub(super) struct Watched {
    source: Option<String>,
}

/// A version that changes whenever the page may look different.
pub(super) async fn pulse(State(review): State<Review>, Parameters(watched): Parameters<Watched>) -> Done {
    apart(move || {
        let session = &review.session;
        session.refresh();
        let version = session.seen(watched.source.as_deref());
        let Some(source) = watched.source else { return Ok(Json(json!({ "version": version }))) };
        session.survey.focus(&source);
        let problem = session.patterns(&source).and_then(|(_, problem)| problem);
        Ok(Json(json!({ "version": version, "problem": problem.as_deref().map(problem_in_words) })))
    })
    .await
}

/// The message for a file that cannot be read.
fn problem_in_words(problem: &str) -> String {
    format!(
        "{problem}. The patterns below are from the last version that could be read; nothing is written until the \
             file is corrected."
    )
}

/// The current data of a source.
pub(super) struct Looked {
    version: String,
    pub(super) file: Arc<PatternFile>,
    problem: Option<String>,
    known: Option<SurveyResult>,
    is_fresh: bool,
    first: Arc<FirstRemoved>,
}

impl Looked {
    /// The effects of the patterns, if known. They may be from before the last decisions.
    fn effects(&self) -> Option<&Effects> {
        self.known.as_ref().map(|known| &*known.effects)
    }

    /// The effect of one pattern. `None` if it is not known for the pattern's present status and regex.
    fn effect(&self, index: usize) -> Option<&PatternEffect> {
        self.known.as_ref()?.effect(index, &self.file.patterns[index])
    }

    /// The patterns that the query selects, in order.
    fn select(&self, query: &Query) -> Vec<usize> {
        query.select(&self.file, self.effects(), &self.first)
    }
}

impl Review {
    pub(super) fn look(&self, source: &str) -> Result<Looked, Failure> {
        let none = || Failure::NotFound(format!("there is no pattern file for source '{source}'"));
        self.session.refresh();
        self.session.patterns(source).ok_or_else(none)?;
        self.session.survey.wait_for(source);
        // The version is read before the data, so that any change after that makes a new version.
        let version = self.session.seen(Some(source));
        let (file, problem) = self.session.patterns(source).ok_or_else(none)?;
        let problem = problem.as_deref().map(problem_in_words);
        let known = self.session.effects(source, &file);
        let is_fresh = known.as_ref().is_some_and(|(_, is_fresh)| *is_fresh);
        let first = self.session.survey.first_removed(source);
        Ok(Looked { version, file, problem, known: known.map(|(known, _)| known), is_fresh, first })
    }

    fn page(&self, source: &str, name: &str, looked: &Looked, body: &Markup) -> Html<String> {
        let place = SourceHeader {
            links: &self.links,
            source,
            page: name,
            problem: looked.problem.as_deref(),
            decided: decided(&looked.file),
        };
        page(pages::page(&self.links, &pages::name(source), &looked.version, Some(&place), body))
    }

    fn listing<'l>(&'l self, source: &'l str, looked: &'l Looked, query: &'l Query, selected: &[usize]) -> Listing<'l> {
        let groups = alike_patterns(&looked.file, selected);
        Listing { links: &self.links, source, file: &looked.file, effects: looked.effects(), query, groups }
    }

    fn detail(&self, source: &str, looked: &Looked, index: usize, query: &Query) -> Markup {
        let texts = self.session.documents.texts(source);
        let pattern = &looked.file.patterns[index];
        let elsewhere = self.session.with_same_pattern(&looked.file, pattern);
        let all =
            [Group::Alike, Group::Everywhere, Group::Listed, Group::Frequent, Group::Lines, Group::Idle].into_iter();
        let offers = all.map(|group| {
            let chosen = self.chosen(looked, group, query, Some(&pattern.id));
            // A group of only this pattern is not offered, because the pattern has its own buttons.
            let is_alone = chosen.patterns().all(|(file, one)| file.source == source && one.id == pattern.id);
            let count = if is_alone && group.is_about_one() { 0 } else { chosen.count() };
            Offer { group, count }
        });
        pattern::detail(&pattern::PatternView {
            links: &self.links,
            source,
            file: &looked.file,
            pattern,
            effect: looked.effect(index),
            is_fresh: looked.is_fresh,
            texts: &texts,
            offers: &offers.collect::<Vec<_>>(),
            elsewhere: &elsewhere,
            state: &format!("{:?}", self.session.version(source)),
        })
    }

    /// Previews of the changes that decisions for these statuses would make.
    fn previews(
        &self,
        statuses: &[Status],
        step_to: impl Fn(Status) -> Step,
        go_on: &(dyn Fn() -> bool + Sync),
    ) -> PageResponse {
        let steps: Vec<Step> = statuses.iter().map(|&status| step_to(status)).collect();
        let previews = self.session.preview(&steps, go_on).map_err(SaveError::from)?;
        Ok(page(html! {
            @for (&status, shown) in statuses.iter().zip(&previews) {
                h3 { (preview::if_you(status)) }
                (preview::preview(&self.links, status, shown))
            }
        }))
    }

    fn loose(&self, source: &str, looked: &Looked) -> Markup {
        let state = format!("{:?}", self.session.version(source));
        loose::detail(&self.links, &looked.file, looked.effects(), &state)
    }

    /// The undecided patterns that a decision on a group changes. `id` is the pattern on screen.
    pub(super) fn chosen(&self, looked: &Looked, group: Group, query: &Query, id: Option<&str>) -> ChosenPatterns {
        let of_file = |indices: Vec<usize>| ChosenPatterns::undecided([(Arc::clone(&looked.file), indices)]);
        let index = id.and_then(|id| index_of(&looked.file, id).ok());
        match (group, index) {
            (Group::Alike, Some(index)) => {
                let groups = alike_patterns(&looked.file, &looked.select(query));
                let group = groups.iter().find(|group| group.all().any(|member| member == index));
                of_file(group.map(|group| group.all().collect()).unwrap_or_default())
            }
            (Group::Everywhere, Some(index)) => {
                ChosenPatterns::undecided(self.session.with_same_pattern(&looked.file, &looked.file.patterns[index]))
            }
            (Group::Alike | Group::Everywhere, None) => ChosenPatterns::default(),
            _ => of_file(group.of(&looked.file, &looked.select(query), looked.effects())),
        }
    }
}

/// Number of documents to which the patterns of a source apply. Shared patterns apply to the documents of all sources.
fn documents_of(source: &str, counts: &BTreeMap<&str, usize>) -> usize {
    if source == SHARED { counts.values().sum() } else { counts.get(source).copied().unwrap_or(0) }
}

fn decided(file: &PatternFile) -> [usize; 2] {
    let decided = file.patterns.iter().filter(|pattern| pattern.status != Status::Proposed).count();
    [decided, file.patterns.len()]
}

pub(super) fn index_of(file: &PatternFile, id: &str) -> Result<usize, Failure> {
    let index = file.patterns.iter().position(|pattern| pattern.id == id);
    index.ok_or_else(|| Failure::NotFound(format!("there is no pattern {id} in the file any more")))
}

#[derive(Deserialize)]
pub(super) struct OnScreen {
    id: Option<String>,
}

pub(super) async fn patterns(
    State(review): State<Review>,
    Path(name): Path<String>,
    Parameters(query): Parameters<Query>,
    Parameters(on_screen): Parameters<OnScreen>,
) -> PageResponse {
    apart(move || {
        let looked = review.look(&name)?;
        let selected = looked.select(&query);
        let index =
            on_screen.id.as_deref().and_then(|id| index_of(&looked.file, id).ok()).or(selected.first().copied());
        let detail = match (on_screen.id.as_deref(), index) {
            (Some(""), _) => Some(review.loose(&name, &looked)),
            (_, index) => index.map(|index| review.detail(&name, &looked, index, &query)),
        };
        let texts = review.session.documents.texts(&name);
        let five = looked.effects().filter(|_| name != SHARED);
        let five = five.map(|effects| source::five_documents(&review.links, &name, &texts, effects));
        let listing = review.listing(&name, &looked, &query, &selected);
        let body = source::patterns(&listing, &five.unwrap_or_default(), detail.as_ref());
        Ok(review.page(&name, "patterns", &looked, &body))
    })
    .await
}

pub(super) async fn list(
    State(review): State<Review>,
    Path(name): Path<String>,
    Parameters(query): Parameters<Query>,
    Parameters(on_screen): Parameters<OnScreen>,
) -> PageResponse {
    apart(move || {
        let looked = review.look(&name)?;
        let selected = looked.select(&query);
        let listing = review.listing(&name, &looked, &query, &selected);
        Ok(page(html! {
            (source::list(&listing, on_screen.id.as_deref()))
            @if query.from == 0 { template { (source::statuses(&listing)) (pages::progress(decided(&looked.file))) } }
        }))
    })
    .await
}

pub(super) async fn detail(
    State(review): State<Review>,
    Path((source, id)): Path<(String, String)>,
    Parameters(query): Parameters<Query>,
) -> PageResponse {
    apart(move || {
        let looked = review.look(&source)?;
        let index = index_of(&looked.file, &id)?;
        Ok(page(review.detail(&source, &looked, index, &query)))
    })
    .await
}

/// A decision on many patterns. `id` is the pattern on screen.
#[derive(Deserialize)]
pub(super) struct Asked {
    decision: Status,
    group: Group,
    id: Option<String>,
}

pub(super) async fn ask(
    State(review): State<Review>,
    Path(source): Path<String>,
    Parameters(query): Parameters<Query>,
    Parameters(Asked { decision, group, id }): Parameters<Asked>,
) -> PageResponse {
    apart(move || {
        let looked = review.look(&source)?;
        let chosen = review.chosen(&looked, group, &query, id.as_deref());
        Ok(page(pattern::ask(&chosen, decision, group)))
    })
    .await
}

/// A preview of the changes that a decision on many patterns would make.
pub(super) async fn preview_of_many(
    State(review): State<Review>,
    Path(source): Path<String>,
    Parameters(query): Parameters<Query>,
    Parameters(Asked { decision, group, id }): Parameters<Asked>,
) -> PageResponse {
    apart_while_asked(move |go_on| {
        let looked = review.look(&source)?;
        let chosen = review.chosen(&looked, group, &query, id.as_deref());
        let previews = review.session.preview(&[chosen.step_to(decision)], go_on).map_err(SaveError::from)?;
        Ok(page(html! { @for shown in &previews { (preview::preview(&review.links, decision, shown)) } }))
    })
    .await
}

/// A preview of the changes that each possible decision on a pattern would make.
pub(super) async fn preview_of_one(
    State(review): State<Review>,
    Path((source, id)): Path<(String, String)>,
) -> PageResponse {
    apart_while_asked(move |go_on| {
        let file = review.session.file(&source)?;
        let index = index_of(&file, &id)?;
        let others = [Status::Accepted, Status::Rejected].into_iter();
        let others: Vec<Status> = others.filter(|status| *status != file.patterns[index].status).collect();
        let one = ChosenPatterns { files: vec![(file, vec![index])] };
        review.previews(&others, |status| one.step_to(status), go_on)
    })
    .await
}

/// The text of a source that no pattern matches.
pub(super) async fn loose(State(review): State<Review>, Path(source): Path<String>) -> PageResponse {
    apart(move || {
        let looked = review.look(&source)?;
        Ok(page(review.loose(&source, &looked)))
    })
    .await
}

/// A preview of the changes that each possible decision on text without a pattern would make.
pub(super) async fn preview_of_loose(State(review): State<Review>, Path(source): Path<String>) -> PageResponse {
    apart_while_asked(move |go_on| {
        let from = review.session.file(&source)?.loose;
        let others = [Status::Accepted, Status::Rejected].into_iter().filter(|status| loose_of(*status) != from);
        let change = |status| Change::Loose { from, to: loose_of(status) };
        let step = |status| Step::in_file(String::new(), &source, vec![change(status)]);
        review.previews(&others.collect::<Vec<_>>(), step, go_on)
    })
    .await
}

#[derive(Deserialize)]
pub(super) struct Start {
    #[serde(default)]
    from: usize,
}

pub(super) async fn matches(
    State(review): State<Review>,
    Path((source, id)): Path<(String, String)>,
    Parameters(Start { from }): Parameters<Start>,
) -> PageResponse {
    apart(move || {
        let looked = review.look(&source)?;
        let index = index_of(&looked.file, &id)?;
        let texts = review.session.documents.texts(&source);
        let found = review.session.matches(&source, index, &texts);
        Ok(page(pattern::all_matches(&review.links, &source, &id, &texts, &found, from)))
    })
    .await
}

pub(super) async fn about_source(State(review): State<Review>, Path(source): Path<String>) -> PageResponse {
    apart(move || {
        let looked = review.look(&source)?;
        let texts = review.session.documents.texts(&source);
        let body = about::about(&looked.file, &texts, looked.effects(), &review.session.warnings_of(&source));
        Ok(review.page(&source, "about", &looked, &body))
    })
    .await
}

#[derive(Deserialize)]
pub(super) struct Order {
    #[serde(default)]
    order: String,
}

pub(super) async fn documents(
    State(review): State<Review>,
    Path(source): Path<String>,
    Parameters(Order { order }): Parameters<Order>,
) -> PageResponse {
    apart(move || {
        let looked = review.look(&source)?;
        let texts = review.session.documents.texts(&source);
        let body = about::documents(&review.links, &source, &texts, looked.effects(), &order);
        Ok(review.page(&source, "documents", &looked, &body))
    })
    .await
}

/// How a document is shown, how much of its text is shown, and the bytes of a match to mark, such as `12-34`.
#[derive(Deserialize)]
pub(super) struct DocumentQuery {
    #[serde(default)]
    view: View,
    limit: Option<usize>,
    at: Option<String>,
}

impl DocumentQuery {
    fn at(&self) -> Option<Range<usize>> {
        let (start, end) = self.at.as_ref()?.split_once('-')?;
        Some(start.parse().ok()?..end.parse().ok()?)
    }
}

pub(super) async fn document_page(
    State(review): State<Review>,
    Path((source, number)): Path<(String, usize)>,
    Parameters(query): Parameters<DocumentQuery>,
) -> PageResponse {
    apart(move || {
        let looked = review.look(&source)?;
        let texts = review.session.documents.texts(&source);
        let is_page = document_of(&texts, number)?.tree.is_some();
        let at = Located { links: &review.links, source: &source, texts: &texts, number };
        let body = match query.view {
            View::Page if is_page => document::framed(at, review.session.version(&source)),
            view => review.show(at, &query, |shown| document::document(shown, view))?,
        };
        Ok(review.page(&source, "documents", &looked, &body))
    })
    .await
}

pub(super) async fn document_text(
    State(review): State<Review>,
    Path((source, number)): Path<(String, usize)>,
    Parameters(query): Parameters<DocumentQuery>,
) -> PageResponse {
    apart(move || {
        let texts = review.session.documents.texts(&source);
        let at = Located { links: &review.links, source: &source, texts: &texts, number };
        Ok(page(review.show(at, &query, document::text)?))
    })
    .await
}

/// A document that is a page, with marks. It is isolated from our own pages: see [`of_marked_page`].
pub(super) async fn marked_page(
    State(review): State<Review>,
    Path((source, number)): Path<(String, usize)>,
) -> Result<impl IntoResponse, Failure> {
    apart(move || {
        let session = &review.session;
        let texts = session.documents.texts(&source);
        let document = session.documents.read_again(document_of(&texts, number)?).map_err(Failure::Broken)?;
        let no_page = || Failure::NotFound(format!("document number {number} is no page"));
        let page = document.page.as_deref().ok_or_else(no_page)?;
        let canvas = Canvas { page, text: &document.text, address: document.url.as_deref() };
        let files = session.files_for(&source);
        let open: Vec<&PatternFile> = files.iter().map(Arc::as_ref).collect();
        let (cleaner, go_on) = (session.cleaner(&files), session.patience());
        let (html, _) = drawn(&canvas, &cleaner, |pattern| in_words(&open, pattern), &go_on).map_err(broken)?;
        Ok((of_marked_page(), Html(html)))
    })
    .await
}

fn document_of(texts: &Texts, number: usize) -> Result<&LoadedDocument, Failure> {
    let none = || Failure::NotFound(format!("there is no document number {number}"));
    texts.documents.get(number).ok_or_else(none)
}

fn broken(error: CleanError) -> Failure {
    Failure::Broken(error.to_string())
}

impl Review {
    fn show(
        &self,
        at: Located,
        query: &DocumentQuery,
        draw: impl Fn(&document::Shown) -> Markup,
    ) -> Result<Markup, Failure> {
        let LoadedDocument { text, tree, .. } = document_of(at.texts, at.number)?;
        let files = self.session.files_for(at.source);
        let cleaner = self.session.cleaner(&files);
        let (mut scratch, go_on) = (Scratch::default(), self.session.patience());
        let reading = cleaner.read_page(&mut scratch, text, tree.as_deref(), &go_on).map_err(broken)?;
        let cleaning = cleaner.explain(text, &reading);
        Ok(draw(&document::Shown {
            at,
            files: &files,
            cleaner: &cleaner,
            reading: &reading,
            cleaning: &cleaning,
            limit: query.limit.unwrap_or(document::CHARACTERS_AT_FIRST),
            match_at: query.at(),
        }))
    }
}

impl Session {
    fn rows(&self) -> Vec<Row> {
        let counts = self.documents.counts();
        let row = |source: String| {
            let (file, problem) = self.patterns(&source)?;
            let removed = self.effects(&source, &file).map(|(known, _)| known.effects.total());
            Some(Row {
                documents: counts.as_ref().map(|counts| documents_of(&source, counts)),
                decided: decided(&file),
                removed,
                removed_when_mined: file.mined.removed,
                is_unusual: file.unusual.is_some(),
                warnings: problem.into_iter().chain(self.warnings_of(&source)).collect(),
                source,
            })
        };
        self.files.sources().into_iter().filter_map(row).collect()
    }

    /// Warnings about a source, once its documents were looked at.
    fn warnings_of(&self, source: &str) -> Vec<String> {
        let files = self.files_for(source);
        let known = files.first().and_then(|own| self.effects(source, own));
        let Some((known, true)) = known else { return Vec::new() };
        let files: Vec<&PatternFile> = files.iter().map(Arc::as_ref).collect();
        let question = Question { files: &files, options: &self.options, watched: None };
        if source == SHARED { Vec::new() } else { warnings(&question, self.as_mined, &known.effects) }
    }

    /// General warnings, which belong to no source with patterns.
    fn warnings(&self) -> Vec<String> {
        let has_none = |source: &&&str| self.files.get(source).is_none();
        let counts = self.documents.counts().unwrap_or_default();
        let without: Vec<&str> = counts.keys().filter(has_none).copied().collect();
        let missing = (!without.is_empty()).then(|| {
            format!("Sources of the corpus without a pattern file: {}. `dehusk mine` makes them.", without.join(", "))
        });
        self.files.unreadable().into_iter().chain(missing).collect()
    }
}
