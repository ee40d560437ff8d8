//! Segments as bytes, twenty for each.
//!
//! A record has the key, the number of documents, the first page and the last page, all little-endian. The highest bit
//! of the number of documents says whether the segment has a text. The next bit says whether the entry is a text in any
//! place. A record with 0 documents says that the segment was removed.

use super::error::Problem;
use dehusk_core::streaming::segments::SegmentKey;
use dehusk_core::streaming::table::{Entry, SegmentTable};

const RECORD: usize = 20;
/// Number of records in a row. With redb's overhead, such a row fills 64 KiB; redb allocates powers of two.
const IN_A_ROW: usize = 3200;
const IS_DESCRIBED: u32 = 1 << 31;
const IS_ANYWHERE: u32 = 1 << 30;
const MOST_DOCUMENTS: u32 = IS_ANYWHERE - 1;

/// Records, packed into rows.
pub fn rows(mut entries: impl Iterator<Item = (SegmentKey, Option<Entry>)>) -> impl Iterator<Item = Vec<u8>> {
    let mut next = move || entries.by_ref().take(IN_A_ROW).flat_map(|(key, entry)| record(key, entry)).collect();
    std::iter::from_fn(move || Some(next()).filter(|row: &Vec<u8>| !row.is_empty()))
}

/// Adds the records of a row to a table. Rows must be read from first to last.
pub fn read(row: &[u8], table: &mut SegmentTable) -> Result<(), Problem> {
    let (records, rest) = row.as_chunks::<RECORD>();
    for record in records {
        let (key, entry) = parsed(record);
        table.restore(key, entry);
    }
    if rest.is_empty() { Ok(()) } else { Err(Problem::Damaged("a segment is cut off".to_owned())) }
}

fn record(key: SegmentKey, entry: Option<Entry>) -> [u8; RECORD] {
    let gone = Entry::stored(0, 0, 0, false);
    let Entry { documents, first, last, is_described, is_anywhere, .. } = entry.unwrap_or(gone);
    let flags = if is_described { IS_DESCRIBED } else { 0 } | if is_anywhere { IS_ANYWHERE } else { 0 };
    let documents = documents.min(MOST_DOCUMENTS) | flags;
    let mut record = [0; RECORD];
    record[..8].copy_from_slice(&key.0.to_le_bytes());
    for (place, number) in record[8..].chunks_exact_mut(4).zip([documents, first, last]) {
        place.copy_from_slice(&number.to_le_bytes());
    }
    record
}

fn parsed(record: &[u8; RECORD]) -> (SegmentKey, Option<Entry>) {
    let number = |at: usize| u32::from_le_bytes([record[at], record[at + 1], record[at + 2], record[at + 3]]);
    let key = SegmentKey(u64::from(number(0)) | u64::from(number(4)) << 32);
    let (documents, is_described) = (number(8) & MOST_DOCUMENTS, number(8) & IS_DESCRIBED != 0);
    let is_anywhere = number(8) & IS_ANYWHERE != 0;
    let entry = || Entry::stored(documents, number(12), number(16), is_described).anywhere(is_anywhere);
    (key, (documents > 0).then(entry))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(rows: impl Iterator<Item = Vec<u8>>) -> Vec<(SegmentKey, Entry)> {
        let mut table = SegmentTable::default();
        rows.for_each(|row| read(&row, &mut table).unwrap());
        table.entries().collect()
    }

    #[test]
    fn segments_come_back_as_they_were() {
        let entries = [
            (SegmentKey(0), Entry::stored(1, 2, 3, false)),
            (SegmentKey(9), Entry::stored(2, 2, 3, false).anywhere(true)),
            (SegmentKey(u64::MAX - 5), Entry::stored(70_000, 1, u32::MAX, true)),
        ];
        assert_eq!(read_all(rows(entries.into_iter().map(|(key, entry)| (key, Some(entry))))), entries);
    }

    #[test]
    fn later_rows_decide() {
        let [one, two] = [1, 2].map(SegmentKey);
        let [old, new] = [5, 6].map(|documents| Entry::stored(documents, 1, 9, false));
        let before = rows([(one, Some(old)), (two, Some(old))].into_iter());
        let after = rows([(one, Some(new)), (two, None)].into_iter());
        assert_eq!(read_all(before.chain(after)), [(one, new)]);
    }

    #[test]
    fn rows_have_an_end() {
        let entries = std::iter::repeat_n((SegmentKey(7), None), IN_A_ROW + 1);
        assert_eq!(rows(entries).map(|row| row.len()).collect::<Vec<_>>(), [IN_A_ROW * RECORD, RECORD]);
    }

    #[test]
    fn half_a_record_is_damage() {
        assert!(read(&[0; RECORD + 1], &mut SegmentTable::default()).is_err());
    }
}
