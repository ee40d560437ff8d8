//! The cost of a labelling of the nodes of a page.
//!
//! Each node has a visible label or is invisible. Leaves are visible, and a visible node has the label of its whole
//! subtree. So all nodes above an invisible node are invisible, and the highest visible nodes cut the page into
//! subtrees of one label each. Leaves with the same label are a segment, even if they are in several such subtrees.
//!
//! ```text
//! sum over visible nodes p of D_p(label of p)
//!   + sum over invisible nodes p of D_p(invisible)
//!   + sum over visible nodes p with an invisible parent of edge_p
//!   + sum over neighbouring leaves p, q with different labels of price_pq
//! ```
//!
//! The sum over edges can be written as a sum over invisible nodes too: an invisible node pays the edges to its
//! children, and gets back the edge to its parent, for this parent is invisible too. The total cost of an invisible
//! node is its *price*:
//!
//! ```text
//! W_p = D_p(invisible) + sum over children c of edge_c - edge_p        (the root has no edge_p)
//! ```
//!
//! All numbers are integers, in units of 1 / [`UNIT_OF_COST`]. So sums and comparisons are exact.

/// In place of a label: the node is mere structure.
pub const INVISIBLE: u32 = u32::MAX;

/// Costs are in units of 1 divided by this.
pub const UNIT_OF_COST: u32 = 1 << 16;

/// 2 leaves that are neighbours on the page, and the cost if they have different labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Neighbours {
    /// One leaf.
    pub p: u32,
    /// The other leaf.
    pub q: u32,
    /// The cost if the leaves have different labels.
    pub price: u32,
}

/// The costs of all labellings of a tree.
#[derive(Clone, Debug)]
pub struct Energy {
    parents: Vec<u32>,
    is_leaf: Vec<bool>,
    labels: usize,
    /// The cost of each label at each node. Each label has a row, because expansions read all nodes of a label.
    data: Vec<u32>,
    invisible: Vec<u32>,
    edges: Vec<u32>,
    neighbours: Vec<Neighbours>,
}

impl Energy {
    /// Takes the nodes in preorder; the parent of the root is `u32::MAX`. Labels are the numbers below `labels`. `data`
    /// has, for each node, the cost of each label. `invisible` has the cost of each invisible node; it is not read for
    /// leaves. `edges` has the cost of each visible node with an invisible parent; it is not read for the root. The
    /// costs must contain the factor lambda already.
    ///
    /// # Panics
    /// If there is no node or no label, a list of costs has the wrong length, the nodes are not in preorder, or
    /// neighbours are not 2 leaves.
    pub fn new(
        parents: Vec<u32>,
        labels: usize,
        data: Vec<u32>,
        invisible: Vec<u32>,
        edges: Vec<u32>,
        neighbours: Vec<Neighbours>,
    ) -> Energy {
        let nodes = parents.len();
        assert!(nodes > 0 && parents[0] == u32::MAX, "the first node is the root");
        assert!(labels > 0, "at least one label");
        assert_eq!(data.len(), nodes * labels, "a cost for each node and label");
        assert_eq!([invisible.len(), edges.len()], [nodes; 2], "2 costs for each node");
        let mut is_leaf = vec![true; nodes];
        // The nodes from the root to the last one so far.
        let mut path = vec![0];
        for (node, &parent) in parents.iter().enumerate().skip(1) {
            while path.last().is_some_and(|&last| last != parent) {
                path.pop();
            }
            assert!(!path.is_empty(), "nodes stand in preorder");
            path.push(node as u32);
            is_leaf[parent as usize] = false;
        }
        for &Neighbours { p, q, .. } in &neighbours {
            assert!(p != q && is_leaf[p as usize] && is_leaf[q as usize], "neighbours are 2 leaves");
        }
        let data = transpose(&data, labels);
        Energy { parents, is_leaf, labels, data, invisible, edges, neighbours }
    }

    /// The parent of each node; the root's is `u32::MAX`.
    pub fn parents(&self) -> &[u32] {
        &self.parents
    }

    /// Number of visible labels.
    pub fn labels(&self) -> usize {
        self.labels
    }

    /// The neighbouring leaves.
    pub fn neighbours(&self) -> &[Neighbours] {
        &self.neighbours
    }

    /// Whether a node has no children.
    pub fn is_leaf(&self, node: usize) -> bool {
        self.is_leaf[node]
    }

    /// The cost of a visible label at each node.
    pub fn data_of_label(&self, label: u32) -> &[u32] {
        let nodes = self.parents.len();
        &self.data[label as usize * nodes..][..nodes]
    }

    /// The cost of a visible label at a node.
    pub fn data(&self, node: usize, label: u32) -> i64 {
        i64::from(self.data_of_label(label)[node])
    }

    /// The price of each node: its total cost if it is invisible. The prices of leaves mean nothing.
    pub fn prices(&self) -> Vec<i64> {
        let mut prices: Vec<i64> = self.invisible.iter().map(|&cost| i64::from(cost)).collect();
        for (node, &parent) in self.parents.iter().enumerate().skip(1) {
            prices[parent as usize] += i64::from(self.edges[node]);
            prices[node] -= i64::from(self.edges[node]);
        }
        prices
    }

