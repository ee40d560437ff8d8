//! Smooths the scores of a tree, so that no node has a lower score than its parent (D. Chakrabarti, R. Kumar, K.
//! Punera, "Page-level template detection via isotonic smoothing", WWW 2007).
//!
//! Takes for each node i a score x_i, a weight w_i and a penalty g_i. Returns the values y_i with y_i >= y of its
//! parent that minimise
//!
//! ```text
//! sum_i w_i |x_i - y_i| + sum over section roots i of g_i
//! ```
//!
//! Section roots are the root of the tree and each node with a greater value than its parent. A section is a section
//! root and the connected nodes below it that have its value. The minimum is exact: scores and penalties are rounded to
//! 1/4096 first, and all sums are integers. So the result is the same on every machine.
//!
//! There is a cheapest solution in which each section has a weighted median of its scores. So the values to try are the
//! distinct scores v_1 < ... < v_m. With y = v_j at the parent of i, the nodes from i down cost at least F_i(j):
//!
//! ```text
//! G_i(j) = w_i |x_i - v_j| + sum over the children c of i of F_c(j)     i has the value v_j
//! F_i(j) = min(G_i(j), g_i + min over k > j of G_i(k))                  i has its parent's value, or starts a section
//! best   = g_root + min over k of G_root(k)
//! ```
//!
//! The root chooses among all values. (The published algorithm lets the root choose only among the values above some
//! index, so the root never has the smallest one, and the result is not always the cheapest.)
//!
//! One scan from the right finds the minimum over k > j, so the time is O(n m). Children are processed before parents,
//! and the largest subtree of a node before its other subtrees. A node is *open* while some of its subtrees are done
//! and others are not. At most log2(n) nodes are open, because the subtree of an open node that is processed now is at
//! most half as large as the open node's own. Only open nodes have a row of costs. For each node, two things are
//! stored: the values of the parent at which starting a section is cheaper, and the values to start with.

use std::ops::Range;

/// Scores, penalties and costs are in units of 1 divided by this.
pub const UNIT_OF_SCORE: u16 = 4096;

/// Number of bits of a word.
const BITS: usize = u64::BITS as usize;

/// The cheapest values of a tree.
#[derive(Clone, Debug, PartialEq)]
pub struct Smoothed {
    /// The value of each node.
    pub y: Vec<f32>,
    /// Whether a node is a section root.
    pub is_section_root: Vec<bool>,
    /// The cost of the values, in units of 1 / [`UNIT_OF_SCORE`].
    pub cost: u64,
}

/// Smooths the scores of a tree. Each node must come after its parent. So the root is the first node, and its entry in
/// `parents` is not read. Among values of the same cost, a node gets its parent's value if that is one of them, else
/// the smallest.
///
/// A score outside of 0 to 1 counts as the nearest number inside, and a penalty below 0 as 0.
///
/// # Panics
/// If the slices have different lengths, a node comes before its parent, or the weights add up to 2^48 or more.
pub fn smooth(parents: &[u32], scores: &[f32], weights: &[u32], penalties: &[f32]) -> Smoothed {
    let nodes = parents.len();
    assert!(
        [scores.len(), weights.len(), penalties.len()] == [nodes; 3],
        "a score, a weight and a penalty for each node"
    );
    let total: u64 = weights.iter().map(|&weight| u64::from(weight)).sum();
    assert!(total < 1 << 48, "the weights are too large");
    if nodes == 0 {
        return Smoothed { y: Vec::new(), is_section_root: Vec::new(), cost: 0 };
    }
    // Both casts to integers saturate, so a number below 0 becomes 0.
    let scores: Vec<u16> =
        scores.iter().map(|score| (score.min(1.0) * f32::from(UNIT_OF_SCORE)).round() as u16).collect();
    let penalty = |node: usize| (f64::from(penalties[node]) * f64::from(UNIT_OF_SCORE)).round() as u64;
    // No section saves more than this, so greater penalties have the same effect.
    let most = total * u64::from(UNIT_OF_SCORE);
    let mut values = scores.clone();
    values.sort_unstable();
    values.dedup();

    let order = Order::of(parents);
    let mut rows = OpenRows { width: values.len(), costs: Vec::new() };
    let mut sections = Sections::new(nodes);
    for &node in &order.nodes {
        let index = node as usize;
        if order.sizes[index] == 1 {
            rows.open();
        }
        let row = rows.last();
        let weight = u64::from(weights[index]);
        for (cost, &value) in row.iter_mut().zip(&values) {
            *cost += weight * u64::from(value.abs_diff(scores[index]));
        }
        if index > 0 {
            sections.decide(index, row, penalty(index).min(most), most);
            // The row of the largest child becomes the row of its parent.
            if order.largest_child[parents[index] as usize] != node {
                rows.add_last_to_the_one_before();
            }
        }
    }

    let of_root = rows.last();
    let lowest = (0..values.len()).min_by_key(|&value| of_root[value]).unwrap_or_default();
    let cost = of_root[lowest].saturating_add(penalty(0));
    let mut chosen = vec![lowest as u16; nodes];
    let mut is_section_root = vec![true; nodes];
    for node in 1..nodes {
        let of_parent = chosen[parents[node] as usize];
        let own = sections.value(node, of_parent);
        is_section_root[node] = own.is_some();
        chosen[node] = own.unwrap_or(of_parent);
    }
    let y = chosen.into_iter().map(|value| f32::from(values[usize::from(value)]) / f32::from(UNIT_OF_SCORE)).collect();
    Smoothed { y, is_section_root, cost }
}

