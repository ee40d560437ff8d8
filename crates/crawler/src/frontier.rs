//! The URLs that are still to be visited, and those that were visited, in a file.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::path::Path;

use redb::{Database, Durability, ReadableTable, ReadableTableMetadata, TableDefinition, WriteTransaction};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use twox_hash::XxHash3_128;

use crate::address::Address;
use crate::archive::Position;
use crate::record::PayloadDigest;

/// The content that is expected at a URL.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Kind {
    /// A page. It may turn out to be a feed.
    Page,
    /// A feed.
    Feed,
    /// A sitemap of this site, which is a registered domain. The sitemap may be on another domain.
    Sitemap(String),
    /// The robots.txt of this origin.
    Robots(String),
}

/// A URL to visit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The URL of an [`Address`].
    pub url: String,
    /// The URL to request, if it is another spelling of the address: the address was redirected there.
    pub asked: Option<String>,
    /// The content that is expected.
    pub kind: Kind,
    /// Number of links that lead here from a URL that a person, a feed or a sitemap named. For a sitemap: number of
    /// sitemaps that lead here.
    pub depth: u8,
    /// Number of redirections that lead here.
    pub redirects: u8,
    /// Whether a person named this URL, or a URL that is redirected here.
    pub is_given: bool,
    /// Number of failed tries.
    pub tries: u8,
    /// It is not tried before this time, in milliseconds since 1970.
    pub not_before: u64,
}

impl Entry {
    /// An entry that was not tried yet.
    pub fn new(url: &str, kind: Kind, depth: u8) -> Entry {
        let url = url.to_owned();
        Entry { url, asked: None, kind, depth, redirects: 0, is_given: false, tries: 0, not_before: 0 }
    }

    /// Whether it is a feed or a sitemap.
    pub fn is_list(&self) -> bool {
        matches!(self.kind, Kind::Feed | Kind::Sitemap(_))
    }

    /// Whether it is a sitemap for a site on another domain.
    pub fn is_foreign(&self) -> bool {
        let is_of = |site: &String| Address::parse(&self.url).is_ok_and(|address| address.domain() == site);
        matches!(&self.kind, Kind::Sitemap(site) if !is_of(site))
    }

    /// The rank in the order of a lane: first robots.txt, then feeds and sitemaps, then pages by their depth, then
    /// sitemaps for other sites, and last the entries that were tried before.
    fn rank(&self) -> u8 {
        match &self.kind {
            _ if self.not_before > 0 => RETRIES,
            Kind::Robots(_) => 0,
            Kind::Sitemap(_) if self.is_foreign() => FOREIGN,
            Kind::Feed | Kind::Sitemap(_) => PAGES - 1,
            Kind::Page => self.depth.saturating_add(PAGES).min(FOREIGN - 1),
        }
    }

    /// The name under which it is known. Several sites may have one sitemap, and each of them looks for its own pages
    /// there.
    fn name(&self) -> Cow<'_, str> {
        match &self.kind {
            Kind::Sitemap(site) if self.is_foreign() => format!("{} {site}", self.url).into(),
            _ => Cow::Borrowed(&self.url),
        }
    }
}

/// The rank of pages with the least depth.
const PAGES: u8 = 2;
const FOREIGN: u8 = 254;
const RETRIES: u8 = 255;

/// Numbers of entries of a lane in this run, by kind. Queued entries still count after they were visited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Pages that were requested.
    pub asked: u64,
    /// Pages that are queued.
    pub pages: u64,
    /// Feeds and sitemaps that are queued.
    pub lists: u64,
    /// Sitemaps that are queued at other domains for this one.
    pub foreign: u64,
    /// URLs that are left out and noted.
    pub left_out: u64,
}

/// Numbers of entries that may be added or were added, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Room {
    /// Pages.
    pub pages: u64,
    /// Feeds and sitemaps.
    pub lists: u64,
    /// Sitemaps of other domains.
    pub foreign: u64,
}

impl Room {
    /// The number for entries of this rank.
    fn of(&mut self, rank: u8) -> &mut u64 {
        match rank {
            FOREIGN => &mut self.foreign,
            PAGES.. => &mut self.pages,
            _ => &mut self.lists,
        }
    }
}

