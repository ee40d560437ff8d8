//! Word frequencies.

use dehusk_core::random::Random;

/// Draws ranks by the law of Zipf and Mandelbrot: rank r with a probability proportional to 1 / (r + offset). Integers
/// only, so that a seed gives the same on every machine.
#[derive(Clone, Debug)]
pub struct Zipf {
    cumulative: Vec<u64>,
}

impl Zipf {
    /// For this many ranks. The larger the offset, the rarer the first ranks.
    pub fn new(ranks: usize, offset: u64) -> Zipf {
        let add = |sum: &mut u64, rank: u64| {
            *sum += (1 << 40) / (rank + 1 + offset);
            Some(*sum)
        };
        Zipf { cumulative: (0..ranks as u64).scan(0, add).collect() }
    }

    /// A random rank, from 0.
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
    fn frequent_ranks_are_drawn_more_often() {
        let (zipf, mut random) = (Zipf::new(100, 0), Random::new(1));
        let mut counts = [0; 100];
        (0..10_000).for_each(|_| counts[zipf.draw(&mut random)] += 1);
        assert!(counts[0] > counts[3] && counts[3] > counts[40], "{counts:?}");
    }
}