/// The order in which nodes are processed.
struct Order {
    /// Children before parents. Of the children of a node, the one with the largest subtree is first. No other nodes
    /// come between the nodes of a subtree.
    nodes: Vec<u32>,
    /// Number of nodes of each subtree.
    sizes: Vec<u32>,
    /// For each node, the child with the largest subtree. For a leaf, the leaf itself.
    largest_child: Vec<u32>,
}

impl Order {
    fn of(parents: &[u32]) -> Order {
        let nodes = parents.len();
        let mut sizes = vec![1u32; nodes];
        for node in (1..nodes).rev() {
            let parent = parents[node] as usize;
            assert!(parent < node, "a node stands after its parent");
            sizes[parent] += sizes[node];
        }
        let mut largest_child: Vec<u32> = (0..nodes as u32).collect();
        for node in 1..nodes {
            let parent = parents[node] as usize;
            let largest = largest_child[parent] as usize;
            if largest == parent || sizes[node] > sizes[largest] {
                largest_child[parent] = node as u32;
            }
        }
        // The opposite order has parents before children, and the largest subtree last.
        let mut rank = vec![0u32; nodes];
        let mut rank_of_next_child = vec![1u32; nodes];
        let mut opposite = vec![0u32; nodes];
        for node in 1..nodes {
            let parent = parents[node] as usize;
            if largest_child[parent] as usize == node {
                rank[node] = rank[parent] + sizes[parent] - sizes[node];
            } else {
                rank[node] = rank_of_next_child[parent];
                rank_of_next_child[parent] += sizes[node];
            }
            rank_of_next_child[node] = rank[node] + 1;
            opposite[rank[node] as usize] = node as u32;
        }
        opposite.reverse();
        Order { nodes: opposite, sizes, largest_child }
    }
}

/// The costs of open nodes: a row for each, with a cost for each value. The node that was opened last comes last.
struct OpenRows {
    width: usize,
    costs: Vec<u64>,
}

impl OpenRows {
    fn open(&mut self) {
        self.costs.resize(self.costs.len() + self.width, 0);
    }

    fn last(&mut self) -> &mut [u64] {
        let start = self.costs.len() - self.width;
        &mut self.costs[start..]
    }

    fn add_last_to_the_one_before(&mut self) {
        let start = self.costs.len() - self.width;
        let (before, last) = self.costs.split_at_mut(start);
        before[start - self.width..].iter_mut().zip(last).for_each(|(sum, cost)| *sum += *cost);
        self.costs.truncate(start);
    }
}

