//! A crawl. One thread decides what is requested, and handles the answers ([`Crawl`]). Other threads fetch.

mod answers;
mod asking;
mod options;
mod queueing;
mod worker;

use std::collections::{HashMap, HashSet};
use std::io::{self, Write};
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::archive::{Archive, Position};
use crate::examine::{Found, examine};
use crate::fetch::Response;
use crate::frontier::{Counts, Entry, Frontier, FrontierError, Kind, Stored, Visit};
use crate::lanes::{Lanes, Time};
use crate::record::{self, Recorded, answer_in};
use crate::robots::Rules;

use answers::{Asked, LONGEST_PENALTY};
pub use options::{AGENT, CrawlError, LeftOut, Observer, Options, Seed, Start, Summary, Wanted};
use worker::{Event, Task, same_page, visit, work};

/// The longest wait for a domain in a run, in milliseconds. If a domain wants to be left alone for longer, it is left
/// to another run.
const PATIENCE_OF_RUN: u64 = 3_600_000;

/// Maximum number of reasons that are counted one by one, and maximum length of a reason.
const MOST_REASONS: usize = 100;
const LONGEST_REASON: usize = 200;

/// The name under which all other reasons are counted.
const OTHER_REASONS: &str = "other reasons";

/// The usual time between two commits, which write everything to the disk.
const COMMIT: Duration = Duration::from_secs(1);

/// The least time between two commits. After a commit, the disk rests for four times as long as the commit took.
const COMMIT_SOON: Duration = Duration::from_millis(10);

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
    /// The IP addresses of hosts, and the time until which they are used.
    hosts: HashMap<String, (Time, Vec<IpAddr>)>,
    /// Rules of origins, and when they were read.
    rules: HashMap<String, (Time, Arc<Rules>)>,
    /// Origins whose rules were used in this run.
    used: HashSet<String>,
    /// Number of failed requests for the robots.txt of an origin in this run.
    robots_tries: HashMap<String, u8>,
    /// Origins whose robots.txt cannot be read in this run.
    unreachable: HashSet<String>,
    /// Lanes that wait for the robots.txt of an origin, because it is redirected elsewhere.
    waiting: HashMap<String, Vec<u32>>,
    /// The counts of lanes in this run, and whether they have changed since they were written.
    counts: HashMap<u32, (Counts, bool)>,
    /// Lanes whose last request was for a feed or a sitemap. Their next request is for a page.
    had_list: HashSet<u32>,
    /// Feeds that were read in this run, and are read again.
    watched: HashSet<String>,
    /// Milliseconds between two looks at a feed.
    intervals: HashMap<String, u64>,
    /// Lanes that were given URLs to which no answer leads, since the last commit. After a crash, the URLs in answers
    /// can be found in the archive again, but these cannot. So they are requested only when they are on the disk.
    fresh: HashSet<u32>,
}

/// The observer of answers that are recovered after a crash. It ignores them.
struct Nobody;

impl Observer for Nobody {}

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

impl Crawl {
    /// Opens the crawl in a folder, or makes the folder. Answers that were written after the last commit are read
    /// again.
    ///
    /// # Errors
    /// If the folder cannot be used, or `start` does not fit the run that is there.
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
            Archive::open(folder, options.packing, options.file_size, &options.user_agent(), position, |record, at| {
                found.extend(answer_in(record).map(|recorded| (recorded, at)));
                Ok(())
            });
        let archive = archive.map_err(|error| CrawlError::Io { path: folder.to_owned(), error })?;

        let mut crawl = Crawl {
            lanes: Lanes::new(options.delay.as_millis() as u64, options.threads),
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
            counts: HashMap::new(),
            had_list: HashSet::new(),
            watched: HashSet::new(),
            intervals: HashMap::new(),
            fresh: HashSet::new(),
        };

        for (recorded, position) in found {
            crawl.recover(recorded, position)?;
        }
        if start != Start::Resume {
            crawl.with(Frontier::clear)?;
            crawl.counts.clear();
            crawl.frontier.state.run += 1;
            crawl.frontier.state.is_open = true;
        }
        crawl.summary = Summary::default();
        crawl.commit()?;

