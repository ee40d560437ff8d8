//! Handles answers, and requests without an answer.

use std::io::Write;

use chrono::{DateTime, Utc};

use super::asking::MOST_KEPT;
use super::options::{CrawlError, LeftOut, Observer};
use super::queueing::Way;
use super::worker::{Answer, Outcome, PackedRecords, Task};
use super::{Crawl, Result};
use crate::address::Address;
use crate::archive::Position;
use crate::examine::{Examined, Found};
use crate::fetch::Response;
use crate::frontier::{Entry, Key, Kind, Robots, Stored, Visit};
use crate::lanes::Time;
use crate::record::{Earlier, records};
use crate::resolve::ResolveError;

/// Maximum number of redirections in a row that are followed (RFC 9309, section 2.3.1.2 asks for five at least).
const MOST_REDIRECTS: u8 = 5;

/// Maximum depth of sitemaps in sitemaps.
const MOST_INDEXES: u8 = 4;

/// Maximum number of tries, if the failure may pass.
const MOST_TRIES: u8 = 3;

/// How long the addresses of a host are used, in milliseconds.
const NAME_AGE: u64 = 600_000;

/// The longest time for which a server is left alone, whatever it asks for, in milliseconds.
pub(super) const LONGEST_PENALTY: u64 = 86_400_000;

/// The longest time between two looks at a feed, in milliseconds.
const LONGEST_INTERVAL: u64 = 86_400_000;

/// Whether a redirection leads to the URL that was asked for.
fn is_itself(entry: &Entry, target: &Address, written: &str) -> bool {
    let is_too_long = written.len() > Address::LONGEST;
    target.as_str() == entry.url && (is_too_long || written == entry.asked.as_deref().unwrap_or(&entry.url))
}

/// The request to which an answer belongs.
pub(super) struct Asked {
    pub(super) lane: u32,
    /// See [`Task::key`].
    pub(super) key: Option<Key>,
    pub(super) entry: Entry,
    pub(super) address: Address,
}

impl Crawl {
    /// Handles the outcome of a task that a thread has done.
    pub(super) fn done(
        &mut self,
        task: Task,
        outcome: Outcome,
        observer: &dyn Observer,
        copy: &mut Option<&mut dyn Write>,
    ) -> Result<()> {
        let lane = task.lane;
        let now = self.clock.now();
        match outcome {
            Outcome::Resolved(found) => {
                self.lanes.release(lane);
                match found {
                    Ok(ips) => {
                        if self.hosts.len() >= MOST_KEPT {
                            self.hosts.clear();
                        }
                        self.hosts.insert(task.address.host().to_owned(), (now + NAME_AGE, ips));
                        // The lane goes before the lanes that were queued in the meantime. Behind them, it might come
                        // up when the addresses are forgotten again.
                        self.lanes.wake(lane, 0);
                    }
                    Err(error) => {
                        let may_pass = matches!(error, ResolveError::NotFound(_));
                        self.missed(task.key, task.entry, &error.to_string(), may_pass, None, observer)?;
                    }
                }
            }
            Outcome::Fetched { took, answer } => {
                self.summary.requests += 1;
                // The clock rounds the time down, so 1 is added.
                if let Some(ip) = task.ip {
                    self.lanes.answered(lane, ip, now + 1, took.as_millis() as u64);
                }
                match answer {
                    Err(error) => {
                        self.missed(task.key, task.entry, &error.to_string(), error.may_pass(), None, observer)?;
                    }
                    Ok(mut answer) => {
                        self.store(&task, &mut answer)?;
                        self.summary.bytes += answer.received;
                        self.answered(task, *answer, observer, copy)?;
                    }
                }
            }
        }
        self.wake(lane, now);
        Ok(())
    }

    /// Writes an answer. A page whose body the archive has already is written without the body.
    fn store(&mut self, task: &Task, answer: &mut Answer) -> Result<()> {
        let new_page = answer.new_page.take();
        if let Some((response, page)) = &new_page
            && let Some(stored) = self.with(|frontier| frontier.stored(*page))?
        {
            self.summary.copies += 1;
            self.write_copy(task, answer, response, stored)?;
            return Ok(());
        }
        let position = self.write(&answer.packed)?;
        if let Some((_, page)) = new_page {
            let Visit { at, record, .. } = answer.visit.clone();
            let stored = Stored { url: task.url().to_owned(), at, record, position };
            self.with(|frontier| frontier.set_stored(page, &stored))?;
        }
        Ok(())
    }

