//! The model of the importance of blocks, and its training (Song, Liu, Wen, Ma, WWW 2004, section 2.5).

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Arc, LazyLock};

use serde::Deserialize;

use super::features::{FEATURES, IMPORTANCE_WIDTH, Vector};
use crate::learners::one_against_all::{Fit, Grid, OneAgainstAll, Task, fit as fit_machines};
use crate::learners::platt::Platt;
use crate::learners::points::Points;
use crate::learners::rbf_network::{FitNetwork, RbfNetwork, fit_best as fit_network};
use crate::learners::svm::{Kernel, Svm};
use crate::learners::{rbf_descent, rbf_network};
use dehusk_core::models::examples::Examples;
use dehusk_core::models::file::{ModelFileError, number};
use dehusk_core::models::logistic::{FitOptions, fit as fit_logistic};

/// The first line of a file.
pub const FIRST_LINE: &str = "# A block importance model of dehusk: it says how important the blocks of a page are.";
const KIND: &str = "importance";
/// The version of the features and of the file.
const VERSION: u32 = 1;
/// Scaled features are cut off at this distance from 0.
const CLIP: f64 = 5.0;
const FIT: FitOptions = FitOptions { ridge: 1.0, clip: None };
/// The costs and the gammas of kernels that are tried: every third and every second power of 2.
const COSTS: [f64; 4] = [0.5, 4.0, 32.0, 256.0];
const GAMMAS: [f64; 6] = [1.0 / 512.0, 1.0 / 128.0, 1.0 / 32.0, 1.0 / 8.0, 1.0 / 2.0, 2.0];
/// The numbers of centers that are tried.
const CENTERS: [usize; 3] = [50, 100, 200];
/// The seed of the random choice of centers.
const SEED_OF_CENTERS: u64 = 4;
const NAMES: [&str; IMPORTANCE_WIDTH] = {
    let mut names = [""; IMPORTANCE_WIDTH];
    let mut at = 0;
    while at < IMPORTANCE_WIDTH {
        names[at] = FEATURES[at].name;
        at += 1;
    }
    names
};

/// A method of learning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Learner {
    /// Logistic regression, one level against all others.
    Logistic,
    /// A support vector machine with a linear kernel.
    LinearSvm,
    /// A support vector machine with a Gaussian kernel.
    GaussianSvm,
    /// A network of radial basis functions, with output weights by least squares.
    RbfNetwork,
    /// A network of radial basis functions, with all its numbers by gradient descent.
    RbfNetworkByDescent,
}

/// All learners, with their names in files.
pub const LEARNERS: [(Learner, &str); 5] = [
    (Learner::Logistic, "logistic"),
    (Learner::LinearSvm, "linear-svm"),
    (Learner::GaussianSvm, "gaussian-svm"),
    (Learner::RbfNetwork, "rbf-network"),
    (Learner::RbfNetworkByDescent, "rbf-network-by-descent"),
];

impl Learner {
    /// The name of the learner in files.
    pub fn name(self) -> &'static str {
        LEARNERS.iter().find(|(learner, _)| *learner == self).map_or("", |(_, name)| name)
    }
}

/// How features are scaled before training.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scaling {
    /// Amounts are replaced with their logarithms. Then the mean of a feature becomes 0, and its deviation 1.
    Logarithms,
    /// The least value becomes 0, and the greatest 1.
    Range,
}

/// The names of the ways of scaling in files.
const SCALINGS: [(Scaling, &str); 2] = [(Scaling::Logarithms, "logarithms"), (Scaling::Range, "range")];

/// A block with a known level.
#[derive(Clone, Debug, PartialEq)]
pub struct Example {
    /// Its features.
    pub features: Vector,
    /// Its level, 1 to 4.
    pub level: u8,
    /// Examples with the same number are left out together when the options of a learner are chosen.
    pub fold: usize,
    /// The weight of the example in logistic regression. Support vector machines and networks count all examples alike.
    pub weight: f64,
}

/// A fitted model.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportanceModel {
    /// The levels that it knows, the lowest first.
    pub levels: Vec<u8>,
    /// The permitted degree of coherence of the blocks that it judges.
    pub permitted: u8,
    learner: Learner,
    scaling: Scaling,
    /// How each feature is scaled. `None` for features that are not used.
    scales: [Option<Scale>; IMPORTANCE_WIDTH],
    /// The cost with which support vector machines were trained. Other learners have none.
    cost: Option<f64>,
    classifier: Classifier,
}

/// The number that is subtracted from a feature, and the number that then divides it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Scale {
    origin: f64,
    unit: f64,
}

#[derive(Clone, Debug, PartialEq)]
enum Classifier {
    Machines(OneAgainstAll),
    Network(RbfNetwork),
}

/// The judgement of a model on a block.
#[derive(Clone, Debug, PartialEq)]
pub struct Importance {
    /// The level that is most likely.
    pub level: u8,
    /// The probability of this level.
    pub probability: f64,
    /// The probability of each level of the model. They sum to 1.
    pub probabilities: Vec<f64>,
}