/// The result of a visit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Visit {
    /// When its record was written, in milliseconds since 1970.
    pub at: i64,
    /// `ETag`
    pub etag: Option<String>,
    /// `Last-Modified`
    pub last_modified: Option<String>,
    /// The digest of the body.
    pub digest: PayloadDigest,
    /// The id of the record that has the body.
    pub record: String,
    /// The URL of this record, if it is not the visited one.
    pub url: Option<String>,
    /// Whether the page sends its visitors elsewhere ([`Links::refresh`](crate::links::Links::refresh)).
    pub has_refresh: bool,
}

/// The record in the archive that has a body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stored {
    /// The URL that was asked for.
    pub url: String,
    /// The time of the request, in milliseconds since 1970.
    pub at: i64,
    /// The id of the record.
    pub record: String,
    /// The position of the record.
    pub position: Position,
}

/// The position of an entry in the queue: its lane, its rank there, the time before which it is not tried, and its
/// place among the entries of the same rank and time. No other entry ever has the same place.
pub type Key = (u32, u8, u64, u64);

/// The facts about a URL.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Known {
    /// The last run that had it in its queue.
    run: u32,
    queued: Option<Key>,
    visit: Option<Visit>,
}

/// A robots.txt, or why there is none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Robots {
    /// Its first bytes.
    Rules(Vec<u8>),
    /// It does not exist: everything is allowed.
    Missing,
    /// It could not be read, and is asked for again at this time, in milliseconds since 1970. Until then, nothing is allowed.
    Unreachable {
        /// When it is asked for again.
        again: u64,
    },
}

/// The state of the frontier as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// The number of this run.
    pub run: u32,
    /// Whether the run is unfinished.
    pub is_open: bool,
    /// The next free place in the queue.
    order: u64,
    /// The number of the next new lane.
    lanes: u32,
    /// The position in the archive up to which all answers are noted.
    pub position: Position,
}

/// The facts about a lane in its last run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaneRow {
    /// The registered domain.
    pub domain: String,
    /// The run.
    pub run: u32,
    /// Its counts in this run.
    pub counts: Counts,
    /// Nothing is requested from it before this time, in milliseconds since 1970.
    pub not_before: u64,
    /// The delay that its robots.txt asks for, in milliseconds.
    pub crawl_delay: u64,
}

/// An error in the file.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct FrontierError(#[from] Box<redb::Error>);

macro_rules! from_redb {
    ($($error:ty),*) => {$(
        impl From<$error> for FrontierError {
            fn from(error: $error) -> FrontierError {
                FrontierError(Box::new(error.into()))
            }
        }
    )*};
}

from_redb!(
    redb::DatabaseError,
    redb::TransactionError,
    redb::TableError,
    redb::StorageError,
    redb::CommitError,
    redb::SetDurabilityError
);

type Result<T> = std::result::Result<T, FrontierError>;

const QUEUE: TableDefinition<Key, &[u8]> = TableDefinition::new("queue");
const KNOWN: TableDefinition<u128, &[u8]> = TableDefinition::new("known");
const LANES: TableDefinition<u32, &[u8]> = TableDefinition::new("lanes");
const DOMAINS: TableDefinition<&str, u32> = TableDefinition::new("domains");
const BODIES: TableDefinition<u128, &[u8]> = TableDefinition::new("bodies");
const ROBOTS: TableDefinition<&str, &[u8]> = TableDefinition::new("robots");
const STATE: TableDefinition<&str, &[u8]> = TableDefinition::new("state");

/// Memory to cache pages of the file, in bytes.
const CACHE: usize = 64 << 20;

/// The queue of a crawl, and the facts about its URLs. If the crawler is killed, only the changes after the last commit
/// are lost.
pub struct Frontier {
    /// The changes that are not committed. They must be dropped before the file is closed, so this field is before
    /// `database`.
    writing: Option<WriteTransaction>,
    database: Database,
    /// The state of this run.
    pub state: State,
    /// The lanes of the domains that were looked up so far.
    domains: HashMap<String, u32>,
    /// The first place in the queue that was taken after the last commit.
    fresh: u64,
}