/// For each node, and each value of its parent: whether the node starts a section, and with which value.
struct Sections {
    /// A bit for each value of the parent: whether a section starts. The 64-bit words of a node are in descending
    /// order, from the last one that is not 0.
    starts: Vec<u64>,
    /// The values with which sections start, the greatest of a node first. A section starts with the smallest of them
    /// above the parent's value.
    targets: Vec<u16>,
    /// For each node, the ranges of its words and of its targets.
    of_node: Vec<[Range<usize>; 2]>,
}

impl Sections {
    fn new(nodes: usize) -> Sections {
        Sections { starts: Vec::new(), targets: Vec::new(), of_node: vec![[0..0, 0..0]; nodes] }
    }

    /// Decides at which values of its parent a node starts a section. Turns the row of the node from G_i into F_i. No
    /// cost is more than `most`.
    fn decide(&mut self, node: usize, row: &mut [u64], penalty: u64, most: u64) {
        let (first_word, first_target) = (self.starts.len(), self.targets.len());
        // Of the values above: the lowest cost, and the smallest value that has it.
        let (mut lowest, mut lowest_at) = (most, usize::MAX);
        let mut last_target = usize::MAX;
        for (word, costs) in row.chunks_mut(BITS).enumerate().rev() {
            let mut bits = 0;
            for (bit, cost) in costs.iter_mut().enumerate().rev() {
                let (going_on, starting) = (*cost, penalty + lowest);
                let starts = starting < going_on;
                bits = bits << 1 | u64::from(starts);
                if starts && lowest_at != last_target {
                    self.targets.push(lowest_at as u16);
                    last_target = lowest_at;
                }
                *cost = going_on.min(starting);
                if going_on <= lowest {
                    (lowest, lowest_at) = (going_on, word * BITS + bit);
                }
            }
            if bits != 0 || self.starts.len() > first_word {
                self.starts.push(bits);
            }
        }
        self.of_node[node] = [first_word..self.starts.len(), first_target..self.targets.len()];
    }

