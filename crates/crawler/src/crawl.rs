//! A crawl: who is asked for what, and what becomes of the answers.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{self, Write};
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use chrono::{DateTime, Utc};
use serde::Serialize;

use crate::address::Address;
use crate::archive::{Archive, Packing};
use crate::examine::{Examined, Found, examine};
use crate::fetch::{FetchError, Fetcher, Limits, Request, Response};
use crate::frontier::{Entry, Frontier, FrontierError, Key, Kind, LaneRow, Robots, Visit};
use crate::lanes::{Lanes, Time};
use crate::record::{Earlier, answer_in, records};
use crate::resolve::{ResolveError, Resolver};
use crate::robots::Rules;

/// The name by which robots.txt calls this crawler.
pub const AGENT: &str = "dehusk";

/// Redirections in a row that are followed (RFC 9309, section 2.3.1.2 asks for five at least).
const MOST_REDIRECTS: u8 = 5;

/// Sitemaps in sitemaps.
const MOST_INDEXES: u8 = 4;

/// How often something is tried that may pass.
const MOST_TRIES: u8 = 3;

/// How long a robots.txt counts, in milliseconds: a day (RFC 9309, section 2.4).
const ROBOTS_AGE: u64 = 86_400_000;

/// How long the addresses of a host count, in milliseconds.
const NAME_AGE: u64 = 600_000;

/// A domain that wants to be left alone for longer is left to another run. In milliseconds.
const PATIENCE: u64 = 3_600_000;

/// The longest time between two looks at a feed, in milliseconds.
const LONGEST_INTERVAL: u64 = 86_400_000;

/// Hosts and files of rules that are kept in memory.
const MOST_KEPT: usize = 20_000;

/// How often everything is written to the disk.
const COMMIT: Duration = Duration::from_secs(1);

/// The least time between two writings. The disk has four times as long to rest as it needs.
const COMMIT_SOON: Duration = Duration::from_millis(10);

/// What a crawl does.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where its owner can be reached: a URL or an e-mail address. Every request tells it.
    pub contact: String,
    /// The least time between an answer of a domain and the next request to it. The same holds for an IP address.
    pub delay: Duration,
    /// Number of requests at the same time.
    pub threads: usize,
    /// Number of pages of one registered domain, at most.
    pub per_domain: u64,
    /// How many links are followed from what is given.
    pub depth: u8,
    /// Whether links to other registered domains are followed.
    pub leaves_domain: bool,
    /// Whether sitemaps are read that robots.txt names, or else `/sitemap.xml`.
    pub sitemaps: bool,
    /// Whether the feeds that pages name are read.
    pub feeds: bool,
    /// What feeds and sitemaps date earlier is not visited.
    pub since: Option<DateTime<Utc>>,
    /// The run ends after this number of pages.
    pub max_pages: Option<u64>,
    /// The run ends after this number of bytes, as they are received.
    pub max_bytes: Option<u64>,
    /// Limits of a request.
    pub limits: Limits,
    /// The time after which something is tried again; four times as long for the last time.
    pub retry: Duration,
    /// Feeds are read again and again, but not before this time has passed.
    pub watch: Option<Duration>,
    /// Finds hosts.
    pub resolver: Resolver,
    /// How files are packed.
    pub packing: Packing,
    /// Size of a file after which another begins, in bytes.
    pub file_size: u64,
    /// The only certificate to trust, in DER. Without it, those that browsers trust.
    pub root: Option<Vec<u8>>,
}

impl Options {
    fn user_agent(&self) -> String {
        format!("{AGENT}/{} (+{})", env!("CARGO_PKG_VERSION"), self.contact)
    }
}

/// Where a crawl begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seed {
    /// A URL.
    pub url: String,
    /// What it is expected to be.
    pub kind: Kind,
}

/// How a run begins, in a folder that may have one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// A new run. What is known of earlier ones is asked for only if it has changed.
    New,
    /// A run that was stopped goes on.
    Resume,
    /// A new run. What is left of one that was stopped is forgotten.
    Restart,
}

/// Is told what happens.
pub trait Observer: Sync {
    /// Whether the run goes on. It is asked five times a second.
    fn go_on(&self) -> bool {
        true
    }

    /// Something was fetched.
    fn fetched(&self, _url: &str, _summary: &Summary) {}

    /// A URL has no page.
    fn failed(&self, _url: &str, _why: &str) {}
}