    fn write_copy(&mut self, task: &Task, answer: &mut Answer, response: &Response, stored: Stored) -> Result<()> {
        let Stored { url, at, record, .. } = stored;
        let earlier = Earlier {
            id: &record,
            url: &url,
            at: DateTime::from_timestamp_millis(at).unwrap_or_default(),
            digest: &answer.examined.digest,
        };
        let records = records(task.url(), response, &answer.examined.digest, answer.examined.identified, Some(earlier));
        let packed = PackedRecords::new(&records, self.options.packing).map_err(|error| self.of_archive(error))?;
        self.write(&packed)?;
        answer.copy = None;
        answer.visit = Visit { at, record, url: Some(url), ..answer.visit.clone() };
        Ok(())
    }

    /// Writes packed records. Returns the position of the answer.
    fn write(&mut self, packed: &PackedRecords) -> Result<Position> {
        let begin = self.archive.append(&[&packed.request[..], &packed.answer].concat());
        let begin = begin.map_err(|error| self.of_archive(error))?;
        Ok(Position { byte: begin.byte + packed.request.len() as u64, ..begin })
    }

    fn answered(
        &mut self,
        task: Task,
        answer: Answer,
        observer: &dyn Observer,
        copy: &mut Option<&mut dyn Write>,
    ) -> Result<()> {
        let Task { lane, key, entry, address, .. } = task;
        let Answer { examined, visit, status, is_unchanged, copy: record, .. } = answer;
        let now = self.clock.now();
        match (&examined.found, &entry.kind) {
            (Found::Busy(after), _) => {
                let until = after.map(|seconds| now + (seconds.saturating_mul(1000)).min(LONGEST_PENALTY));
                let again = match status {
                    429 | 503 => {
                        let again = self.lanes.is_busy(lane, now, until);
                        self.change_row(lane, |row| row.not_before = again)?;
                        Some(again)
                    }
                    _ => None,
                };
                return self.missed(key, entry, &format!("status {status}"), true, again, observer);
            }
            (Found::NotModified, Kind::Robots(_)) | (Found::Unexpected(_), Kind::Robots(_)) => {
                return self.missed(key, entry, "the answer is no robots.txt", false, None, observer);
            }
            (Found::Nothing, Kind::Robots(_)) => {}
            (Found::Nothing, _) => self.fail(&entry.url, &format!("status {status}"), observer),
            (Found::Unexpected(why), _) => self.fail(&entry.url, why, observer),
            (Found::Redirect(Err(why)), _) => self.fail(&entry.url, &format!("it is redirected: {why}"), observer),
            (Found::Redirect(Ok((target, written))), kind) => {
                self.summary.redirects += 1;
                let why = match kind {
                    Kind::Robots(_) => None,
                    _ if is_itself(&entry, target, written) => Some("it is redirected to itself"),
                    _ if target.is_trap() => Some("it is redirected to a path that repeats itself or is very deep"),
                    _ => (entry.redirects >= MOST_REDIRECTS).then_some("it is redirected too often"),
                };
                why.into_iter().for_each(|why| self.fail(&entry.url, why, observer));
            }
            (
                Found::Page(_) | Found::Feed { .. } | Found::Sitemap { .. } | Found::Robots(_) | Found::NotModified,
                _,
            ) => {}
        }

        if let (Some(copy), Some(record)) = (copy, record) {
            copy.write_all(&record)
                .and_then(|()| copy.flush())
                .map_err(|error| CrawlError::Io { path: "-".into(), error })?;
        }
        if is_unchanged && entry.kind == Kind::Page {
            self.summary.unchanged += 1;
        }
        if is_unchanged && self.options.watch.is_some() {
            let interval = self.intervals.entry(entry.url.clone()).or_default();
            *interval = (2 * *interval).min(LONGEST_INTERVAL);
        } else {
            self.intervals.remove(&entry.url);
        }
        let url = address.as_str().to_owned();
        self.apply(Asked { lane, key, entry, address }, examined, visit, observer)?;
        observer.fetched(&url, &self.summary);
        Ok(())
    }