impl ImportanceModel {
    /// The model that comes with dehusk.
    pub fn shipped() -> Arc<ImportanceModel> {
        static SHIPPED: LazyLock<Arc<ImportanceModel>> = LazyLock::new(|| {
            let model = ImportanceModel::parse(include_str!("importance.yaml"), "importance.yaml");
            Arc::new(model.unwrap_or_else(|error| panic!("the shipped importance model: {error}")))
        });
        Arc::clone(&SHIPPED)
    }

    /// Learns from blocks with known levels, with the features that `uses` selects. The options of a learner are chosen
    /// by means of the folds of the examples. Also returns whether training came near its optimum.
    ///
    /// # Panics
    /// Without examples.
    pub fn fit(
        examples: &[Example],
        learner: Learner,
        scaling: Scaling,
        uses: &[bool; IMPORTANCE_WIDTH],
        permitted: u8,
    ) -> (ImportanceModel, bool) {
        assert!(!examples.is_empty(), "there are examples");
        let mut levels: Vec<u8> = examples.iter().map(|example| example.level).collect();
        levels.sort_unstable();
        levels.dedup();

        let scales = std::array::from_fn(|at| uses[at].then(|| Scale::of(scaling, at, examples)));
        let class = |example: &Example| levels.binary_search(&example.level).unwrap_or(0);
        let classes: Vec<usize> = examples.iter().map(class).collect();
        let mut points = Points::new(IMPORTANCE_WIDTH);
        examples.iter().for_each(|example| points.push(&scaled(scaling, &scales, &example.features)));
        let folds: Vec<usize> = examples.iter().map(|example| example.fold).collect();
        let task = Task { points: &points, classes: &classes, class_count: levels.len(), folds: &folds };
        let machines = |grid: Grid| {
            let Fit { model, cells, best, is_converged, .. } = fit_machines(&task, &grid);
            (Classifier::Machines(model), Some(cells[best].c), is_converged)
        };
        let network = |fit: FitNetwork| {
            let (network, _) = fit_network(&task, &CENTERS, SEED_OF_CENTERS, fit);
            (Classifier::Network(network), None, true)
        };
        let (classifier, cost, is_converged) = match learner {
            Learner::Logistic => {
                (Classifier::Machines(logistic(&points, &classes, levels.len(), examples)), None, true)
            }
            Learner::LinearSvm => machines(Grid { costs: COSTS.to_vec(), kernels: vec![Kernel::Linear] }),
            Learner::GaussianSvm => machines(Grid::gaussian(&COSTS, &GAMMAS)),
            Learner::RbfNetwork => network(rbf_network::fit),
            Learner::RbfNetworkByDescent => network(rbf_descent::fit),
        };
        (ImportanceModel { levels, permitted, learner, scaling, scales, cost, classifier }, is_converged)
    }

    /// The importance of a block with these features.
    pub fn importance(&self, features: &Vector) -> Importance {
        let point = scaled(self.scaling, &self.scales, features);
        let (class, probabilities) = match &self.classifier {
            Classifier::Machines(machines) => (machines.class(&point), machines.probabilities(&point)),
            Classifier::Network(network) => {
                // Outputs are near 1 or 0, and may be negative.
                let outputs: Vec<f64> = network.outputs(&point).into_iter().map(|output| output.max(1e-6)).collect();
                let sum: f64 = outputs.iter().sum();
                (network.class(&point), outputs.into_iter().map(|output| output / sum).collect::<Vec<f64>>())
            }
        };
        Importance { level: self.levels[class], probability: probabilities[class], probabilities }
    }

    /// The method by which the model was learned.
    pub fn learner(&self) -> Learner {
        self.learner
    }

    /// The cost C with which support vector machines were trained. `None` for other learners, and for a file without it.
    pub fn cost(&self) -> Option<f64> {
        self.cost
    }

    /// Whether it uses features of names, which the paper does not have.
    pub fn uses_names(&self) -> bool {
        FEATURES.iter().zip(&self.scales).any(|(feature, scale)| !feature.is_published && scale.is_some())
    }

    /// For each feature, how much it tells levels apart: the sum of its absolute weights over the levels. `None` if the
    /// model is not linear, and so has no weights.
    pub fn discriminative(&self) -> Option<Vec<(&'static str, f64)>> {
        let Classifier::Machines(machines) = &self.classifier else { return None };
        let weights: Vec<&[f64]> = machines.machines().iter().map(Svm::weights).collect::<Option<_>>()?;
        let used = (0..IMPORTANCE_WIDTH).filter(|&at| self.scales[at].is_some());
        Some(used.map(|at| (NAMES[at], weights.iter().map(|of_level| of_level[at].abs()).sum())).collect())
    }
}

impl Scale {
    fn of(scaling: Scaling, feature: usize, examples: &[Example]) -> Scale {
        let values = || examples.iter().map(|example| transformed(scaling, feature, example.features[feature]));
        let (origin, unit) = match scaling {
            Scaling::Logarithms => {
                let count = examples.len() as f64;
                let mean = values().sum::<f64>() / count;
                let variance = values().map(|value| (value - mean) * (value - mean)).sum::<f64>() / count;
                (mean, variance.sqrt())
            }
            Scaling::Range => {
                let least = values().fold(f64::INFINITY, f64::min);
                (least, values().fold(f64::NEG_INFINITY, f64::max) - least)
            }
        };
        Scale { origin, unit: if unit > 1e-6 { unit } else { 1.0 } }
    }
}