/// What a run did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Pages, with those that are unchanged.
    pub pages: u64,
    /// Pages of which an earlier run has the same bytes.
    pub unchanged: u64,
    /// Feeds that were read.
    pub feeds: u64,
    /// Sitemaps that were read.
    pub sitemaps: u64,
    /// Files of rules that were asked for.
    pub robots: u64,
    /// Redirections.
    pub redirects: u64,
    /// Requests.
    pub requests: u64,
    /// Bytes of all bodies, as they were received.
    pub bytes: u64,
    /// URLs that robots.txt forbids.
    pub forbidden: u64,
    /// URLs of hosts whose robots.txt could not be read.
    pub without_robots: u64,
    /// URLs that are left out because there are too many of their domain.
    pub over_limit: u64,
    /// URLs that have no page, by the reason.
    pub failed: BTreeMap<String, u64>,
    /// URLs that are left in the queue.
    pub left: u64,
    /// WARC files in the folder.
    pub files: u32,
}

/// Why a crawl cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum CrawlError {
    /// The folder has a run that was stopped.
    #[error("the last crawl in {} was stopped, and {left} URLs are left: --resume goes on, --restart begins anew", folder.display())]
    Unfinished {
        /// The folder.
        folder: PathBuf,
        /// Number of URLs.
        left: u64,
    },
    /// The folder has none.
    #[error("there is no crawl in {} that was stopped: leave --resume out", .0.display())]
    NothingToResume(PathBuf),
    /// A file cannot be read or written.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
    /// The state cannot be read or written.
    #[error("{}: {error}", path.display())]
    Frontier {
        /// The file.
        path: PathBuf,
        /// Why not.
        error: FrontierError,
    },
}

type Result<T> = std::result::Result<T, CrawlError>;

/// A crawl.
pub struct Crawl {
    options: Arc<Options>,
    frontier: Frontier,
    archive: Archive,
    state_path: PathBuf,
    lanes: Lanes,
    summary: Summary,
    clock: Clock,
    /// Addresses of hosts, and until when they count.
    hosts: HashMap<String, (Time, Vec<IpAddr>)>,
    /// Rules of origins, and when they were read.
    rules: HashMap<String, (Time, Arc<Rules>)>,
    /// Origins whose rules were used in this run.
    used: HashSet<String>,
    /// How often a robots.txt was asked for in vain in this run.
    robots_tries: HashMap<String, u8>,
    /// Origins whose robots.txt cannot be read in this run.
    unreachable: HashSet<String>,
    /// Lanes that wait for the robots.txt of an origin, which is somewhere else.
    waiting: HashMap<String, Vec<u32>>,
    /// Number of pages of lanes in this run.
    pages: HashMap<u32, u64>,
    /// Feeds that were read in this run, and are read again.
    watched: HashSet<String>,
    /// Milliseconds between two looks at a feed.
    intervals: HashMap<String, u64>,
    /// Lanes that were given something since the last commit. What answers lead to can be found in them again, but not this. So it is
    /// asked for only when it is on the disk.
    fresh: HashSet<u32>,
}

/// The time, in milliseconds since 1970. It never goes back.
#[derive(Clone, Copy)]
struct Clock {
    began: Instant,
    at: Time,
}

impl Clock {
    fn new() -> Clock {
        let at = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as Time);
        Clock { began: Instant::now(), at }
    }

    fn now(&self) -> Time {
        self.at + self.began.elapsed().as_millis() as Time
    }
}

/// What a thread has to do.
struct Task {
    lane: u32,
    /// `None`: the robots.txt that is asked for before something else.
    key: Option<Key>,
    entry: Entry,
    address: Address,
    /// `None`: the addresses of the host are not known.
    ip: Option<IpAddr>,
    earlier: Option<Visit>,
    /// Whether it is asked for only if it has changed.
    is_conditional: bool,
    follows_links: bool,
}

/// What became of it.
enum Outcome {
    Resolved(std::result::Result<Vec<IpAddr>, ResolveError>),
    Fetched { took: Duration, answer: std::result::Result<Answer, FetchError> },
}

/// An answer, ready to be written.
struct Answer {
    examined: Examined,
    visit: Visit,
    status: u16,
    received: u64,
    packed: Vec<u8>,
    /// The record of a page, for those who read along.
    copy: Option<Vec<u8>>,
    is_unchanged: bool,
}

/// What the threads tell.
enum Event {
    Seed(Seed),
    NoMoreSeeds,
    Done(Box<Task>, Outcome),
}

/// Whether something may be visited.
enum Access {
    Allowed,
    Forbidden,
    Later(Time),
    Never,
    /// Its robots.txt is asked for first.
    Ask,
    /// Its robots.txt is asked for already.
    Asked,
}

