//! Decides what is asked next.

use std::sync::Arc;

use url::Url;

use super::options::{AGENT, LeftOut, Observer};
use super::queueing::Way;
use super::worker::Task;
use super::{Crawl, Result};
use crate::address::Address;
use crate::frontier::{Entry, Key, Kind, LaneRow, Robots};
use crate::lanes::Time;
use crate::robots::Rules;

/// How long a robots.txt is used, in milliseconds: a day (RFC 9309, section 2.4).
const ROBOTS_AGE: u64 = 86_400_000;

/// Maximum number of hosts, and of robots.txt rules, that are kept in memory.
pub(super) const MOST_KEPT: usize = 20_000;

/// Whether a URL may be visited.
enum Access {
    Allowed,
    Forbidden,
    /// Nothing of this origin may be visited before this time.
    Later(Time),
    /// Nothing of this domain may be visited before this time.
    Rest(Time),
    Never,
    /// Its robots.txt must be requested first.
    Ask,
    /// Its robots.txt was requested already.
    Asked,
}

/// The path of a URL with its query.
fn path_of(url: &Url) -> String {
    match url.query() {
        Some(query) => format!("{}?{query}", url.path()),
        None => url.path().to_owned(),
    }
}

impl Crawl {
    /// The next task of a lane that may go. `None` if the lane has nothing to do now.
    pub(super) fn next_task(&mut self, lane: u32, now: Time, observer: &dyn Observer) -> Result<Option<Task>> {
        loop {
            let Some((key, entry)) = self.next_entry(lane)? else { return Ok(None) };
            if self.fresh.contains(&lane) && !self.frontier.is_committed(key) {
                return Ok(None); // it is woken after the commit
            }
            if entry.not_before > now {
                self.wake(lane, entry.not_before);
                return Ok(None);
            }
            let Ok(address) = Address::parse(&entry.url) else {
                self.with(|frontier| frontier.finish(key, &entry, None))?;
                continue;
            };
            if entry.kind == Kind::Page && self.counts(lane)?.asked >= self.options.per_domain {
                self.give_up(lane, LeftOut::OverLimit, observer, |entry| entry.kind == Kind::Page)?;
                continue;
            }
            if !self.is_useful(&entry)? {
                self.give_up(lane, LeftOut::OverLimit, observer, |other| other.kind == entry.kind)?;
                continue;
            }

            let origin = address.origin();
            let asked = entry.asked.as_deref().and_then(|asked| Url::parse(asked).ok());
            let path = path_of(asked.as_ref().unwrap_or(address.url()));
            let access = match entry.kind {
                Kind::Robots(_) => Access::Allowed,
                _ => self.access(lane, &address, &origin, &path, now, observer)?,
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
                    self.makes_room(lane, &task.entry)?;
                    self.tell_left_out(&task.entry.url, LeftOut::Forbidden, observer);
                    self.with(|frontier| frontier.finish(key, &task.entry, None))?;
                    continue;
                }
                Access::Never => {
                    let is_of =
                        |entry: &Entry| Address::parse(&entry.url).is_ok_and(|address| address.origin() == origin);
                    let is_of = |entry: &Entry| !matches!(entry.kind, Kind::Robots(_)) && is_of(entry);
                    self.give_up(lane, LeftOut::WithoutRobots, observer, is_of)?;
                    continue;
                }
                Access::Later(not_before) => {
                    // Other URLs of the domain may be visited now.
                    let later = Entry { not_before, ..task.entry };
                    self.with(|frontier| frontier.postpone(key, &later, None))?;
                    continue;
                }
                Access::Rest(until) => {
                    self.wake(lane, until);
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
                            self.with(|frontier| frontier.finish(key, &task.entry, None))?;
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
            // A host that cannot be reached at one address may be reached at another.
            let ip = ips[usize::from(task.entry.tries) % ips.len()];
            if !self.lanes.may_ask(lane, ip, now) {
                return Ok(None);
            }
            task.ip = Some(ip);
            match task.entry.is_list() {
                true => self.had_list.insert(lane),
                false => self.had_list.remove(&lane),
            };
            if !matches!(task.entry.kind, Kind::Robots(_)) {
                task.earlier = self.with(|frontier| frontier.visit(&task.entry.url))?;
                // Entries that lead to others are read once in each run, because the last run may not have visited all
                // of those.
                task.is_conditional = match task.entry.kind {
                    Kind::Page => !task.follows_links && !task.earlier.as_ref().is_some_and(|visit| visit.has_refresh),
                    _ => self.watched.contains(&task.entry.url),
                };
            }
            return Ok(Some(task));
        }
    }

    /// The next entry of a lane. Pages take turns with feeds and sitemaps, and go before sitemaps that are useless for now.
    fn next_entry(&mut self, lane: u32) -> Result<Option<(Key, Entry)>> {
        let first = self.with(|frontier| frontier.first(lane))?;
        let Some((_, entry)) = first.as_ref().filter(|(_, entry)| entry.is_list()) else { return Ok(first) };
        if self.had_list.contains(&lane) || !self.is_useful(entry)? {
            let page = self.with(|frontier| frontier.first_page(lane))?;
            return Ok(page.or(first));
        }
        Ok(first)
    }

    /// Whether the site of a sitemap may have more pages. Other entries are always useful.
    fn is_useful(&mut self, entry: &Entry) -> Result<bool> {
        let Kind::Sitemap(site) = &entry.kind else { return Ok(true) };
        let site = self.with(|frontier| frontier.lane(site))?;
        Ok(self.counts(site)?.pages < self.options.per_domain)
    }

    pub(super) fn change_row(&mut self, lane: u32, change: impl FnOnce(&mut LaneRow)) -> Result<()> {
        let run = self.frontier.state.run;
        self.with(|frontier| {
            let mut row = frontier.lane_row(lane)?;
            if row.run != run {
                (row.run, row.counts) = (run, Default::default());
            }
            change(&mut row);
            frontier.set_lane_row(lane, &row)
        })
    }

    /// Decides whether the robots.txt of an origin allows a visit of this path. At its first use in a run, its crawl
    /// delay is set, and its sitemaps are queued.
    fn access(
        &mut self,
        lane: u32,
        address: &Address,
        origin: &str,
        path: &str,
        now: Time,
        observer: &dyn Observer,
    ) -> Result<Access> {
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
                let mut sitemaps: Vec<Address> = named.collect();
                if sitemaps.is_empty() {
                    sitemaps.extend(address.join("/sitemap.xml"));
                }
                let kind = Kind::Sitemap(address.domain().to_owned());
                self.give(sitemaps.into_iter().map(|sitemap| (sitemap, kind.clone())), Way::default(), observer)?;
            }
            if delay > self.options.delay.as_millis() as u64 {
                // The current request waits for the crawl delay, too.
                return Ok(Access::Rest(now + delay));
            }
        }
        Ok(if rules.allows(path) { Access::Allowed } else { Access::Forbidden })
    }

    fn keep_rules(&mut self, origin: &str, at: Time, rules: Rules) -> Arc<Rules> {
        if self.rules.len() >= MOST_KEPT {
            self.rules.clear();
        }
        let rules = Arc::new(rules);
        self.rules.insert(origin.to_owned(), (at, rules.clone()));
        rules
    }
}
