//! Which leaves of a page lie next to each other.
//!
//! Two leaves are neighbours if their boxes overlap by a quarter of the smaller box in one direction, are at most 100
//! pixels apart in the other direction, and no third box hides one from the other.

use std::collections::BTreeMap;

use dehusk_core::html::Rect;

/// The largest gap between neighbours, in pixels.
const GAP: f32 = 100.0;
/// The least overlap of neighbours, as a share of the smaller box.
const LEAST_OVERLAP: f32 = 0.25;

/// The pairs of neighbours among boxes, in order, each with the smaller index first. Empty boxes have no neighbours.
/// Takes O(n log n) time, plus time for the pairs.
pub fn neighbours(rects: &[Rect]) -> Vec<(u32, u32)> {
    let upright = |rect: &Rect| Side {
        low: rect.left,
        high: rect.left + rect.width,
        near: rect.top,
        far: rect.top + rect.height,
    };
    let lying = |rect: &Rect| Side {
        low: rect.top,
        high: rect.top + rect.height,
        near: rect.left,
        far: rect.left + rect.width,
    };
    let mut pairs = seen_from(&rects.iter().map(upright).collect::<Vec<Side>>());
    pairs.extend(seen_from(&rects.iter().map(lying).collect::<Vec<Side>>()));
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// A box, seen in one direction: it is `low` to `high` wide across the view, and `near` to `far` deep.
#[derive(Clone, Copy, Debug)]
struct Side {
    low: f32,
    high: f32,
    near: f32,
    far: f32,
}

/// The neighbours in one direction. A line moves over the page, and remembers the last box that it met at each place.
fn seen_from(sides: &[Side]) -> Vec<(u32, u32)> {
    let mut order: Vec<usize> =
        (0..sides.len()).filter(|&at| sides[at].high > sides[at].low && sides[at].far > sides[at].near).collect();
    order.sort_by(|&a, &b| sides[a].near.total_cmp(&sides[b].near).then(a.cmp(&b)));
    let mut seen = Skyline::default();
    let mut pairs = Vec::new();
    for index in order {
        let side = sides[index];
        for other in seen.replace(side.low, side.high, index as u32) {
            let before = sides[other as usize];
            let overlap = side.high.min(before.high) - side.low.max(before.low);
            let smaller = (side.high - side.low).min(before.high - before.low);
            if overlap >= LEAST_OVERLAP * smaller && side.near - before.far <= GAP {
                pairs.push((other.min(index as u32), other.max(index as u32)));
            }
        }
    }
    pairs
}

/// For each place on a line, the box that was met there last. Stretches are sorted by their starts.
#[derive(Default)]
struct Skyline {
    /// From the start of each stretch to its end and its box.
    stretches: BTreeMap<Position, (Position, u32)>,
}

/// A position, with a total order.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Position(f32);

impl Eq for Position {}

impl Ord for Position {
    fn cmp(&self, other: &Position) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Position {
    fn partial_cmp(&self, other: &Position) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Skyline {
    /// Puts a box over a stretch. Returns the boxes that were there, each once.
    fn replace(&mut self, low: f32, high: f32, index: u32) -> Vec<u32> {
        let (low, high) = (Position(low), Position(high));
        let first = self.stretches.range(..low).next_back().filter(|(_, (end, _))| *end > low).map(|(&start, _)| start);
        let starts: Vec<Position> =
            first.into_iter().chain(self.stretches.range(low..high).map(|(&start, _)| start)).collect();
        let mut covered = Vec::new();
        for start in starts {
            let Some((end, other)) = self.stretches.remove(&start) else { continue };
            covered.push(other);
            if start < low {
                self.stretches.insert(start, (low, other));
            }
            if end > high {
                self.stretches.insert(high, (end, other));
            }
        }
        self.stretches.insert(low, (high, index));
        covered.sort_unstable();
        covered.dedup();
        covered
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dehusk_core::random::Random;

    fn rect(left: f32, top: f32, width: f32, height: f32) -> Rect {
        Rect { left, top, width, height }
    }

    #[test]
    fn neighbours_by_hand() {
        let rects = [
            rect(0.0, 0.0, 100.0, 20.0),
            rect(0.0, 30.0, 100.0, 20.0),  // below the first
            rect(110.0, 0.0, 100.0, 20.0), // beside the first
            rect(0.0, 60.0, 100.0, 20.0),  // below the second, which hides the first
            rect(0.0, 200.0, 100.0, 20.0), // too far below
            rect(90.0, 90.0, 100.0, 20.0), // below the third; it overlaps the fourth by a tenth
            rect(50.0, 0.0, 0.0, 0.0),     // an empty box
        ];
        assert_eq!(neighbours(&rects), [(0, 1), (0, 2), (1, 3), (2, 5)]);
    }

    /// The boxes are on a grid and do not overlap. The expected pairs come from looking at each place between 2 boxes.
    #[test]
    fn on_a_grid_neighbours_are_those_that_see_each_other() {
        let mut random = Random::new(9);
        for _ in 0..100 {
            let size = 8;
            let mut taken: Vec<(usize, usize)> =
                (0..size * size).filter(|_| random.below(3) == 0).map(|at| (at % size, at / size)).collect();
            taken.sort_by_key(|&(x, y)| (x * 31 + y * 17) % 13);
            let rects: Vec<Rect> =
                taken.iter().map(|&(x, y)| rect(x as f32 * 60.0, y as f32 * 60.0, 50.0, 50.0)).collect();
            let mut expected = Vec::new();
            for (a, &(ax, ay)) in taken.iter().enumerate() {
                for (b, &(bx, by)) in taken.iter().enumerate().skip(a + 1) {
                    let is_free = |x: usize, y: usize| !taken.contains(&(x, y));
                    let down = ax == bx && ay.abs_diff(by) <= 2 && (ay.min(by) + 1..ay.max(by)).all(|y| is_free(ax, y));
                    let across =
                        ay == by && ax.abs_diff(bx) <= 2 && (ax.min(bx) + 1..ax.max(bx)).all(|x| is_free(x, ay));
                    expected.extend((down || across).then_some((a as u32, b as u32)));
                }
            }
            assert_eq!(neighbours(&rects), expected);
        }
    }

    #[test]
    fn many_boxes_end_in_time() {
        let wide: Vec<Rect> = (0..20_000).map(|at| rect(0.0, at as f32, 1000.0, 1.0)).collect();
        assert_eq!(neighbours(&wide).len(), 19_999);
        let beside: Vec<Rect> = (0..20_000).map(|at| rect(at as f32 * 10.0, 0.0, 9.0, 20.0)).collect();
        assert_eq!(neighbours(&beside).len(), 19_999);
    }
}
