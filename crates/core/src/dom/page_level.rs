//! Page-level template detection: how far each node of a single page is boilerplate (D. Chakrabarti, R. Kumar, K.
//! Punera, "Page-level template detection via isotonic smoothing", WWW 2007).
//!
//! A logistic model judges each node by its features. Nodes of different size look different, so there are 4 models,
//! each for a class of area. Their scores are then smoothed: a node is at least as much template as its parent. Small
//! nodes are *hidden*: they are not judged, and have the score of the node around them.

use std::ops::Range;
use std::sync::{Arc, LazyLock};

use rayon::prelude::*;
use serde::Deserialize;

use super::facts::Facts;
use super::features::{FEATURES, NAMES, features};
use super::isotonic::smooth;
use crate::html::Tree;
use crate::models::examples::Examples;
use crate::models::file::{ModelFileError, ModelFormat, PART, parts};
use crate::models::logistic::{FitOptions, LogisticModel, fit};

/// Minimum area of a judged node, in square pixels. Smaller nodes are hidden.
pub const LEAST_AREA: f64 = 2000.0;
/// The cost of a section that is as large as the page.
const PENALTY_OF_SECTION: f64 = 0.01;
/// A leaf with at least this value is boilerplate.
pub const TEMPLATE: f32 = 0.5;
/// Number of classes of area.
const CLASSES: usize = 4;
/// Bounds of classes are multiples of this, in square pixels.
const ROUNDING: f64 = 1000.0;
/// The options for fitting a model. Values are clipped, because a few are very large, such as those of a link with a
/// thousand words.
const FIT: FitOptions = FitOptions { ridge: 1.0, clip: Some(5.0) };
/// The first line of a model file.
pub const FIRST_LINE: &str = "# A page-level model of dehusk: it says how much each part of a page is template.";
const KIND: &str = "page-level";
/// The format of each class in a model file.
const FORMAT: ModelFormat = ModelFormat { model: "page-level-nodes", version: 1, features: &NAMES };

/// A fitted model: for each class of area the logistic model of its nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct PageModel {
    /// The areas at which the second class and the others begin.
    bounds: [f64; CLASSES - 1],
    classes: [LogisticModel; CLASSES],
}

/// The nodes of a page that are judged: the page itself, and all nodes that are large enough. The nodes around a judged
/// node are judged as well, because no node is smaller than a node inside it.
#[derive(Clone, Debug)]
pub struct Judged {
    /// In the order of the page.
    nodes: Vec<u32>,
    /// For each judged node, the index of the judged node around it.
    parents: Vec<u32>,
    /// For each judged node, the number of nodes that it represents: itself and the hidden ones inside it.
    weights: Vec<u32>,
    /// For each node of the page, the index of the judged node that represents it.
    of: Vec<u32>,
}

impl Judged {
    /// Selects the nodes of a page that are judged.
    pub fn of(facts: &Facts) -> Judged {
        let tree = facts.tree();
        let mut judged = Judged { nodes: Vec::new(), parents: Vec::new(), weights: Vec::new(), of: Vec::new() };
        for node in 0..tree.len() {
            let around = tree.parent(node).map_or(0, |parent| judged.of[parent]);
            if node == 0 || facts.area(node) >= LEAST_AREA {
                judged.of.push(judged.nodes.len() as u32);
                judged.nodes.push(node as u32);
                judged.parents.push(around);
                judged.weights.push(1);
            } else {
                judged.of.push(around);
                judged.weights[around as usize] += 1;
            }
        }
        judged
    }

    /// The nodes, in the order of the page.
    pub fn nodes(&self) -> impl Iterator<Item = usize> {
        self.nodes.iter().map(|&node| node as usize)
    }

    /// The index of the judged node that represents a node: itself, or the nearest one around it.
    pub fn index_of(&self, node: usize) -> usize {
        self.of[node] as usize
    }
}

/// The smoothed scores of judged nodes.
#[derive(Clone, Debug)]
pub struct Sectioned {
    /// How much each node is boilerplate, 0 to 1.
    pub values: Vec<f32>,
    /// For each node, the index of the node at which its section starts.
    pub sections: Vec<usize>,
}

impl PageModel {
    /// The model that comes with dehusk.
    pub fn shipped() -> Arc<PageModel> {
        static SHIPPED: LazyLock<Arc<PageModel>> = LazyLock::new(|| {
            let model = PageModel::parse(include_str!("page_level.yaml"), "page_level.yaml");
            Arc::new(model.unwrap_or_else(|error| panic!("the shipped page-level model: {error}")))
        });
        Arc::clone(&SHIPPED)
    }