impl Frontier {
    /// Opens the file, or creates it.
    pub fn open(path: &Path) -> Result<Frontier> {
        let database = Database::builder().set_cache_size(CACHE).create(path)?;
        let writing = begin(&database)?;
        writing.open_table(QUEUE)?;
        writing.open_table(KNOWN)?;
        writing.open_table(LANES)?;
        writing.open_table(DOMAINS)?;
        writing.open_table(BODIES)?;
        writing.open_table(ROBOTS)?;
        let state: State =
            writing.open_table(STATE)?.get("state")?.and_then(|bytes| read(bytes.value())).unwrap_or_default();
        let fresh = state.order;
        Ok(Frontier { database, writing: Some(writing), state, domains: HashMap::new(), fresh })
    }

    fn writing(&mut self) -> Result<&WriteTransaction> {
        match &mut self.writing {
            Some(writing) => Ok(writing),
            none => Ok(none.insert(begin(&self.database)?)),
        }
    }

    /// Writes everything to the disk. The archive must be on the disk up to `position`.
    pub fn commit(&mut self, position: Position) -> Result<()> {
        self.state.position = position;
        let state = written(&self.state);
        self.writing()?.open_table(STATE)?.insert("state", &state[..])?;
        self.writing.take().map_or(Ok(()), WriteTransaction::commit)?;
        self.fresh = self.state.order;
        Ok(())
    }

    /// Whether an entry was in the queue at the last commit, or was tried before.
    pub fn is_committed(&self, (_, rank, _, order): Key) -> bool {
        rank == RETRIES || order < self.fresh
    }

    /// Number of entries in the queue.
    pub fn len(&mut self) -> Result<u64> {
        Ok(self.writing()?.open_table(QUEUE)?.len()?)
    }

    /// Whether the queue is empty.
    pub fn is_empty(&mut self) -> Result<bool> {
        Ok(self.len()? == 0)
    }

    /// Empties the queue.
    pub fn clear(&mut self) -> Result<()> {
        self.writing()?.open_table(QUEUE)?.retain(|_, _| false)?;
        Ok(())
    }

    /// The lane of a registered domain.
    pub fn lane(&mut self, domain: &str) -> Result<u32> {
        if let Some(&lane) = self.domains.get(domain) {
            return Ok(lane);
        }
        let next = self.state.lanes;
        let writing = self.writing()?;
        let mut domains = writing.open_table(DOMAINS)?;
        let found = domains.get(domain)?.map(|lane| lane.value());
        let lane = match found {
            Some(lane) => lane,
            None => {
                domains.insert(domain, next)?;
                let row = LaneRow { domain: domain.to_owned(), ..LaneRow::default() };
                writing.open_table(LANES)?.insert(next, &written(&row)[..])?;
                next
            }
        };
        drop(domains);
        self.state.lanes = next.max(lane + 1);
        self.domains.insert(domain.to_owned(), lane);
        Ok(lane)
    }

    /// The stored facts about a lane.
    pub fn lane_row(&mut self, lane: u32) -> Result<LaneRow> {
        let rows = self.writing()?.open_table(LANES)?;
        let row = rows.get(lane)?.and_then(|bytes| read(bytes.value()));
        Ok(row.unwrap_or_default())
    }

    /// Stores the facts about a lane.
    pub fn set_lane_row(&mut self, lane: u32, row: &LaneRow) -> Result<()> {
        self.writing()?.open_table(LANES)?.insert(lane, &written(row)[..])?;
        Ok(())
    }

    /// The lanes that have entries in the queue.
    pub fn waiting_lanes(&mut self) -> Result<Vec<u32>> {
        let queue = self.writing()?.open_table(QUEUE)?;
        let mut lanes = Vec::new();
        let mut next = 0;
        while let Some(entry) = queue.range((next, 0, 0, 0)..)?.next() {
            let (lane, ..) = entry?.0.value();
            lanes.push(lane);
            match lane.checked_add(1) {
                Some(after) => next = after,
                None => break,
            }
        }
        Ok(lanes)
    }