impl Crawl {
    /// Opens the crawl in a folder, or makes the folder. What was written after the last commit is read again.
    ///
    /// # Errors
    /// If the folder cannot be used, or `start` does not fit what is there.
    pub fn open(folder: &Path, options: Options, start: Start) -> Result<Crawl> {
        let hidden = folder.join(".crawl");
        std::fs::create_dir_all(&hidden).map_err(|error| CrawlError::Io { path: hidden.clone(), error })?;
        let state_path = hidden.join("state.redb");
        let of_state = |error| CrawlError::Frontier { path: state_path.clone(), error };
        let mut frontier = Frontier::open(&state_path).map_err(of_state)?;
        let (is_open, left) = (frontier.state.is_open, frontier.len().map_err(of_state)?);
        match start {
            Start::New if is_open => return Err(CrawlError::Unfinished { folder: folder.to_owned(), left }),
            Start::Resume if !is_open => return Err(CrawlError::NothingToResume(folder.to_owned())),
            _ => {}
        }
        let mut found = Vec::new();
        let position = frontier.state.position;
        let archive =
            Archive::open(folder, options.packing, options.file_size, &options.user_agent(), position, |record| {
                found.extend(answer_in(record));
                Ok(())
            });
        let archive = archive.map_err(|error| CrawlError::Io { path: folder.to_owned(), error })?;
        let mut crawl = Crawl {
            lanes: Lanes::new(options.delay.as_millis() as u64),
            options: Arc::new(options),
            frontier,
            archive,
            state_path,
            summary: Summary::default(),
            clock: Clock::new(),
            hosts: HashMap::new(),
            rules: HashMap::new(),
            used: HashSet::new(),
            robots_tries: HashMap::new(),
            unreachable: HashSet::new(),
            waiting: HashMap::new(),
            pages: HashMap::new(),
            watched: HashSet::new(),
            intervals: HashMap::new(),
            fresh: HashSet::new(),
        };
        for (address, id, response) in found {
            crawl.recover(&address, id, &response)?;
        }
        if start != Start::Resume {
            crawl.with(Frontier::clear)?;
            crawl.frontier.state.run += 1;
            crawl.frontier.state.is_open = true;
        }
        crawl.summary = Summary::default();
        crawl.commit()?;
        // Whoever was asked a moment ago by the same crawl is not asked at once again.
        let now = crawl.clock.now() + 1; // it is rounded down
        if is_open {
            crawl.lanes.nothing_before(now + crawl.options.delay.as_millis() as u64);
        }
        for lane in crawl.with(Frontier::waiting_lanes)? {
            let row = crawl.with(|frontier| frontier.lane_row(lane))?;
            let delay = crawl.options.delay.as_millis() as u64;
            crawl.lanes.set_crawl_delay(lane, row.crawl_delay);
            crawl.lanes.not_before(lane, row.not_before.max(now + delay.max(row.crawl_delay)));
            crawl.wake(lane, now);
        }
        Ok(crawl)
    }

    /// An answer that was written but not noted.
    fn recover(&mut self, address: &Address, id: String, response: &Response) -> Result<()> {
        let url = address.as_str();
        let queued = self.with(|frontier| frontier.queued(url))?;
        let (key, entry) = match queued {
            Some((key, entry)) => (Some(key), entry),
            None if address.url().path() == "/robots.txt" => (None, Entry::new(url, Kind::Robots(address.origin()), 0)),
            None => return Ok(()),
        };
        let follows_links = self.follows_links(&entry);
        let Ok(examined) = examine(address, &entry.kind, response, follows_links, self.options.limits.body) else {
            return Ok(());
        };
        let lane = self.with(|frontier| frontier.lane(address.domain()))?;
        if let (Found::Busy(after), 429 | 503) = (&examined.found, response.head.status()) {
            let least = 2 * self.options.delay.as_millis() as u64;
            let until = self.clock.now() + after.map_or(least.max(500), |seconds| seconds.saturating_mul(1000));
            self.change_row(lane, |row| row.not_before = row.not_before.max(until))?;
        }
        let visit = visit(&examined, response, id);
        self.apply(lane, key, entry, address, examined, visit)
    }

