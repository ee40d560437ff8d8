//! Support vector machines for several classes: one machine tells each class from all others.
//!
//! A point gets the class with the greatest decision (R. Rifkin, A. Klautau, "In defense of one-vs-all classification",
//! JMLR 5, 2004). [`fit`] tries all pairs of a cost and a kernel and keeps the pair that is right most often for
//! examples left out of training. The decisions for these examples give the probabilities too (see [`super::platt`]).
//! Linear machines come near their optimum at any cost (see [`super::linear_svm`]); others may take too many steps.

use rayon::prelude::*;

use super::linear_svm;
use super::platt::{self, Platt};
use super::points::Points;
use super::svm::{self, Distances, Kernel, KernelMatrix, Solution, Svm, Trainer};

/// Maximum number of steps per example, in a training that leaves out a fold, without a linear kernel. A cell that needs
/// more is hardly the best.
const STEPS_PER_EXAMPLE_OF_CELL: usize = 20;
/// Maximum number of steps of such a training if there are few examples.
const LEAST_STEPS_OF_CELL: usize = 20_000;

/// The costs and kernels to try.
#[derive(Clone, Debug)]
pub struct Grid {
    /// Costs; all of them positive.
    pub costs: Vec<f64>,
    /// Kernels.
    pub kernels: Vec<Kernel>,
}

impl Grid {
    /// Gaussian kernels with these gammas.
    pub fn gaussian(costs: &[f64], gammas: &[f64]) -> Grid {
        Grid { costs: costs.to_vec(), kernels: gammas.iter().map(|&gamma| Kernel::Gaussian { gamma }).collect() }
    }
}

/// The examples.
#[derive(Clone, Copy, Debug)]
pub struct Task<'t> {
    /// A point for each example.
    pub points: &'t Points,
    /// The class of each example, below `class_count`.
    pub classes: &'t [usize],
    /// Number of classes.
    pub class_count: usize,
    /// The fold of each example. Examples of a fold are left out together. There should be at least two folds.
    pub folds: &'t [usize],
}

/// The result of a cost and a kernel for examples that were left out of training.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// The cost.
    pub c: f64,
    /// The kernel.
    pub kernel: Kernel,
    /// Number of examples that get their right class.
    pub right: usize,
    /// Number of examples.
    pub count: usize,
    /// Steps of all trainings.
    pub steps: usize,
    /// Whether all trainings came near their optimum. If not, the cell counts all the same.
    pub is_converged: bool,
}

impl Cell {
    /// The share of the examples that get their right class, which is Micro-F1. 0 without examples.
    pub fn share_right(&self) -> f64 {
        if self.count == 0 { 0.0 } else { self.right as f64 / self.count as f64 }
    }
}

/// The result of [`fit`].
#[derive(Clone, Debug)]
pub struct Fit {
    /// The machines of the best cell, trained with all examples.
    pub model: OneAgainstAll,
    /// All cells: for each kernel, all costs, in the order of the grid.
    pub cells: Vec<Cell>,
    /// The number of the best cell. Of equally good cells, the one with the smallest cost, then the smallest gamma.
    pub best: usize,
    /// For each example, the decisions of the best cell when the example was left out: one for each class.
    pub left_out: Vec<f64>,
    /// Whether training with all examples came near the optimum.
    pub is_converged: bool,
}

/// A machine for each class.
#[derive(Clone, Debug, PartialEq)]
pub struct OneAgainstAll {
    machines: Vec<Svm>,
    lines: Vec<Platt>,
}

impl OneAgainstAll {
    /// A machine and a line for each class.
    ///
    /// # Panics
    /// If there is not a line for each machine.
    pub fn new(machines: Vec<Svm>, lines: Vec<Platt>) -> OneAgainstAll {
        assert_eq!(machines.len(), lines.len(), "a line for each machine");
        OneAgainstAll { machines, lines }
    }

    /// The machines, one for each class.
    pub fn machines(&self) -> &[Svm] {
        &self.machines
    }

    /// For each class, the line that turns decisions into probabilities.
    pub fn lines(&self) -> &[Platt] {
        &self.lines
    }

    /// The decision for each class.
    ///
    /// # Panics
    /// If the number of features is not that of the model.
    pub fn decisions(&self, point: &[f64]) -> Vec<f64> {
        self.machines.iter().map(|machine| machine.decision(point)).collect()
    }

    /// The class of a point: the first one with the greatest decision.
    ///
    /// # Panics
    /// If the number of features is not that of the model.
    pub fn class(&self, point: &[f64]) -> usize {
        first_greatest(&self.decisions(point))
    }

