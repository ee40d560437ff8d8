//! The learned model of segments: the distances between parts, and the probabilities that they belong together
//! (Chakrabarti, Kumar, Punera, WWW 2008, section 4).

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Arc, LazyLock};

use rayon::prelude::*;
use serde::Deserialize;

use super::features::{COMPARED, Described, EDGE_NAMES, LABEL_NAMES, NAMES, PAIR_NAMES, PART_WIDTH, Vector};
use super::neighbours::neighbours;
use super::parts::Parts;
use crate::learners::metric::{Metric, MetricOptions, Page, learn};
use dehusk_core::models::examples::Examples;
use dehusk_core::models::file::{ModelFileError, ModelFormat, PART, number, parts};
use dehusk_core::models::logistic::{FitOptions, LogisticModel, fit};
use dehusk_core::random::Random;

/// The first line of a file.
pub const FIRST_LINE: &str = "# A segment model of dehusk: it says which parts of a page belong together.";
const KIND: &str = "segments";
const VERSION: u32 = 1;
const NEIGHBOURS: ModelFormat = ModelFormat { model: "segment-neighbours", version: VERSION, features: &PAIR_NAMES };
const PAIRS: ModelFormat = ModelFormat { model: "segment-pairs", version: VERSION, features: &PAIR_NAMES };
const LABELS: ModelFormat = ModelFormat { model: "segment-labels", version: VERSION, features: &LABEL_NAMES };
const EDGES: ModelFormat = ModelFormat { model: "segment-edges", version: VERSION, features: &EDGE_NAMES };
const FIT: FitOptions = FitOptions { ridge: 1.0, clip: Some(5.0) };
/// Maximum number of pairs of leaves per page that the model learns from.
const PAIRS_OF_PAGE: usize = 2000;

/// A page, ready to be divided.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Its parts.
    pub parts: Parts,
    /// The features of the parts.
    pub described: Described,
    /// Pairs of leaves that lie next to each other, as indexes into [`Parts::leaves`].
    pub neighbours: Vec<(u32, u32)>,
}

impl Scene {
    /// The page with these facts.
    pub fn of(facts: &dehusk_core::dom::facts::Facts) -> Scene {
        let parts = Parts::of(facts);
        let described = Described::of(facts, &parts);
        let rects: Vec<_> = parts.leaves.iter().map(|&leaf| parts.rects[leaf as usize]).collect();
        Scene { neighbours: neighbours(&rects), parts, described }
    }
}

/// A page and the groups of its leaves. `None` is a leaf whose group is not known.
#[derive(Clone, Debug)]
pub struct Lesson {
    /// The page.
    pub scene: Scene,
    /// For each leaf its group.
    pub groups: Vec<Option<u32>>,
}

impl Lesson {
    /// Number of groups.
    pub fn segments(&self) -> usize {
        self.groups.iter().flatten().collect::<rustc_hash::FxHashSet<_>>().len()
    }

    /// For each part, the group of its leaves: `Ok(None)` if no leaf has a group, an error if they have different
    /// groups.
    fn groups_of_parts(&self) -> Vec<Result<Option<u32>, Mixed>> {
        let parts = &self.scene.parts;
        let mut of: Vec<Result<Option<u32>, Mixed>> = vec![Ok(None); parts.len()];
        for (&leaf, &group) in parts.leaves.iter().zip(&self.groups) {
            of[leaf as usize] = Ok(group);
        }
        for part in (1..parts.len()).rev() {
            let parent = parts.parents[part] as usize;
            of[parent] = match (of[parent], of[part]) {
                (Ok(None), other) | (other, Ok(None)) => other,
                (Ok(one), Ok(other)) if one == other => Ok(one),
                _ => Err(Mixed),
            };
        }
        of
    }
}

/// The leaves are of several groups.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Mixed;