    /// Runs the crawl until nothing is left, or the observer stops it. Pages are also written to `copy`, as WARC records that are
    /// not packed.
    ///
    /// # Errors
    /// If files cannot be written.
    pub fn run(
        mut self,
        seeds: impl Iterator<Item = Seed> + Send + 'static,
        observer: &dyn Observer,
        mut copy: Option<&mut dyn Write>,
    ) -> Result<Summary> {
        let threads = self.options.threads.max(1);
        let (to_us, events) = sync_channel::<Event>(1024.max(4 * threads));
        let (to_threads, tasks) = sync_channel::<Box<Task>>(threads);
        let tasks = Arc::new(Mutex::new(tasks));
        for _ in 0..threads {
            let (options, tasks, to_us) = (self.options.clone(), tasks.clone(), to_us.clone());
            let copies = copy.is_some();
            thread::spawn(move || work(&options, &tasks, &to_us, copies));
        }
        thread::spawn(move || {
            for seed in seeds {
                if to_us.send(Event::Seed(seed)).is_err() {
                    return;
                }
            }
            let _ = to_us.send(Event::NoMoreSeeds); // nobody listens when the run was stopped
        });
        let (mut flying, mut has_seeds) = (0, true);
        let (mut committed, mut rest) = (Instant::now(), COMMIT_SOON);
        let is_stopped = loop {
            if !observer.go_on() {
                break true;
            }
            if committed.elapsed() >= if self.fresh.is_empty() { COMMIT } else { rest } {
                let began = Instant::now();
                self.commit()?;
                committed = Instant::now();
                rest = (4 * began.elapsed()).clamp(COMMIT_SOON, COMMIT);
            }
            let now = self.clock.now();
            while flying < threads && !self.is_full(flying) {
                let Some(lane) = self.lanes.pop(now) else { break };
                if let Some(task) = self.next_task(lane, now, observer)? {
                    flying += 1;
                    // There are as many places as threads.
                    let _ = to_threads.send(Box::new(task));
                }
            }
            let next =
                self.lanes.next().filter(|&next| flying < threads && !self.is_full(flying) && self.is_soon(next));
            if flying == 0 && next.is_none() && (!has_seeds && self.fresh.is_empty() || self.is_full(0)) {
                break false;
            }
            let mut pause = next.map_or(200, |next| next.saturating_sub(self.clock.now()).min(200));
            if !self.fresh.is_empty() {
                pause = pause.min(rest.saturating_sub(committed.elapsed()).as_millis() as u64 + 1);
            }
            let mut event = match events.recv_timeout(Duration::from_millis(pause)) {
                Ok(event) => Some(event),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => None,
            };
            // What came meanwhile is taken together.
            for _ in 0..1024 {
                match event.take() {
                    None => break,
                    Some(Event::Seed(seed)) => self.add_seed(&seed, observer)?,
                    Some(Event::NoMoreSeeds) => has_seeds = false,
                    Some(Event::Done(task, outcome)) => {
                        flying -= 1;
                        self.done(*task, outcome, observer, &mut copy)?;
                    }
                }
                event = events.try_recv().ok();
            }
        };
        self.summary.left = self.with(Frontier::len)?;
        self.frontier.state.is_open = is_stopped || self.summary.left > 0;
        self.commit()?;
        self.summary.files = self.archive.files();
        Ok(self.summary)
    }

    fn with<T>(&mut self, of: impl FnOnce(&mut Frontier) -> std::result::Result<T, FrontierError>) -> Result<T> {
        of(&mut self.frontier).map_err(|error| CrawlError::Frontier { path: self.state_path.clone(), error })
    }

    fn of_archive(&self, error: io::Error) -> CrawlError {
        CrawlError::Io { path: self.archive.path(self.archive.files()), error }
    }

    /// First the files, then what is known of them.
    fn commit(&mut self) -> Result<()> {
        let position = self.archive.sync().map_err(|error| self.of_archive(error))?;
        self.with(|frontier| frontier.commit(position))?;
        let now = self.clock.now();
        for lane in std::mem::take(&mut self.fresh) {
            self.wake(lane, now);
        }
        Ok(())
    }

    /// Whether there is enough. Each of the requests that are not answered may be a page.
    fn is_full(&self, flying: usize) -> bool {
        let is_over = |limit: Option<u64>, value: u64| limit.is_some_and(|limit| value >= limit);
        is_over(self.options.max_pages, self.summary.pages + flying as u64)
            || is_over(self.options.max_bytes, self.summary.bytes)
    }

    fn follows_links(&self, entry: &Entry) -> bool {
        entry.depth < self.options.depth || self.options.feeds && entry.depth == 0
    }

    fn wake(&mut self, lane: u32, at: Time) {
        if self.is_soon(at) {
            self.lanes.wake(lane, at);
        }
    }

    /// Who asks for more patience than there is stays in the queue for another run.
    fn is_soon(&self, at: Time) -> bool {
        at <= self.clock.now() + PATIENCE || self.options.watch.is_some()
    }

