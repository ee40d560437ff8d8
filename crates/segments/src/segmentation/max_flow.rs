//! Minimum cut between a source and a sink (Y. Boykov, V. Kolmogorov, "An experimental comparison of min-cut/max-flow
//! algorithms for energy minimization in vision", PAMI 2004).
//!
//! 2 trees grow towards each other through edges with room: the *source tree* holds nodes that the source can still
//! reach, the *sink tree* holds nodes that can still reach the sink. Where the trees touch, there is a path from source
//! to sink. Flow is pushed along this path, and fills at least one edge. The nodes cut off by full edges are *orphans*:
//! each looks for another parent in its tree, and leaves the tree if it finds none. So the trees are repaired, not
//! built again.
//!
//! In the end the sink tree has all nodes that can still reach the sink. This is the minimum cut with the smallest sink
//! side, which is unique: it does not depend on the order of nodes and edges.

use std::collections::VecDeque;

/// Capacity of an edge that no cut may contain. All other capacities of a graph together must be smaller.
pub const INFINITE: i64 = 1 << 60;

/// In place of an edge to the parent: the node is in no tree.
const FREE: u32 = u32::MAX;
/// In place of an edge to the parent: the terminal is the parent.
const TERMINAL: u32 = u32::MAX - 1;
/// In place of an edge to the parent: the node lost its parent, and looks for another.
const ORPHAN: u32 = u32::MAX - 2;
/// After the last edge of a node.
const END: u32 = u32::MAX;

/// A graph with a source and a sink, and its minimum cut. It can be cleared, filled and solved many times.
#[derive(Clone, Debug, Default)]
pub struct FlowGraph {
    nodes: Vec<Node>,
    /// The edges 2i and 2i + 1 are the 2 directions of one edge.
    edges: Vec<Edge>,
    /// Flow of paths from the source through a single node to the sink.
    direct: i64,
    /// Nodes from which a tree may grow. Some may have left their tree since.
    active: VecDeque<u32>,
    orphans: VecDeque<u32>,
    /// Number of augmentations so far.
    time: u32,
}

#[derive(Clone, Debug)]
struct Node {
    first_edge: u32,
    /// The edge to the last parent that this node found as an orphan, or `END`.
    adopted: u32,
    /// The edge from the node to its parent, or one of the constants above.
    parent: u32,
    /// Number of edges to the terminal, as it was at `time`.
    distance: u32,
    time: u32,
    /// Room from the source if positive, room to the sink if negative.
    terminal: i64,
    is_sink: bool,
    is_active: bool,
}

#[derive(Clone, Debug)]
struct Edge {
    to: u32,
    next: u32,
    room: i64,
}

impl FlowGraph {
    /// An empty graph.
    pub fn new() -> FlowGraph {
        FlowGraph::default()
    }