    /// Applies an answer: queues the URLs to which it leads, and notes the visit.
    pub(super) fn apply(
        &mut self,
        asked: Asked,
        examined: Examined,
        visit: Visit,
        observer: &dyn Observer,
    ) -> Result<()> {
        let Asked { lane, key, entry, address } = asked;
        let address = &address;
        let now = self.clock.now();
        if let Kind::Robots(origin) = &entry.kind {
            if let Some(key) = key {
                self.with(|frontier| frontier.finish_robots(key))?;
            }
            self.summary.robots += 1;
            let robots = match examined.found {
                Found::Robots(bytes) => Robots::Rules(bytes),
                Found::Redirect(Ok((target, _))) if entry.redirects < MOST_REDIRECTS => {
                    let lane_there = self.with(|frontier| frontier.lane(target.domain()))?;
                    let redirects = entry.redirects + 1;
                    let there = Entry { redirects, ..Entry::new(target.as_str(), entry.kind.clone(), 0) };
                    self.with(|frontier| frontier.push_robots(lane_there, &there))?;
                    self.waiting.entry(origin.clone()).or_default().push(lane);
                    self.wake(lane_there, now);
                    return Ok(());
                }
                Found::Busy(_) | Found::Unexpected(_) | Found::NotModified => {
                    Robots::Unreachable { again: now + self.options.retry.as_millis() as u64 }
                }
                _ => Robots::Missing,
            };
            self.set_robots(&origin.clone(), &robots)?;
            return Ok(());
        }

        let Some(key) = key else { return Ok(()) };
        if entry.kind == Kind::Page {
            // Every answer counts, because links to pages that do not exist can go on without end, too.
            self.change_counts(lane, |counts| counts.asked += 1)?;
        }

        let url = &entry.url;
        let mut again = None;
        match examined.found {
            Found::Page(links) => {
                self.summary.pages += 1;
                self.with(|frontier| frontier.finish(key, &entry, Some(visit)))?;
                let feeds = links.feeds.into_iter().filter(|_| self.options.feeds).map(|feed| (feed, Kind::Feed));
                let feeds: Vec<_> = feeds.collect();
                self.push(feeds, Way::default(), observer)?;
                if let Some(target) = links.refresh {
                    match entry.redirects >= MOST_REDIRECTS {
                        true => self.fail(target.as_str(), "it is redirected too often", observer),
                        false => self.follow(&entry, address, target, observer)?,
                    }
                }
                if entry.depth < self.options.depth {
                    let is_near = |page: &Address| self.options.leaves_domain || page.domain() == address.domain();
                    let pages: Vec<_> =
                        links.pages.into_iter().filter(is_near).map(|page| (page, Kind::Page)).collect();
                    self.push(pages, Way { depth: entry.depth + 1, ..Way::default() }, observer)?;
                }
                return Ok(());
            }
            Found::Feed { pages, interval } => {
                self.summary.feeds += 1;
                let pages: Vec<_> = self.since(pages).map(|page| (page, Kind::Page)).collect();
                self.push(pages, Way::default(), observer)?;
                again = Some((Some(visit), interval));
            }
            Found::Sitemap { is_index, listed } => {
                self.summary.sitemaps += 1;
                let Kind::Sitemap(site) = &entry.kind else { return Ok(()) };
                // A sitemap lists URLs for the site whose robots.txt names it, wherever the sitemap is (sitemaps.org,
                // "Sitemaps & Cross Submits"). The parts of an index may also be at the domain of the index.
                let is_near = |url: &Address| {
                    self.options.leaves_domain || url.domain() == site || is_index && url.domain() == address.domain()
                };
                let (listed, others): (Vec<Address>, Vec<Address>) = self.since(listed).partition(is_near);
                for other in others {
                    self.leave_out(lane, other.as_str(), LeftOut::OtherSite, observer)?;
                }
                let kind = if is_index { entry.kind.clone() } else { Kind::Page };
                let depth = if is_index { entry.depth + 1 } else { 0 };
                if depth <= MOST_INDEXES {
                    let listed = listed.into_iter().map(|url| (url, kind.clone()));
                    self.push(listed, Way { depth, ..Way::default() }, observer)?;
                }
                return self.with(|frontier| frontier.finish(key, &entry, Some(visit)));
            }
            Found::Redirect(Ok((target, written))) if entry.redirects < MOST_REDIRECTS => {
                if target.as_str() == entry.url && !is_itself(&entry, &target, &written) {
                    // It is another spelling of the same address, which sets a cookie or counts a visit.
                    let redirects = entry.redirects + 1;
                    let respelled = Entry { asked: Some(written), redirects, ..entry };
                    return self.with(|frontier| frontier.change(key, &respelled));
                }
                if !target.is_trap() {
                    self.follow(&entry, address, target, observer)?;
                }
            }
            Found::NotModified => {
                self.summary.pages += u64::from(entry.kind == Kind::Page);
                again = Some((None, None));
            }
            Found::Busy(_) => {
                let tries = entry.tries + 1;
                let postponed = Entry { tries, not_before: now.max(1), ..entry.clone() };
                return match tries < MOST_TRIES {
                    true => self.with(|frontier| frontier.postpone(key, &postponed, None)),
                    false => self.with(|frontier| frontier.finish(key, &entry, None)),
                };
            }
            Found::Robots(_) | Found::Redirect(_) | Found::Nothing | Found::Unexpected(_) => {}
        }

        match (again, self.options.watch, &entry.kind) {
            (Some((visit, hint)), Some(least), Kind::Feed) => {
                let least = least.as_millis() as u64;
                let of_feed = hint.map_or(least, |hint| hint.as_millis() as u64).max(least);
                let interval = self.intervals.entry(url.clone()).or_insert(of_feed);
                *interval = (*interval).max(least);
                let not_before = now + *interval;
                self.watched.insert(url.clone());
                let later = Entry { tries: 0, not_before, ..entry.clone() };
                self.with(|frontier| frontier.postpone(key, &later, visit))
            }
            (again, ..) => self.with(|frontier| frontier.finish(key, &entry, again.and_then(|(visit, _)| visit))),
        }?;
        Ok(())
    }

