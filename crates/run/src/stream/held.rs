//! Keeps tables in memory.
//!
//! Gives out tables to use, and takes them back. If the tables in memory have too many segments together, the least
//! recently used tables are dropped from memory. All tables that are not in memory are in the state.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::mem;

use dehusk_core::streaming::table::SegmentTable;
use dehusk_corpus::SourceId;

/// The memory of an empty table, as a number of segments.
const OF_ITS_OWN: usize = 16;
/// One part in this many of the room is made free at once, so that not every batch has to make room.
const FREED: usize = 8;

/// Tables by their sources.
pub struct HeldTables {
    tables: BTreeMap<SourceId, Held>,
    /// Maximum number of segments in memory between batches.
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

    /// Takes out a table to use it.
    pub fn take(&mut self, source: &SourceId) -> Option<SegmentTable> {
        self.tables.remove(source).map(|held| held.table)
    }

    /// Takes back the tables that a batch used.
    pub fn put_back(&mut self, used: Vec<(SourceId, SegmentTable)>) {
        self.batches += 1;
        self.tables.extend(used.into_iter().map(|(source, table)| (source, Held { table, batch: self.batches })));
    }

    /// The tables that differ from the state.
    pub fn changed(&mut self) -> Vec<(&SourceId, &mut SegmentTable)> {
        let all = self.tables.iter_mut().map(|(source, held)| (source, &mut held.table));
        all.filter(|(_, table)| !table.is_saved()).collect()
    }

    /// Drops tables that do not differ from the state, if there are too many segments.
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
    use dehusk_core::streaming::segments::{SegmentKey, TextSegment};
    use dehusk_core::streaming::table::TableOptions;

    fn source(name: &str) -> SourceId {
        SourceId::parse(name).unwrap()
    }

    /// A table with this number of segments, equal to the state.
    fn table(segments: u64) -> SegmentTable {
        let segment =
            |key| TextSegment { key: SegmentKey(key), text: SegmentKey(key), tokens: 0..1, block: 0, length: 9 };
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