/// A fitted model.
#[derive(Clone, Debug, PartialEq)]
pub struct SegmentModel {
    means: [f64; PART_WIDTH],
    deviations: [f64; PART_WIDTH],
    metric: Metric,
    neighbours: LogisticModel,
    pairs: LogisticModel,
    edges: LogisticModel,
    labels: LogisticModel,
    /// The weight of the costs of separating parts, relative to the costs of parts in their segments: for cuts, and for
    /// clusters.
    pub lambda: [f64; 2],
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    kind: String,
    version: u32,
    lambda: Lambda,
    features: BTreeMap<String, FeatureRecord>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Lambda {
    cuts: f64,
    clusters: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FeatureRecord {
    mean: f64,
    deviation: f64,
    /// The row of the feature in the matrix of the metric.
    metric: Vec<f64>,
}

impl SegmentModel {
    /// The model that comes with dehusk.
    pub fn shipped() -> Arc<SegmentModel> {
        static SHIPPED: LazyLock<Arc<SegmentModel>> = LazyLock::new(|| {
            let model = SegmentModel::parse(include_str!("segments.yaml"), "segments.yaml");
            Arc::new(model.unwrap_or_else(|error| panic!("the shipped segment model: {error}")))
        });
        Arc::clone(&SHIPPED)
    }

    /// The model as a readable file. `about` describes its training data in one line.
    pub fn to_yaml(&self, about: &str) -> String {
        let [cuts, clusters] = self.lambda;
        let mut yaml = format!(
            "{FIRST_LINE}\n# {about}\nkind: {KIND}\nversion: {VERSION}\nlambda: {{cuts: {cuts:?}, clusters: {clusters:?}}}\n\
             features:\n"
        );
        for (at, name) in NAMES.iter().enumerate() {
            let row: Vec<String> =
                self.metric.matrix()[at * PART_WIDTH..][..PART_WIDTH].iter().map(|&value| number(value)).collect();
            let (mean, deviation) = (number(self.means[at]), number(self.deviations[at]));
            let _ = writeln!(yaml, "  {name}: {{mean: {mean}, deviation: {deviation}, metric: [{}]}}", row.join(", "));
        }
        let parts = [
            ("Neighbours are of one segment", NEIGHBOURS, &self.neighbours),
            ("Any two leaves are of one segment", PAIRS, &self.pairs),
            ("A part is of the segment that another part is", LABELS, &self.labels),
            ("All leaves of the part around a part are of one segment", EDGES, &self.edges),
        ];
        for (what, format, model) in parts {
            yaml += &format!("{PART}# {what}\n{}", format.to_yaml(model));
        }
        yaml
    }

    /// Parses a file that [`to_yaml`](SegmentModel::to_yaml) wrote. `file` is its name in messages.
    ///
    /// # Errors
    /// If it is not such a file, or is of another version.
    pub fn parse(yaml: &str, file: &str) -> Result<SegmentModel, ModelFileError> {
        let problem = |line: u64, message: String| ModelFileError { file: file.to_owned(), line, message };
        let train_again = "; train the model again";
        let all = parts(yaml);
        let Head { kind, version, lambda, mut features } = serde_saphyr::from_str(&all[0]).map_err(|error| {
            let line = error.location().map_or(0, |location| location.line());
            let message = error.without_snippet();
            problem(line, format!("this is no segment model; train one from pages with marked segments: {message}"))
        })?;
        if kind != KIND || version != VERSION {
            let message = format!(
                "this is a model '{kind}' of version {version}, and this program reads '{KIND}' of version {VERSION}{train_again}"
            );
            return Err(problem(0, message));
        }
        let lambda = [lambda.cuts, lambda.clusters];
        if lambda.iter().any(|lambda| !lambda.is_finite() || *lambda < 0.0) {
            return Err(problem(0, format!("'lambda' must be 0 or more{train_again}")));
        }
        let (mut means, mut deviations) = ([0.0; PART_WIDTH], [1.0; PART_WIDTH]);
        let mut matrix = Vec::with_capacity(PART_WIDTH * PART_WIDTH);
        for (at, name) in NAMES.iter().enumerate() {
            let missing = || problem(0, format!("there is no feature '{name}'{train_again}"));
            let FeatureRecord { mean, deviation, metric } = features.remove(*name).ok_or_else(missing)?;
            let is_right = mean.is_finite() && deviation.is_finite() && deviation > 0.0;
            if !is_right || metric.len() != PART_WIDTH || metric.iter().any(|value| !value.is_finite()) {
                return Err(problem(0, format!("the numbers of '{name}' are impossible{train_again}")));
            }
            (means[at], deviations[at]) = (mean, deviation);
            matrix.extend(metric);
        }
        if let Some(name) = features.keys().next() {
            return Err(problem(0, format!("this version does not know the feature '{name}'{train_again}")));
        }
        if (0..PART_WIDTH)
            .any(|row| (0..row).any(|column| matrix[row * PART_WIDTH + column] != matrix[column * PART_WIDTH + row]))
        {
            return Err(problem(0, format!("the rows of 'metric' are not symmetric{train_again}")));
        }
        let [_, neighbours, pairs, labels, edges] = &all[..] else {
            return Err(problem(0, format!("there are {} parts, not 5{train_again}", all.len())));
        };
        Ok(SegmentModel {
            means,
            deviations,
            metric: Metric::rounded(PART_WIDTH, matrix),
            neighbours: NEIGHBOURS.parse(neighbours, file)?,
            pairs: PAIRS.parse(pairs, file)?,
            edges: EDGES.parse(edges, file)?,
            labels: LABELS.parse(labels, file)?,
            lambda,
        })
    }

    /// The standardised features of a part.
    fn standardised(&self, vector: &Vector) -> [f64; PART_WIDTH] {
        std::array::from_fn(|at| ((f64::from(vector[at]) - self.means[at]) / self.deviations[at]).clamp(-5.0, 5.0))
    }

    /// A point for each part. With `learned`, their Euclidean distances are those of the learned metric, else those of
    /// the features.
    pub fn points(&self, scene: &Scene, learned: bool) -> Vec<Vec<f64>> {
        let point = |vector: &Vector| match self.standardised(vector) {
            standardised if learned => self.metric.transform(&standardised),
            standardised => standardised.to_vec(),
        };
        scene.described.vectors.iter().map(point).collect()
    }

    /// The probability that two neighbours belong together.
    pub fn neighbours_together(&self, scene: &Scene, a: usize, b: usize) -> f64 {
        self.neighbours.probability(&scene.described.pair(&scene.parts, a, b))
    }

    /// The probability that any two leaves belong together.
    pub fn leaves_together(&self, scene: &Scene, a: usize, b: usize) -> f64 {
        self.pairs.probability(&scene.described.pair(&scene.parts, a, b))
    }

    /// Prepares to compare the parts of a page with their possible labels.
    pub fn comparison<'a>(&'a self, scene: &'a Scene) -> Comparison<'a> {
        Comparison { model: self, scene, leaves: counts(&scene.parts).1 }
    }

    /// The likeness of two leaves, 0 to 1, without learned weights: 1 minus the mean difference of their features,
    /// where a difference of 2 or more deviations counts as 1.
    pub fn alike(&self, scene: &Scene, a: usize, b: usize) -> f64 {
        let [a, b] = [a, b].map(|part| self.standardised(&scene.described.vectors[part]));
        let differences = a.iter().zip(&b).take(COMPARED).map(|(a, b)| ((a - b).abs() / 2.0).min(1.0));
        1.0 - differences.sum::<f64>() / COMPARED as f64
    }

    /// For each part, the probability that all leaves of its parent belong together.
    pub fn parents_whole(&self, scene: &Scene) -> Vec<f64> {
        let (children, leaves) = counts(&scene.parts);
        let whole = |part: usize| {
            let parent = scene.parts.parents[part] as usize;
            let edge = scene.described.edge(&scene.parts, part, children[parent], [leaves[part], leaves[parent]]);
            self.edges.probability(&edge)
        };
        (0..scene.parts.len()).map(|part| if part == 0 { 0.0 } else { whole(part) }).collect()
    }

    /// Fits a model to pages. `lambda` is left at 1.
    pub fn fit(lessons: &[Lesson], options: &MetricOptions) -> SegmentModel {
        let vectors = || lessons.iter().flat_map(|lesson| &lesson.scene.described.vectors);
        let count = vectors().count().max(1) as f64;
        let means: [f64; PART_WIDTH] =
            std::array::from_fn(|at| vectors().map(|vector| f64::from(vector[at])).sum::<f64>() / count);
        let deviations: [f64; PART_WIDTH] = std::array::from_fn(|at| {
            let squares: f64 = vectors().map(|vector| (f64::from(vector[at]) - means[at]).powi(2)).sum();
            Some((squares / count).sqrt()).filter(|deviation| *deviation > 1e-6).unwrap_or(1.0)
        });
        let mut model = SegmentModel {
            means,
            deviations,
            metric: Metric::identity(PART_WIDTH),
            neighbours: fit(&examples(lessons, &PAIR_NAMES, neighbour_examples), &FIT),
            pairs: fit(&examples(lessons, &PAIR_NAMES, pair_examples), &FIT),
            edges: fit(&examples(lessons, &EDGE_NAMES, edge_examples), &FIT),
            labels: fit(&examples(lessons, &LABEL_NAMES, label_examples), &FIT),
            lambda: [1.0; 2],
        };
        let page = |lesson: &Lesson| {
            let of_parts = lesson.groups_of_parts();
            let known = of_parts.iter().enumerate().filter_map(|(part, group)| Some((part, (*group).ok()??)));
            let (mut vectors, mut groups) = (Vec::new(), Vec::new());
            for (part, group) in known {
                vectors.extend(model.standardised(&lesson.scene.described.vectors[part]));
                groups.push(group as usize);
            }
            Page { width: PART_WIDTH, vectors, groups }
        };
        let pages: Vec<Page> = lessons.iter().map(page).collect();
        model.metric = learn(&pages, options).metric;
        model
    }
}

/// Compares parts of a page with labels: other parts that may be in the same segment.
#[derive(Debug)]
pub struct Comparison<'a> {
    model: &'a SegmentModel,
    scene: &'a Scene,
    /// Number of leaves of each part.
    leaves: Vec<u32>,
}

impl Comparison<'_> {
    /// The probability that a part belongs to the segment of the part `label`; 1 if both are the same part.
    pub fn is_of(&self, part: usize, label: usize) -> f64 {
        if part == label {
            return 1.0;
        }
        let Scene { parts, described, .. } = self.scene;
        self.model.labels.probability(&described.label(parts, part, label, self.leaves[label]))
    }
}

