//! Sums over the segments before and after each segment. Segments that are further away count less.

use std::sync::LazyLock;

use super::ln_1p_each;

/// Number of distances.
pub const REACHES: usize = 3;
/// The distances "near", "around" and "far", in words. Over each such distance, a segment counts less by a factor of e.
static REACH: LazyLock<[Reach; REACHES]> = LazyLock::new(|| [15.0, 60.0, 250.0].map(Reach::new));

/// Sums of `K` values, for each distance.
pub type Sums<const K: usize> = [[f32; K]; REACHES];

struct Reach {
    words: f64,
    /// For each number of half words, the factor by which a sum fades over these words. Nearly all segments are shorter
    /// than this table.
    left: [f32; 128],
}

impl Reach {
    fn new(words: f64) -> Reach {
        Reach { words, left: std::array::from_fn(|halves| (-(halves as f64 / 2.0) / words).exp() as f32) }
    }

    fn left_after(&self, words: f64) -> f32 {
        self.left.get((2.0 * words) as usize).copied().unwrap_or_else(|| (-words / self.words).exp() as f32)
    }
}

/// For each segment, the sums of `K` values over this segment and those before it, and over this segment and those
/// after it. The sums of the second kind are computed from back to front, but needed from front to back. So only those
/// after each block of segments are stored, and those inside a block are computed again.
pub struct Fading<F, const K: usize> {
    segments: usize,
    /// Gives the words and the values of a segment.
    value: F,
    before: Sums<K>,
    after_blocks: Vec<Sums<K>>,
    /// The sums for the segments of one block, those of the last segment first.
    of_block: Vec<Sums<K>>,
}

/// Number of segments in a block.
const BLOCK_OF_SEGMENTS: usize = 64;

impl<F: Fn(usize) -> (f64, [f32; K]), const K: usize> Fading<F, K> {
    /// `value` gives the number of words in a segment, and its values.
    pub fn of(segments: usize, value: F) -> Fading<F, K> {
        let blocks = segments.div_ceil(BLOCK_OF_SEGMENTS);
        let mut fading = Fading {
            segments,
            value,
            before: [[0.0; K]; REACHES],
            after_blocks: vec![[[0.0; K]; REACHES]; blocks],
            of_block: Vec::with_capacity(BLOCK_OF_SEGMENTS),
        };
        for block in (1..blocks).rev() {
            fading.after_blocks[block - 1] = fading.sum_up(block);
        }
        fading
    }

    /// ln(1 + x) of the sums that [`at`](Fading::at) returns.
    pub fn logarithms_at(&mut self, segment: usize) -> (Sums<K>, Sums<K>) {
        let (mut before, mut after) = self.at(segment);
        ln_1p_each(before.as_flattened_mut());
        ln_1p_each(after.as_flattened_mut());
        (before, after)
    }

    /// The sums before and after a segment, both with the segment itself. Segments must be requested in order.
    pub fn at(&mut self, segment: usize) -> (Sums<K>, Sums<K>) {
        if segment.is_multiple_of(BLOCK_OF_SEGMENTS) {
            self.sum_up(segment / BLOCK_OF_SEGMENTS);
        }
        let (words, values) = (self.value)(segment);
        let mut before = self.before;
        add(&mut before, values);
        self.before = before;
        fade(&mut self.before, words);
        (before, self.of_block[self.of_block.len() - 1 - segment % BLOCK_OF_SEGMENTS])
    }

    /// Computes the sums in a block. Returns the sums after the previous block.
    fn sum_up(&mut self, block: usize) -> Sums<K> {
        let mut sums = self.after_blocks[block];
        self.of_block.clear();
        for segment in (block * BLOCK_OF_SEGMENTS..self.segments.min((block + 1) * BLOCK_OF_SEGMENTS)).rev() {
            let (words, values) = (self.value)(segment);
            add(&mut sums, values);
            self.of_block.push(sums);
            fade(&mut sums, words);
        }
        sums
    }
}

fn add<const K: usize>(sums: &mut Sums<K>, values: [f32; K]) {
    for of_reach in sums {
        of_reach.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
    }
}

fn fade<const K: usize>(sums: &mut Sums<K>, words: f64) {
    for (of_reach, reach) in sums.iter_mut().zip(&*REACH) {
        let left = reach.left_after(words);
        of_reach.iter_mut().for_each(|sum| *sum *= left);
    }
}
