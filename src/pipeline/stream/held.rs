//! The tables that are in memory.
//!
//! Takes tables as they are used and gives them back; when they hold too many segments in all, those are let go that were
//! not used for longest. What is not held is in the state.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::mem;

use crate::corpus::SourceId;
use crate::streaming::table::SegmentTable;

/// A table takes as much as so many segments before it has any.
const OF_ITS_OWN: usize = 16;
/// This part of the room is made free at once, so that not every batch needs it again.
const FREED: usize = 8;

/// Tables by their sources.
pub struct HeldTables {
    tables: BTreeMap<SourceId, Held>,
    /// So many segments may be in memory between batches.
    most: usize,
    batches: u64,
}

struct Held {
    table: SegmentTable,
    /// The last batch that used it.
    batch: u64,
}

impl HeldTables {
    pub fn new(most: usize) -> HeldTables {
        HeldTables { tables: BTreeMap::new(), most, batches: 0 }
    }

    pub fn get(&self, source: &SourceId) -> Option<&SegmentTable> {
        self.tables.get(source).map(|held| &held.table)
    }

    /// Takes one out to use it.
    pub fn take(&mut self, source: &SourceId) -> Option<SegmentTable> {
        self.tables.remove(source).map(|held| held.table)
    }

    /// Takes those in that a batch used.
    pub fn put_back(&mut self, used: Vec<(SourceId, SegmentTable)>) {
        self.batches += 1;
        self.tables.extend(used.into_iter().map(|(source, table)| (source, Held { table, batch: self.batches })));
    }

    /// Those that differ from what is stored.
    pub fn changed(&mut self) -> Vec<(&SourceId, &mut SegmentTable)> {
        let all = self.tables.iter_mut().map(|(source, held)| (source, &mut held.table));
        all.filter(|(_, table)| !table.is_saved()).collect()
    }

    /// Lets tables go that are as they are stored, if there are too many.
    pub fn make_room(&mut self) {
        let held: usize = self.tables.values().map(Held::size).sum();
        if held <= self.most {
            return;
        }
        let mut by_use: Vec<(SourceId, Held)> = mem::take(&mut self.tables).into_iter().collect();
        by_use.sort_by_key(|(_, held)| Reverse(held.batch));
        let mut room = self.most - self.most / FREED;
        let stays = |(_, held): &(SourceId, Held)| {
            let fits = held.size() <= room;
            room = if fits { room - held.size() } else { 0 };
            fits || !held.table.is_saved()
        };
        self.tables = by_use.into_iter().filter(stays).collect();
    }
}

impl Held {
    fn size(&self) -> usize {
        self.table.len() + OF_ITS_OWN
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::streaming::segments::{TextSegment, SegmentKey};
    use crate::streaming::table::TableOptions;

    fn source(name: &str) -> SourceId {
        SourceId::parse(name).unwrap()
    }

    /// A table of so many segments, as it is stored.
    fn table(segments: u64) -> SegmentTable {
        let segment = |key| TextSegment { key: SegmentKey(key), text: SegmentKey(key), tokens: 0..1, block: 0, length: 9 };
        let mut table = SegmentTable::default();
        table.arrive(&(0..segments).map(segment).collect::<Vec<_>>(), &TableOptions::default());
        table.saved();
        table
    }

    fn held(tables: &HeldTables) -> Vec<&str> {
        tables.tables.keys().map(SourceId::as_str).collect()
    }

    #[test]
    fn those_go_that_were_not_used_for_longest() {
        let mut tables = HeldTables::new(160);
        for name in ["c", "a", "b", "d"] {
            tables.put_back(vec![(source(name), table(30))]);
        }
        let used = tables.take(&source("c")).unwrap();
        tables.put_back(vec![(source("c"), used)]);
        tables.make_room();
        assert_eq!(held(&tables), ["b", "c", "d"]);
    }

    #[test]
    fn all_stay_as_long_as_there_is_room() {
        let mut tables = HeldTables::new(92);
        tables.put_back(vec![(source("a"), table(30)), (source("b"), table(30))]);
        tables.make_room();
        assert_eq!(held(&tables), ["a", "b"]);
    }

    #[test]
    fn what_is_not_stored_stays() {
        let mut tables = HeldTables::new(1);
        let mut unsaved = table(9);
        unsaved.arrive(&[], &TableOptions::default());
        tables.put_back(vec![(source("a"), unsaved), (source("b"), table(9))]);
        tables.make_room();
        assert_eq!(held(&tables), ["a"]);
        assert_eq!(tables.changed().len(), 1);
    }
}