    /// The probability of each class. They sum to 1. The most probable class need not be that of the greatest decision.
    ///
    /// # Panics
    /// If the number of features is not that of the model.
    pub fn probabilities(&self, point: &[f64]) -> Vec<f64> {
        let decisions = self.decisions(point);
        let of_lines: Vec<f64> = self.lines.iter().zip(decisions).map(|(line, f)| line.probability(f)).collect();
        normalised(of_lines)
    }
}

/// Divides values by their sum. If all are 0, they become equal.
fn normalised(values: Vec<f64>) -> Vec<f64> {
    let sum: f64 = values.iter().sum();
    let count = values.len() as f64;
    values.into_iter().map(|value| if sum > 0.0 { value / sum } else { 1.0 / count }).collect()
}

/// The number of the greatest value, the first of several. 0 without values.
pub(crate) fn first_greatest(values: &[f64]) -> usize {
    (1..values.len()).fold(0, |best, index| if values[index] > values[best] { index } else { best })
}

/// Fits a model. Threads make this quicker, and do not change the model.
///
/// # Panics
/// If there is not a class and a fold for each point, a class is not below the number of classes, or the grid is
/// empty or has a cost that is not positive.
pub fn fit(task: &Task<'_>, grid: &Grid) -> Fit {
    assert_eq!(task.classes.len(), task.points.len(), "a class for each point");
    assert_eq!(task.folds.len(), task.points.len(), "a fold for each point");
    assert!(task.classes.iter().all(|&class| class < task.class_count), "classes are below their number");
    assert!(!grid.costs.is_empty() && !grid.kernels.is_empty(), "the grid has a cell");
    let mut matrices = Matrices { points: task.points, distances: None };
    let mut tried: Vec<Tried> = Vec::new();
    for &kernel in &grid.kernels {
        tried.extend(match kernel {
            Kernel::Linear => task.cells(&grid.costs, kernel, |left_out| task.hold_out_linear(left_out, &grid.costs)),
            Kernel::Gaussian { gamma } => {
                let matrix = matrices.gaussian(gamma);
                task.cells(&grid.costs, kernel, |left_out| task.hold_out(left_out, &grid.costs, &matrix))
            }
        });
    }

    let best = best_of(&tried);
    let (cells, mut decisions): (Vec<Cell>, Vec<Vec<f64>>) =
        tried.into_iter().map(|one| (one.cell, one.decisions)).unzip();
    let left_out = decisions.swap_remove(best);
    let (kernel, c) = (cells[best].kernel, cells[best].c);

    let classes: Vec<usize> = (0..task.class_count).collect();
    let solutions: Vec<Solution> = match kernel {
        Kernel::Linear => {
            classes.par_iter().map(|&class| linear_svm::train(task.points, &task.labels(class), c)).collect()
        }
        Kernel::Gaussian { gamma } => {
            let matrix = matrices.gaussian(gamma);
            classes.par_iter().map(|&class| svm::train(&matrix, &task.labels(class), c)).collect()
        }
    };
    let machines = solutions.iter().map(|solution| Svm::new(kernel, task.points, solution)).collect();
    let line = |&class: &usize| {
        let decisions: Vec<f64> = left_out.iter().skip(class).step_by(task.class_count).copied().collect();
        platt::fit(&decisions, &task.labels(class))
    };
    let lines = classes.iter().map(line).collect();
    let is_converged = solutions.iter().all(|solution| solution.is_converged);
    Fit { model: OneAgainstAll::new(machines, lines), cells, best, left_out, is_converged }
}

/// Kernel matrices of the same points. The distances are computed once, and only if they are needed.
struct Matrices<'p> {
    points: &'p Points,
    distances: Option<Distances>,
}

impl Matrices<'_> {
    fn gaussian(&mut self, gamma: f64) -> KernelMatrix {
        self.distances.get_or_insert_with(|| Distances::of(self.points)).gaussian(gamma)
    }
}

/// A cell, with the decisions for all examples.
struct Tried {
    cell: Cell,
    decisions: Vec<f64>,
}

/// The number of the best cell.
fn best_of(tried: &[Tried]) -> usize {
    // A linear kernel is the simplest.
    let gamma = |cell: &Cell| match cell.kernel {
        Kernel::Linear => 0.0,
        Kernel::Gaussian { gamma } => gamma,
    };
    let is_better = |a: &Cell, b: &Cell| {
        let by_size = a.c.total_cmp(&b.c).then(gamma(a).total_cmp(&gamma(b)));
        b.right.cmp(&a.right).then(by_size).is_lt()
    };
    (1..tried.len()).fold(0, |best, index| if is_better(&tried[index].cell, &tried[best].cell) { index } else { best })
}

