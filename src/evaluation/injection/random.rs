//! Chance that is the same on every machine: integers only.

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A stream of its own for each seed and path.
    pub fn new(seed: u64, path: &[u64]) -> Random {
        let mut random = Random(seed);
        for &step in path {
            random = Random(random.next() ^ step.wrapping_mul(0xd6e8_feb8_6659_fd93));
        }
        random
    }

    /// The next 64 bits.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`, or 0.
    pub fn below(&mut self, limit: usize) -> usize {
        ((u128::from(self.next()) * limit as u128) >> 64) as usize
    }

    /// A number of the range, both ends included.
    pub fn between(&mut self, least: usize, most: usize) -> usize {
        least + self.below(most - least + 1)
    }

    /// True this many times in a hundred.
    pub fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of several, all as likely. There must be one.
    pub fn pick<'t, T>(&mut self, of: &'t [T]) -> &'t T {
        &of[self.below(of.len())]
    }

    /// Any order, all as likely (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

/// Ranks as Zipf and Mandelbrot count words: rank r is drawn in proportion to 1 / (r + offset).
#[derive(Clone, Debug)]
pub struct Zipf {
    cumulative: Vec<u64>,
}

impl Zipf {
    /// So many ranks; the larger the offset, the less frequent the first.
    pub fn new(ranks: usize, offset: u64) -> Zipf {
        let add = |sum: &mut u64, rank: u64| {
            *sum += (1 << 40) / (rank + 1 + offset);
            Some(*sum)
        };
        Zipf { cumulative: (0..ranks as u64).scan(0, add).collect() }
    }

    /// A rank, from 0.
    pub fn draw(&self, random: &mut Random) -> usize {
        let total = self.cumulative.last().copied().unwrap_or_default();
        let at = random.below(total as usize) as u64;
        self.cumulative.partition_point(|&sum| sum <= at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_the_published_one() {
        // The first outputs of SplitMix64 for seed 1234567.
        let mut random = Random::new(1_234_567, &[]);
        assert_eq!([random.next(), random.next()], [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]);
    }

    #[test]
    fn frequent_ranks_are_drawn_more_often() {
        let (zipf, mut random) = (Zipf::new(100, 0), Random::new(1, &[]));
        let mut counts = [0; 100];
        (0..10_000).for_each(|_| counts[zipf.draw(&mut random)] += 1);
        assert!(counts[0] > counts[3] && counts[3] > counts[40], "{counts:?}");
    }
}
