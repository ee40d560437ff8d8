//! Queues URLs, or leaves them out.

use std::collections::BTreeMap;

use super::asking::MOST_KEPT;
use super::options::{LeftOut, Observer, Seed};
use super::{Crawl, Result};
use crate::address::Address;
use crate::frontier::{Counts, Entry, Kind, Room};

/// Maximum number of sitemaps that a site may have at other domains. Those domains did not ask to be visited.
const MOST_FOREIGN: u64 = 100;

/// How a URL was found.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Way {
    /// See [`Entry::depth`].
    pub(super) depth: u8,
    /// See [`Entry::redirects`].
    pub(super) redirects: u8,
    /// See [`Entry::is_given`].
    pub(super) is_given: bool,
}

impl Crawl {
    pub(super) fn add_seed(&mut self, seed: &Seed, observer: &dyn Observer) -> Result<()> {
        match Address::parse(&seed.url) {
            Ok(address) => {
                let way = Way { is_given: true, ..Way::default() };
                self.give([(address, seed.kind.clone())], way, observer)
            }
            Err(error) => {
                self.fail(&seed.url, &error.to_string(), observer);
                Ok(())
            }
        }
    }

    /// Queues URLs to which an answer leads.
    pub(super) fn push(
        &mut self,
        found: impl IntoIterator<Item = (Address, Kind)>,
        way: Way,
        observer: &dyn Observer,
    ) -> Result<()> {
        let now = self.clock.now();
        for lane in self.queue(found, way, observer)? {
            self.wake(lane, now);
        }
        Ok(())
    }

    /// Queues URLs to which no answer leads. They wait for the next commit.
    pub(super) fn give(
        &mut self,
        found: impl IntoIterator<Item = (Address, Kind)>,
        way: Way,
        observer: &dyn Observer,
    ) -> Result<()> {
        let lanes = self.queue(found, way, observer)?;
        self.fresh.extend(lanes);
        Ok(())
    }

    /// Queues addresses, as many as their domains may have. Returns the lanes that have new entries.
    fn queue(
        &mut self,
        found: impl IntoIterator<Item = (Address, Kind)>,
        way: Way,
        observer: &dyn Observer,
    ) -> Result<Vec<u32>> {
        let mut of_lanes: BTreeMap<u32, Vec<Entry>> = BTreeMap::new();
        for (address, kind) in found {
            let lane = self.with(|frontier| frontier.lane(address.domain()))?;
            if let Some(why) = self.unwanted(&address, &kind).filter(|_| !way.is_given) {
                self.leave_out(lane, address.as_str(), why, observer)?;
                continue;
            }
            let Way { depth, redirects, is_given } = way;
            let entry = Entry { redirects, is_given, ..Entry::new(address.as_str(), kind, depth) };
            of_lanes.entry(lane).or_default().push(entry);
        }
        let mut lanes = Vec::new();
        for (lane, entries) in of_lanes {
            if self.queue_in(lane, &entries, observer)? {
                lanes.push(lane);
            }
        }
        Ok(lanes)
    }

    /// Queues entries in a lane. They come from one answer, so sitemaps at other domains among them are all for one
    /// site. Returns whether the lane has new entries.
    fn queue_in(&mut self, lane: u32, entries: &[Entry], observer: &dyn Observer) -> Result<bool> {
        let foreign = entries.iter().find(|entry| entry.is_foreign());
        let site = match foreign.map(|entry| &entry.kind) {
            Some(Kind::Sitemap(site)) => self.with(|frontier| frontier.lane(site))?,
            _ => lane,
        };
        let (counts, of_site) = (self.counts(lane)?, self.counts(site)?);
        let most = self.options.per_domain;
        let room = Room {
            pages: most.saturating_sub(counts.pages),
            lists: most.saturating_sub(counts.lists),
            foreign: MOST_FOREIGN.saturating_sub(of_site.foreign),
        };
        let (added, refused) = self.with(|frontier| frontier.push(lane, entries, room))?;
        if added != Room::default() {
            self.change_counts(lane, |counts| {
                counts.pages += added.pages;
                counts.lists += added.lists;
            })?;
            self.change_counts(site, |counts| counts.foreign += added.foreign)?;
        }
        for entry in refused {
            self.leave_out(lane, &entry.url, LeftOut::OverLimit, observer)?;
        }
        Ok(added != Room::default())
    }

