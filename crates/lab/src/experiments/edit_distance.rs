//! The number of words to insert, delete or replace to turn one text into another.

use rustc_hash::FxHashMap;

/// The edit distance (Levenshtein) of two sequences, in O(n m / 64): Myers 1999, with blocks as in Hyyrö 2003.
pub fn edit_distance(a: &[u64], b: &[u64]) -> usize {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if short.is_empty() {
        return long.len();
    }
    let places = Places::of(short);
    let mut column = Column::new(short.len());
    long.iter().for_each(|symbol| column.advance(places.of_symbol(symbol)));
    column.distance
}

/// The edit distance divided by the length of the longer text: 0 for equal texts, 1 for nothing in common. Also 1 if
/// one or both are empty, because then there is no evidence that they are equal.
pub fn relative_distance(a: &[u64], b: &[u64]) -> f64 {
    if a.is_empty() || b.is_empty() {
        return 1.0;
    }
    edit_distance(a, b) as f64 / a.len().max(b.len()) as f64
}

/// A bit vector of the places of each symbol.
struct Places {
    blocks: usize,
    first_block: FxHashMap<u64, usize>,
    bits: Vec<u64>,
    none: Vec<u64>,
}

impl Places {
    fn of(symbols: &[u64]) -> Places {
        let blocks = symbols.len().div_ceil(64);
        let mut places = Places { blocks, first_block: FxHashMap::default(), bits: Vec::new(), none: vec![0; blocks] };
        for (at, &symbol) in symbols.iter().enumerate() {
            let next = places.bits.len();
            let first = *places.first_block.entry(symbol).or_insert(next);
            if first == next {
                places.bits.resize(next + blocks, 0);
            }
            places.bits[first + at / 64] |= 1 << (at % 64);
        }
        places
    }

    fn of_symbol(&self, symbol: &u64) -> &[u64] {
        self.first_block.get(symbol).map_or(&self.none, |&first| &self.bits[first..first + self.blocks])
    }
}

/// A column of the distance table, stored as differences between neighbouring cells.
struct Column {
    /// Bit set: the next cell down is one larger.
    up: Vec<u64>,
    /// Bit set: the next cell down is one smaller.
    down: Vec<u64>,
    last_bit: u32,
    /// The value of the last cell.
    distance: usize,
}

impl Column {
    fn new(length: usize) -> Column {
        let blocks = length.div_ceil(64);
        Column {
            up: vec![u64::MAX; blocks],
            down: vec![0; blocks],
            last_bit: (length as u32 - 1) % 64,
            distance: length,
        }
    }

    /// Computes the next column. `places` are the places of its symbol.
    fn advance(&mut self, places: &[u64]) {
        // In the row above the first, each cell is one larger than its left neighbour.
        let (mut more, mut less) = (1, 0);
        let (mut last_more, mut last_less) = (0, 0);
        for ((up, down), &equal) in self.up.iter_mut().zip(&mut self.down).zip(places) {
            let vertical = equal | *down;
            let equal = equal | less;
            let horizontal = ((equal & *up).wrapping_add(*up) ^ *up) | equal;
            (last_more, last_less) = (*down | !(horizontal | *up), *up & horizontal);
            let (shifted_more, shifted_less) = ((last_more << 1) | more, (last_less << 1) | less);
            (more, less) = (last_more >> 63, last_less >> 63);
            *up = shifted_less | !(vertical | shifted_more);
            *down = shifted_more & vertical;
        }
        self.distance += ((last_more >> self.last_bit) & 1) as usize;
        self.distance -= ((last_less >> self.last_bit) & 1) as usize;
    }
}

#[cfg(test)]
mod tests {
    use dehusk_core::random::Random;

    use super::*;

    /// The edit distance, computed with the whole table.
    fn naive(a: &[u64], b: &[u64]) -> usize {
        let mut row: Vec<usize> = (0..=b.len()).collect();
        for (i, x) in a.iter().enumerate() {
            let mut diagonal = std::mem::replace(&mut row[0], i + 1);
            for (j, y) in b.iter().enumerate() {
                let replaced = diagonal + usize::from(x != y);
                diagonal = row[j + 1];
                row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
            }
        }
        row[b.len()]
    }

    #[test]
    fn it_is_what_the_whole_table_says() {
        let mut random = Random::new(7);
        for round in 0..600 {
            let symbols = 1 + random.below(6);
            let mut sequence = |limit| (0..random.below(limit)).map(|_| random.below(symbols) as u64).collect();
            let limit = if round % 3 == 0 { 10 } else { 300 };
            let (a, b): (Vec<u64>, Vec<u64>) = (sequence(limit), sequence(limit));
            assert_eq!(edit_distance(&a, &b), naive(&a, &b), "{a:?} {b:?}");
        }
    }

    #[test]
    fn lengths_at_the_edge_of_a_block() {
        for length in [1_u64, 63, 64, 65, 127, 128, 129] {
            let a: Vec<u64> = (0..length).collect();
            let b: Vec<u64> = (1..length + 3).collect();
            assert_eq!(edit_distance(&a, &b), naive(&a, &b), "{length}");
        }
    }

    #[test]
    fn distances_are_relative_to_the_longer_text() {
        assert_eq!(relative_distance(&[1, 2, 3, 4], &[1, 2, 4]), 0.25);
        assert_eq!(relative_distance(&[1], &[1]), 0.0);
        assert_eq!((relative_distance(&[], &[1]), relative_distance(&[], &[])), (1.0, 1.0));
    }
}
