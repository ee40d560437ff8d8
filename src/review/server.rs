//! Requests to pages and decisions.
//!
//! Everything lies below the review's key. A `GET` shows something, a page or a part of one; a `POST` with JSON decides
//! something and answers with what to tell the person, or with why it was not done.

use std::future::Future;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use axum::extract::{Path, Query as Parameters, State};
use axum::http::{StatusCode, header};
use axum::middleware;
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::json;
use tokio::net::TcpListener;

use super::Session;
use super::decision::{Entry, Refusal};
use super::files::SaveError;
use super::guard::{Guard, check};
use super::pages::overview::Row;
use super::pages::source::Listing;
use super::pages::{Links, Place, about, document, overview, pattern, source};
use super::query::{Group, Query, effect};
use super::survey::FirstRemoved;
use crate::cleaning::Scratch;
use crate::effects::{Effects, Question};
use crate::pages::STYLE;
use crate::patterns::{PatternFile, Status};

const SCRIPT: &str = include_str!("review.js");
const OWN_STYLE: &str = include_str!("review.css");
const ICON: &str = include_str!("icon.svg");

/// A review that can be opened in a browser.
pub struct Server {
    listener: TcpListener,
    guard: Guard,
    session: Arc<Session>,
}

/// Why a review cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// Most often because another program listens there.
    #[error("cannot listen on port {port}: {error}; leave --port out to take any that is free")]
    Listen {
        /// The port that was asked for.
        port: u16,
        /// What the operating system said.
        error: std::io::Error,
    },
    /// There is no chance to be had.
    #[error("cannot make a key: {0}")]
    Key(getrandom::Error),
}

impl Server {
    /// Listens on loopback, on this port or, if it is 0, on any that is free.
    pub async fn bind(session: Arc<Session>, port: u16) -> Result<Server, ServerError> {
        let failed = |error| ServerError::Listen { port, error };
        let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).await.map_err(failed)?;
        let port = listener.local_addr().map_err(failed)?.port();
        Ok(Server { listener, guard: Guard::new(port).map_err(ServerError::Key)?, session })
    }

    /// Where a person opens it.
    pub fn url(&self) -> String {
        self.guard.url()
    }

    /// Answers until it is time to stop.
    pub async fn run(self, stop: impl Future<Output = ()> + Send + 'static) -> std::io::Result<()> {
        let survey = Arc::clone(&self.session);
        let surveying = std::thread::spawn(move || survey.survey());
        let session = Arc::clone(&self.session);
        // A browser keeps connections open; nobody waits for them.
        let served = tokio::select! {
            served = axum::serve(self.listener, routes(self.session, &self.guard)) => served,
            () = stop => Ok(()),
        };
        session.survey.close();
        let _ = surveying.join();
        served
    }
}

fn routes(session: Arc<Session>, guard: &Guard) -> Router {
    let links = Links { base: format!("/{}/", guard.key()) };
    let at = |path: &str| format!("{}{path}", links.base);
    Router::new()
        .route(&at(""), get(home))
        .route(&at("style.css"), get(style))
        .route(&at("review.js"), get(script))
        .route(&at("icon.svg"), get(icon))
        .route(&at("pulse"), get(pulse))
        .route(&at("undo"), post(undo))
        .route(&at("s/{source}/"), get(patterns))
        .route(&at("s/{source}/list"), get(list))
        .route(&at("s/{source}/about"), get(about_source))
        .route(&at("s/{source}/documents"), get(documents))
        .route(&at("s/{source}/d/{number}"), get(document_page))
        .route(&at("s/{source}/d/{number}/text"), get(document_text))
        .route(&at("s/{source}/all"), post(decide_on_all))
        .route(&at("s/{source}/keep"), post(keep))
        .route(&at("s/{source}/p/{id}/"), get(detail).post(decide))
        .route(&at("s/{source}/p/{id}/matches"), get(matches))
        .route(&at("s/{source}/p/{id}/try"), post(try_out))
        .fallback(|| async { Failure::NotFound("there is no such page".to_owned()) })
        .layer(middleware::from_fn_with_state(guard.clone(), check))
        .with_state(Review { session, links })
}