fn transformed(scaling: Scaling, feature: usize, value: f64) -> f64 {
    let is_logarithm = scaling == Scaling::Logarithms && FEATURES[feature].is_amount;
    if is_logarithm { value.max(0.0).ln_1p() } else { value }
}

/// The scaled features, as a point. Features that are not used are 0.
fn scaled(scaling: Scaling, scales: &[Option<Scale>; IMPORTANCE_WIDTH], features: &Vector) -> Vector {
    std::array::from_fn(|at| {
        scales[at].map_or(0.0, |Scale { origin, unit }| {
            ((transformed(scaling, at, features[at]) - origin) / unit).clamp(-CLIP, CLIP)
        })
    })
}

/// Logistic regressions, each as a linear machine whose decision is the log-odds.
fn logistic(points: &Points, classes: &[usize], class_count: usize, blocks: &[Example]) -> OneAgainstAll {
    let machine = |class: usize| {
        let mut examples = Examples::new(&NAMES);
        for ((point, &of_point), block) in points.rows().zip(classes).zip(blocks) {
            let point: Vec<f32> = point.iter().map(|&value| value as f32).collect();
            examples.push(&point, f32::from(u8::from(of_point == class)), block.weight as f32);
        }
        let model = fit_logistic(&examples, &FIT);
        let mut intercept = model.intercept();
        let mut weights = Vec::with_capacity(IMPORTANCE_WIDTH);
        for feature in model.features() {
            let weight = feature.weight / feature.deviation;
            intercept -= weight * feature.mean;
            weights.push(weight);
        }
        linear(&weights, -intercept)
    };
    let machines: Vec<Svm> = (0..class_count).map(machine).collect();
    OneAgainstAll::new(machines, vec![Platt { a: -1.0, b: 0.0 }; class_count])
}

/// The machine whose decision is the product with these weights, less `b`.
fn linear(weights: &[f64], b: f64) -> Svm {
    let mut vectors = Points::new(IMPORTANCE_WIDTH);
    vectors.push(weights);
    Svm::from_parts(Kernel::Linear, vectors, vec![1.0], b)
}

/// The content of a model file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct FileRecord {
    #[serde(rename = "kind")]
    _kind: String,
    #[serde(rename = "version")]
    _version: u32,
    learner: String,
    scaling: String,
    permitted: u8,
    levels: Vec<u8>,
    /// The `b` of each machine. A network has none.
    #[serde(default)]
    thresholds: Vec<f64>,
    #[serde(default)]
    lines: Vec<[f64; 2]>,
    /// The cost C of support vector machines. It is for readers: the machines already depend on it.
    cost: Option<f64>,
    /// The gamma of a Gaussian kernel.
    gamma: Option<f64>,
    features: BTreeMap<String, FeatureRecord>,
    #[serde(default)]
    points: Vec<PointRecord>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FeatureRecord {
    origin: f64,
    unit: f64,
    /// Only of a linear model: the weight for each level.
    #[serde(default)]
    weights: Vec<f64>,
}

/// A support vector or a center.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PointRecord {
    /// The weight for each level.
    weights: Vec<f64>,
    /// Only of a center: its width.
    width: Option<f64>,
    /// The scaled features that are used, in order.
    at: Vec<f64>,
}

#[derive(Deserialize)]
struct Head {
    kind: String,
    version: u32,
}

