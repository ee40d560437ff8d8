//! Random numbers from a seed: the same on every machine and with every version of every dependency.

use std::collections::BTreeSet;

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// Starts with a seed.
    pub fn new(seed: u64) -> Random {
        Random { state: seed }
    }

    /// An independent stream for each seed and path.
    pub fn along(seed: u64, path: &[u64]) -> Random {
        path.iter().fold(Random::new(seed), |mut random, step| {
            Random::new(random.any() ^ step.wrapping_mul(0xd6e8_feb8_6659_fd93))
        })
    }

    /// Any 64-bit number.
    pub fn any(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.state)
    }

    /// A number below `limit`, or 0 if `limit` is 0. The bias is below `limit` / 2^64.
    pub fn below(&mut self, limit: usize) -> usize {
        ((u128::from(self.any()) * limit as u128) >> 64) as usize
    }

    /// A number of the range, both ends included.
    pub fn between(&mut self, least: usize, most: usize) -> usize {
        least + self.below(most - least + 1)
    }

    /// A number in 0..1.
    pub fn unit(&mut self) -> f64 {
        (self.any() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// True with this probability in percent.
    pub fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// A random item. All items have the same probability. There must be at least one.
    pub fn pick<'t, T>(&mut self, of: &'t [T]) -> &'t T {
        &of[self.below(of.len())]
    }

    /// Shuffles the items. All orders have the same probability (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }

    /// `count` different numbers below `limit`, sorted. If `count` is at least `limit`, all numbers below `limit`.
    pub fn sample(&mut self, limit: usize, count: usize) -> Vec<usize> {
        if count >= limit {
            return (0..limit).collect();
        }
        // Floyd's algorithm: all subsets have the same probability.
        let mut chosen = BTreeSet::new();
        for last in limit - count..limit {
            let number = self.below(last + 1);
            if !chosen.insert(number) {
                chosen.insert(last);
            }
        }
        chosen.into_iter().collect()
    }
}

/// Mixes the bits of a number: every bit of the result depends on every bit of the number.
pub fn mix(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_split_mix() {
        let mut random = Random::new(1_234_567);
        let published = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!([random.any(), random.any(), random.any()], published);
    }

    #[test]
    fn every_path_has_a_stream_of_its_own() {
        let paths: [&[u64]; 6] = [&[], &[1], &[2], &[1, 2], &[2, 1], &[1, 2, 0]];
        let firsts: BTreeSet<u64> = paths.iter().map(|path| Random::along(7, path).any()).collect();
        assert_eq!(firsts.len(), paths.len());
        assert_eq!(Random::along(7, &[]).any(), Random::new(7).any());
    }

    #[test]
    fn samples_are_sorted_different_and_fair() {
        let mut random = Random::new(1);
        let mut seen = [0; 6];
        for _ in 0..6000 {
            let sample = random.sample(6, 2);
            assert!(sample.len() == 2 && sample[0] < sample[1] && sample[1] < 6);
            sample.iter().for_each(|&number| seen[number] += 1);
        }
        assert!(seen.iter().all(|count| (1850..2150).contains(count)), "{seen:?}");
        assert_eq!(random.sample(3, 9), [0, 1, 2]);
    }
}