/// For each part, the numbers of its children and of its leaves.
fn counts(parts: &Parts) -> (Vec<u32>, Vec<u32>) {
    let (mut children, mut leaves) = (vec![0; parts.len()], vec![0; parts.len()]);
    for part in (0..parts.len()).rev() {
        leaves[part] += u32::from(parts.is_leaf(part));
        if part > 0 {
            let parent = parts.parents[part] as usize;
            children[parent] += 1;
            leaves[parent] += leaves[part];
        }
    }
    (children, leaves)
}

type AddExamples = fn(&Lesson, usize, &mut Vec<(Vec<f32>, bool)>);

/// The examples of all pages. All pages weigh the same.
fn examples(lessons: &[Lesson], names: &'static [&'static str], add: AddExamples) -> Examples {
    let of_page = |(number, lesson): (usize, &Lesson)| {
        let mut found = Vec::new();
        add(lesson, number, &mut found);
        found
    };
    let of_pages: Vec<Vec<(Vec<f32>, bool)>> = lessons.par_iter().enumerate().map(of_page).collect();
    let mut examples = Examples::new(names);
    for of_page in of_pages {
        let weight = 100.0 / of_page.len().max(1) as f32;
        of_page.iter().for_each(|(features, label)| examples.push(features, f32::from(u8::from(*label)), weight));
    }
    examples
}