    /// The probability that each of these nodes is boilerplate, judged alone.
    #[doc(hidden)]
    pub fn scores(&self, facts: &Facts, judged: &Judged) -> Vec<f32> {
        let score = |node: usize| {
            let class = &self.classes[class_of(&self.bounds, facts.area(node))];
            let mut features = features(facts, node);
            for (value, feature) in features.iter_mut().zip(class.features()) {
                if value.is_nan() {
                    *value = feature.mean as f32;
                }
            }
            class.probability(&features) as f32
        };
        judged.nodes().map(score).collect()
    }

    /// How much each node of the page is boilerplate, judged together with the nodes around it.
    #[doc(hidden)]
    pub fn values(&self, facts: &Facts) -> Vec<f32> {
        let judged = Judged::of(facts);
        let values = sectioned(facts, &judged, &self.scores(facts, &judged), 1.0).values;
        (0..facts.tree().len()).map(|node| values[judged.index_of(node)]).collect()
    }

    /// The parts of the visible text that are boilerplate, in order, each with its value. The parts are runs of text.
    #[doc(hidden)]
    pub fn templates(&self, facts: &Facts) -> Vec<(Range<usize>, f32)> {
        let values = self.values(facts);
        let tree: &Tree = facts.tree();
        let mut parts: Vec<(Range<usize>, f32)> = Vec::new();
        let mut was_template = false;
        for run in tree.runs() {
            let (range, value) = (tree.text(run), values[run]);
            let is_template = value >= TEMPLATE;
            if is_template {
                // The text between two such runs is removed as well.
                let before = parts.last_mut().filter(|_| was_template);
                before.into_iter().for_each(|(before, _)| before.end = range.start);
                parts.push((range, value));
            }
            was_template = is_template;
        }
        parts
    }

    /// The model as a readable file. `about` says in one line what the model was learned from.
    pub fn to_yaml(&self, about: &str) -> String {
        let areas = self.bounds.map(|bound| format!("{bound}")).join(", ");
        let mut yaml =
            format!("{FIRST_LINE}\n# {about}\nkind: {KIND}\nversion: {}\nareas: [{areas}]\n", FORMAT.version);
        for (class, model) in self.classes.iter().enumerate() {
            let from = class.checked_sub(1).map_or(LEAST_AREA, |before| self.bounds[before]);
            yaml += &format!("{PART}# Nodes of {from} square pixels or more\n{}", FORMAT.to_yaml(model));
        }
        yaml
    }

    /// Parses a file that [`to_yaml`](PageModel::to_yaml) wrote. `file` is its name in messages.
    ///
    /// # Errors
    /// If it is not such a file, or a file of another version.
    pub fn parse(yaml: &str, file: &str) -> Result<PageModel, ModelFileError> {
        let problem = |line: u64, message: String| ModelFileError { file: file.to_owned(), line, message };
        let parts = parts(yaml);
        let Head { kind, version, areas } = serde_saphyr::from_str(&parts[0]).map_err(|error| {
            let line = error.location().map_or(0, |location| location.line());
            problem(line, format!("this is no page-level model; train one from pages: {}", error.without_snippet()))
        })?;
        let train_again = "; train the model again";
        if kind != KIND || version != FORMAT.version {
            let message = format!(
                "this is a model '{kind}' of version {version}, and this program reads '{KIND}' of version {}{train_again}",
                FORMAT.version
            );
            return Err(problem(0, message));
        }
        if !areas.is_sorted() || areas.iter().any(|area| !area.is_finite() || *area < LEAST_AREA) {
            return Err(problem(0, format!("'areas' must grow, from {LEAST_AREA} on{train_again}")));
        }
        let classes = parts[1..].iter().map(|part| FORMAT.parse(part, file)).collect::<Result<Vec<_>, _>>()?;
        let count = classes.len();
        let wrong_count =
            |_| problem(0, format!("there are {count} parts after the first, not {CLASSES}{train_again}"));
        Ok(PageModel { bounds: areas, classes: classes.try_into().map_err(wrong_count)? })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    kind: String,
    version: u32,
    areas: [f64; CLASSES - 1],
}

/// The class of a node of this area.
fn class_of(bounds: &[f64], area: f64) -> usize {
    bounds.partition_point(|&bound| bound <= area)
}

/// Smooths the scores of the judged nodes of a page. All penalties are multiplied by a factor.
pub fn sectioned(facts: &Facts, judged: &Judged, scores: &[f32], factor: f64) -> Sectioned {
    let whole = facts.area(0).max(1.0);
    let penalty = |node: usize| (factor * PENALTY_OF_SECTION * whole / facts.area(node).max(1.0)) as f32;
    let penalties: Vec<f32> = judged.nodes().map(penalty).collect();
    let smoothed = smooth(&judged.parents, scores, &judged.weights, &penalties);
    let mut sections: Vec<usize> = Vec::with_capacity(scores.len());
    for (index, &parent) in judged.parents.iter().enumerate() {
        let starts = smoothed.is_section_root[index];
        sections.push(if starts { index } else { sections[parent as usize] });
    }
    Sectioned { values: smoothed.y, sections }
}

/// Labelled nodes of pages, from which a model is learned.
#[derive(Clone, Debug, Default)]
pub struct Lessons {
    examples: Vec<Lesson>,
    /// Number of pages.
    pub pages: usize,
}

#[derive(Clone, Debug)]
struct Lesson {
    area: f64,
    features: [f32; FEATURES],
    is_template: bool,
    weight: f32,
}

impl Lessons {
    /// Adds the judged nodes of a page that have a label. All pages weigh the same.
    pub fn add(&mut self, facts: &Facts, labels: &[Option<bool>]) {
        let judged = Judged::of(facts);
        let labelled: Vec<(usize, bool)> = judged.nodes().filter_map(|node| Some((node, labels[node]?))).collect();
        let weight = 1.0 / labelled.len().max(1) as f32;
        let lesson = |(node, is_template)| {
            let (area, features) = (facts.area(node), features(facts, node));
            Lesson { area, features, is_template, weight }
        };
        self.examples.extend(labelled.into_iter().map(lesson));
        self.pages += 1;
    }