#[derive(Clone)]
struct Review {
    session: Arc<Session>,
    links: Links,
}

/// Why there is no page, or no decision.
enum Failure {
    NotFound(String),
    /// Something changed meanwhile.
    Conflict(String),
    Invalid(String),
    Broken(String),
}

type Page = Result<Html<String>, Failure>;
type Done = Result<Json<serde_json::Value>, Failure>;

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let (status, message) = match self {
            Failure::NotFound(message) => (StatusCode::NOT_FOUND, message),
            Failure::Conflict(message) => (StatusCode::CONFLICT, message),
            Failure::Invalid(message) => (StatusCode::UNPROCESSABLE_ENTITY, message),
            Failure::Broken(message) => (StatusCode::INTERNAL_SERVER_ERROR, message),
        };
        (status, Json(json!({ "message": message }))).into_response()
    }
}

impl From<SaveError> for Failure {
    fn from(error: SaveError) -> Failure {
        let message = error.to_string();
        match error {
            SaveError::NoSuchSource(_) => Failure::NotFound(message),
            SaveError::Refused(Refusal::Invalid(_)) => Failure::Invalid(message),
            SaveError::Refused(_) | SaveError::Broken(_) => Failure::Conflict(message),
            SaveError::Failed { .. } => Failure::Broken(message),
        }
    }
}

/// Does what takes its time where it holds nobody up.
async fn apart<T: Send + 'static>(work: impl FnOnce() -> Result<T, Failure> + Send + 'static) -> Result<T, Failure> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| Err(Failure::Broken(error.to_string())))
}

fn page(markup: Markup) -> Html<String> {
    Html(markup.into_string())
}

fn done(message: impl Into<String>) -> Json<serde_json::Value> {
    Json(json!({ "message": message.into() }))
}

async fn style() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "text/css; charset=utf-8")], format!("{STYLE}{OWN_STYLE}"))
}

async fn script() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "text/javascript; charset=utf-8")], SCRIPT)
}

async fn icon() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "image/svg+xml")], ICON)
}

async fn home(State(review): State<Review>) -> Page {
    apart(move || {
        review.session.refresh();
        let version = review.session.seen(None);
        let body = overview::overview(&review.links, &review.session.rows());
        Ok(page(super::pages::page(&review.links, "Sources", &version, None, &body)))
    })
    .await
}

#[derive(Deserialize)]
struct Watched {
    source: Option<String>,
}