fn pair_of(lesson: &Lesson, a: usize, b: usize) -> Option<(Vec<f32>, bool)> {
    let (one, other) = (lesson.groups[a]?, lesson.groups[b]?);
    let Scene { parts, described, .. } = &lesson.scene;
    let [a, b] = [a, b].map(|leaf| parts.leaves[leaf] as usize);
    Some((described.pair(parts, a, b).to_vec(), one == other))
}

fn neighbour_examples(lesson: &Lesson, _: usize, found: &mut Vec<(Vec<f32>, bool)>) {
    found.extend(lesson.scene.neighbours.iter().filter_map(|&(a, b)| pair_of(lesson, a as usize, b as usize)));
}

fn pair_examples(lesson: &Lesson, number: usize, found: &mut Vec<(Vec<f32>, bool)>) {
    let known: Vec<usize> = (0..lesson.groups.len()).filter(|&leaf| lesson.groups[leaf].is_some()).collect();
    let all = known.len() * known.len().saturating_sub(1) / 2;
    if all <= PAIRS_OF_PAGE {
        let pairs = known.iter().enumerate().flat_map(|(at, &a)| known[at + 1..].iter().map(move |&b| (a, b)));
        found.extend(pairs.filter_map(|(a, b)| pair_of(lesson, a, b)));
        return;
    }
    let mut random = Random::new(number as u64);
    while found.len() < PAIRS_OF_PAGE {
        let (a, b) = (known[random.below(known.len())], known[random.below(known.len())]);
        if a != b {
            found.extend(pair_of(lesson, a, b));
        }
    }
}

fn label_examples(lesson: &Lesson, number: usize, found: &mut Vec<(Vec<f32>, bool)>) {
    let Scene { parts, described, .. } = &lesson.scene;
    let of_parts = lesson.groups_of_parts();
    let labels: Vec<usize> =
        super::segmenter::labels(parts).0.into_iter().filter(|&label| of_parts[label] != Ok(None)).collect();
    let known: Vec<usize> = (0..parts.len()).filter(|&part| matches!(of_parts[part], Ok(Some(_)))).collect();
    if labels.is_empty() || known.is_empty() {
        return;
    }
    let leaves = counts(parts).1;
    let mut random = Random::new(number as u64);
    for _ in 0..2 * PAIRS_OF_PAGE {
        let (part, label) = (known[random.below(known.len())], labels[random.below(labels.len())]);
        if part != label {
            found
                .push((described.label(parts, part, label, leaves[label]).to_vec(), of_parts[part] == of_parts[label]));
        }
    }
}