    /// Follows a redirection.
    fn follow(&mut self, entry: &Entry, from: &Address, to: Address, observer: &dyn Observer) -> Result<()> {
        if entry.depth == 0 || self.options.leaves_domain || to.domain() == from.domain() {
            let way = Way { depth: entry.depth, redirects: entry.redirects + 1, is_given: entry.is_given };
            self.push([(to, entry.kind.clone())], way, observer)?;
        }
        Ok(())
    }

    fn since(&self, dated: Vec<(Address, Option<DateTime<Utc>>)>) -> impl Iterator<Item = Address> + use<> {
        let since = self.options.since;
        dated
            .into_iter()
            .filter(move |(_, date)| since.is_none_or(|since| date.is_none_or(|date| date >= since)))
            .map(|(address, _)| address)
    }

    fn set_robots(&mut self, origin: &str, robots: &Robots) -> Result<()> {
        let now = self.clock.now();
        self.rules.remove(origin);
        self.with(|frontier| frontier.set_robots(origin, now, robots))?;
        for lane in self.waiting.remove(origin).unwrap_or_default() {
            self.wake(lane, now);
        }
        Ok(())
    }

    /// Handles a request without a useful answer: it is tried again later, or fails. `again` is the time at which the
    /// server wants to be asked again.
    pub(super) fn missed(
        &mut self,
        key: Option<Key>,
        entry: Entry,
        why: &str,
        may_pass: bool,
        again: Option<Time>,
        observer: &dyn Observer,
    ) -> Result<()> {
        let now = self.clock.now();
        let retry = self.options.retry.as_millis() as u64;
        let wait = |tries: u8| if tries < 2 { retry } else { 4 * retry };
        if let Kind::Robots(origin) = &entry.kind {
            if let Some(key) = key {
                self.with(|frontier| frontier.finish_robots(key))?;
            }
            let failed = self.robots_tries.entry(origin.clone()).or_default();
            *failed = if may_pass { *failed + 1 } else { MOST_TRIES };
            let tries = *failed;
            if tries >= MOST_TRIES {
                self.unreachable.insert(origin.clone());
                self.fail(&entry.url, why, observer);
            }
            let robots = Robots::Unreachable { again: again.unwrap_or(now + wait(tries)) };
            return self.set_robots(&origin.clone(), &robots);
        }

        let Some(key) = key else { return Ok(()) };
        let tries = entry.tries + 1;
        if may_pass && tries < MOST_TRIES {
            let not_before = again.unwrap_or(now + wait(tries));
            let later = Entry { tries, not_before, ..entry };
            return self.with(|frontier| frontier.postpone(key, &later, None));
        }
        self.fail(&entry.url, why, observer);
        match (self.options.watch, &entry.kind) {
            // The feed may be back later.
            (Some(_), Kind::Feed) => {
                let later = Entry { tries: 0, not_before: now + LONGEST_INTERVAL / 4, ..entry };
                self.with(|frontier| frontier.postpone(key, &later, None))
            }
            _ => self.with(|frontier| frontier.finish(key, &entry, None)),
        }
    }
}