    /// The cost of a labelling, which has a label or [`INVISIBLE`] for each node. `None` if the labelling breaks a
    /// rule.
    pub fn cost(&self, labelling: &[u32]) -> Option<i64> {
        if labelling.len() != self.parents.len() {
            return None;
        }
        let mut sum = 0;
        for (node, &label) in labelling.iter().enumerate() {
            let is_invisible = label == INVISIBLE;
            if is_invisible && self.is_leaf[node] || !is_invisible && label as usize >= self.labels {
                return None;
            }
            sum += if is_invisible { i64::from(self.invisible[node]) } else { self.data(node, label) };
            if node > 0 {
                match labelling[self.parents[node] as usize] {
                    INVISIBLE if !is_invisible => sum += i64::from(self.edges[node]),
                    INVISIBLE => {}
                    of_parent if of_parent != label => return None,
                    _ => {}
                }
            }
        }
        let apart = |pair: &&Neighbours| labelling[pair.p as usize] != labelling[pair.q as usize];
        Some(sum + self.neighbours.iter().filter(apart).map(|pair| i64::from(pair.price)).sum::<i64>())
    }
}

/// Turns rows of `width` numbers into columns.
fn transpose(rows: &[u32], width: usize) -> Vec<u32> {
    let height = rows.len() / width;
    let mut columns = vec![0; rows.len()];
    // Takes a few rows at a time, so that they stay in the cache.
    for block in (0..height).step_by(16) {
        for column in 0..width {
            for row in block..height.min(block + 16) {
                columns[column * height + row] = rows[row * width + column];
            }
        }
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The root 0 has the leaf 1 and the node 2, which has the leaves 3 and 4.
    fn energy() -> Energy {
        Energy::new(
            vec![u32::MAX, 0, 0, 2, 2],
            2,
            vec![1, 10, 2, 20, 3, 30, 4, 40, 5, 50],
            vec![100, 0, 200, 0, 0],
            vec![0, 1000, 2000, 3000, 4000],
            vec![Neighbours { p: 1, q: 3, price: 10_000 }, Neighbours { p: 4, q: 3, price: 20_000 }],
        )
    }

    #[test]
    fn costs_by_hand() {
        let energy = energy();
        const Z: u32 = INVISIBLE;
        assert_eq!(energy.cost(&[0; 5]), Some(15));
        assert_eq!(energy.cost(&[1; 5]), Some(150));
        assert_eq!(energy.cost(&[Z, 0, 0, 0, 0]), Some(100 + 1000 + 2000 + 14));
        assert_eq!(energy.cost(&[Z, 0, 1, 1, 1]), Some(100 + 1000 + 2000 + 2 + 120 + 10_000));
        assert_eq!(energy.cost(&[Z, 0, Z, 0, 1]), Some(300 + 1000 + 3000 + 4000 + 2 + 4 + 50 + 20_000));
        assert_eq!(energy.prices()[0], 100 + 1000 + 2000);
        assert_eq!(energy.prices()[2], 200 + 3000 + 4000 - 2000);
        assert_eq!(energy.data(3, 1), 40);
        assert_eq!(energy.data_of_label(0), [1, 2, 3, 4, 5]);
    }

    #[test]
    fn what_breaks_a_rule_has_no_cost() {
        let energy = energy();
        const Z: u32 = INVISIBLE;
        assert_eq!(energy.cost(&[Z, Z, 0, 0, 0]), None, "an invisible leaf");
        assert_eq!(energy.cost(&[0, 1, 0, 0, 0]), None, "another label than the visible parent");
        assert_eq!(energy.cost(&[0, 0, Z, 0, 0]), None, "invisible below a visible parent");
        assert_eq!(energy.cost(&[2; 5]), None, "no such label");
        assert_eq!(energy.cost(&[0; 4]), None, "a node without a label");
    }

    #[test]
    fn transposing_twice_changes_nothing() {
        for (height, width) in [(1, 1), (40, 7), (7, 40), (16, 16), (33, 1)] {
            let rows: Vec<u32> = (0..height * width).map(|number| number as u32).collect();
            assert_eq!(transpose(&transpose(&rows, width), height), rows);
        }
    }

    #[test]
    #[should_panic(expected = "preorder")]
    fn other_orders_are_refused() {
        Energy::new(vec![u32::MAX, 0, 0, 1], 1, vec![0; 4], vec![0; 4], vec![0; 4], Vec::new());
    }

    #[test]
    #[should_panic(expected = "2 leaves")]
    fn inner_nodes_are_no_neighbours() {
        let pair = Neighbours { p: 0, q: 1, price: 1 };
        Energy::new(vec![u32::MAX, 0, 0], 1, vec![0; 3], vec![0; 3], vec![0; 3], vec![pair]);
    }
}