    fn add_seed(&mut self, seed: &Seed, observer: &dyn Observer) -> Result<()> {
        match Address::parse(&seed.url) {
            Ok(address) => self.give([(address, seed.kind.clone())]),
            Err(error) => {
                self.fail(&seed.url, &error.to_string(), observer);
                Ok(())
            }
        }
    }

    /// Queues what an answer leads to.
    fn push(&mut self, addresses: impl IntoIterator<Item = (Address, Kind)>, depth: u8, redirects: u8) -> Result<()> {
        let now = self.clock.now();
        for lane in self.queue(addresses, depth, redirects)? {
            self.wake(lane, now);
        }
        Ok(())
    }

    /// Queues what no answer leads to. It waits for the next commit.
    fn give(&mut self, addresses: impl IntoIterator<Item = (Address, Kind)>) -> Result<()> {
        let lanes = self.queue(addresses, 0, 0)?;
        self.fresh.extend(lanes);
        Ok(())
    }

    /// Queues addresses. Returns the lanes that have more now.
    fn queue(
        &mut self,
        addresses: impl IntoIterator<Item = (Address, Kind)>,
        depth: u8,
        redirects: u8,
    ) -> Result<Vec<u32>> {
        let mut of_lanes: BTreeMap<u32, Vec<Entry>> = BTreeMap::new();
        for (address, kind) in addresses {
            let lane = self.with(|frontier| frontier.lane(address.domain()))?;
            let entry = Entry { redirects, ..Entry::new(address.as_str(), kind, depth) };
            of_lanes.entry(lane).or_default().push(entry);
        }
        let mut lanes = Vec::new();
        for (lane, entries) in of_lanes {
            if self.with(|frontier| frontier.push(lane, &entries))? > 0 {
                lanes.push(lane);
            }
        }
        Ok(lanes)
    }

    fn fail(&mut self, url: &str, why: &str, observer: &dyn Observer) {
        *self.summary.failed.entry(why.to_owned()).or_default() += 1;
        observer.failed(url, why);
    }

    /// What a lane that may go has to do.
    fn next_task(&mut self, lane: u32, now: Time, observer: &dyn Observer) -> Result<Option<Task>> {
        loop {
            let Some((key, entry)) = self.with(|frontier| frontier.first(lane))? else { return Ok(None) };
            if self.fresh.contains(&lane) && !self.frontier.is_committed(key) {
                return Ok(None); // it is woken after the commit
            }
            if entry.not_before > now {
                self.wake(lane, entry.not_before);
                return Ok(None);
            }
            let Ok(address) = Address::parse(&entry.url) else {
                self.with(|frontier| frontier.finish(key, &entry.url, None))?;
                continue;
            };
            if entry.kind == Kind::Page && self.pages_of(lane)? >= self.options.per_domain {
                self.summary.over_limit +=
                    self.with(|frontier| frontier.give_up(lane, |entry| entry.kind == Kind::Page))?;
                continue;
            }
            let origin = address.origin();
            let access = match entry.kind {
                Kind::Robots(_) => Access::Allowed,
                _ => self.access(lane, &address, &origin, now)?,
            };
            let follows_links = self.follows_links(&entry);
            let mut task = Task {
                lane,
                key: Some(key),
                entry,
                address,
                ip: None,
                earlier: None,
                is_conditional: false,
                follows_links,
            };
            match access {
                Access::Allowed => {}
                Access::Forbidden => {
                    self.summary.forbidden += 1;
                    self.with(|frontier| frontier.finish(key, &task.entry.url, None))?;
                    continue;
                }
                Access::Never => {
                    let is_of =
                        |entry: &Entry| Address::parse(&entry.url).is_ok_and(|address| address.origin() == origin);
                    let is_of = |entry: &Entry| !matches!(entry.kind, Kind::Robots(_)) && is_of(entry);
                    self.summary.without_robots += self.with(|frontier| frontier.give_up(lane, is_of))?;
                    continue;
                }
                Access::Later(at) => {
                    self.wake(lane, at);
                    return Ok(None);
                }
                Access::Asked => {
                    self.waiting.entry(origin).or_default().push(lane);
                    return Ok(None);
                }
                Access::Ask => {
                    let robots = match task.address.join("/robots.txt") {
                        Ok(robots) => robots,
                        Err(error) => {
                            self.fail(&task.entry.url, &format!("its robots.txt has no URL: {error}"), observer);
                            self.with(|frontier| frontier.finish(key, &task.entry.url, None))?;
                            continue;
                        }
                    };
                    task.entry = Entry::new(robots.as_str(), Kind::Robots(origin), 0);
                    task.address = robots;
                    task.key = None;
                }
            }
            let known = self.hosts.get(task.address.host()).filter(|(until, _)| *until > now);
            let Some((_, ips)) = known else {
                self.lanes.hold(lane);
                return Ok(Some(task));
            };
            // If it cannot be reached at one address, it may be at another.
            let ip = ips[usize::from(task.entry.tries) % ips.len()];
            if !self.lanes.may_ask(lane, ip, now) {
                return Ok(None);
            }
            task.ip = Some(ip);
            if !matches!(task.entry.kind, Kind::Robots(_)) {
                task.earlier = self.with(|frontier| frontier.visit(&task.entry.url))?;
                // What leads to others is read once in each run, for they may not have been visited in the last one.
                task.is_conditional = match task.entry.kind {
                    Kind::Page => !task.follows_links,
                    _ => self.watched.contains(&task.entry.url),
                };
            }
            return Ok(Some(task));
        }
    }

