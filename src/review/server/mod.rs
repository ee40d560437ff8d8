//! Routes requests to pages and decisions.
//!
//! All paths start with the review's key. A `GET` returns a page or a part of one. A `POST` with JSON makes a decision
//! and returns a message, or the reason why it was not made.

mod deciding;
mod showing;

use std::future::Future;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use axum::http::{StatusCode, header};
use axum::middleware;
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use maud::Markup;
use serde_json::json;
use tokio::net::TcpListener;

use super::Session;
use super::decision::Refusal;
use super::files::SaveError;
use super::guard::{Guard, check};
use super::pages::Links;
use crate::view::STYLE;
use dehusk_core::threads::spawn;

const SCRIPT: &str = include_str!("../review.js");
const OWN_STYLE: &str = include_str!("../review.css");
const ICON: &str = include_str!("../icon.svg");

/// The web server of a review.
pub struct Server {
    listener: TcpListener,
    guard: Guard,
    session: Arc<Session>,
}

/// Why the server cannot start.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The port cannot be used, usually because another program listens there.
    #[error("cannot listen on port {port}: {error}; leave out --port to use any free port")]
    Listen {
        /// The requested port.
        port: u16,
        /// What the operating system said.
        error: std::io::Error,
    },
    /// The system has no random numbers.
    #[error("cannot make a key: {0}")]
    Key(getrandom::Error),
}

impl Server {
    /// Listens on loopback, on this port. Port 0 takes any free one.
    pub async fn bind(session: Arc<Session>, port: u16) -> Result<Server, ServerError> {
        let failed = |error| ServerError::Listen { port, error };
        let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).await.map_err(failed)?;
        let port = listener.local_addr().map_err(failed)?.port();
        Ok(Server { listener, guard: Guard::new(port).map_err(ServerError::Key)?, session })
    }

    /// The address of the review for the browser.
    pub fn url(&self) -> String {
        self.guard.url()
    }

    /// Serves requests until `stop` completes.
    pub async fn run(self, stop: impl Future<Output = ()> + Send + 'static) -> std::io::Result<()> {
        let survey = Arc::clone(&self.session);
        spawn("survey", move || survey.survey())?;
        let session = Arc::clone(&self.session);
        // Stops without waiting, because a browser keeps connections open.
        let served = tokio::select! {
            served = axum::serve(self.listener, routes(self.session, &self.guard)) => served,
            () = stop => Ok(()),
        };
        // The survey is not waited for, because it writes nothing.
        session.survey.close();
        served
    }
}

fn routes(session: Arc<Session>, guard: &Guard) -> Router {
    let links = Links { base: format!("/{}/", guard.key()) };
    let at = |path: &str| format!("{}{path}", links.base);
    Router::new()
        .route(&at(""), get(showing::home))
        .route(&at("style.css"), get(style))
        .route(&at("review.js"), get(script))
        .route(&at("icon.svg"), get(icon))
        .route(&at("pulse"), get(showing::pulse))
        .route(&at("beside"), get(showing::beside))
        .route(&at("undo"), post(deciding::undo))
        .route(&at("s/{source}/"), get(showing::patterns))
        .route(&at("s/{source}/list"), get(showing::list))
        .route(&at("s/{source}/about"), get(showing::about_source))
        .route(&at("s/{source}/documents"), get(showing::documents))
        .route(&at("s/{source}/d/{number}"), get(showing::document_page))
        .route(&at("s/{source}/d/{number}/text"), get(showing::document_text))
        .route(&at("s/{source}/d/{number}/page"), get(showing::marked_page))
        .route(&at("s/{source}/all"), get(showing::ask).post(deciding::decide_on_all))
        .route(&at("s/{source}/all/preview"), get(showing::preview_of_many))
        .route(&at("s/{source}/keep"), post(deciding::keep))
        .route(&at("s/{source}/remove"), post(deciding::remove))
        .route(&at("s/{source}/loose/"), get(showing::loose).post(deciding::decide_on_loose))
        .route(&at("s/{source}/loose/preview"), get(showing::preview_of_loose))
        .route(&at("s/{source}/p/{id}/"), get(showing::detail).post(deciding::decide))
        .route(&at("s/{source}/p/{id}/matches"), get(showing::matches))
        .route(&at("s/{source}/p/{id}/preview"), get(showing::preview_of_one))
        .route(&at("s/{source}/p/{id}/try"), post(deciding::try_out))
        .fallback(|| async { Failure::NotFound("there is no such page".to_owned()) })
        .layer(middleware::from_fn_with_state(guard.clone(), check))
        .with_state(Review { session, links })
}

#[derive(Clone)]
struct Review {
    session: Arc<Session>,
    links: Links,
}

/// Why a request failed.
enum Failure {
    NotFound(String),
    /// Something has changed in the meantime.
    Conflict(String),
    Invalid(String),
    Broken(String),
}

type PageResponse = Result<Html<String>, Failure>;
type Done = Result<Json<serde_json::Value>, Failure>;

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let (status, message) = match self {
            Failure::NotFound(message) => (StatusCode::NOT_FOUND, message),
            Failure::Conflict(message) => (StatusCode::CONFLICT, message),
            Failure::Invalid(message) => (StatusCode::UNPROCESSABLE_ENTITY, message),
            Failure::Broken(message) => (StatusCode::INTERNAL_SERVER_ERROR, message),
        };
        (status, message).into_response()
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

/// Runs slow work on another thread, so that it does not block the server.
async fn apart<T: Send + 'static>(work: impl FnOnce() -> Result<T, Failure> + Send + 'static) -> Result<T, Failure> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| Err(Failure::Broken(error.to_string())))
}

/// Like [`apart`]. The work can ask whether anybody still waits for its result: the person may have left the page.
async fn apart_while_asked<T: Send + 'static>(
    work: impl FnOnce(&(dyn Fn() -> bool + Sync)) -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    // The server drops this future when the browser closes the connection, and the token with it.
    let token = Arc::new(());
    let asker = Arc::downgrade(&token);
    apart(move || work(&|| asker.strong_count() > 0)).await
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
