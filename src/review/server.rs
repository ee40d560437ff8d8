//! Requests to pages and decisions.
//!
//! Everything lies below the review's key. A `GET` shows something, a page or a part of one; a `POST` with JSON decides
//! something and answers with what to tell the person, or with why it was not done.

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
use crate::pages::STYLE;

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
        std::thread::spawn(move || survey.survey());
        let session = Arc::clone(&self.session);
        // A browser keeps connections open; nobody waits for them.
        let served = tokio::select! {
            served = axum::serve(self.listener, routes(self.session, &self.guard)) => served,
            () = stop => Ok(()),
        };
        // Nobody waits for the survey, which writes nothing.
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
        .route(&at("undo"), post(deciding::undo))
        .route(&at("s/{source}/"), get(showing::patterns))
        .route(&at("s/{source}/list"), get(showing::list))
        .route(&at("s/{source}/about"), get(showing::about_source))
        .route(&at("s/{source}/documents"), get(showing::documents))
        .route(&at("s/{source}/d/{number}"), get(showing::document_page))
        .route(&at("s/{source}/d/{number}/text"), get(showing::document_text))
        .route(&at("s/{source}/all"), get(showing::ask).post(deciding::decide_on_all))
        .route(&at("s/{source}/keep"), post(deciding::keep))
        .route(&at("s/{source}/p/{id}/"), get(showing::detail).post(deciding::decide))
        .route(&at("s/{source}/p/{id}/matches"), get(showing::matches))
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
