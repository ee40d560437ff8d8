//! The work of the threads that fetch.

use std::io;
use std::net::IpAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, SyncSender};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use chrono::DateTime;
use twox_hash::XxHash3_128;

use super::options::{Options, Seed};
use crate::address::Address;
use crate::archive::Packing;
use crate::examine::{Examined, Found, examine};
use crate::fetch::{FetchError, Fetcher, Request, Response};
use crate::frontier::{Entry, Key, Kind, Visit};
use crate::http::Head;
use crate::record::{Earlier, PayloadDigest, Records, records};
use crate::resolve::ResolveError;
use crate::robots::Rules;

/// A task for a thread.
pub(super) struct Task {
    pub(super) lane: u32,
    /// The position in the queue. `None` for a robots.txt that must be requested before another URL.
    pub(super) key: Option<Key>,
    pub(super) entry: Entry,
    pub(super) address: Address,
    /// The IP address to ask. `None` if the addresses of the host must be found first.
    pub(super) ip: Option<IpAddr>,
    pub(super) earlier: Option<Visit>,
    /// Whether the content is requested only if it has changed.
    pub(super) is_conditional: bool,
    pub(super) follows_links: bool,
}

impl Task {
    /// The URL that is asked for.
    pub(super) fn url(&self) -> &str {
        self.entry.asked.as_deref().unwrap_or(self.address.as_str())
    }
}

/// The outcome of a task.
pub(super) enum Outcome {
    Resolved(Result<Vec<IpAddr>, ResolveError>),
    Fetched { took: Duration, answer: Result<Box<Answer>, FetchError> },
}

/// An answer, ready to be written.
pub(super) struct Answer {
    pub(super) examined: Examined,
    pub(super) visit: Visit,
    pub(super) status: u16,
    pub(super) received: u64,
    pub(super) packed: PackedRecords,
    /// For a new page: the answer without its body, and the hash that says which pages are the same ([`same_page`]).
    pub(super) new_page: Option<(Response, u128)>,
    /// The record of a page, if pages are also written to another output.
    pub(super) copy: Option<Vec<u8>>,
    pub(super) is_unchanged: bool,
}

/// See [`Records`].
pub(super) struct PackedRecords {
    pub(super) request: Vec<u8>,
    pub(super) answer: Vec<u8>,
}

impl PackedRecords {
    pub(super) fn new(records: &Records, packing: Packing) -> io::Result<PackedRecords> {
        Ok(PackedRecords { request: packing.pack(&records.request)?, answer: packing.pack(&records.answer)? })
    }
}

/// A message to the thread that decides.
pub(super) enum Event {
    Seed(Seed),
    NoMoreSeeds,
    Done(Box<(Task, Outcome)>),
}

pub(super) fn visit(examined: &Examined, response: &Response, record: String) -> Visit {
    // A value that is too long to be sent again is not kept.
    let short =
        |name: &str| response.head.value(name).filter(|value| value.len() <= 256).map(|value| value.into_owned());
    Visit {
        at: response.at.timestamp_millis(),
        etag: short("ETag"),
        last_modified: short("Last-Modified"),
        digest: examined.digest,
        record,
        url: None,
        has_refresh: matches!(&examined.found, Found::Page(links) if links.refresh.is_some()),
    }
}

/// A hash that is the same for the same pages: of the body, and of the fields that say how to read it.
pub(super) fn same_page(digest: &PayloadDigest, head: &Head) -> u128 {
    let of = |name: &str| head.values(name).collect::<Vec<_>>().join(",");
    let text = [&digest[..], of("Content-Type").as_bytes(), b"\n", of("Content-Encoding").as_bytes()].concat();
    XxHash3_128::oneshot(&text)
}

/// Does tasks, one after another, until there are no more. Each thread runs this.
pub(super) fn work(options: &Options, tasks: &Mutex<Receiver<Box<Task>>>, to_us: &SyncSender<Event>, copies: bool) {
    let fetcher = Fetcher::new(&options.user_agent(), options.limits.clone(), options.root.as_deref());
    loop {
        let task = tasks.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(task) = task else { return };
        let outcome = match task.ip {
            None => Outcome::Resolved(options.resolver.resolve(task.address.host())),
            Some(ip) => {
                let began = Instant::now();
                // A panic in the code that reads pages must not leave the crawl waiting for this answer.
                let answer = catch_unwind(AssertUnwindSafe(|| fetched(options, &fetcher, &task, ip, copies)))
                    .unwrap_or_else(|_| Err(FetchError::NoHttp("reading it failed".to_owned())))
                    .map(Box::new);
                Outcome::Fetched { took: began.elapsed(), answer }
            }
        };
        if to_us.send(Event::Done(Box::new((*task, outcome)))).is_err() {
            return;
        }
    }
}

fn fetched(options: &Options, fetcher: &Fetcher, task: &Task, ip: IpAddr, copies: bool) -> Result<Answer, FetchError> {
    let earlier = task.earlier.as_ref();
    let known = earlier.filter(|_| task.is_conditional);
    let request = Request {
        url: task.url(),
        ip,
        etag: known.and_then(|known| known.etag.as_deref()),
        last_modified: known.and_then(|known| known.last_modified.as_deref()),
        enough: matches!(task.entry.kind, Kind::Robots(_)).then_some(Rules::LONGEST as u64 + 1),
    };

    let response = fetcher.fetch(&request)?;
    let mut examined = examine(&task.address, &task.entry.kind, &response, task.follows_links, options.limits.body)?;
    if examined.found == Found::NotModified && earlier.is_none() {
        examined.found = Found::Unexpected("status 304, which nobody asked for");
    }

    let is_not_modified = examined.found == Found::NotModified;
    let same =
        earlier.filter(|earlier| is_not_modified || response.head.status() == 200 && earlier.digest == examined.digest);
    let record_of_same = same.map(|earlier| Earlier {
        id: &earlier.record,
        url: earlier.url.as_deref().unwrap_or(task.url()),
        at: DateTime::from_timestamp_millis(earlier.at).unwrap_or_default(),
        digest: &earlier.digest,
    });

    let records = records(task.url(), &response, &examined.digest, examined.identified, record_of_same);
    let packed = PackedRecords::new(&records, options.packing);
    let packed = packed.map_err(|error| FetchError::Connection(error.to_string()))?;
    let received = response.body.len() as u64;
    let is_page = matches!(examined.found, Found::Page(_)) && same.is_none();

    let mut visit = visit(&examined, &response, records.id);
    if let Some(Visit { at, record, url, .. }) = same.cloned() {
        visit = Visit { at, record, url, ..visit };
    }
    let copy = (copies && is_page).then_some(records.answer);
    let (status, is_unchanged) = (response.head.status(), same.is_some());
    let page = same_page(&examined.digest, &response.head);
    let new_page = (is_page && received > 0).then_some((Response { body: Vec::new(), ..response }, page));
    Ok(Answer { examined, visit, status, received, packed, new_page, copy, is_unchanged })
}