        // A server that the same crawl has asked a moment ago is not asked again at once.
        let now = crawl.clock.now() + 1; // it is rounded down
        if is_open || crawl.frontier.state.run > 1 {
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

    /// Handles an answer that was written to the archive, but not noted in the frontier.
    fn recover(&mut self, recorded: Recorded, position: Position) -> Result<()> {
        let Some((recorded, stored)) = self.with_body(recorded)? else { return Ok(()) };
        let Recorded { url: asked, address, id, response, .. } = recorded;
        let url = address.as_str();
        let lane = self.with(|frontier| frontier.lane(address.domain()))?;
        let queued = self.with(|frontier| frontier.queued(lane, url))?;
        let (key, entry) = match queued {
            Some((key, entry)) => (Some(key), entry),
            None if address.url().path() == "/robots.txt" => (None, Entry::new(url, Kind::Robots(address.origin()), 0)),
            None => return Ok(()),
        };

        let follows_links = self.follows_links(&entry);
        let Ok(examined) = examine(&address, &entry.kind, &response, follows_links, self.options.limits.body) else {
            return Ok(());
        };
        if let (Found::Busy(after), 429 | 503) = (&examined.found, response.head.status()) {
            let least = 2 * self.options.delay.as_millis() as u64;
            let until = after.map_or(least.max(500), |seconds| seconds.saturating_mul(1000).min(LONGEST_PENALTY));
            let until = self.clock.now() + until;
            self.change_row(lane, |row| row.not_before = row.not_before.max(until))?;
        }

        let mut visit = visit(&examined, &response, id);
        match stored {
            Some(Stored { url, at, record, .. }) => visit = Visit { at, record, url: Some(url), ..visit },
            None if matches!(examined.found, Found::Page(_)) && !response.body.is_empty() => {
                let stored = Stored { url: asked, at: visit.at, record: visit.record.clone(), position };
                let page = same_page(&examined.digest, &response.head);
                self.with(|frontier| frontier.set_stored(page, &stored))?;
            }
            None => {}
        }
        self.apply(Asked { lane, key, entry, address }, examined, visit, &Nobody)
    }

    /// Adds the body to an answer, if another record has it, and returns this record, too. `None` if the body cannot be
    /// found: then the page is requested again.
    fn with_body(&mut self, recorded: Recorded) -> Result<Option<(Recorded, Option<Stored>)>> {
        let Some(digest) = recorded.elsewhere else { return Ok(Some((recorded, None))) };
        let page = same_page(&digest, &recorded.response.head);
        let Some(stored) = self.with(|frontier| frontier.stored(page))? else { return Ok(None) };
        let record = self.archive.read(stored.position).ok().flatten();
        let body = record.and_then(|record| answer_in(&record)).map(|found| found.response.body);
        let Some(body) = body.filter(|body| record::digest(body) == digest) else { return Ok(None) };
        let response = Response { body, ..recorded.response };
        Ok(Some((Recorded { response, ..recorded }, Some(stored))))
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
                    // This never waits: the channel has as many places as there are threads.
                    let _ = to_threads.send(Box::new(task));
                }
            }

            let next =
                self.lanes.first_time().filter(|&next| flying < threads && !self.is_full(flying) && self.is_soon(next));
            if flying == 0 && next.is_none() && (!has_seeds && self.fresh.is_empty() || self.is_full(0)) {
                break false;
            }
            let mut pause = next.map_or(200, |next| next.saturating_sub(self.clock.now()).min(200));
            if !self.fresh.is_empty() {
                pause = pause.min(rest.saturating_sub(committed.elapsed()).as_millis() as u64 + 1);
            }

            let mut event = events.recv_timeout(Duration::from_millis(pause)).ok();
            // All events that came in the meantime are handled together.
            for _ in 0..1024 {
                match event.take().or_else(|| events.try_recv().ok()) {
                    None => break,
                    Some(Event::Seed(seed)) => self.add_seed(&seed, observer)?,
                    Some(Event::NoMoreSeeds) => has_seeds = false,
                    Some(Event::Done(done)) => {
                        flying -= 1;
                        let (task, outcome) = *done;
                        self.done(task, outcome, observer, &mut copy)?;
                    }
                }
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

    /// Writes everything to the disk: first the WARC files, then the frontier, which describes them.
    fn commit(&mut self) -> Result<()> {
        let position = self.archive.sync().map_err(|error| self.of_archive(error))?;
        self.note_counts()?;
        self.with(|frontier| frontier.commit(position))?;
        let now = self.clock.now();
        for lane in std::mem::take(&mut self.fresh) {
            self.wake(lane, now);
        }
        Ok(())
    }

    /// Whether a limit of the run is reached. Each of the `flying` requests, which are not answered yet, may give a
    /// page.
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

    /// Whether this run can wait until this time. A lane that cannot go before stays in the queue for another run.
    fn is_soon(&self, at: Time) -> bool {
        at <= self.clock.now() + PATIENCE_OF_RUN || self.options.watch.is_some()
    }

    fn fail(&mut self, url: &str, why: &str, observer: &dyn Observer) {
        // Parts of the reason may come from a server, so they are cleaned and shortened.
        let why: String = why.chars().filter(|character| !character.is_control()).take(LONGEST_REASON).collect();
        let failed = &mut self.summary.failed;
        let is_kept = failed.len() < MOST_REASONS || failed.contains_key(&why);
        *failed.entry(if is_kept { why.clone() } else { OTHER_REASONS.to_owned() }).or_default() += 1;
        observer.failed(url, &why);
    }
}