    fn pages_of(&mut self, lane: u32) -> Result<u64> {
        if let Some(&pages) = self.pages.get(&lane) {
            return Ok(pages);
        }
        let row = self.with(|frontier| frontier.lane_row(lane))?;
        let pages = if row.run == self.frontier.state.run { row.pages } else { 0 };
        self.pages.insert(lane, pages);
        Ok(pages)
    }

    fn change_row(&mut self, lane: u32, change: impl FnOnce(&mut LaneRow)) -> Result<()> {
        let run = self.frontier.state.run;
        self.with(|frontier| {
            let mut row = frontier.lane_row(lane)?;
            if row.run != run {
                (row.run, row.pages) = (run, 0);
            }
            change(&mut row);
            frontier.set_lane_row(lane, &row)
        })
    }

    /// Whether robots.txt allows a visit.
    fn access(&mut self, lane: u32, address: &Address, origin: &str, now: Time) -> Result<Access> {
        if self.unreachable.contains(origin) {
            return Ok(Access::Never);
        }
        if self.waiting.contains_key(origin) {
            return Ok(Access::Asked);
        }
        let rules = match self.rules.get(origin) {
            Some((at, rules)) if at + ROBOTS_AGE > now => rules.clone(),
            _ => match self.with(|frontier| frontier.robots(origin))? {
                Some((at, Robots::Rules(bytes))) if at + ROBOTS_AGE > now => {
                    self.keep_rules(origin, at, Rules::parse(AGENT, &bytes))
                }
                Some((at, Robots::Missing)) if at + ROBOTS_AGE > now => self.keep_rules(origin, at, Rules::allow_all()),
                Some((_, Robots::Unreachable { again })) if again > now => return Ok(Access::Later(again)),
                _ => return Ok(Access::Ask),
            },
        };
        if self.used.insert(origin.to_owned()) {
            let delay = rules.delay().map_or(0, |delay| delay.as_millis() as u64);
            self.lanes.set_crawl_delay(lane, delay);
            if delay > 0 {
                self.change_row(lane, |row| row.crawl_delay = row.crawl_delay.max(delay))?;
            }
            if self.options.sitemaps {
                let named = rules.sitemaps().iter().filter_map(|sitemap| address.join(sitemap).ok());
                let mut sitemaps: Vec<(Address, Kind)> = named.map(|address| (address, Kind::Sitemap)).collect();
                if sitemaps.is_empty() {
                    sitemaps.extend(address.join("/sitemap.xml").ok().map(|address| (address, Kind::Sitemap)));
                }
                self.give(sitemaps)?;
            }
            if delay > self.options.delay.as_millis() as u64 {
                // The request that comes now waits for it, too.
                return Ok(Access::Later(now + delay));
            }
        }
        let url = address.url();
        let path = match url.query() {
            Some(query) => format!("{}?{query}", url.path()),
            None => url.path().to_owned(),
        };
        Ok(if rules.allows(&path) { Access::Allowed } else { Access::Forbidden })
    }

    fn keep_rules(&mut self, origin: &str, at: Time, rules: Rules) -> Arc<Rules> {
        if self.rules.len() >= MOST_KEPT {
            self.rules.clear();
        }
        let rules = Arc::new(rules);
        self.rules.insert(origin.to_owned(), (at, rules.clone()));
        rules
    }

