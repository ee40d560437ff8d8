//! Finds the words of a text that another text has in the same order: a longest common subsequence.
//!
//! One text is divided in half, and the other one where the halves have most in common (D. S. Hirschberg, "A linear space
//! algorithm for computing maximal common subsequences", CACM 1975). 64 places of a row are computed at a time (H. Hyyrö,
//! "Bit-parallel LCS-length computation revisited", AWOCA 2004). So pages of 100,000 words take seconds and little memory.

use rustc_hash::FxHashMap;

/// The positions in `a` of a longest common subsequence with `b`, in order.
pub fn matched(a: &[u64], b: &[u64]) -> Vec<usize> {
    let mut found = Vec::new();
    // The parts that are still to be compared, the first one last.
    let mut parts = vec![(0..a.len(), 0..b.len())];
    while let Some((of_a, of_b)) = parts.pop() {
        match of_a.len() {
            _ if of_b.is_empty() => {}
            0 => {}
            1 => found.extend(b[of_b].contains(&a[of_a.start]).then_some(of_a.start)),
            len => {
                let half = of_a.start + len / 2;
                let front = lengths(a[of_a.start..half].iter(), b[of_b.clone()].iter());
                let back = lengths(a[half..of_a.end].iter().rev(), b[of_b.clone()].iter().rev());
                let common = |&at: &usize| front[at] + back[of_b.len() - at];
                let at = (0..=of_b.len()).max_by_key(common).unwrap_or_default();
                let split = of_b.start + at;
                if back[of_b.len() - at] > 0 {
                    parts.push((half..of_a.end, split..of_b.end));
                }
                if front[at] > 0 {
                    parts.push((of_a.start..half, of_b.start..split));
                }
            }
        }
    }
    found
}

/// The length of a longest common subsequence of `a` with each beginning of `b`.
fn lengths<'w>(a: impl Iterator<Item = &'w u64>, b: impl ExactSizeIterator<Item = &'w u64>) -> Vec<u32> {
    let len = b.len();
    let cells = len.div_ceil(64);
    // For each word its places in `b`: the index of a cell, and the bits in it.
    let mut places: FxHashMap<u64, Vec<(usize, u64)>> = FxHashMap::default();
    for (at, word) in b.enumerate() {
        let (cell, bit) = (at / 64, 1 << (at % 64));
        let of_word = places.entry(*word).or_default();
        match of_word.last_mut().filter(|last| last.0 == cell) {
            Some(last) => last.1 |= bit,
            None => of_word.push((cell, bit)),
        }
    }
    // A bit is 0 where the length grows.
    let mut row = vec![u64::MAX; cells];
    for word in a {
        let Some(places) = places.get(word) else { continue };
        let (mut next, mut cell, mut carries) = (0, places[0].0, false);
        while cell < cells {
            let mask = places.get(next).filter(|place| place.0 == cell).map_or(0, |place| place.1);
            next += usize::from(mask != 0);
            if mask == 0 && !carries {
                // Nothing changes up to the next place.
                match places.get(next) {
                    Some(place) => cell = place.0,
                    None => break,
                }
                continue;
            }
            let before = row[cell];
            let (sum, is_over) = before.overflowing_add(before & mask);
            let (sum, is_over_by_carry) = sum.overflowing_add(u64::from(carries));
            carries = is_over || is_over_by_carry;
            row[cell] = sum | (before & !mask);
            cell += 1;
        }
    }
    let mut length = 0;
    let grown = (0..len).map(|at| {
        length += u32::from(row[at / 64] >> (at % 64) & 1 == 0);
        length
    });
    std::iter::once(0).chain(grown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use dehusk_core::random::Random;
    use dehusk_run::scoring::words::word_hashes;

    /// The length according to the definition, in a table.
    fn longest(a: &[u64], b: &[u64]) -> usize {
        let mut row = vec![0; b.len() + 1];
        for word in a {
            let before = row.clone();
            for (at, other) in b.iter().enumerate() {
                row[at + 1] = if word == other { before[at] + 1 } else { before[at + 1].max(row[at]) };
            }
        }
        row[b.len()]
    }

    fn is_in_order(part: impl Iterator<Item = u64>, whole: &[u64]) -> bool {
        let mut rest = whole.iter();
        part.into_iter().all(|word| rest.any(|other| *other == word))
    }

    #[test]
    fn what_is_in_both_is_found() {
        let (page, gold) = (word_hashes("Home Sport The boat came home Share"), word_hashes("The boat came home"));
        assert_eq!(matched(&page, &gold), [2, 3, 4, 5]);
        assert_eq!(matched(&page, &[]), [0; 0]);
        assert_eq!(matched(&[], &gold), [0; 0]);
    }

    #[test]
    fn it_is_as_long_as_by_the_definition() {
        let mut random = Random::new(7);
        for round in 0..400 {
            let words = 1 + round % 9;
            let mut sequence =
                |most: usize| -> Vec<u64> { (0..random.below(most)).map(|_| random.below(words) as u64).collect() };
            let (a, b) = (sequence(150), sequence(300));
            let found = matched(&a, &b);
            assert_eq!(found.len(), longest(&a, &b), "{a:?} {b:?}");
            assert!(found.is_sorted_by(|one, other| one < other));
            assert!(is_in_order(found.iter().map(|&at| a[at]), &b));
        }
    }
}