    /// Adds all examples of other lessons.
    pub fn extend(&mut self, others: Lessons) {
        self.examples.extend(others.examples);
        self.pages += others.pages;
    }

    /// Number of nodes, and of those that are boilerplate.
    pub fn counts(&self) -> (usize, usize) {
        (self.examples.len(), self.examples.iter().filter(|example| example.is_template).count())
    }

    /// The model that fits the examples best. Classes of area begin at the quartiles of the areas.
    pub fn fit(&self) -> PageModel {
        let mut areas: Vec<f64> = self.examples.iter().map(|example| example.area).collect();
        areas.sort_unstable_by(f64::total_cmp);
        let quartile = |number: usize| areas.get(areas.len() * number / CLASSES).copied().unwrap_or(LEAST_AREA);
        let bounds = [1, 2, 3].map(|number| ((quartile(number) / ROUNDING).round() * ROUNDING).max(LEAST_AREA));
        let mut classes: [Vec<&Lesson>; CLASSES] = Default::default();
        self.examples.iter().for_each(|example| classes[class_of(&bounds, example.area)].push(example));
        let models: Vec<LogisticModel> = classes.par_iter().map(|examples| fit_class(examples)).collect();
        let classes = models.try_into().unwrap_or_else(|_| unreachable!("a model for each class"));
        PageModel { bounds, classes }
    }
}

/// Fits the model of a class. An unknown feature gets the mean of its known values.
fn fit_class(lessons: &[&Lesson]) -> LogisticModel {
    let (mut sums, mut known) = ([0.0f64; FEATURES], [0u32; FEATURES]);
    for lesson in lessons {
        for (index, &value) in lesson.features.iter().enumerate().filter(|(_, value)| !value.is_nan()) {
            sums[index] += f64::from(value);
            known[index] += 1;
        }
    }
    let mean = |index: usize| (sums[index] / f64::from(known[index].max(1))) as f32;
    let mut examples = Examples::new(&NAMES);
    for lesson in lessons {
        let value = |(index, &value): (usize, &f32)| if value.is_nan() { mean(index) } else { value };
        let features: Vec<f32> = lesson.features.iter().enumerate().map(value).collect();
        examples.push(&features, f32::from(u8::from(lesson.is_template)), lesson.weight);
    }
    fit(&examples, &FIT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::read;

    fn page(menu: usize, story: usize) -> String {
        let link = |number: usize| format!("<li><a href=/{number}>Section Number {number}</a></li>");
        let sentence =
            |number: usize| format!("<p>The ferry of day {number} came in late, and nobody on the quay knew why.</p>");
        let [menu, story] = [(0..menu).map(link).collect::<String>(), (0..story).map(sentence).collect()];
        format!("<div id=menu><ul>{menu}</ul></div><div id=story>{story}</div>")
    }

    /// A model that has learned that menus are boilerplate and stories are not.
    fn learned() -> PageModel {
        let mut lessons = Lessons::default();
        for number in 3..40 {
            let page = page(number, 40 - number);
            let (text, tree) = read::<Tree>(&page);
            let in_menu = (0..tree.len()).find(|&node| tree.name(node) == "ul").map(|node| node - 1..tree.end(node));
            let labels: Vec<Option<bool>> =
                (0..tree.len()).map(|node| Some(in_menu.as_ref().is_some_and(|menu| menu.contains(&node)))).collect();
            lessons.add(&Facts::of(&tree, &text, None, None), &labels);
        }
        lessons.fit()
    }

    #[test]
    fn what_was_learned_is_found_in_other_pages() {
        let (text, tree) = read::<Tree>(&page(12, 7));
        let parts = learned().templates(&Facts::of(&tree, &text, None, None));
        let removed: String = parts.iter().map(|(range, _)| &text[range.clone()]).collect();
        assert!(
            removed.starts_with("Section Number 0\nSection") && removed.ends_with("Section Number 11"),
            "{removed}"
        );
        assert!(parts.is_sorted_by(|(a, _), (b, _)| a.end <= b.start));
        assert!(parts.iter().all(|(_, value)| *value >= TEMPLATE));
    }

    #[test]
    fn small_nodes_are_hidden_behind_the_node_around_them() {
        let (text, tree) = read::<Tree>("<div><b>x</b><p>A line that is long enough.</p></div>");
        let facts = Facts::of(&tree, &text, None, None);
        let judged = Judged::of(&facts);
        let names: Vec<&str> = judged.nodes().map(|node| tree.name(node)).collect();
        assert_eq!(names, ["body", "div", "p", ""]);
        assert_eq!(judged.weights, [1, 3, 1, 1]);
        assert_eq!(judged.parents, [0, 0, 1, 2]);
        assert_eq!((0..tree.len()).map(|node| judged.index_of(node)).collect::<Vec<_>>(), [0, 1, 1, 1, 2, 3]);
    }

    #[test]
    fn no_node_has_a_lower_value_than_the_one_around_it() {
        let (text, tree) = read::<Tree>(&page(30, 20));
        let facts = Facts::of(&tree, &text, None, None);
        let (model, judged) = (learned(), Judged::of(&facts));
        let scores = model.scores(&facts, &judged);
        let mut sections_before = usize::MAX;
        for factor in [0.0, 1.0, 1e6] {
            let Sectioned { values, sections } = sectioned(&facts, &judged, &scores, factor);
            for (index, &parent) in judged.parents.iter().enumerate() {
                let parent = parent as usize;
                assert!(values[index] >= values[parent]);
                assert_eq!(sections[index] == index, index == 0 || values[index] > values[parent]);
            }
            let count = sections.iter().enumerate().filter(|(index, section)| index == *section).count();
            assert!(count <= sections_before, "a larger penalty makes no more sections");
            sections_before = count;
        }
        assert_eq!(sections_before, 1);
    }

    #[test]
    fn a_model_is_read_and_written_again() {
        let yaml = learned().to_yaml("Learned in a test.");
        assert!(
            yaml.starts_with(&format!("{FIRST_LINE}\n# Learned in a test.\nkind: page-level\nversion: 1\nareas: [")),
            "{yaml}"
        );
        let read = PageModel::parse(&yaml, "a.yaml").expect("a model");
        assert_eq!(read.to_yaml("Learned in a test."), yaml);
        assert!(PageModel::shipped().bounds.is_sorted());
    }

    #[test]
    fn a_wrong_file_says_where_and_what_to_do() {
        let yaml = learned().to_yaml("Learned in a test.");
        let says = |yaml: &str, expected: &str| {
            let message = PageModel::parse(yaml, "a.yaml").expect_err("a problem").to_string();
            assert!(message.contains(expected), "{message}");
            assert!(message.contains("train"), "{message}");
        };
        says("A boat.", "this is no page-level model");
        says("shape: 1\nintercept: 2.0\n", "this is no page-level model");
        says(
            &yaml.replacen("version: 1", "version: 2", 1),
            "of version 2, and this program reads 'page-level' of version 1",
        );
        says(&yaml.replacen("areas: [", "areas: [1e9, ", 1).replacen("]", ", 1]", 1), "no page-level model");
        says(&yaml[..yaml.rfind(PART).expect("4 parts")], "there are 3 parts after the first, not 4");
        let line = yaml.lines().position(|line| line.contains("links-per-word")).expect("a feature") + 1;
        says(
            &yaml.replacen("links-per-word: {weight: ", "links-per-word: {weight: .nan, x: ", 1),
            &format!("a.yaml:{line}: "),
        );
    }

    #[test]
    fn any_page_is_judged() {
        let model = PageModel::shipped();
        let many = |piece: &str| piece.repeat(60_000);
        let pages = [
            String::new(),
            "x".to_owned(),
            many("<div>"),
            many("<div>a few words that are seen "),
            many("<p>a few words that are seen"),
        ];
        for page in pages {
            let (text, tree) = read::<Tree>(&page);
            let parts = model.templates(&Facts::of(&tree, &text, None, None));
            assert!(parts.iter().all(|(range, _)| range.end <= text.len()));
        }
    }
}