    /// A thread has done its task.
    fn done(
        &mut self,
        task: Task,
        outcome: Outcome,
        observer: &dyn Observer,
        copy: &mut Option<&mut dyn Write>,
    ) -> Result<()> {
        let Task { lane, key, entry, address, ip, .. } = task;
        let now = self.clock.now();
        match outcome {
            Outcome::Resolved(found) => {
                self.lanes.release(lane);
                match found {
                    Ok(ips) => {
                        if self.hosts.len() >= MOST_KEPT {
                            self.hosts.clear();
                        }
                        self.hosts.insert(address.host().to_owned(), (now + NAME_AGE, ips));
                    }
                    Err(error) => {
                        let may_pass = matches!(error, ResolveError::NotFound(_));
                        self.missed(key, entry, &error.to_string(), may_pass, None, observer)?;
                    }
                }
            }
            Outcome::Fetched { took, answer } => {
                self.summary.requests += 1;
                // The time is rounded down.
                self.lanes.answered(lane, ip.unwrap_or(IpAddr::from([0; 4])), now + 1, took.as_millis() as u64);
                match answer {
                    Err(error) => self.missed(key, entry, &error.to_string(), error.may_pass(), None, observer)?,
                    Ok(answer) => {
                        self.archive.append(&answer.packed).map_err(|error| self.of_archive(error))?;
                        self.summary.bytes += answer.received;
                        self.answered(lane, key, entry, &address, answer, observer, copy)?;
                    }
                }
            }
        }
        self.wake(lane, now);
        Ok(())
    }