impl ImportanceModel {
    /// The model as a readable file. `about` describes its training data in one line.
    pub fn to_yaml(&self, about: &str) -> String {
        let list = |values: &mut dyn Iterator<Item = f64>| values.map(number).collect::<Vec<String>>().join(", ");
        let used: Vec<usize> = (0..IMPORTANCE_WIDTH).filter(|&at| self.scales[at].is_some()).collect();
        let levels = self.levels.iter().map(u8::to_string).collect::<Vec<String>>().join(", ");
        let mut yaml = format!(
            "{FIRST_LINE}\n# {about}\nkind: {KIND}\nversion: {VERSION}\nlearner: {}\nscaling: {}\n\
             permitted: {}\nlevels: [{levels}]\n",
            self.learner.name(),
            SCALINGS.iter().find(|(scaling, _)| *scaling == self.scaling).map_or("", |(_, name)| name),
            self.permitted
        );
        if let Some(cost) = self.cost {
            let _ = writeln!(yaml, "cost: {}", number(cost));
        }

        let mut weights = vec![Vec::new(); IMPORTANCE_WIDTH];
        if let Classifier::Machines(machines) = &self.classifier {
            let (machines, lines) = (machines.machines(), machines.lines());
            let _ = writeln!(yaml, "thresholds: [{}]", list(&mut machines.iter().map(Svm::b)));
            let lines: Vec<String> =
                lines.iter().map(|line| format!("[{}, {}]", number(line.a), number(line.b))).collect();
            let _ = writeln!(yaml, "lines: [{}]", lines.join(", "));
            for machine in machines {
                match machine.kernel() {
                    Kernel::Linear => {
                        let of_level = machine.weights().unwrap_or_default();
                        weights.iter_mut().zip(of_level).for_each(|(weights, &weight)| weights.push(weight));
                    }
                    Kernel::Gaussian { gamma } if !yaml.contains("\ngamma: ") => {
                        let _ = writeln!(yaml, "gamma: {}", number(gamma));
                    }
                    Kernel::Gaussian { .. } => {}
                }
            }
        }

        yaml += "features:\n";
        for &at in &used {
            let Scale { origin, unit } = self.scales[at].unwrap_or(Scale { origin: 0.0, unit: 1.0 });
            let _ = write!(yaml, "  {}: {{origin: {}, unit: {}", NAMES[at], number(origin), number(unit));
            if !weights[at].is_empty() {
                let _ = write!(yaml, ", weights: [{}]", list(&mut weights[at].iter().copied()));
            }
            yaml += "}\n";
        }

        let mut point = |weights: &[f64], width: Option<f64>, point: &[f64]| {
            let width = width.map(|width| format!(", width: {}", number(width))).unwrap_or_default();
            let at = list(&mut used.iter().map(|&at| point[at]));
            let _ = writeln!(yaml, "- {{weights: [{}]{width}, at: [{at}]}}", list(&mut weights.iter().copied()));
        };
        match &self.classifier {
            Classifier::Machines(machines) if self.learner == Learner::GaussianSvm => {
                let (points, weights) = shared_vectors(machines);
                if !points.is_empty() {
                    points.rows().zip(&weights).for_each(|(row, weights)| point(weights, None, row));
                }
            }
            Classifier::Machines(_) => {}
            Classifier::Network(network) => {
                for (at, center) in network.centers().rows().enumerate() {
                    let weights: Vec<f64> = network.weights().iter().map(|of_level| of_level[at]).collect();
                    point(&weights, Some(network.widths()[at]), center);
                }
            }
        }
        // The list of points comes last, and gets its name only if it is not empty.
        yaml.replacen("\n- {", "\npoints:\n- {", 1)
    }

    /// Parses a file that [`to_yaml`](ImportanceModel::to_yaml) wrote. `file` is its name in messages.
    ///
    /// # Errors
    /// If it is not such a file, or is of another version.
    pub fn parse(yaml: &str, file: &str) -> Result<ImportanceModel, ModelFileError> {
        let problem = |line: u64, message: String| ModelFileError { file: file.to_owned(), line, message };
        let unread = |error: serde_saphyr::Error| {
            let line = error.location().map_or(0, |location| location.line());
            let what = "this is no importance model; train one from pages with labelled blocks";
            problem(line, format!("{what}: {}", error.without_snippet()))
        };
        let Head { kind, version } = serde_saphyr::from_str(yaml).map_err(unread)?;
        if kind != KIND || version != VERSION {
            let known = format!("this program reads '{KIND}' of version {VERSION}");
            return Err(problem(
                0,
                format!("this is a model '{kind}' of version {version}, and {known}; train the model again"),
            ));
        }
        let record: FileRecord = serde_saphyr::from_str(yaml).map_err(unread)?;
        of_record(record).map_err(|message| problem(0, format!("{message}; train the model again")))
    }
}

/// The support vectors of all machines, each once, and for each one the coefficient in each machine.
fn shared_vectors(machines: &OneAgainstAll) -> (Points, Vec<Vec<f64>>) {
    let count = machines.machines().len();
    let mut numbers: BTreeMap<Vec<u64>, usize> = BTreeMap::new();
    let (mut points, mut weights) = (Points::new(IMPORTANCE_WIDTH), Vec::new());
    for (level, machine) in machines.machines().iter().enumerate() {
        for (vector, coefficient) in machine.vectors().rows().zip(machine.coefficients()) {
            let key: Vec<u64> = vector.iter().map(|value| value.to_bits()).collect();
            let number = *numbers.entry(key).or_insert_with(|| {
                points.push(vector);
                weights.push(vec![0.0; count]);
                weights.len() - 1
            });
            weights[number][level] += coefficient;
        }
    }
    (points, weights)
}