fn edge_examples(lesson: &Lesson, _: usize, found: &mut Vec<(Vec<f32>, bool)>) {
    let Scene { parts, described, .. } = &lesson.scene;
    let of_parts = lesson.groups_of_parts();
    let (children, leaves) = counts(parts);
    for part in 1..parts.len() {
        let parent = parts.parents[part] as usize;
        if of_parts[parent] != Ok(None) {
            let edge = described.edge(parts, part, children[parent], [leaves[part], leaves[parent]]);
            found.push((edge.to_vec(), of_parts[parent].is_ok()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::parts::tests::with_facts;
    use super::*;

    #[test]
    fn a_model_is_read_and_written_again() {
        let shipped = include_str!("segments.yaml");
        let model = SegmentModel::parse(shipped, "segments.yaml").unwrap();
        let about = shipped.lines().nth(1).unwrap().trim_start_matches("# ");
        assert!(model.to_yaml(about) == shipped, "it is written as it was read");
    }

    #[test]
    fn a_wrong_file_is_named() {
        let says = |yaml: &str, expected: &str| {
            let problem = SegmentModel::parse(yaml, "m.yaml").unwrap_err().to_string();
            assert!(problem.starts_with("m.yaml") && problem.contains(expected), "{problem}");
        };
        let shipped = include_str!("segments.yaml");
        says("A boat.", "this is no segment model");
        says(&shipped.replacen("version: 1", "version: 9", 1), "of version 9, and this program reads");
        says(&shipped.replacen("  center-x:", "  centre-x:", 1), "there is no feature 'center-x'");
        says(&shipped.replacen("clusters: ", "clusters: -", 1), "'lambda' must be 0 or more");
        says(&shipped.replacen("metric: [", "metric: [1.5, ", 1), "the numbers of 'center-x' are impossible");
        says(&shipped[..shipped.find("---\n").unwrap()], "there are 1 parts, not 5");
    }

    #[test]
    fn parts_have_the_group_of_all_their_leaves() {
        with_facts("<div><p>a</p><p>b</p></div><div><p>c</p><p>d</p></div>", |facts, _| {
            let scene = Scene::of(facts);
            let groups_of =
                |groups: [Option<u32>; 4]| Lesson { scene: scene.clone(), groups: groups.to_vec() }.groups_of_parts();
            let one = groups_of([Some(1), Some(1), Some(2), None]);
            assert_eq!(one, [Err(Mixed), Ok(Some(1)), Ok(Some(1)), Ok(Some(1)), Ok(Some(2)), Ok(Some(2)), Ok(None)]);
            assert_eq!(groups_of([None; 4]), [Ok(None); 7]);
        });
    }

    #[test]
    fn what_is_learned_tells_segments_apart() {
        let page = |number: usize| {
            let menu = format!("<li><a href=/a>Item {number}</a></li>").repeat(4 + number);
            let story = "<p>It was a long day on the quay, and the boats lay still.</p>".repeat(3 + number);
            let page = format!("<div><ul>{menu}</ul></div><div>{story}</div>");
            with_facts(&page, |facts, _| {
                let scene = Scene::of(facts);
                let groups = (0..scene.parts.leaves.len()).map(|leaf| Some(u32::from(leaf >= 4 + number))).collect();
                Lesson { scene, groups }
            })
        };
        let lessons: Vec<Lesson> = (0..6).map(page).collect();
        let model = SegmentModel::fit(&lessons, &MetricOptions::default());
        let Lesson { scene, .. } = page(9);
        let leaf = |at: usize| scene.parts.leaves[at] as usize;
        assert!(model.leaves_together(&scene, leaf(0), leaf(1)) > 0.9);
        assert!(model.leaves_together(&scene, leaf(0), leaf(20)) < 0.1);
        assert!(model.neighbours_together(&scene, leaf(0), leaf(1)) > 0.9);
        let points = model.points(&scene, true);
        let distance = |a: usize, b: usize| points[a].iter().zip(&points[b]).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
        assert!(distance(leaf(0), leaf(5)) < distance(leaf(0), leaf(20)));
        let comparison = model.comparison(&scene);
        let list = scene.parts.parents[leaf(0)] as usize;
        assert!(comparison.is_of(leaf(3), list) > 0.9 && comparison.is_of(leaf(20), list) < 0.1);
    }
}