    /// The value with which a node starts a section, if it starts one at this value of its parent.
    fn value(&self, node: usize, of_parent: u16) -> Option<u16> {
        let [starts, targets] = self.of_node[node].clone();
        let (starts, targets) = (&self.starts[starts], &self.targets[targets]);
        let (word, bit) = (usize::from(of_parent) / BITS, usize::from(of_parent) % BITS);
        let is_start = starts.iter().rev().nth(word).is_some_and(|bits| bits >> bit & 1 == 1);
        let above = || targets.partition_point(|&target| target > of_parent);
        is_start.then(|| targets[above() - 1])
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::random::Random;

    #[derive(Clone, Debug)]
    struct Tree {
        parents: Vec<u32>,
        scores: Vec<f32>,
        weights: Vec<u32>,
        penalties: Vec<f32>,
    }

    impl Tree {
        fn smooth(&self) -> Smoothed {
            smooth(&self.parents, &self.scores, &self.weights, &self.penalties)
        }

        /// The cost of values, in units. `None` if one is below its parent's.
        fn cost(&self, y: &[f32]) -> Option<u64> {
            let units = |number: f32| (number * f32::from(UNIT_OF_SCORE)).round() as u64;
            let of_node = |node: usize| {
                let distance = u64::from(self.weights[node]) * units(self.scores[node]).abs_diff(units(y[node]));
                let above = if node == 0 { -1.0 } else { y[self.parents[node] as usize] };
                let penalty = if y[node] > above { units(self.penalties[node]) } else { 0 };
                (y[node] >= above).then_some(distance + penalty)
            };
            (0..y.len()).map(of_node).sum()
        }

        /// Checks that the cost and the section roots are those of the values.
        fn check(&self, smoothed: &Smoothed) {
            assert_eq!(self.cost(&smoothed.y), Some(smoothed.cost), "{self:?} {smoothed:?}");
            for (node, &is_root) in smoothed.is_section_root.iter().enumerate() {
                let rises = node == 0 || smoothed.y[node] > smoothed.y[self.parents[node] as usize];
                assert_eq!(is_root, rises, "{self:?} {smoothed:?}");
            }
        }
    }

    /// All trees of this many nodes in which each node comes after its parent.
    fn parents(nodes: usize) -> Vec<Vec<u32>> {
        let mut all = vec![vec![0]];
        for node in 1..nodes as u32 {
            let with = |parents: &Vec<u32>, parent: u32| parents.iter().copied().chain([parent]).collect();
            all = all
                .iter()
                .flat_map(|parents| (0..node).map(|parent| with(parents, parent)).collect::<Vec<_>>())
                .collect();
        }
        all
    }

    /// The lowest cost of all values that are multiples of 1 / `steps`, by trying all of them.
    fn lowest_of_all(tree: &Tree, steps: u16) -> u64 {
        fn try_from(node: usize, y: &mut Vec<u16>, tree: &Tree, steps: u16, lowest: &mut u64) {
            if node == tree.parents.len() {
                let y: Vec<f32> = y.iter().map(|&value| f32::from(value) / f32::from(steps)).collect();
                *lowest = (*lowest).min(tree.cost(&y).unwrap());
                return;
            }
            let least = if node == 0 { 0 } else { y[tree.parents[node] as usize] };
            for value in least..=steps {
                y.push(value);
                try_from(node + 1, y, tree, steps, lowest);
                y.pop();
            }
        }
        let mut lowest = u64::MAX;
        try_from(0, &mut Vec::new(), tree, steps, &mut lowest);
        lowest
    }

    #[test]
    fn it_is_the_cheapest_of_all() {
        let mut random = Random::new(1);
        for nodes in 1..=6 {
            for parents in parents(nodes) {
                for round in 0..8 {
                    // Scores have 5 values, and penalties are up to 9 times their distance.
                    let mut draw = |limit: usize| (0..nodes).map(|_| random.below(limit) as f32).collect::<Vec<f32>>();
                    let scores = draw(5).iter().map(|score| score / 4.0).collect();
                    let penalties = draw(10).iter().map(|penalty| penalty / 4.0).collect();
                    let weights = draw(3).iter().map(|weight| 1 + *weight as u32).collect();
                    let tree = Tree { parents: parents.clone(), scores, weights, penalties };
                    let smoothed = tree.smooth();
                    tree.check(&smoothed);
                    // A finer grid has no cheaper values.
                    let steps = if round == 0 { 8 } else { 4 };
                    assert_eq!(smoothed.cost, lowest_of_all(&tree, steps), "{tree:?}");
                }
            }
        }
    }

    /// Solves the recurrence as it is written above, with a table of all nodes and values.
    fn by_table(tree: &Tree) -> Vec<f32> {
        let units = |number: f32| (number * f32::from(UNIT_OF_SCORE)).round() as u64;
        let mut values: Vec<u64> = tree.scores.iter().map(|&score| units(score)).collect();
        values.sort_unstable();
        values.dedup();
        let nodes = tree.parents.len();
        let mut g = vec![vec![0u64; values.len()]; nodes];
        let mut chosen: Vec<Vec<usize>> = vec![(0..values.len()).collect(); nodes];
        let best_above = |g: &[u64], from: usize| (from..g.len()).min_by_key(|&k| g[k]);
        for node in (0..nodes).rev() {
            for j in 0..values.len() {
                g[node][j] += u64::from(tree.weights[node]) * units(tree.scores[node]).abs_diff(values[j]);
            }
            for j in 0..if node == 0 { 0 } else { values.len() } {
                let mut f = g[node][j];
                if let Some(k) = best_above(&g[node], j + 1) {
                    let starting = units(tree.penalties[node]) + g[node][k];
                    if starting < f {
                        (f, chosen[node][j]) = (starting, k);
                    }
                }
                g[tree.parents[node] as usize][j] += f;
            }
        }
        let mut at = vec![best_above(&g[0], 0).unwrap()];
        (1..nodes).for_each(|node| at.push(chosen[node][at[tree.parents[node] as usize]]));
        at.into_iter().map(|value| values[value] as f32 / f32::from(UNIT_OF_SCORE)).collect()
    }

    /// A tree of `nodes` nodes, each at most `back` nodes after its parent.
    fn random_tree(seed: u64, nodes: usize, back: usize, most_penalty: f32) -> Tree {
        let mut random = Random::new(seed);
        let parents = (0..nodes).map(|node| node.saturating_sub(1 + random.below(back)) as u32).collect();
        let scores = (0..nodes).map(|_| random.unit() as f32).collect();
        let weights = (0..nodes).map(|_| 1 + random.below(3) as u32).collect();
        let penalties = (0..nodes).map(|_| most_penalty * random.unit() as f32).collect();
        Tree { parents, scores, weights, penalties }
    }

    fn trees() -> impl Strategy<Value = Tree> {
        let penalty = prop_oneof![Just(0.0f32), Just(0.05), Just(0.5), Just(5.0)];
        (any::<u64>(), 1usize..150, 1usize..40, penalty)
            .prop_map(|(seed, nodes, back, penalty)| random_tree(seed, nodes, back, penalty))
    }

    proptest! {
        #[test]
        fn rows_of_open_nodes_are_enough(tree in trees()) {
            let smoothed = tree.smooth();
            tree.check(&smoothed);
            prop_assert_eq!(smoothed.y, by_table(&tree));
        }

        #[test]
        fn twice_the_weights_and_penalties_change_nothing(tree in trees()) {
            let mut tree = tree;
            tree.penalties.iter_mut().for_each(|penalty| *penalty = (*penalty * 64.0).round() / 64.0);
            let once = tree.smooth();
            tree.weights.iter_mut().for_each(|weight| *weight *= 2);
            tree.penalties.iter_mut().for_each(|penalty| *penalty *= 2.0);
            prop_assert_eq!(tree.smooth(), Smoothed { cost: 2 * once.cost, ..once });
        }

        #[test]
        fn scores_that_never_fall_stay(tree in trees()) {
            let mut tree = tree;
            tree.penalties.fill(0.0);
            for node in 1..tree.scores.len() {
                tree.scores[node] = tree.scores[node].max(tree.scores[tree.parents[node] as usize]);
            }
            let rounded: Vec<f32> = tree.scores.iter().map(|score| (score * 4096.0).round() / 4096.0).collect();
            let smoothed = tree.smooth();
            prop_assert_eq!(smoothed.cost, 0);
            prop_assert_eq!(smoothed.y, rounded);
        }

        #[test]
        fn a_great_penalty_leaves_the_median(tree in trees()) {
            let mut tree = tree;
            tree.penalties[1..].fill(f32::INFINITY);
            let smoothed = tree.smooth();
            let copies = |(score, weight): (&f32, &u32)| vec![(score * 4096.0).round() / 4096.0; *weight as usize];
            let mut copies: Vec<f32> = tree.scores.iter().zip(&tree.weights).flat_map(copies).collect();
            copies.sort_by(f32::total_cmp);
            prop_assert_eq!(&smoothed.y, &vec![copies[(copies.len() - 1) / 2]; tree.scores.len()]);
            prop_assert_eq!(smoothed.is_section_root.iter().filter(|&&is_root| is_root).count(), 1);
        }

        #[test]
        fn a_path_without_penalties_is_isotonic_regression(tree in trees()) {
            let mut tree = tree;
            tree.penalties.fill(0.0);
            tree.parents = (0..tree.scores.len() as u32).map(|node| node.saturating_sub(1)).collect();
            // Pool adjacent violators: neighbours are joined while their medians fall.
            let mut pools: Vec<Vec<f32>> = Vec::new();
            let median = |pool: &[f32]| pool[(pool.len() - 1) / 2];
            for (&score, &weight) in tree.scores.iter().zip(&tree.weights) {
                pools.push(vec![(score * 4096.0).round() / 4096.0; weight as usize]);
                while let [.., one, next] = &pools[..] && median(one) > median(next) {
                    let last = pools.pop().unwrap_or_default();
                    let pool = pools.last_mut().unwrap();
                    pool.extend(last);
                    pool.sort_by(f32::total_cmp);
                }
            }
            let of_pool = |pool: &Vec<f32>| pool.iter().map(|x| ((x - median(pool)).abs() * 4096.0) as u64).sum::<u64>();
            prop_assert_eq!(tree.smooth().cost, pools.iter().map(of_pool).sum::<u64>());
        }
    }

    #[test]
    fn the_worked_example() {
        let scores = vec![0.20, 0.90, 0.30, 0.95, 0.85, 0.10, 0.40];
        let mut tree =
            Tree { parents: vec![0, 0, 0, 1, 1, 2, 2], scores, weights: vec![1; 7], penalties: vec![0.0; 7] };
        let hundredths = |tree: &Tree| {
            let smoothed = tree.smooth();
            tree.check(&smoothed);
            let y: Vec<u32> = smoothed.y.iter().map(|y| (y * 100.0).round() as u32).collect();
            (
                (smoothed.cost as f64 / 40.96).round() as u64,
                y,
                smoothed.is_section_root.iter().filter(|&&root| root).count(),
            )
        };
        let mut with = |penalty: f32| {
            tree.penalties.fill(penalty);
            hundredths(&tree)
        };
        assert_eq!(with(0.0).0, 25);
        assert_eq!(with(0.05).0, 45);
        assert_eq!(with(0.15), (75, vec![20, 90, 20, 90, 90, 20, 40], 3));
        let (cost, y, _) = with(0.30);
        assert_eq!((cost, y), (110, vec![20, 90, 20, 90, 90, 20, 20]));
        assert_eq!(with(2.0), (410, vec![40; 7], 1));
        let areas = [1000.0, 200.0, 700.0, 90.0, 90.0, 400.0, 250.0];
        tree.penalties = areas.iter().map(|area| 0.01 * 1000.0 / area).collect();
        assert_eq!(hundredths(&tree).0, 40);
        assert_eq!(hundredths(&tree).1, [20, 90, 20, 90, 90, 20, 40]);
        tree.weights[3] = 3;
        assert_eq!(hundredths(&tree).0, 45);
        assert_eq!(hundredths(&tree).1, [20, 95, 20, 95, 95, 20, 40]);
    }

    #[test]
    fn odd_numbers_count_as_the_nearest_possible_ones() {
        let y = |scores: &[f32], penalties: &[f32]| smooth(&[u32::MAX, 0], scores, &[1, 1], penalties).y;
        assert_eq!(y(&[-1.0, 7.0], &[0.0, -3.0]), [0.0, 1.0]);
        assert_eq!(y(&[f32::NEG_INFINITY, f32::INFINITY], &[f32::INFINITY, 0.0]), [0.0, 1.0]);
        assert!(smooth(&[], &[], &[], &[]).y.is_empty());
    }

    #[test]
    fn a_node_without_weight_costs_nothing() {
        assert_eq!(smooth(&[0, 0], &[0.75, 0.25], &[0, 1], &[0.0, 0.0]).y, [0.25, 0.25]);
    }

    #[test]
    fn few_nodes_are_open() {
        let nodes = 65_536u32;
        let comb = |node: u32| if node % 2 == 1 { node - 1 } else { node.saturating_sub(2) };
        let combs: Vec<u32> = (0..nodes).map(comb).collect();
        // The leaves of the path come last.
        let path_then_leaves: Vec<u32> =
            (0..nodes).map(|node| if node < nodes / 2 { node.saturating_sub(1) } else { node - nodes / 2 }).collect();
        let halves: Vec<u32> = (0..nodes).map(|node| node.saturating_sub(1) / 2).collect();
        for (parents, expected) in [(combs, 2), (path_then_leaves, 2), (halves, 16)] {
            let order = Order::of(&parents);
            let (mut open, mut most, mut done) = (0, 0, vec![false; nodes as usize]);
            for &node in &order.nodes {
                let index = node as usize;
                open += usize::from(order.sizes[index] == 1);
                most = most.max(open);
                done[index] = true;
                if index > 0 {
                    assert!(!done[parents[index] as usize]);
                    open -= usize::from(order.largest_child[parents[index] as usize] != node);
                }
            }
            assert_eq!((open, most), (1, expected));
        }
    }

    #[test]
    fn deep_and_wide_trees_end() {
        let mut deep = random_tree(1, 65_536, 1, 0.5);
        let mut wide = random_tree(2, 20_000, 1, 0.5);
        wide.parents.fill(0);
        for tree in [&mut deep, &mut wide] {
            tree.scores.iter_mut().for_each(|score| *score = (*score * 64.0).round() / 64.0);
            tree.check(&tree.smooth());
        }
    }
}