/// The model of a file, or the problem with the file.
fn of_record(record: FileRecord) -> Result<ImportanceModel, String> {
    let FileRecord {
        learner, scaling, permitted, levels, thresholds, lines, cost, gamma, mut features, points, ..
    } = record;
    let learner = LEARNERS.iter().find(|(_, name)| *name == learner);
    let learner = learner.ok_or_else(|| "the learner is not known".to_owned())?.0;
    let scaling = SCALINGS.iter().find(|(_, name)| *name == scaling);
    let scaling = scaling.ok_or_else(|| "'scaling' must be logarithms or range".to_owned())?.0;
    if !levels.is_sorted_by(|a, b| a < b) || levels.is_empty() || levels.iter().any(|level| !(1..=4).contains(level)) {
        return Err("'levels' must be levels from 1 to 4, each once, the lowest first".to_owned());
    }
    if !(2..=10).contains(&permitted) {
        return Err("'permitted' must be 2 to 10".to_owned());
    }
    if cost.is_some_and(|cost| !cost.is_finite() || cost <= 0.0) {
        return Err("'cost' must be above 0".to_owned());
    }
    let has_all = |values: &[f64]| values.len() == levels.len() && values.iter().all(|value| value.is_finite());

    let mut scales = [None; IMPORTANCE_WIDTH];
    let mut weights = vec![vec![0.0; IMPORTANCE_WIDTH]; levels.len()];
    let is_linear = matches!(learner, Learner::Logistic | Learner::LinearSvm);
    for (at, name) in NAMES.iter().enumerate() {
        let Some(FeatureRecord { origin, unit, weights: of_feature }) = features.remove(*name) else { continue };
        let is_right = origin.is_finite() && unit.is_finite() && unit > 0.0;
        if !is_right || (is_linear && !has_all(&of_feature)) {
            return Err(format!("the numbers of '{name}' are impossible"));
        }
        scales[at] = Some(Scale { origin, unit });
        weights.iter_mut().zip(of_feature).for_each(|(of_level, weight)| of_level[at] = weight);
    }
    if let Some(name) = features.keys().next() {
        return Err(format!("this version does not know the feature '{name}'"));
    }
    let used: Vec<usize> = (0..IMPORTANCE_WIDTH).filter(|&at| scales[at].is_some()).collect();

    let mut rows = Points::new(IMPORTANCE_WIDTH);
    for (number, point) in (1..).zip(&points) {
        let is_right = point.at.len() == used.len() && point.at.iter().all(|value| value.is_finite());
        if !is_right || !has_all(&point.weights) {
            return Err(format!("the numbers of point {number} are impossible"));
        }
        let mut row = [0.0; IMPORTANCE_WIDTH];
        used.iter().zip(&point.at).for_each(|(&at, &value)| row[at] = value);
        rows.push(&row);
    }
    let of_level = |level: usize| points.iter().map(|point| point.weights[level]).collect::<Vec<f64>>();
    if matches!(learner, Learner::RbfNetwork | Learner::RbfNetworkByDescent) {
        let width = |point: &PointRecord| point.width.filter(|width| width.is_finite() && *width > 0.0);
        let widths = points.iter().map(width).collect::<Option<Vec<f64>>>();
        let widths = widths.filter(|widths| !widths.is_empty()).ok_or("each center needs a 'width' above 0")?;
        let weights = (0..levels.len()).map(of_level).collect();
        let classifier = Classifier::Network(RbfNetwork::from_parts(rows, widths, weights));
        return Ok(ImportanceModel { levels, permitted, learner, scaling, scales, cost, classifier });
    }

    let are_lines = lines.len() == levels.len() && lines.iter().flatten().all(|value| value.is_finite());
    if !has_all(&thresholds) || !are_lines {
        return Err("'thresholds' and 'lines' need one for each level".to_owned());
    }
    let machine = |level: usize| match learner {
        Learner::GaussianSvm => {
            let gamma = gamma.filter(|gamma| gamma.is_finite() && *gamma > 0.0).ok_or("'gamma' must be above 0")?;
            Ok(Svm::from_parts(Kernel::Gaussian { gamma }, rows.clone(), of_level(level), thresholds[level]))
        }
        _ => Ok(linear(&weights[level], thresholds[level])),
    };
    let machines = (0..levels.len()).map(machine).collect::<Result<Vec<Svm>, String>>()?;
    let lines = lines.into_iter().map(|[a, b]| Platt { a, b }).collect();
    let classifier = Classifier::Machines(OneAgainstAll::new(machines, lines));
    Ok(ImportanceModel { levels, permitted, learner, scaling, scales, cost, classifier })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::importance::features::PageTotals;
    use crate::segmentation::vision::vision_blocks;
    use dehusk_core::dom::facts::Facts;
    use dehusk_core::html::{Tree, estimated_boxes, read};
    use dehusk_core::random::Random;

    fn at(name: &str) -> usize {
        NAMES.iter().position(|other| *other == name).unwrap()
    }

    /// Blocks of three levels: blocks with much text have level 4, blocks with many links level 2, all others level 1.
    /// Their other features are random, but for those of names, which are 0.
    fn blocks(count: usize, seed: u64) -> Vec<Example> {
        let mut random = Random::new(seed);
        let block = |number: usize| {
            let level = [1, 2, 4][number % 3];
            let mut features: Vector = FEATURES.map(|feature| if feature.is_published { random.unit() } else { 0.0 });
            features[at("text-length")] = if level == 4 { 900.0 + 90.0 * random.unit() } else { 9.0 + random.unit() };
            features[at("links")] = if level == 2 { 20.0 + 9.0 * random.unit() } else { random.unit() };
            Example { features, level, fold: number / 3 % 5, weight: 1.0 }
        };
        (0..count).map(block).collect()
    }

    /// A model by each learner and way of scaling. The height is not used.
    fn all() -> &'static [(Learner, Scaling, ImportanceModel)] {
        static ALL: LazyLock<Vec<(Learner, Scaling, ImportanceModel)>> = LazyLock::new(|| {
            let mut uses = [true; IMPORTANCE_WIDTH];
            uses[at("height")] = false;
            let trials = LEARNERS.iter().flat_map(|&(learner, _)| SCALINGS.map(|(scaling, _)| (learner, scaling)));
            let fit = |(learner, scaling)| {
                (learner, scaling, ImportanceModel::fit(&blocks(90, 1), learner, scaling, &uses, 9).0)
            };
            trials.map(fit).collect()
        });
        &ALL
    }

    #[test]
    fn all_learners_learn_a_simple_rule() {
        for (learner, scaling, model) in all() {
            assert_eq!((model.learner(), model.permitted, &model.levels[..]), (*learner, 9, &[1, 2, 4][..]));
            let others = blocks(90, 2);
            let right = others.iter().filter(|block| model.importance(&block.features).level == block.level).count();
            // Gradient descent ends after some steps, before it has learned everything.
            let least = if *learner == Learner::RbfNetworkByDescent { 80 } else { 88 };
            assert!(right >= least, "{learner:?} {scaling:?} {right}");
        }
    }

    #[test]
    fn probabilities_sum_to_1() {
        for (learner, _, model) in all() {
            for Example { features, .. } in blocks(30, 3) {
                let Importance { level, probability, probabilities } = model.importance(&features);
                assert_eq!(probabilities.len(), 3);
                assert!(probabilities.iter().all(|of_level| (0.0..=1.0).contains(of_level)), "{probabilities:?}");
                assert!((probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{learner:?} {probabilities:?}");
                assert_eq!(probability, probabilities[model.levels.iter().position(|of| *of == level).unwrap()]);
            }
        }
    }

    #[test]
    fn a_file_is_read_and_written_again() {
        for (learner, scaling, model) in all() {
            let yaml = model.to_yaml("Learned from blocks by hand.");
            assert!(yaml.starts_with(FIRST_LINE) && yaml.contains("\n# Learned from blocks by hand.\n"), "{yaml}");
            let read = ImportanceModel::parse(&yaml, "blocks.yaml").unwrap();
            assert_eq!(read.to_yaml("Learned from blocks by hand."), yaml, "{learner:?} {scaling:?}");
            for Example { features, .. } in blocks(90, 1).iter().chain(&blocks(30, 2)) {
                let [of_read, of_model] = [&read, model].map(|model| model.importance(features));
                assert_eq!(of_read.level, of_model.level, "{learner:?} {scaling:?}");
                let pairs = || of_read.probabilities.iter().zip(&of_model.probabilities);
                assert!(pairs().all(|(a, b)| (a - b).abs() < 1e-3), "{learner:?} {of_read:?} {of_model:?}");
            }
        }
    }

    #[test]
    fn the_cost_of_machines_is_written_and_read() {
        for (learner, _, model) in all() {
            let is_machine = matches!(learner, Learner::LinearSvm | Learner::GaussianSvm);
            assert_eq!(model.cost().is_some(), is_machine, "{learner:?}");
            assert!(model.cost().is_none_or(|cost| COSTS.contains(&cost)), "{learner:?}");
            let yaml = model.to_yaml("");
            assert_eq!(yaml.contains("\ncost: "), is_machine, "{yaml}");
            assert_eq!(ImportanceModel::parse(&yaml, "cost.yaml").unwrap().cost(), model.cost());
            // A file without it is read too.
            let lines: Vec<&str> = yaml.lines().filter(|line| !line.starts_with("cost: ")).collect();
            assert_eq!(ImportanceModel::parse(&lines.join("\n"), "cost.yaml").unwrap().cost(), None);
        }
    }

    #[test]
    fn what_is_not_used_does_not_matter() {
        for (.., model) in all() {
            let yaml = model.to_yaml("");
            assert!(!yaml.contains("\n  height: ") && yaml.contains("\n  width: "), "{yaml}");
            let mut features = blocks(1, 4)[0].features;
            let before = model.importance(&features);
            features[at("height")] = 1e9;
            assert_eq!(model.importance(&features), before);
            features[at("links")] += 20.0;
            assert_ne!(model.importance(&features), before);
        }
    }

    #[test]
    fn one_level_is_enough() {
        for (learner, _) in LEARNERS {
            let mut blocks = blocks(30, 5);
            blocks.iter_mut().for_each(|block| block.level = 3);
            let (model, _) = ImportanceModel::fit(&blocks, learner, Scaling::Range, &[true; IMPORTANCE_WIDTH], 9);
            let Importance { level, probability, .. } = model.importance(&blocks[0].features);
            assert_eq!((level, probability), (3, 1.0), "{learner:?}");
            assert!(ImportanceModel::parse(&model.to_yaml(""), "one.yaml").is_ok());
        }
    }

    #[test]
    fn blocks_that_weigh_more_count_more() {
        let mut blocks = blocks(60, 6);
        // The same blocks, with another level.
        let mut others = blocks.clone();
        others.iter_mut().for_each(|block| (block.level, block.weight) = (3, 0.1));
        blocks.extend(others);
        let is_3 = |blocks: &[Example]| {
            let (model, _) =
                ImportanceModel::fit(blocks, Learner::Logistic, Scaling::Logarithms, &[true; IMPORTANCE_WIDTH], 9);
            blocks.iter().filter(|block| model.importance(&block.features).level == 3).count()
        };
        assert_eq!(is_3(&blocks), 0);
        blocks[60..].iter_mut().for_each(|block| block.weight = 10.0);
        assert_eq!(is_3(&blocks), 120);
    }

    #[test]
    fn the_units_of_features_do_not_matter_to_logistic_regression() {
        let uses = std::array::from_fn(|at| !FEATURES[at].is_amount);
        let mut blocks = blocks(60, 7);
        for block in &mut blocks {
            block.features[at("width")] += 2.0 * f64::from(block.level);
        }
        let [logarithms, range] =
            SCALINGS.map(|(scaling, _)| ImportanceModel::fit(&blocks, Learner::Logistic, scaling, &uses, 9).0);
        for Example { features, .. } in &blocks {
            let [a, b] = [&logarithms, &range].map(|model| model.importance(features).probabilities);
            assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-4), "{a:?} {b:?}");
        }
    }

    #[test]
    fn equal_blocks_are_written_once() {
        let blocks = [blocks(30, 8), blocks(30, 8)].concat();
        let (model, _) =
            ImportanceModel::fit(&blocks, Learner::GaussianSvm, Scaling::Range, &[true; IMPORTANCE_WIDTH], 9);
        let yaml = model.to_yaml("");
        assert!(yaml.matches("\n- {").count() <= 30, "{yaml}");
        let read = ImportanceModel::parse(&yaml, "twice.yaml").unwrap();
        for Example { features, .. } in &blocks {
            let [a, b] = [&read, &model].map(|model| model.importance(features).probabilities);
            assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-3), "{a:?} {b:?}");
        }
    }

    #[test]
    fn values_are_scaled() {
        let example = |text: f64, width: f64| {
            let mut features = [0.0; IMPORTANCE_WIDTH];
            (features[at("text-length")], features[at("width")]) = (text, width);
            Example { features, level: 1, fold: 0, weight: 1.0 }
        };
        let e = std::f64::consts::E;
        let examples = [example(0.0, 100.0), example(e * e - 1.0, 300.0)];
        let of = |scaling: Scaling, text: f64, width: f64| {
            let scales = std::array::from_fn(|at| Some(Scale::of(scaling, at, &examples)));
            let point = scaled(scaling, &scales, &example(text, width).features);
            assert_eq!(point[at("links")], 0.0);
            [point[at("text-length")], point[at("width")]].map(|value| (value * 1e6).round() / 1e6)
        };
        // Amounts are replaced with their logarithms, which are 0 and 2 here.
        assert_eq!(of(Scaling::Logarithms, 0.0, 100.0), [-1.0, -1.0]);
        assert_eq!(of(Scaling::Logarithms, e - 1.0, 400.0), [0.0, 2.0]);
        assert_eq!(of(Scaling::Logarithms, 1e30, -1e9), [5.0, -5.0]);
        assert_eq!(of(Scaling::Range, 0.0, 100.0), [0.0, 0.0]);
        assert_eq!(of(Scaling::Range, e * e - 1.0, 200.0), [1.0, 0.5]);
    }

    #[test]
    fn only_linear_models_say_what_tells_levels_apart() {
        for (learner, _, model) in all() {
            let told = model.discriminative();
            let is_linear = matches!(learner, Learner::Logistic | Learner::LinearSvm);
            assert_eq!(told.is_some(), is_linear, "{learner:?}");
            let Some(mut told) = told else { continue };
            assert_eq!(told.len(), IMPORTANCE_WIDTH - 1);
            told.sort_by(|a, b| b.1.total_cmp(&a.1));
            let [(first, _), (second, _), (_, third)] = told[..3] else { panic!("three features") };
            assert!(["text-length", "links"].iter().all(|name| [first, second].contains(name)), "{learner:?} {told:?}");
            assert!(third > 0.0 && told[1].1 > 1.5 * third, "{learner:?} {told:?}");
        }
    }

    /// Breaks the file of a model, and checks that the message names the file and contains `expected`.
    #[track_caller]
    fn assert_broken(learner: Learner, old: &str, new: &str, expected: &str) {
        let (.., model) = all().iter().find(|(of, ..)| *of == learner).unwrap();
        let yaml = model.to_yaml("");
        assert!(yaml.contains(old), "{old} {yaml}");
        let error = ImportanceModel::parse(&yaml.replacen(old, new, 1), "broken.yaml").unwrap_err();
        let message = error.to_string();
        assert!(message.starts_with("broken.yaml:") && message.contains(expected), "{message}");
        assert!(
            message.contains("train the model again") || message.contains("this is no importance model"),
            "{message}"
        );
    }

    #[test]
    fn a_broken_file_is_named_with_what_is_wrong() {
        let linear = Learner::Logistic;
        assert_broken(linear, "kind: importance", "kind: page", "this is a model 'page' of version 1");
        assert_broken(
            linear,
            "version: 1",
            "version: 2",
            "version 2, and this program reads 'importance' of version 1",
        );
        assert_broken(linear, "\nlevels: [1, 2, 4]", "", "missing field `levels`");
        assert_broken(linear, "[1, 2, 4]", "[1, 2, 5]", "'levels' must be levels from 1 to 4");
        assert_broken(linear, "[1, 2, 4]", "[0, 2, 4]", "'levels' must be levels from 1 to 4");
        assert_broken(linear, "[1, 2, 4]", "[2, 1, 4]", "the lowest first");
        assert_broken(linear, "[1, 2, 4]", "[1, 1, 4]", "each once");
        assert_broken(linear, "[1, 2, 4]", "[]", "'levels'");
        assert_broken(linear, "[1, 2, 4]", "[1, 2]", "the numbers of 'center-x' are impossible");
        assert_broken(linear, "  links: ", "  lonks: ", "this version does not know the feature 'lonks'");
        assert_broken(linear, "learner: logistic", "learner: oracle", "the learner is not known");
        assert_broken(linear, "scaling: logarithms", "scaling: none", "'scaling' must be logarithms or range");
        assert_broken(linear, "permitted: 9", "permitted: 11", "'permitted' must be 2 to 10");
        assert_broken(linear, "permitted: 9", "permitted: 1", "'permitted' must be 2 to 10");
        assert_broken(
            linear,
            "thresholds: [",
            "thresholds: [1.0, ",
            "'thresholds' and 'lines' need one for each level",
        );
        assert_broken(linear, "lines: [", "lines: [[1.0, 0.0], ", "'thresholds' and 'lines' need one for each level");
        assert_broken(linear, "lines: [[-1.0", "lines: [[1e999", "non-finite");
        assert_broken(linear, "weights: [", "weights: [1.0, ", "the numbers of 'center-x' are impossible");
        assert_broken(linear, "weights: [", "weights: [1e999, ", "non-finite");
        assert_broken(linear, "unit: ", "unit: -", "the numbers of 'center-x' are impossible");
        assert_broken(linear, "origin: ", "origin: 1e999, ignored: ", "non-finite");
        assert_broken(linear, "permitted: 9", "permitted: 9\nluck: 7", "broken.yaml:8: ");
        assert_broken(Learner::GaussianSvm, "gamma: ", "gamma: -", "'gamma' must be above 0");
        assert_broken(Learner::GaussianSvm, "cost: ", "cost: -", "'cost' must be above 0");
        assert_broken(
            Learner::GaussianSvm,
            "- {weights: [",
            "- {weights: [1.0, ",
            "the numbers of point 1 are impossible",
        );
        assert_broken(Learner::GaussianSvm, "at: [", "at: [1.0, ", "the numbers of point 1 are impossible");
        assert_broken(Learner::GaussianSvm, "at: [", "at: [1e999, ", "non-finite");
        assert_broken(Learner::RbfNetwork, "width: ", "width: 0.0, at: [], ignored: ", "broken.yaml:");
        assert_broken(Learner::RbfNetwork, "], width: ", "], width: -", "each center needs a 'width' above 0");
        assert_broken(Learner::RbfNetwork, "points:", "lost:", "lost");
        for yaml in ["", "A boat.", "kind: importance", "[1, 2]"] {
            let message = ImportanceModel::parse(yaml, "boat.yaml").unwrap_err().to_string();
            assert!(message.starts_with("boat.yaml"), "{message}");
            assert!(message.contains("this is no importance model"), "{message}");
        }
    }

    #[test]
    fn the_shipped_model_tells_an_article_from_a_footer() {
        let model = ImportanceModel::shipped();
        assert!(model.levels.contains(&1) && model.levels.contains(&4) && (2..=10).contains(&model.permitted));
        let menu: String = (0..8).map(|number| format!("<a href=/{number}>Part {number}</a> ")).collect();
        let paragraph =
            "<p>The ferry came in late on Tuesday, and nobody on the quay knew why it had taken so long.</p>";
        let page = format!(
            "<title>A late ferry</title><header>{menu}</header><hr><article><h1>A late ferry</h1>{}</article><hr>\
             <footer><small>Copyright 2019. <a href=/terms>Terms of use</a></small></footer>",
            paragraph.repeat(20)
        );
        let (text, tree) = read::<Tree>(&page);
        let boxes = estimated_boxes(&tree, &text);
        let facts = Facts::of(&tree, &text, None, Some(&boxes));
        let totals = PageTotals::of(&facts, page.len());
        let blocks = vision_blocks(&facts, model.permitted);
        let level = |part: &str| {
            let is_in = |node: &u32| page[tree.bytes(*node as usize)].contains(part);
            let block = blocks.iter().find(|block| block.nodes.iter().any(is_in)).unwrap();
            model.importance(&totals.features(block)).level
        };
        assert!(level("nobody on the quay") > level("Copyright"), "{blocks:?}");
        assert_eq!(level("nobody on the quay"), 4);
    }
}