    /// Adds the `entries` that were not queued in this run before to a lane, as many as there is `room` for. Returns
    /// the numbers of added entries, and the entries that found no room.
    pub fn push<'e>(
        &mut self,
        lane: u32,
        entries: impl IntoIterator<Item = &'e Entry>,
        mut room: Room,
    ) -> Result<(Room, Vec<&'e Entry>)> {
        let (run, mut order) = (self.state.run, self.state.order);
        let writing = self.writing()?;
        let (mut known, mut queue) = (writing.open_table(KNOWN)?, writing.open_table(QUEUE)?);
        let (mut added, mut refused) = (Room::default(), Vec::new());

        for entry in entries {
            let hash = hash(&entry.name());
            let of_url: Known = known.get(hash)?.and_then(|bytes| read(bytes.value())).unwrap_or_default();
            if of_url.run == run {
                continue;
            }
            let rank = entry.rank();
            let Some(left) = room.of(rank).checked_sub(1) else {
                refused.push(entry);
                continue;
            };
            *room.of(rank) = left;
            *added.of(rank) += 1;
            let key = (lane, rank, entry.not_before, order);
            order += 1;
            queue.insert(key, &written(entry)[..])?;
            known.insert(hash, &written(&Known { run, queued: Some(key), ..of_url })[..])?;
        }

        drop((known, queue));
        self.state.order = order;
        Ok((added, refused))
    }

    /// Notes that a URL is left out in this run. Returns whether that is new. If the URL is found in another way later,
    /// it can still be queued.
    pub fn leave_out(&mut self, url: &str) -> Result<bool> {
        let (run, hash) = (self.state.run, hash(&format!("left out {url}")));
        let mut known = self.writing()?.open_table(KNOWN)?;
        let of_url: Known = known.get(hash)?.and_then(|bytes| read(bytes.value())).unwrap_or_default();
        if of_url.run == run {
            return Ok(false);
        }
        known.insert(hash, &written(&Known { run, ..of_url })[..])?;
        Ok(true)
    }

    /// Adds the robots.txt of an origin, which may be asked for more than once in a run.
    pub fn push_robots(&mut self, lane: u32, entry: &Entry) -> Result<()> {
        let key = (lane, entry.rank(), entry.not_before, self.state.order);
        self.state.order += 1;
        self.writing()?.open_table(QUEUE)?.insert(key, &written(entry)[..])?;
        Ok(())
    }

    /// The first entry of a lane.
    pub fn first(&mut self, lane: u32) -> Result<Option<(Key, Entry)>> {
        self.find(lane, 0..=RETRIES, |_| true)
    }

    /// The first page of a lane that was not tried yet.
    pub fn first_page(&mut self, lane: u32) -> Result<Option<(Key, Entry)>> {
        self.find(lane, PAGES..=FOREIGN - 1, |_| true)
    }

    /// The first entry of a lane that has one of these ranks and satisfies `is_it`.
    fn find(
        &mut self,
        lane: u32,
        ranks: RangeInclusive<u8>,
        is_it: impl Fn(&Entry) -> bool,
    ) -> Result<Option<(Key, Entry)>> {
        let queue = self.writing()?.open_table(QUEUE)?;
        for found in queue.range((lane, *ranks.start(), 0, 0)..=(lane, *ranks.end(), u64::MAX, u64::MAX))? {
            let (key, entry) = found?;
            if let Some(entry) = read(entry.value()).filter(&is_it) {
                return Ok(Some((key.value(), entry)));
            }
        }
        Ok(None)
    }

    /// The queued entry of a URL in a lane.
    pub fn queued(&mut self, lane: u32, url: &str) -> Result<Option<(Key, Entry)>> {
        let Some(key) = self.known(url)?.queued else {
            // Sitemaps for other sites are known by other names.
            return self.find(lane, FOREIGN..=RETRIES, |entry| entry.url == url && entry.is_foreign());
        };
        let queue = self.writing()?.open_table(QUEUE)?;
        let entry = queue.get(key)?.and_then(|bytes| read(bytes.value()));
        Ok(entry.map(|entry| (key, entry)))
    }

    /// The result of the last visit of a URL.
    pub fn visit(&mut self, url: &str) -> Result<Option<Visit>> {
        Ok(self.known(url)?.visit)
    }

    fn known(&mut self, name: &str) -> Result<Known> {
        let known = self.writing()?.open_table(KNOWN)?;
        let of_url = known.get(hash(name))?.and_then(|bytes| read(bytes.value()));
        Ok(of_url.unwrap_or_default())
    }

    /// Replaces an entry in the queue, in the same place.
    pub fn change(&mut self, key: Key, entry: &Entry) -> Result<()> {
        self.writing()?.open_table(QUEUE)?.insert(key, &written(entry)[..])?;
        Ok(())
    }

    /// The record in the archive that has a page with this hash. The hash covers everything that makes two pages the
    /// same.
    pub fn stored(&mut self, body: u128) -> Result<Option<Stored>> {
        let bodies = self.writing()?.open_table(BODIES)?;
        let stored = bodies.get(body)?.and_then(|bytes| read(bytes.value()));
        Ok(stored)
    }

    /// Notes the record in the archive that has a page with this hash.
    pub fn set_stored(&mut self, body: u128, stored: &Stored) -> Result<()> {
        self.writing()?.open_table(BODIES)?.insert(body, &written(stored)[..])?;
        Ok(())
    }

    /// Takes the robots.txt of an origin out of the queue.
    pub fn finish_robots(&mut self, key: Key) -> Result<()> {
        self.writing()?.open_table(QUEUE)?.remove(key)?;
        Ok(())
    }

    /// Takes an entry out of the queue. Without a new `visit`, the last one is kept.
    pub fn finish(&mut self, key: Key, entry: &Entry, visit: Option<Visit>) -> Result<()> {
        let (run, name) = (self.state.run, entry.name());
        let known = self.known(&name)?;
        let writing = self.writing()?;
        writing.open_table(QUEUE)?.remove(key)?;
        let known = Known { run, queued: None, visit: visit.or(known.visit) };
        writing.open_table(KNOWN)?.insert(hash(&name), &written(&known)[..])?;
        Ok(())
    }

    /// Puts an entry back into the queue, to be tried again at its new time.
    pub fn postpone(&mut self, key: Key, entry: &Entry, visit: Option<Visit>) -> Result<()> {
        let known = self.known(&entry.name())?;
        let (new, run) = ((key.0, RETRIES, entry.not_before, self.state.order), self.state.run);
        self.state.order += 1;
        let writing = self.writing()?;
        let mut queue = writing.open_table(QUEUE)?;
        queue.remove(key)?;
        queue.insert(new, &written(entry)[..])?;
        let known = Known { run, queued: Some(new), visit: visit.or(known.visit) };
        writing.open_table(KNOWN)?.insert(hash(&entry.name()), &written(&known)[..])?;
        Ok(())
    }

    /// Takes the entries of a lane that satisfy `is_hopeless` out of the queue, and returns them.
    pub fn give_up(&mut self, lane: u32, is_hopeless: impl Fn(&Entry) -> bool) -> Result<Vec<Entry>> {
        let mut given_up = Vec::new();
        let mut queue = self.writing()?.open_table(QUEUE)?;
        queue.retain_in((lane, 0, 0, 0)..=(lane, u8::MAX, u64::MAX, u64::MAX), |_, bytes| {
            let hopeless = read(bytes).filter(&is_hopeless);
            let stays = hopeless.is_none();
            given_up.extend(hopeless);
            stays
        })?;
        Ok(given_up)
    }

    /// The robots.txt of an origin, and when it was read, in milliseconds since 1970.
    pub fn robots(&mut self, origin: &str) -> Result<Option<(u64, Robots)>> {
        let robots = self.writing()?.open_table(ROBOTS)?;
        let found = robots.get(origin)?.and_then(|bytes| read(bytes.value()));
        Ok(found)
    }

    /// Notes the robots.txt of an origin.
    pub fn set_robots(&mut self, origin: &str, at: u64, robots: &Robots) -> Result<()> {
        self.writing()?.open_table(ROBOTS)?.insert(origin, &written(&(at, robots))[..])?;
        Ok(())
    }
}