    /// Removes everything. Memory stays reserved.
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.edges.clear();
        self.direct = 0;
        self.time = 0;
        self.active.clear();
        self.orphans.clear();
    }

    /// Adds a node, and returns its number. The first has number 0.
    pub fn add_node(&mut self) -> u32 {
        self.nodes.push(Node {
            first_edge: END,
            adopted: END,
            parent: FREE,
            distance: 0,
            time: 0,
            terminal: 0,
            is_sink: false,
            is_active: false,
        });
        self.nodes.len() as u32 - 1
    }

    /// Adds an edge from the source to a node, and one from the node to the sink.
    pub fn add_terminals(&mut self, node: u32, from_source: i64, to_sink: i64) {
        let terminal = &mut self.nodes[node as usize].terminal;
        let from_source = from_source + (*terminal).max(0);
        let to_sink = to_sink + (-*terminal).max(0);
        self.direct = self.direct.saturating_add(from_source.min(to_sink));
        *terminal = (from_source - to_sink).clamp(-INFINITE, INFINITE);
    }

    /// Adds an edge between 2 nodes, with a capacity for each direction.
    pub fn add_edge(&mut self, from: u32, to: u32, forward: i64, backward: i64) {
        for (from, to, room) in [(from, to, forward), (to, from, backward)] {
            let first = &mut self.nodes[from as usize].first_edge;
            let next = std::mem::replace(first, self.edges.len() as u32);
            self.edges.push(Edge { to, next, room });
        }
    }

    /// Finds the minimum cut, and returns its capacity: the maximum flow. `None` if each cut contains an infinite edge.
    /// A graph is solved only once.
    pub fn solve(&mut self) -> Option<i64> {
        let mut flow = self.direct;
        for (index, node) in self.nodes.iter_mut().enumerate() {
            if node.terminal != 0 {
                node.is_sink = node.terminal < 0;
                node.parent = TERMINAL;
                node.distance = 1;
                node.is_active = true;
                self.active.push_back(index as u32);
            }
        }
        while flow < INFINITE {
            let Some(&node) = self.active.front() else { return Some(flow) };
            let path = if self.nodes[node as usize].parent == FREE { None } else { self.grow(node) };
            match path {
                // The node may have more such edges, so it stays first in the queue.
                Some(edge) => {
                    self.time += 1;
                    flow = flow.saturating_add(self.augment(edge));
                    while let Some(orphan) = self.orphans.pop_front() {
                        self.adopt(orphan);
                    }
                }
                None => {
                    self.active.pop_front();
                    self.nodes[node as usize].is_active = false;
                }
            }
        }
        None
    }

    /// Whether a node is on the sink side of the minimum cut. Of equal cuts, the one with the smallest sink side is
    /// meant.
    pub fn is_on_sink_side(&self, node: u32) -> bool {
        let node = &self.nodes[node as usize];
        node.is_sink && node.parent != FREE
    }

    /// Grows a tree from a node. Returns an edge with room from the source tree to the sink tree, if there is one.
    fn grow(&mut self, from: u32) -> Option<u32> {
        let Node { first_edge, is_sink, distance, time, .. } = self.nodes[from as usize];
        let mut edge = first_edge;
        while edge != END {
            let Edge { to, next, .. } = self.edges[edge as usize];
            if self.room(edge, is_sink) > 0 {
                let other = &mut self.nodes[to as usize];
                if other.parent == FREE {
                    other.is_sink = is_sink;
                    (other.parent, other.distance, other.time) = (edge ^ 1, distance + 1, time);
                    self.activate(to);
                } else if other.is_sink != is_sink {
                    return Some(if is_sink { edge ^ 1 } else { edge });
                } else if other.time <= time && other.distance > distance {
                    // A shorter way to the terminal.
                    (other.parent, other.distance, other.time) = (edge ^ 1, distance + 1, time);
                }
            }
            edge = next;
        }
        None
    }

    /// The room of an edge that starts at a node: for flow away from the node if it is in the source tree, or towards
    /// the node if it is in the sink tree.
    fn room(&self, edge: u32, is_sink: bool) -> i64 {
        self.edges[(edge ^ u32::from(is_sink)) as usize].room
    }

    fn activate(&mut self, node: u32) {
        if !std::mem::replace(&mut self.nodes[node as usize].is_active, true) {
            self.active.push_back(node);
        }
    }

    /// Pushes as much flow as possible along the path through this edge, and returns the amount.
    fn augment(&mut self, edge: u32) -> i64 {
        let ends = [self.edges[(edge ^ 1) as usize].to, self.edges[edge as usize].to];
        let mut amount = self.edges[edge as usize].room;
        for (end, is_sink) in [(ends[0], false), (ends[1], true)] {
            let mut node = end as usize;
            while self.nodes[node].parent != TERMINAL {
                let parent = self.nodes[node].parent;
                amount = amount.min(self.room(parent, !is_sink));
                node = self.edges[parent as usize].to as usize;
            }
            amount = amount.min(self.nodes[node].terminal.abs());
        }
        self.push(edge, amount);
        for (end, is_sink) in [(ends[0], false), (ends[1], true)] {
            let mut node = end as usize;
            while self.nodes[node].parent != TERMINAL {
                let parent = self.nodes[node].parent;
                self.push(parent ^ u32::from(!is_sink), amount);
                if self.room(parent, !is_sink) == 0 {
                    self.orphan(node as u32);
                }
                node = self.edges[parent as usize].to as usize;
            }
            let terminal = &mut self.nodes[node].terminal;
            *terminal -= amount * terminal.signum();
            if *terminal == 0 {
                self.orphan(node as u32);
            }
        }
        amount
    }

    fn push(&mut self, edge: u32, amount: i64) {
        self.edges[edge as usize].room -= amount;
        self.edges[(edge ^ 1) as usize].room += amount;
    }

    /// Makes a node an orphan. The orphans nearest to the terminal are adopted first.
    fn orphan(&mut self, node: u32) {
        self.nodes[node as usize].parent = ORPHAN;
        self.orphans.push_front(node);
    }

    /// Finds a parent for an orphan. Without one, the orphan leaves its tree, and its children become orphans.
    fn adopt(&mut self, orphan: u32) {
        let Node { first_edge, adopted, is_sink, distance: before, .. } = self.nodes[orphan as usize];
        let (mut nearest, mut parent) = (u32::MAX, FREE);
        // The search starts after the last parent, and ends at a parent as near as that one was. So a node with many
        // edges does not read its full edges again and again.
        let mut edge = if adopted == END { END } else { self.edges[adopted as usize].next };
        let mut starts_over = true;
        loop {
            if edge == END && std::mem::take(&mut starts_over) {
                edge = first_edge;
            }
            if edge == END {
                break;
            }
            let Edge { to, next, .. } = self.edges[edge as usize];
            // The flow to a node of the source tree comes from its parent.
            if self.room(edge, !is_sink) > 0 && self.nodes[to as usize].is_sink == is_sink {
                let distance = self.distance(to);
                if distance < nearest {
                    (nearest, parent) = (distance, edge);
                    if distance < before {
                        break;
                    }
                }
            }
            if edge == adopted {
                break;
            }
            edge = next;
        }

        let time = self.time;
        let node = &mut self.nodes[orphan as usize];
        node.parent = parent;
        if parent != FREE {
            (node.distance, node.time, node.adopted) = (nearest + 1, time, parent);
            return;
        }

        let mut edge = first_edge;
        while edge != END {
            let Edge { to, next, .. } = self.edges[edge as usize];
            let other = &self.nodes[to as usize];
            if other.is_sink == is_sink && other.parent != FREE {
                let is_child = other.parent == edge ^ 1;
                if self.room(edge, !is_sink) > 0 {
                    self.activate(to);
                }
                if is_child {
                    self.nodes[to as usize].parent = ORPHAN;
                    self.orphans.push_back(to);
                }
            }
            edge = next;
        }
    }

    /// Number of edges from a node to its terminal along parents, or `u32::MAX` if the parents do not lead there. The
    /// nodes on the way remember their own number until the next augmentation.
    fn distance(&mut self, start: u32) -> u32 {
        let (mut steps, mut at) = (0, start as usize);
        let mut distance = loop {
            let node = &mut self.nodes[at];
            match node.parent {
                FREE | ORPHAN => return u32::MAX,
                _ if node.time == self.time => break steps + node.distance,
                TERMINAL => {
                    (node.time, node.distance) = (self.time, 1);
                    break steps + 1;
                }
                parent => at = self.edges[parent as usize].to as usize,
            }
            steps += 1;
        };
        let whole = distance;
        let mut at = start as usize;
        while self.nodes[at].time != self.time {
            (self.nodes[at].time, self.nodes[at].distance) = (self.time, distance);
            distance -= 1;
            at = self.edges[self.nodes[at].parent as usize].to as usize;
        }
        whole
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use dehusk_core::random::Random;

    /// The capacities of each node from the source and to the sink, and the edges.
    #[derive(Clone, Debug)]
    struct Case {
        terminals: Vec<[i64; 2]>,
        edges: Vec<(u32, u32, [i64; 2])>,
    }

    impl Case {
        /// Capacities are below `limit`. With `infinite`, a quarter of the capacities of edges are infinite.
        fn random(seed: u64, nodes: usize, edges: usize, limit: usize, infinite: bool) -> Case {
            let mut random = Random::new(seed);
            let capacity = |random: &mut Random, one_in: usize| match random.below(one_in) {
                0 | 1 if infinite => INFINITE,
                _ => random.below(limit) as i64,
            };
            let terminals = (0..nodes)
                .map(|_| {
                    let one = capacity(&mut random, 12);
                    match random.below(4) {
                        0 => [0, 0],
                        1 => [one, 0],
                        2 => [0, one],
                        _ => [one, capacity(&mut random, 12)],
                    }
                })
                .collect();
            let edges = (0..edges)
                .map(|_| {
                    let capacities = [capacity(&mut random, 8), capacity(&mut random, 8)];
                    (random.below(nodes) as u32, random.below(nodes) as u32, capacities)
                })
                .filter(|(from, to, _)| from != to)
                .collect();
            Case { terminals, edges }
        }

        fn graph(&self, graph: &mut FlowGraph) {
            graph.clear();
            for [from_source, to_sink] in &self.terminals {
                let node = graph.add_node();
                graph.add_terminals(node, *from_source, *to_sink);
            }
            for &(from, to, [forward, backward]) in &self.edges {
                graph.add_edge(from, to, forward, backward);
            }
        }

        /// Capacity of the cut with these nodes on the sink side.
        fn cut(&self, is_sink: impl Fn(u32) -> bool) -> i64 {
            let mut sum = 0i64;
            for (node, [from_source, to_sink]) in self.terminals.iter().enumerate() {
                sum = sum.saturating_add(if is_sink(node as u32) { *from_source } else { *to_sink });
            }
            for &(from, to, [forward, backward]) in &self.edges {
                match [is_sink(from), is_sink(to)] {
                    [false, true] => sum = sum.saturating_add(forward),
                    [true, false] => sum = sum.saturating_add(backward),
                    _ => {}
                }
            }
            sum
        }
    }

    #[test]
    fn it_is_the_smallest_of_all_cuts() {
        let mut graph = FlowGraph::new();
        let (mut finite, mut infinite) = (0, 0);
        for seed in 0..3000 {
            let nodes = 1 + seed as usize % 10;
            let case =
                Case::random(seed, nodes, nodes * (1 + seed as usize / 10 % 4), 2 + seed as usize % 9, seed % 3 == 0);
            case.graph(&mut graph);
            let flow = graph.solve();
            let cuts = (0..1u32 << nodes).map(|sinks| (case.cut(|node| sinks >> node & 1 == 1), sinks));
            let least = cuts.clone().map(|(cut, _)| cut).min().unwrap();
            if least >= INFINITE {
                assert_eq!(flow, None, "{case:?}");
                infinite += 1;
                continue;
            }
            finite += 1;
            assert_eq!(flow, Some(least), "{case:?}");
            // The smallest sink side is the intersection of the sink sides of all minimum cuts.
            let smallest = cuts.filter(|&(cut, _)| cut == least).fold(u32::MAX, |all, (_, sinks)| all & sinks);
            for node in 0..nodes as u32 {
                assert_eq!(graph.is_on_sink_side(node), smallest >> node & 1 == 1, "{case:?}");
            }
        }
        assert!(finite > 1000 && infinite > 20, "{finite} {infinite}");
    }

    proptest! {
        #[test]
        fn flow_is_the_capacity_of_the_cut(seed: u64, nodes in 1usize..300, degree in 1usize..6, infinite: bool) {
            let case = Case::random(seed, nodes, nodes * degree, 1000, infinite);
            let mut graph = FlowGraph::new();
            case.graph(&mut graph);
            if let Some(flow) = graph.solve() {
                prop_assert_eq!(flow, case.cut(|node| graph.is_on_sink_side(node)));
                // No flow is lost: all flow into a node leaves it.
                let mut balance: Vec<i64> = case.terminals.iter().map(|[source, sink]| source - sink).collect();
                let mut flows = graph.direct;
                for (index, &(from, to, [forward, _])) in case.edges.iter().enumerate() {
                    let moved = forward - graph.edges[2 * index].room;
                    balance[from as usize] -= moved;
                    balance[to as usize] += moved;
                }
                for (node, [source, sink]) in graph.nodes.iter().zip(&case.terminals) {
                    flows += (source - sink).max(0) - node.terminal.max(0);
                }
                prop_assert_eq!(flows, flow);
                let rest: Vec<i64> = graph.nodes.iter().map(|node| node.terminal).collect();
                prop_assert_eq!(balance, rest);
            }
        }

        #[test]
        fn order_and_earlier_graphs_change_nothing(seed: u64, nodes in 1usize..60) {
            let mut case = Case::random(seed, nodes, nodes * 3, 9, true);
            let mut graph = FlowGraph::new();
            case.graph(&mut graph);
            let flow = graph.solve();
            let sides = |graph: &FlowGraph| (0..nodes as u32).map(|node| graph.is_on_sink_side(node)).collect::<Vec<_>>();
            let before = sides(&graph);
            Random::new(seed).shuffle(&mut case.edges);
            case.graph(&mut graph);
            prop_assert_eq!(graph.solve(), flow);
            if flow.is_some() {
                prop_assert_eq!(sides(&graph), before);
            }
        }
    }

    #[test]
    fn an_empty_graph_has_no_flow() {
        assert_eq!(FlowGraph::new().solve(), Some(0));
    }

    #[test]
    fn long_paths_and_wide_stars_end() {
        let nodes = 65_536u32;
        let mut random = Random::new(1);
        let mut graph = FlowGraph::new();
        for kind in 0..4 {
            let started = std::time::Instant::now();
            graph.clear();
            (0..nodes).for_each(|_| _ = graph.add_node());
            let mut expected = 0;
            match kind {
                // One way through.
                0 => {
                    graph.add_terminals(0, INFINITE, 0);
                    graph.add_terminals(nodes - 1, 0, INFINITE);
                    (1..nodes).for_each(|node| graph.add_edge(node - 1, node, i64::from(nodes - node), 0));
                    expected = 1;
                }
                // A star whose rays alternate.
                1 => {
                    for node in 1..nodes {
                        let [source, sink] = if node % 2 == 0 { [3, 0] } else { [0, 2] };
                        graph.add_terminals(node, source, sink);
                        graph.add_edge(0, node, INFINITE, INFINITE);
                        expected += sink;
                    }
                    expected = expected.min(3 * i64::from(nodes / 2 - 1));
                }
                // A path with terminals everywhere.
                2 => {
                    // The costs of the cheapest cuts so far: with the last node on the source side, and on the sink
                    // side.
                    let mut cheapest = [0, 0];
                    for node in 0..nodes {
                        let amount = random.below(100) as i64;
                        let [source, sink] = if random.percent(50) { [amount, 0] } else { [0, amount] };
                        graph.add_terminals(node, source, sink);
                        if node > 0 {
                            let [forward, backward] = [random.below(50) as i64, random.below(50) as i64];
                            graph.add_edge(node - 1, node, forward, backward);
                            let [on_source, on_sink] = cheapest;
                            cheapest = [on_source.min(on_sink + backward), on_sink.min(on_source + forward)];
                        }
                        cheapest = [cheapest[0] + sink, cheapest[1] + source];
                    }
                    expected = cheapest[0].min(cheapest[1]);
                }
                // Sources along a path that has one sink at its end.
                _ => {
                    for node in 0..nodes {
                        graph.add_terminals(node, 1, 0);
                        if node > 0 {
                            graph.add_edge(node, node - 1, INFINITE, 0);
                        }
                    }
                    graph.add_terminals(0, 0, 1000);
                    expected = 1000;
                }
            }
            assert_eq!(graph.solve(), Some(expected), "{kind}");
            // Without the cursor of `adopt`, the star alone takes 20 seconds.
            assert!(started.elapsed().as_secs() < 10, "{kind}");
        }
    }
}
