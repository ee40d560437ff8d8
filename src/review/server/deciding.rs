//! The requests that make decisions.

use axum::Json;
use axum::extract::{Path, State};
use maud::html;
use serde::Deserialize;
use serde_json::json;

use super::showing::index_of;
use super::{Done, Failure, PageResponse, Review, apart, apart_while_asked, done, page};
use crate::review::decision::{Change, Entry, Step};
use crate::review::many::Group;
use crate::review::pages::pattern::count;
use crate::review::pages::preview;
use crate::review::query::{Query, in_short};
use crate::review::{Session, loose_of};
use dehusk_core::patterns::Status;

/// A decision on one pattern, which the person saw in version `seen`.
#[derive(Deserialize)]
pub(super) struct Decision {
    seen: String,
    status: Option<Status>,
    note: Option<String>,
    edit: Option<Edit>,
}

#[derive(Deserialize)]
pub(super) struct Edit {
    regex: String,
    ends_after: Option<usize>,
}

pub(super) async fn decide(
    State(review): State<Review>,
    Path((source, id)): Path<(String, String)>,
    Json(decision): Json<Decision>,
) -> Done {
    apart(move || {
        let session = &review.session;
        let Decision { seen, status, note, edit } = decision;
        if let Some(status) = status {
            let told = session.decide_on(&source, &id, &seen, status.name(), |entry| entry.status = status)?;
            return Ok(done(told));
        }
        if let Some(note) = note {
            let write = |entry: &mut Entry| entry.note = note.trim().to_owned();
            return Ok(done(session.decide_on(&source, &id, &seen, "noted", write)?));
        }
        let Some(edit) = edit else { return Err(Failure::Invalid("nothing was decided".to_owned())) };
        let message = session.edit(&source, &id, &seen, edit.regex, edit.ends_after)?;
        Ok(done(message))
    })
    .await
}

/// A decision on text without a pattern. `seen` is the status that the person saw.
#[derive(Deserialize)]
pub(super) struct LooseDecision {
    seen: Status,
    status: Status,
}

pub(super) async fn decide_on_loose(
    State(review): State<Review>,
    Path(source): Path<String>,
    Json(LooseDecision { seen, status }): Json<LooseDecision>,
) -> Done {
    apart(move || Ok(done(review.session.decide_on_loose(&source, loose_of(seen), loose_of(status))?))).await
}

pub(super) async fn try_out(
    State(review): State<Review>,
    Path((source, id)): Path<(String, String)>,
    Json(edit): Json<Edit>,
) -> PageResponse {
    apart_while_asked(move |go_on| {
        let file = review.session.file(&source)?;
        let from = Entry::of(&file.patterns[index_of(&file, &id)?]);
        let block = from.block.clone().filter(|_| from.regex == edit.regex);
        let to = Entry { regex: edit.regex, block, ends_after: edit.ends_after, ..from.clone() };
        let step = Step::in_file("edited".to_owned(), &source, vec![Change::Pattern { id: id.clone(), from, to }]);
        Ok(page(match review.session.preview(&[step], go_on) {
            Ok(previews) => html! { @for shown in &previews { (preview::trial(&review.links, &source, &id, shown)) } },
            Err(why) => html! { p.warning { (why) } },
        }))
    })
    .await
}

/// One decision on all proposed patterns of a group. `seen` is the version of the group that the person saw.
#[derive(Deserialize)]
pub(super) struct ForAll {
    status: Status,
    group: Group,
    /// The pattern on screen.
    id: Option<String>,
    seen: String,
    query: Query,
}

pub(super) async fn decide_on_all(
    State(review): State<Review>,
    Path(source): Path<String>,
    Json(all): Json<ForAll>,
) -> Done {
    apart(move || {
        let looked = review.look(&source)?;
        let chosen = review.chosen(&looked, all.group, &all.query, all.id.as_deref());
        if chosen.version() != all.seen {
            let count = chosen.count();
            let message = format!("the patterns are not the same any more: there are now {count}; look again");
            return Err(Failure::Conflict(message));
        }
        Ok(done(review.session.decide_on_all(&chosen, all.status)?))
    })
    .await
}

/// A text to keep, or to keep no longer. `document` is the number of the document in which it was selected.
#[derive(Deserialize)]
pub(super) struct KeepText {
    text: String,
    document: Option<usize>,
    #[serde(default)]
    no_longer: bool,
}

pub(super) async fn keep(State(review): State<Review>, Path(source): Path<String>, Json(keep): Json<KeepText>) -> Done {
    apart(move || {
        let session = &review.session;
        if keep.no_longer {
            session.keep(&source, &keep.text, None)?;
            return Ok(done(format!("no longer kept: “{}”", in_short(&keep.text))));
        }
        let (text, note) = session.as_it_stands(&source, &keep.text, keep.document).map_err(Failure::Invalid)?;
        session.keep(&source, &text, Some(&note))?;
        Ok(from_now_on(session, &source, "never removed", &text))
    })
    .await
}

/// The message that something is done with a text, with the number of documents that have it.
fn from_now_on(session: &Session, source: &str, what: &str, text: &str) -> Json<serde_json::Value> {
    let documents = count(session.documents_with(source, text), "document");
    done(format!("{what} from now on, in {documents} here: “{}”", in_short(text)))
}

/// A text to remove. `document` is the number of the document in which it was selected.
#[derive(Deserialize)]
pub(super) struct RemoveText {
    text: String,
    document: usize,
}

pub(super) async fn remove(
    State(review): State<Review>,
    Path(source): Path<String>,
    Json(RemoveText { text, document }): Json<RemoveText>,
) -> Done {
    apart(move || {
        let session = &review.session;
        let (text, note) = session.as_it_stands(&source, &text, Some(document)).map_err(Failure::Invalid)?;
        session.remove(&source, &text, &note)?;
        Ok(from_now_on(session, &source, "always removed", &text))
    })
    .await
}

/// An empty object. It requires JSON, which a form on another site cannot send.
#[derive(Deserialize)]
pub(super) struct Undo {}

pub(super) async fn undo(State(review): State<Review>, Json(Undo {}): Json<Undo>) -> Done {
    apart(move || {
        Ok(match review.session.undo()? {
            Some(step) => {
                let message = format!("undone: {}", step.what);
                let (source, id) = step.only_pattern().unzip();
                Json(json!({ "message": message, "source": source, "id": id }))
            }
            None => done("there is nothing to undo"),
        })
    })
    .await
}