/// What changes whenever a page might look different.
async fn pulse(State(review): State<Review>, Parameters(watched): Parameters<Watched>) -> Done {
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

/// What a person is told of a file that cannot be read.
fn problem_in_words(problem: &str) -> String {
    format!("{problem}. The patterns below are those it had before; nothing is written until it is mended.")
}

/// A source, as it is now.
struct Looked {
    version: String,
    file: Arc<PatternFile>,
    problem: Option<String>,
    effects: Option<Arc<Effects>>,
    is_fresh: bool,
    first: Arc<FirstRemoved>,
}

impl Review {
    fn look(&self, source: &str) -> Result<Looked, Failure> {
        let none = || Failure::NotFound(format!("there is no pattern file for source '{source}'"));
        self.session.refresh();
        let version = self.session.seen(Some(source));
        let (file, problem) = self.session.patterns(source).ok_or_else(none)?;
        let problem = problem.as_deref().map(problem_in_words);
        self.session.survey.focus(source);
        // What was found out with other patterns, in another order, tells nothing of these.
        let known = self.session.effects(source);
        let fits = |effects: &Effects| effects.patterns.first().is_some_and(|own| own.len() == file.patterns.len());
        let known = known.filter(|(effects, is_fresh)| *is_fresh || fits(effects));
        let is_fresh = known.as_ref().is_some_and(|(_, is_fresh)| *is_fresh);
        let first = self.session.survey.first_removed(source);
        Ok(Looked { version, file, problem, effects: known.map(|(effects, _)| effects), is_fresh, first })
    }

    fn page(&self, source: &str, name: &str, looked: &Looked, body: &Markup) -> Html<String> {
        let place = Place {
            links: &self.links,
            source,
            page: name,
            problem: looked.problem.as_deref(),
            decided: decided(&looked.file),
        };
        page(super::pages::page(&self.links, super::pages::name(source), &looked.version, Some(&place), body))
    }

    fn detail(&self, source: &str, looked: &Looked, index: usize, selected: &[usize]) -> Markup {
        let effects = looked.effects.as_deref();
        let texts = self.session.documents.texts(source);
        let all = [Group::Listed, Group::Frequent, Group::Lines, Group::Idle];
        let groups = all.map(|group| (group, group.of(&looked.file, selected, effects).len()));
        pattern::detail(&pattern::Seen {
            links: &self.links,
            source,
            file: &looked.file,
            pattern: &looked.file.patterns[index],
            effect: effects.and_then(|effects| effect(effects, index)),
            is_fresh: looked.is_fresh,
            texts: &texts,
            groups: &groups,
        })
    }
}

fn decided(file: &PatternFile) -> [usize; 2] {
    let decided = file.patterns.iter().filter(|pattern| pattern.status != Status::Proposed).count();
    [decided, file.patterns.len()]
}

fn index_of(file: &PatternFile, id: &str) -> Result<usize, Failure> {
    let index = file.patterns.iter().position(|pattern| pattern.id == id);
    index.ok_or_else(|| Failure::NotFound(format!("there is no pattern {id} in the file any more")))
}

#[derive(Deserialize)]
struct Chosen {
    id: Option<String>,
}

async fn patterns(
    State(review): State<Review>,
    Path(name): Path<String>,
    Parameters(query): Parameters<Query>,
    Parameters(chosen): Parameters<Chosen>,
) -> Page {
    apart(move || {
        let looked = review.look(&name)?;
        let effects = looked.effects.as_deref();
        let selected = query.select(&looked.file, effects, &looked.first);
        let index = chosen.id.as_deref().and_then(|id| index_of(&looked.file, id).ok()).or(selected.first().copied());
        let detail = index.map(|index| review.detail(&name, &looked, index, &selected));
        let links = &review.links;
        let listing = Listing { links, source: &name, file: &looked.file, effects, query: &query, selected: &selected };
        let body = source::patterns(&listing, detail.as_ref());
        Ok(review.page(&name, "patterns", &looked, &body))
    })
    .await
}

async fn list(
    State(review): State<Review>,
    Path(name): Path<String>,
    Parameters(query): Parameters<Query>,
    Parameters(chosen): Parameters<Chosen>,
) -> Page {
    apart(move || {
        let looked = review.look(&name)?;
        let effects = looked.effects.as_deref();
        let selected = query.select(&looked.file, effects, &looked.first);
        let links = &review.links;
        let listing = Listing { links, source: &name, file: &looked.file, effects, query: &query, selected: &selected };
        Ok(page(html! {
            (source::list(&listing, chosen.id.as_deref()))
            @if query.from == 0 { template { (source::statuses(&listing)) (super::pages::progress(decided(&looked.file))) } }
        }))
    })
    .await
}

async fn detail(
    State(review): State<Review>,
    Path((source, id)): Path<(String, String)>,
    Parameters(query): Parameters<Query>,
) -> Page {
    apart(move || {
        let looked = review.look(&source)?;
        let index = index_of(&looked.file, &id)?;
        let selected = query.select(&looked.file, looked.effects.as_deref(), &looked.first);
        Ok(page(review.detail(&source, &looked, index, &selected)))
    })
    .await
}

#[derive(Deserialize)]
struct Start {
    #[serde(default)]
    from: usize,
}

async fn matches(
    State(review): State<Review>,
    Path((source, id)): Path<(String, String)>,
    Parameters(Start { from }): Parameters<Start>,
) -> Page {
    apart(move || {
        let looked = review.look(&source)?;
        let index = index_of(&looked.file, &id)?;
        let texts = review.session.documents.texts(&source);
        let found = review.session.matches(&source, index, &texts);
        Ok(page(pattern::all_matches(&review.links, &source, &id, &texts, &found, from)))
    })
    .await
}

async fn about_source(State(review): State<Review>, Path(source): Path<String>) -> Page {
    apart(move || {
        let looked = review.look(&source)?;
        let texts = review.session.documents.texts(&source);
        let body = about::about(&looked.file, &texts, looked.effects.as_deref());
        Ok(review.page(&source, "about", &looked, &body))
    })
    .await
}

#[derive(Deserialize)]
struct Order {
    #[serde(default)]
    order: String,
}

async fn documents(
    State(review): State<Review>,
    Path(source): Path<String>,
    Parameters(Order { order }): Parameters<Order>,
) -> Page {
    apart(move || {
        let looked = review.look(&source)?;
        let texts = review.session.documents.texts(&source);
        let body = about::documents(&review.links, &source, &texts, looked.effects.as_deref(), &order);
        Ok(review.page(&source, "documents", &looked, &body))
    })
    .await
}

#[derive(Deserialize)]
struct Limit {
    limit: Option<usize>,
}

async fn document_page(State(review): State<Review>, Path((source, number)): Path<(String, usize)>) -> Page {
    apart(move || {
        let looked = review.look(&source)?;
        let body = review.show(&source, number, document::SHOWN, document::document)?;
        Ok(review.page(&source, "documents", &looked, &body))
    })
    .await
}

async fn document_text(
    State(review): State<Review>,
    Path((source, number)): Path<(String, usize)>,
    Parameters(Limit { limit }): Parameters<Limit>,
) -> Page {
    apart(move || Ok(page(review.show(&source, number, limit.unwrap_or(document::SHOWN), document::text)?))).await
}

impl Review {
    fn show(
        &self,
        source: &str,
        number: usize,
        limit: usize,
        draw: impl Fn(&document::Shown) -> Markup,
    ) -> Result<Markup, Failure> {
        let texts = self.session.documents.texts(source);
        let none = || Failure::NotFound(format!("there is no document number {number}"));
        let text = &texts.documents.get(number).ok_or_else(none)?.text;
        // Shared patterns alone act on documents that are looked at with them; the document's own source has more.
        let cleaner = self.session.cleaner(source);
        let broken = |error: crate::cleaning::CleanError| Failure::Broken(error.to_string());
        let reading = cleaner.read(&mut Scratch::default(), text).map_err(broken)?;
        let cleaning = cleaner.cleaning(text, &reading);
        let (links, texts, cleaner) = (&self.links, &*texts, &cleaner);
        Ok(draw(&document::Shown {
            links,
            source,
            texts,
            number,
            cleaner,
            reading: &reading,
            cleaning: &cleaning,
            limit,
        }))
    }
}

/// What a person decided on the pattern that was looked at as `seen`.
#[derive(Deserialize)]
struct Decision {
    seen: String,
    status: Option<Status>,
    note: Option<String>,
    edit: Option<Edit>,
}

#[derive(Deserialize)]
struct Edit {
    regex: String,
    ends_after: Option<usize>,
}

async fn decide(
    State(review): State<Review>,
    Path((source, id)): Path<(String, String)>,
    Json(decision): Json<Decision>,
) -> Done {
    apart(move || {
        let session = &review.session;
        let Decision { seen, status, note, edit } = decision;
        if let Some(status) = status {
            session.decide_on(&source, &id, &seen, status.name(), |entry| entry.status = status)?;
            return Ok(done(format!("{}: {id}", status.name())));
        }
        if let Some(note) = note {
            session.decide_on(&source, &id, &seen, "noted", |entry| entry.note = note.trim().to_owned())?;
            return Ok(done(format!("noted: {id}")));
        }
        let Some(edit) = edit else { return Err(Failure::Invalid("nothing was decided".to_owned())) };
        let message = session.edit(&source, &id, &seen, edit.regex, edit.ends_after)?;
        Ok(done(message))
    })
    .await
}

async fn try_out(
    State(review): State<Review>,
    Path((source, id)): Path<(String, String)>,
    Json(edit): Json<Edit>,
) -> Page {
    apart(move || {
        let (file, _) = review.session.patterns(&source).ok_or_else(|| Failure::NotFound(source.clone()))?;
        let entry = Entry::of(&file.patterns[index_of(&file, &id)?]);
        let entry = Entry { regex: edit.regex, ends_after: edit.ends_after, ..entry };
        let texts = review.session.documents.texts(&source);
        Ok(page(match review.session.try_out(&source, &id, &entry) {
            Ok(trial) => pattern::trial(&review.links, &source, &texts, &trial),
            Err(why) => html! { p.warning { (why) } },
        }))
    })
    .await
}

/// The same decision on all undecided patterns of a group; `count` is how many the person was told.
#[derive(Deserialize)]
struct ForAll {
    status: Status,
    group: Group,
    count: usize,
    query: Query,
}

async fn decide_on_all(State(review): State<Review>, Path(source): Path<String>, Json(all): Json<ForAll>) -> Done {
    apart(move || {
        let looked = review.look(&source)?;
        let effects = looked.effects.as_deref();
        let chosen = all.group.of(&looked.file, &all.query.select(&looked.file, effects, &looked.first), effects);
        if chosen.len() != all.count {
            let message = format!("there are {} of them now, not {}; look again", chosen.len(), all.count);
            return Err(Failure::Conflict(message));
        }
        let count = review.session.decide_on_all(&source, &looked.file, &chosen, all.status)?;
        Ok(done(format!("{}: {count} patterns", all.status.name())))
    })
    .await
}

/// A text that is to be kept from now on, or no longer; `document` is where it was selected.
#[derive(Deserialize)]
struct KeepText {
    text: String,
    document: Option<usize>,
    #[serde(default)]
    no_longer: bool,
}

async fn keep(State(review): State<Review>, Path(source): Path<String>, Json(keep): Json<KeepText>) -> Done {
    apart(move || {
        let session = &review.session;
        if keep.no_longer {
            session.keep(&source, &keep.text, None)?;
            return Ok(done("it is no longer kept"));
        }
        let (text, note) = session.as_it_stands(&source, &keep.text, keep.document).map_err(Failure::Invalid)?;
        session.keep(&source, &text, Some(&note))?;
        Ok(done(format!("never removed from now on: {text}")))
    })
    .await
}

/// Nothing; but no form of another site sends JSON.
#[derive(Deserialize)]
struct Undo {}

async fn undo(State(review): State<Review>, Json(Undo {}): Json<Undo>) -> Done {
    apart(move || {
        Ok(match review.session.undo()? {
            Some(step) => Json(json!({ "message": format!("undone: {}", step.what), "source": step.source })),
            None => done("there is nothing to undo"),
        })
    })
    .await
}

impl Session {
    /// The state of a source, or of all, that a page shows: another if the patterns or what is known of them changed.
    fn seen(&self, source: Option<&str>) -> String {
        let Some(source) = source else { return self.survey.count().to_string() };
        let (own, shared) = self.version(source);
        let known = self.survey.get(source).map(|(_, (own, shared))| format!("{own}.{shared}"));
        format!("{own}.{shared}/{}", known.unwrap_or_default())
    }

    fn rows(&self) -> Vec<Row> {
        let sources: Vec<String> = self.files().sources().map(str::to_owned).collect();
        let row = |source: String| {
            let (file, problem) = self.patterns(&source)?;
            let removed = self.effects(&source).map(|(effects, _)| effects.total());
            Some(Row {
                documents: self.documents.count(&source),
                decided: decided(&file),
                removed,
                removed_when_mined: file.mined.removed,
                warnings: problem.into_iter().collect(),
                source,
            })
        };
        sources.into_iter().filter_map(row).collect()
    }

    /// All matches of a pattern of a source's own file.
    fn matches(&self, source: &str, index: usize, texts: &super::documents::Texts) -> Vec<crate::effects::Sighting> {
        let files = self.files_for(source);
        let Some(own) = files.first() else { return Vec::new() };
        let mut alone = PatternFile::clone(own);
        alone.patterns = own.patterns.get(index).into_iter().cloned().collect();
        let watched = Some(crate::cleaning::Origin { file: 0, index: 0 });
        let question = Question { files: &[&alone], options: &self.options, watched };
        let read = |index: usize| texts.documents.get(index).map(|page| page.text.as_str());
        Effects::of(&question, texts.documents.len(), read, || true).watched
    }
}