fn begin(database: &Database) -> Result<WriteTransaction> {
    let mut writing = database.begin_write()?;
    writing.set_durability(Durability::Immediate)?;
    Ok(writing)
}

fn hash(url: &str) -> u128 {
    XxHash3_128::oneshot(url.as_bytes())
}

fn read<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    postcard::from_bytes(bytes).ok()
}

fn written(value: &impl Serialize) -> Vec<u8> {
    // Writing to memory cannot fail.
    postcard::to_allocvec(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(folder: &Path) -> Frontier {
        Frontier::open(&folder.join("state")).unwrap()
    }

    fn page(url: &str, depth: u8) -> Entry {
        Entry::new(url, Kind::Page, depth)
    }

    const MUCH: Room = Room { pages: 99, lists: 99, foreign: 99 };

    fn pushed(frontier: &mut Frontier, lane: u32, entries: &[Entry]) -> u64 {
        frontier.push(lane, entries, MUCH).unwrap().0.pages
    }

    fn order(frontier: &mut Frontier, lane: u32) -> Vec<String> {
        let mut urls = Vec::new();
        while let Some((key, entry)) = frontier.first(lane).unwrap() {
            frontier.finish(key, &entry, None).unwrap();
            urls.push(entry.url);
        }
        urls
    }

    #[test]
    fn a_url_is_queued_once_in_a_run() {
        let folder = tempfile::tempdir().unwrap();
        let mut frontier = open(folder.path());
        frontier.state.run = 1;
        let lane = frontier.lane("a.example").unwrap();
        let entries = [page("http://a.example/1", 0), page("http://a.example/2", 0), page("http://a.example/1", 0)];
        assert_eq!(pushed(&mut frontier, lane, &entries), 2);
        assert_eq!(order(&mut frontier, lane), ["http://a.example/1", "http://a.example/2"]);
        assert_eq!(pushed(&mut frontier, lane, &entries), 0);
        frontier.state.run = 2;
        assert_eq!(pushed(&mut frontier, lane, &entries), 2);
    }

    #[test]
    fn robots_then_feeds_then_pages_by_depth_then_what_failed() {
        let folder = tempfile::tempdir().unwrap();
        let mut frontier = open(folder.path());
        frontier.state.run = 1;
        let lane = frontier.lane("a.example").unwrap();
        let other = frontier.lane("b.example").unwrap();
        pushed(&mut frontier, lane, &[page("late", 0), page("later", 0), page("deep", 1), page("flat", 0)]);
        pushed(&mut frontier, other, &[page("other", 0)]);
        for (url, not_before) in [("later", 20), ("late", 10)] {
            let (key, mut entry) = frontier.queued(lane, url).unwrap().unwrap();
            entry.not_before = not_before;
            frontier.postpone(key, &entry, None).unwrap();
        }
        pushed(&mut frontier, lane, &[Entry::new("feed", Kind::Feed, 0)]);
        frontier.push_robots(lane, &Entry::new("robots", Kind::Robots("a".to_owned()), 0)).unwrap();
        assert_eq!(frontier.waiting_lanes().unwrap(), [lane, other]);
        assert_eq!(order(&mut frontier, lane), ["robots", "feed", "flat", "deep", "late", "later"]);
        assert_eq!(frontier.waiting_lanes().unwrap(), [other]);
    }

    #[test]
    fn all_that_wait_for_the_same_time_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let mut frontier = open(folder.path());
        frontier.state.run = 1;
        let lane = frontier.lane("a.example").unwrap();
        let urls: Vec<String> = (0..64).map(|number| format!("http://a.example/{number}")).collect();
        for (url, bits) in urls.iter().zip(0..) {
            frontier.state.order = frontier.state.order.max(1 << bits); // in between, others came and went
            pushed(&mut frontier, lane, &[page(url, 0)]);
            let (key, entry) = frontier.queued(lane, url).unwrap().unwrap();
            frontier.postpone(key, &Entry { not_before: 1_800_000_000_000, ..entry }, None).unwrap();
        }
        assert_eq!(frontier.len().unwrap(), 64);
        for url in &urls {
            assert_eq!(&frontier.queued(lane, url).unwrap().unwrap().1.url, url);
        }
        assert_eq!(order(&mut frontier, lane), urls);
    }

    #[test]
    fn only_as_much_is_queued_as_there_is_room_for() {
        let folder = tempfile::tempdir().unwrap();
        let mut frontier = open(folder.path());
        frontier.state.run = 1;
        let lane = frontier.lane("a.example").unwrap();
        let sitemap =
            |path: &str, site: &str| Entry::new(&format!("http://a.example/{path}"), Kind::Sitemap(site.to_owned()), 0);
        let entries = [
            page("1", 0),
            page("1", 0),
            page("2", 0),
            sitemap("own", "a.example"),
            sitemap("own2", "a.example"),
            sitemap("b", "b.example"),
            sitemap("b", "c.example"), // each of them looks for its own pages there
            sitemap("b2", "c.example"),
        ];
        let (added, refused) = frontier.push(lane, &entries, Room { pages: 1, lists: 1, foreign: 2 }).unwrap();
        assert_eq!(added, Room { pages: 1, lists: 1, foreign: 2 });
        assert_eq!(refused, [&entries[2], &entries[4], &entries[7]]);
        assert_eq!(frontier.first_page(lane).unwrap().map(|(_, entry)| entry), Some(page("1", 0)));
        let (_, found) = frontier.queued(lane, "http://a.example/b").unwrap().unwrap();
        assert_eq!(found, entries[5]);
        assert_eq!(
            order(&mut frontier, lane),
            ["http://a.example/own", "1", "http://a.example/b", "http://a.example/b"]
        );
    }

    #[test]
    fn what_is_left_out_is_told_once_in_a_run_and_may_be_queued_later() {
        let folder = tempfile::tempdir().unwrap();
        let mut frontier = open(folder.path());
        frontier.state.run = 1;
        let lane = frontier.lane("a.example").unwrap();
        assert_eq!([frontier.leave_out("a").unwrap(), frontier.leave_out("a").unwrap()], [true, false]);
        assert_eq!(pushed(&mut frontier, lane, &[page("a", 0)]), 1);
        frontier.state.run = 2;
        assert!(frontier.leave_out("a").unwrap());
    }

    #[test]
    fn what_was_committed_is_there_again() {
        let folder = tempfile::tempdir().unwrap();
        let visit = Visit {
            at: 7,
            etag: Some("e".to_owned()),
            last_modified: None,
            digest: [1; 20],
            record: "r".to_owned(),
            url: None,
            has_refresh: false,
        };
        let position = Position { number: 2, byte: 77 };
        {
            let mut frontier = open(folder.path());
            frontier.state.run = 3;
            let lane = frontier.lane("a.example").unwrap();
            pushed(&mut frontier, lane, &[page("a", 0), page("b", 0)]);
            let (key, entry) = frontier.queued(lane, "a").unwrap().unwrap();
            frontier.finish(key, &entry, Some(visit.clone())).unwrap();
            frontier.set_robots("o", 5, &Robots::Rules(b"x".to_vec())).unwrap();
            frontier.commit(position).unwrap();
            pushed(&mut frontier, lane, &[page("c", 0)]); // not committed
        }
        let mut frontier = open(folder.path());
        assert_eq!((frontier.state.run, frontier.state.position, frontier.len().unwrap()), (3, position, 1));
        assert_eq!(frontier.visit("a").unwrap(), Some(visit));
        assert_eq!(frontier.robots("o").unwrap(), Some((5, Robots::Rules(b"x".to_vec()))));
        let lane = frontier.lane("a.example").unwrap();
        assert_eq!(frontier.lane("b.example").unwrap(), lane + 1);
        assert_eq!(order(&mut frontier, lane), ["b"]);
    }

    #[test]
    fn what_is_hopeless_is_given_up() {
        let folder = tempfile::tempdir().unwrap();
        let mut frontier = open(folder.path());
        frontier.state.run = 1;
        let [lane, other] = ["a", "b"].map(|domain| frontier.lane(domain).unwrap());
        pushed(&mut frontier, lane, &[page("a", 0), page("b", 0)]);
        pushed(&mut frontier, other, &[page("c", 0)]);
        assert_eq!(frontier.give_up(lane, |entry| entry.url == "a").unwrap(), [page("a", 0)]);
        assert_eq!(order(&mut frontier, lane), ["b"]);
        assert_eq!(order(&mut frontier, other), ["c"]);
    }
}
