//! Groups of leaves.

use rustc_hash::FxHashMap;

/// The group of each leaf of a page. Groups are numbered from 0, in the order of their first leaves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grouping {
    groups: Vec<u32>,
    count: u32,
}

impl Grouping {
    /// Makes a group of all leaves with the same label.
    pub fn of<L: Eq + std::hash::Hash>(labels: impl IntoIterator<Item = L>) -> Grouping {
        let mut numbers: FxHashMap<L, u32> = FxHashMap::default();
        let mut groups = Vec::new();
        for label in labels {
            let next = numbers.len() as u32;
            groups.push(*numbers.entry(label).or_insert(next));
        }
        Grouping { groups, count: numbers.len() as u32 }
    }

    /// The group of each leaf.
    pub fn groups(&self) -> &[u32] {
        &self.groups
    }

    /// Number of groups.
    pub fn count(&self) -> usize {
        self.count as usize
    }

    /// The leaves of each group, in order.
    pub fn members(&self) -> Vec<Vec<usize>> {
        let mut members = vec![Vec::new(); self.count()];
        for (leaf, &group) in self.groups.iter().enumerate() {
            members[group as usize].push(leaf);
        }
        members
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_numbered_by_their_first_leaf() {
        let grouping = Grouping::of(["b", "a", "b", "c"]);
        assert_eq!(grouping.groups(), [0, 1, 0, 2]);
        assert_eq!(grouping.members(), [vec![0, 2], vec![1], vec![3]]);
    }
}