    fn answered(
        &mut self,
        lane: u32,
        key: Option<Key>,
        entry: Entry,
        address: &Address,
        answer: Answer,
        observer: &dyn Observer,
        copy: &mut Option<&mut dyn Write>,
    ) -> Result<()> {
        let Answer { examined, visit, status, is_unchanged, copy: record, .. } = answer;
        let now = self.clock.now();
        match (&examined.found, &entry.kind) {
            (Found::Busy(after), _) => {
                let until = after.map(|seconds| now.saturating_add(seconds.saturating_mul(1000)));
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
            (Found::Redirect(Ok(target)), kind) => {
                self.summary.redirects += 1;
                let why = match kind {
                    Kind::Robots(_) => None,
                    _ if target == address => Some("it is redirected to itself"),
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
        self.apply(lane, key, entry, address, examined, visit)?;
        observer.fetched(address.as_str(), &self.summary);
        Ok(())
    }

    /// Notes what an answer leads to.
    fn apply(
        &mut self,
        lane: u32,
        key: Option<Key>,
        entry: Entry,
        address: &Address,
        examined: Examined,
        visit: Visit,
    ) -> Result<()> {
        let now = self.clock.now();
        if let Kind::Robots(origin) = &entry.kind {
            if let Some(key) = key {
                self.with(|frontier| frontier.finish_robots(key))?;
            }
            self.summary.robots += 1;
            let robots = match examined.found {
                Found::Robots(bytes) => Robots::Rules(bytes),
                Found::Redirect(Ok(target)) if entry.redirects < MOST_REDIRECTS => {
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
        let url = &entry.url;
        let mut again = None;
        match examined.found {
            Found::Page(links) => {
                self.summary.pages += 1;
                let pages = self.pages_of(lane)? + 1;
                self.pages.insert(lane, pages);
                self.change_row(lane, |row| row.pages = pages)?;
                self.with(|frontier| frontier.finish(key, url, Some(visit)))?;
                let feeds = links.feeds.into_iter().filter(|_| self.options.feeds).map(|feed| (feed, Kind::Feed));
                let feeds: Vec<_> = feeds.collect();
                self.push(feeds, 0, 0)?;
                if entry.depth < self.options.depth {
                    let is_near = |page: &Address| self.options.leaves_domain || page.domain() == address.domain();
                    let pages: Vec<_> =
                        links.pages.into_iter().filter(is_near).map(|page| (page, Kind::Page)).collect();
                    self.push(pages, entry.depth + 1, 0)?;
                }
                return Ok(());
            }
            Found::Feed { pages, interval } => {
                self.summary.feeds += 1;
                let pages: Vec<_> = self.since(pages).map(|page| (page, Kind::Page)).collect();
                self.push(pages, 0, 0)?;
                again = Some((Some(visit), interval));
            }
            Found::Sitemap { is_index, listed } => {
                self.summary.sitemaps += 1;
                // A sitemap may speak for its own site only (sitemaps.org, "Location").
                let is_near = |page: &Address| self.options.leaves_domain || page.domain() == address.domain();
                let kind = if is_index { Kind::Sitemap } else { Kind::Page };
                let listed: Vec<_> = self.since(listed).filter(is_near).map(|url| (url, kind.clone())).collect();
                let depth = if is_index { entry.depth + 1 } else { 0 };
                if depth <= MOST_INDEXES {
                    self.push(listed, depth, 0)?;
                }
                self.with(|frontier| frontier.finish(key, url, Some(visit)))?;
                return Ok(());
            }
            Found::Redirect(Ok(target)) if entry.redirects < MOST_REDIRECTS => {
                let is_near = entry.depth == 0 || self.options.leaves_domain || target.domain() == address.domain();
                if is_near {
                    self.push([(target, entry.kind.clone())], entry.depth, entry.redirects + 1)?;
                }
            }
            Found::NotModified => {
                if entry.kind == Kind::Page {
                    self.summary.pages += 1;
                    let pages = self.pages_of(lane)? + 1;
                    self.pages.insert(lane, pages);
                }
                again = Some((None, None));
            }
            Found::Busy(_) => {
                let tries = entry.tries + 1;
                let postponed = Entry { tries, not_before: now.max(1), ..entry.clone() };
                return match tries < MOST_TRIES {
                    true => self.with(|frontier| frontier.postpone(key, &postponed, None)),
                    false => self.with(|frontier| frontier.finish(key, url, None)),
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
            (again, ..) => self.with(|frontier| frontier.finish(key, url, again.and_then(|(visit, _)| visit))),
        }?;
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

    /// There is no answer that helps. `again` is when the server wants to be asked again.
    fn missed(
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
            // A feed may be there again.
            (Some(_), Kind::Feed) => {
                let later = Entry { tries: 0, not_before: now + LONGEST_INTERVAL / 4, ..entry };
                self.with(|frontier| frontier.postpone(key, &later, None))
            }
            _ => self.with(|frontier| frontier.finish(key, &entry.url, None)),
        }
    }
}

fn visit(examined: &Examined, response: &Response, record: String) -> Visit {
    // What is too long to be sent again is not kept.
    let short =
        |name: &str| response.head.value(name).filter(|value| value.len() <= 256).map(|value| value.into_owned());
    Visit {
        at: response.at.timestamp_millis(),
        etag: short("ETag"),
        last_modified: short("Last-Modified"),
        digest: examined.digest,
        record,
    }
}

/// What each thread does.
fn work(options: &Options, tasks: &Mutex<Receiver<Box<Task>>>, to_us: &SyncSender<Event>, copies: bool) {
    let fetcher = Fetcher::new(&options.user_agent(), options.limits.clone(), options.root.as_deref());
    loop {
        let task = tasks.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(task) = task else { return };
        let outcome = match task.ip {
            None => Outcome::Resolved(options.resolver.resolve(task.address.host())),
            Some(ip) => {
                let began = Instant::now();
                let answer = fetched(options, &fetcher, &task, ip, copies);
                Outcome::Fetched { took: began.elapsed(), answer }
            }
        };
        if to_us.send(Event::Done(task, outcome)).is_err() {
            return;
        }
    }
}

fn fetched(
    options: &Options,
    fetcher: &Fetcher,
    task: &Task,
    ip: IpAddr,
    copies: bool,
) -> std::result::Result<Answer, FetchError> {
    let earlier = task.earlier.as_ref();
    let known = earlier.filter(|_| task.is_conditional);
    let request = Request {
        address: &task.address,
        ip,
        etag: known.and_then(|known| known.etag.as_deref()),
        last_modified: known.and_then(|known| known.last_modified.as_deref()),
        enough: matches!(task.entry.kind, Kind::Robots(_)).then_some(Rules::LONGEST as u64),
    };
    let response = fetcher.fetch(&request)?;
    let mut examined = examine(&task.address, &task.entry.kind, &response, task.follows_links, options.limits.body)?;
    if examined.found == Found::NotModified && earlier.is_none() {
        examined.found = Found::Unexpected("status 304, which nobody asked for");
    }
    let is_not_modified = examined.found == Found::NotModified;
    let same =
        earlier.filter(|earlier| is_not_modified || response.head.status() == 200 && earlier.digest == examined.digest);
    let same = same.map(|earlier| Earlier {
        id: &earlier.record,
        at: DateTime::from_timestamp_millis(earlier.at).unwrap_or_default(),
        digest: &earlier.digest,
    });
    let is_unchanged = same.is_some();
    let records = records(&task.address, &response, examined.identified, same);
    let pack = |record: &[u8]| options.packing.pack(record).map_err(|error| FetchError::Connection(error.to_string()));
    let packed = [pack(&records.request)?, pack(&records.answer)?].concat();
    let received = response.body.len() as u64;
    let is_page = matches!(examined.found, Found::Page(_)) && !is_unchanged;
    let visit = visit(&examined, &response, records.id);
    let copy = (copies && is_page).then_some(records.answer);
    Ok(Answer { examined, visit, status: response.head.status(), received, packed, copy, is_unchanged })
}