/// The result of one training for a class and a cost, without a fold.
struct Held {
    decisions: Vec<f64>,
    steps: usize,
    is_converged: bool,
}

impl Task<'_> {
    fn labels(&self, class: usize) -> Vec<bool> {
        self.classes.iter().map(|&of| of == class).collect()
    }

    /// The examples of each fold, in the order of the numbers of folds.
    pub(crate) fn left_out(&self) -> Vec<Vec<usize>> {
        let mut numbers = self.folds.to_vec();
        numbers.sort_unstable();
        numbers.dedup();
        let of = |&number: &usize| (0..self.folds.len()).filter(|&example| self.folds[example] == number).collect();
        numbers.iter().map(of).collect()
    }

    /// All examples but these.
    pub(crate) fn others(&self, left_out: &[usize]) -> Vec<usize> {
        let mut is_left_out = vec![false; self.points.len()];
        left_out.iter().for_each(|&example| is_left_out[example] = true);
        (0..self.points.len()).filter(|&example| !is_left_out[example]).collect()
    }

    /// The cells of a kernel, one for each cost. `hold_out` trains without some examples (see [`Task::hold_out`]).
    fn cells(&self, costs: &[f64], kernel: Kernel, hold_out: impl Fn(&[usize]) -> Vec<Vec<Held>> + Sync) -> Vec<Tried> {
        let folds = self.left_out();
        let held: Vec<Vec<Vec<Held>>> = folds.par_iter().map(|left_out| hold_out(left_out)).collect();
        let cell = |(index, &c): (usize, &f64)| {
            let mut decisions = vec![0.0; self.points.len() * self.class_count];
            let (mut steps, mut is_converged) = (0, true);
            for (left_out, classes) in folds.iter().zip(&held) {
                for (class, held) in classes.iter().map(|costs| &costs[index]).enumerate() {
                    steps += held.steps;
                    is_converged &= held.is_converged;
                    for (example, decision) in left_out.iter().zip(&held.decisions) {
                        decisions[example * self.class_count + class] = *decision;
                    }
                }
            }
            let given = decisions.chunks_exact(self.class_count.max(1)).map(first_greatest);
            let right = given.zip(self.classes).filter(|(given, class)| given == *class).count();
            let cell = Cell { c, kernel, right, count: self.points.len(), steps, is_converged };
            Tried { cell, decisions }
        };
        costs.iter().enumerate().map(cell).collect()
    }

    /// As [`Task::hold_out`], with a linear kernel.
    fn hold_out_linear(&self, left_out: &[usize], costs: &[f64]) -> Vec<Vec<Held>> {
        let rows = self.others(left_out);
        let part = self.points.part(&rows);
        let held = |labels: &[bool], c: f64| {
            let solution = linear_svm::train(&part, labels, c);
            let machine = Svm::new(Kernel::Linear, &part, &solution);
            let decisions = left_out.iter().map(|&example| machine.decision(self.points.row(example))).collect();
            Held { decisions, steps: solution.steps, is_converged: solution.is_converged }
        };
        let of_class = |class: usize| {
            let labels: Vec<bool> = rows.iter().map(|&row| self.classes[row] == class).collect();
            costs.iter().map(|&c| held(&labels, c)).collect()
        };
        (0..self.class_count).map(of_class).collect()
    }

    /// Trains without some examples, for each class and cost, and decides about the examples that were left out.
    fn hold_out(&self, left_out: &[usize], costs: &[f64], matrix: &KernelMatrix) -> Vec<Vec<Held>> {
        let rows = self.others(left_out);
        let part = matrix.part(&rows);
        let of_class = |class: usize| {
            let labels: Vec<bool> = rows.iter().map(|&row| self.classes[row] == class).collect();
            let most_steps = (STEPS_PER_EXAMPLE_OF_CELL * rows.len()).max(LEAST_STEPS_OF_CELL);
            let mut trainer = Trainer::new(&part, &labels).with_most_steps(most_steps);
            // Each training starts from the one with the next lower cost.
            let mut order: Vec<usize> = (0..costs.len()).collect();
            order.sort_by(|&a, &b| costs[a].total_cmp(&costs[b]));
            let mut held: Vec<(usize, Held)> = Vec::new();
            for index in order {
                let solution = trainer.train(costs[index]);
                let decision = |&example: &usize| {
                    let row = matrix.row(example);
                    solution.decision(rows.iter().map(|&other| row[other]))
                };
                let decisions = left_out.iter().map(decision).collect();
                held.push((index, Held { decisions, steps: solution.steps, is_converged: solution.is_converged }));
            }
            held.sort_by_key(|(index, _)| *index);
            held.into_iter().map(|(_, held)| held).collect()
        };
        (0..self.class_count).map(of_class).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use dehusk_core::random::Random;

    /// Clusters around the corners of a triangle.
    fn clusters(count: usize, reach: f64, seed: u64) -> (Points, Vec<usize>, Vec<usize>) {
        let mut random = Random::new(seed);
        let mut points = Points::new(2);
        let classes: Vec<usize> = (0..count).map(|number| number % 3).collect();
        for &class in &classes {
            let [x, y] = [[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]][class];
            points.push(&[x + reach * random.unit(), y + reach * random.unit()]);
        }
        (points, classes, (0..count).map(|number| number / 7 % 4).collect())
    }

    fn small_grid() -> Grid {
        Grid::gaussian(&[1.0, 8.0], &[0.1, 1.0])
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn probabilities_sum_to_one(seed: u64, reach in 0.1..12.0, at in prop::collection::vec(-1e3..1e3, 2)) {
            let (points, classes, folds) = clusters(40, reach, seed);
            let task = Task { points: &points, classes: &classes, class_count: 3, folds: &folds };
            let fit = fit(&task, &small_grid());
            for point in points.rows().chain([&at[..]]) {
                let probabilities = fit.model.probabilities(point);
                prop_assert!((probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-12);
                prop_assert!(probabilities.iter().all(|p| (0.0..=1.0).contains(p)));
            }
        }
    }

    #[test]
    fn clusters_that_are_apart_are_told_apart() {
        let (points, classes, folds) = clusters(90, 1.0, 1);
        let task = Task { points: &points, classes: &classes, class_count: 3, folds: &folds };
        let grid = Grid { costs: vec![8.0, 1.0], kernels: vec![Kernel::Gaussian { gamma: 0.1 }, Kernel::Linear] };
        let fit = fit(&task, &grid);
        assert!(fit.is_converged && fit.cells.iter().all(|cell| cell.is_converged && cell.count == 90));
        for (point, &class) in points.rows().zip(&classes) {
            assert_eq!(fit.model.class(point), class);
            assert!(fit.model.probabilities(point)[class] > 0.8, "{:?}", fit.model.probabilities(point));
        }
        let order: Vec<(Kernel, f64)> = fit.cells.iter().map(|cell| (cell.kernel, cell.c)).collect();
        let [gaussian, linear] = [grid.kernels[0], grid.kernels[1]];
        assert_eq!(order, [(gaussian, 8.0), (gaussian, 1.0), (linear, 8.0), (linear, 1.0)]);
        assert_eq!(fit.cells[1].share_right(), 1.0);
    }

    #[test]
    fn left_out_decisions_are_those_of_the_other_folds() {
        // Linear machines are found in another way, and so are the same only within the tolerance.
        left_out_decisions(Kernel::Gaussian { gamma: 0.5 }, 1e-5);
        left_out_decisions(Kernel::Linear, 2e-2);
    }

    fn left_out_decisions(kernel: Kernel, within: f64) {
        let (points, classes, folds) = clusters(60, 4.5, 2);
        let task = Task { points: &points, classes: &classes, class_count: 3, folds: &folds };
        let c = 2.0;
        let fit = fit(&task, &Grid { costs: vec![c], kernels: vec![kernel] });
        let mut right = 0;
        for fold in 0..4 {
            let rows: Vec<usize> = (0..60).filter(|&row| folds[row] != fold).collect();
            let part = points.part(&rows);
            let machine = |class: usize| {
                let labels: Vec<bool> = rows.iter().map(|&row| classes[row] == class).collect();
                Svm::new(kernel, &part, &svm::train(&KernelMatrix::of(kernel, &part), &labels, c))
            };
            let machines = [0, 1, 2].map(machine);
            for row in (0..60).filter(|&row| folds[row] == fold) {
                let decisions = [0, 1, 2].map(|class: usize| machines[class].decision(points.row(row)));
                let of_fit = &fit.left_out[row * 3..][..3];
                assert!(of_fit.iter().zip(&decisions).all(|(a, b)| (a - b).abs() < within));
                right += usize::from(first_greatest(&decisions) == classes[row]);
            }
        }
        assert_eq!(fit.cells[0].right, right);
        assert!(right < 60);
        for class in 0..3 {
            let decisions: Vec<f64> = (0..60).map(|row| fit.left_out[row * 3 + class]).collect();
            assert_eq!(fit.model.lines()[class], platt::fit(&decisions, &task.labels(class)));
        }
    }

    /// Two examples at a time take too many steps for labels that nothing explains (see [`super::super::linear_svm`]).
    #[test]
    fn linear_machines_converge_at_any_cost() {
        let (points, _, folds) = clusters(300, 8.0, 6);
        let mut random = Random::new(6);
        let classes: Vec<usize> = (0..300).map(|_| random.below(3)).collect();
        let task = Task { points: &points, classes: &classes, class_count: 3, folds: &folds };
        let fit = fit(&task, &Grid { costs: vec![1.0, 1e5], kernels: vec![Kernel::Linear] });
        assert!(fit.is_converged && fit.cells.iter().all(|cell| cell.is_converged), "{:?}", fit.cells);
    }

    #[test]
    fn ties_go_to_the_first_class() {
        let constant = |b: f64| Svm::from_parts(Kernel::Linear, Points::new(1), Vec::new(), b);
        let lines = vec![Platt { a: -1.0, b: 0.0 }; 3];
        let model = OneAgainstAll::new(vec![constant(1.0), constant(0.5), constant(0.5)], lines);
        assert_eq!(model.class(&[3.0]), 1);
        let probabilities = model.probabilities(&[3.0]);
        assert!(probabilities[1] == probabilities[2] && probabilities[0] < probabilities[1]);
        assert_eq!(normalised(vec![0.0; 4]), [0.25; 4]);
    }

    #[test]
    fn of_equal_cells_the_smallest_is_best() {
        let cell = |c, gamma, right| {
            let kernel = if gamma == 0.0 { Kernel::Linear } else { Kernel::Gaussian { gamma } };
            let cell = Cell { c, kernel, right, count: 9, steps: 0, is_converged: true };
            Tried { cell, decisions: Vec::new() }
        };
        let best = |cells: &[Tried]| best_of(cells);
        assert_eq!(best(&[cell(8.0, 1.0, 7), cell(1.0, 2.0, 7), cell(1.0, 0.5, 7), cell(0.5, 0.1, 6)]), 2);
        assert_eq!(best(&[cell(1.0, 1.0, 7), cell(8.0, 0.5, 8)]), 1);
        assert_eq!(best(&[cell(8.0, 0.1, 7), cell(1.0, 2.0, 7)]), 1);
        assert_eq!(best(&[cell(1.0, 1.0, 7), cell(1.0, 0.0, 7)]), 1);
    }

    #[test]
    fn costs_can_have_any_order() {
        let (points, classes, folds) = clusters(60, 5.0, 5);
        let task = Task { points: &points, classes: &classes, class_count: 3, folds: &folds };
        let of = |costs: &[f64]| fit(&task, &Grid::gaussian(costs, &[0.5])).cells;
        let [mut up, down] = [of(&[0.01, 1.0, 100.0]), of(&[100.0, 1.0, 0.01])];
        assert_ne!(up[0].right, up[2].right);
        up.reverse();
        assert_eq!(up, down);
    }

    #[test]
    fn any_number_of_threads_gives_the_same() {
        let (points, classes, folds) = clusters(60, 5.0, 3);
        let task = Task { points: &points, classes: &classes, class_count: 3, folds: &folds };
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| fit(&task, &small_grid()))
        };
        let [one, four] = [on(1), on(4)];
        assert_eq!((one.model, one.cells, one.left_out), (four.model, four.cells, four.left_out));
    }

    #[test]
    fn little_to_learn_from_is_fine() {
        let empty = Points::new(2);
        let task = Task { points: &empty, classes: &[], class_count: 3, folds: &[] };
        let nothing = fit(&task, &small_grid());
        assert_eq!(nothing.model.class(&[1.0, 2.0]), 0);
        assert!(nothing.model.probabilities(&[1.0, 2.0]).iter().all(|p| (p - 1.0 / 3.0).abs() < 1e-12));
        assert_eq!(nothing.cells[0].share_right(), 0.0);
        // A class without examples, and one with examples in a single fold.
        let (points, mut classes, folds) = clusters(30, 1.0, 4);
        classes.iter_mut().for_each(|class| *class = if *class == 2 { 0 } else { *class });
        classes[3] = 3;
        let task = Task { points: &points, classes: &classes, class_count: 4, folds: &folds };
        let fit = fit(&task, &small_grid());
        for point in points.rows() {
            let probabilities = fit.model.probabilities(point);
            assert!((probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-12 && probabilities[2] < 0.2);
        }
    }
}