    /// Why an address is left out. `None` if it is wanted.
    fn unwanted(&self, address: &Address, kind: &Kind) -> Option<LeftOut> {
        match kind {
            _ if address.is_trap() => Some(LeftOut::Trap),
            Kind::Page if !self.options.wanted.has(address.as_str()) => Some(LeftOut::Unwanted),
            _ => None,
        }
    }

    /// Leaves out a URL that may be found again and again. Up to the limit of the domain, each such URL is noted, and
    /// reported once. After that, every occurrence is counted, and none is reported.
    pub(super) fn leave_out(&mut self, lane: u32, url: &str, why: LeftOut, observer: &dyn Observer) -> Result<()> {
        if self.counts(lane)?.left_out >= self.options.per_domain {
            *self.summary.left_out(why) += 1;
        } else if self.with(|frontier| frontier.leave_out(url))? {
            self.change_counts(lane, |counts| counts.left_out += 1)?;
            self.tell_left_out(url, why, observer);
        }
        Ok(())
    }

    pub(super) fn tell_left_out(&mut self, url: &str, why: LeftOut, observer: &dyn Observer) {
        *self.summary.left_out(why) += 1;
        observer.left_out(url, why);
    }

    /// Takes the entries of a lane that satisfy `is_hopeless` out of the queue, and reports them as left out.
    pub(super) fn give_up(
        &mut self,
        lane: u32,
        why: LeftOut,
        observer: &dyn Observer,
        is_hopeless: impl Fn(&Entry) -> bool,
    ) -> Result<()> {
        for entry in self.with(|frontier| frontier.give_up(lane, is_hopeless))? {
            self.makes_room(lane, &entry)?;
            self.tell_left_out(&entry.url, why, observer);
        }
        Ok(())
    }

    /// Lowers the counts for an entry that leaves the queue without a request, so that another entry may take its
    /// place.
    pub(super) fn makes_room(&mut self, lane: u32, entry: &Entry) -> Result<()> {
        self.change_counts(lane, |counts| match &entry.kind {
            Kind::Page => counts.pages = counts.pages.saturating_sub(1),
            _ if entry.is_list() && !entry.is_foreign() => counts.lists = counts.lists.saturating_sub(1),
            _ => {}
        })
    }

    pub(super) fn counts(&mut self, lane: u32) -> Result<Counts> {
        if let Some(&(counts, _)) = self.counts.get(&lane) {
            return Ok(counts);
        }
        let row = self.with(|frontier| frontier.lane_row(lane))?;
        let counts = if row.run == self.frontier.state.run { row.counts } else { Counts::default() };
        self.counts.insert(lane, (counts, false));
        Ok(counts)
    }

    pub(super) fn change_counts(&mut self, lane: u32, change: impl FnOnce(&mut Counts)) -> Result<()> {
        let mut counts = self.counts(lane)?;
        change(&mut counts);
        self.counts.insert(lane, (counts, true));
        Ok(())
    }

    /// Writes the counts that have changed.
    pub(super) fn note_counts(&mut self) -> Result<()> {
        let mut counts = std::mem::take(&mut self.counts);
        for (&lane, (counts, has_changed)) in counts.iter_mut().filter(|(_, (_, has_changed))| *has_changed) {
            self.change_row(lane, |row| row.counts = *counts)?;
            *has_changed = false;
        }
        if counts.len() < MOST_KEPT {
            self.counts = counts;
        }
        Ok(())
    }
}
