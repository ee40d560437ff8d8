//! Stores a model in a YAML file that people can read.
//!
//! ```text
//! model: shape
//! version: 1
//! intercept: -0.25
//! clip: 4.0
//! features:
//!   words: {weight: 0.672, mean: 2.31, deviation: 1.2}
//! ```
//!
//! A model is always written in the same way: its features in their order, and numbers with 6 digits. So a file that is
//! read and written again does not change.

use std::collections::BTreeMap;
use std::fmt;
use std::fmt::Write;

use serde::Deserialize;
use serde_saphyr::Spanned;

use super::logistic::{Feature, LogisticModel};
use super::network::{Input, Network, UNITS, without_tiny};

/// The kind, version and features that a file with models of one kind must have.
#[derive(Clone, Debug)]
pub struct ModelFormat {
    /// The kind of the models.
    pub model: &'static str,
    /// The version of their features and of their file. A change of the meaning of a feature needs another version.
    pub version: u32,
    /// The names of their features, in order.
    pub features: &'static [&'static str],
}

/// The reason why this version cannot use a file as a model.
#[derive(Debug, PartialEq, thiserror::Error)]
pub struct ModelFileError {
    /// The name of the file.
    pub file: String,
    /// Line number from 1; 0 for the file as a whole.
    pub line: u64,
    /// What is wrong, and what to do.
    pub message: String,
}

impl fmt::Display for ModelFileError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let line = if self.line > 0 { format!(":{}", self.line) } else { String::new() };
        write!(f, "{}{line}: {}", self.file, self.message)
    }
}

/// The keys that all versions of all models have.
#[derive(Deserialize)]
struct HeadRecord {
    model: Spanned<String>,
    version: Spanned<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileRecord {
    #[serde(rename = "model")]
    _model: String,
    #[serde(rename = "version")]
    _version: u32,
    intercept: Spanned<f64>,
    clip: Option<Spanned<f64>>,
    features: BTreeMap<String, Spanned<FeatureRecord>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FeatureRecord {
    weight: f64,
    mean: f64,
    deviation: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct NetworkRecord {
    #[serde(rename = "model")]
    _model: String,
    #[serde(rename = "version")]
    _version: u32,
    intercept: Spanned<f64>,
    unit_weights: Spanned<Vec<f64>>,
    unit_intercepts: Spanned<Vec<f64>>,
    features: BTreeMap<String, Spanned<InputRecord>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct InputRecord {
    mean: f64,
    deviation: f64,
    weights: Vec<f64>,
}

/// The line between two parts of a file with several models.
pub const PART: &str = "---\n";

/// The parts of a file with several models. Each part begins with empty lines in place of the parts before, so that
/// line numbers in messages are those of the file.
pub fn parts(yaml: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    for (number, line) in yaml.split_inclusive('\n').enumerate() {
        match line == PART {
            true => parts.push("\n".repeat(number + 1)),
            false => parts.iter_mut().last().into_iter().for_each(|part| part.push_str(line)),
        }
    }
    parts
}

/// The line number of a problem, and its message.
type Problem = (u64, String);

impl ModelFormat {
    /// The model as a file.
    ///
    /// # Panics
    /// If the features of the model are not those of the format.
    pub fn to_yaml(&self, model: &LogisticModel) -> String {
        let is_named = model.features().iter().map(|feature| feature.name.as_str()).eq(self.features.iter().copied());
        assert!(is_named, "the model has the features of the format");
        let mut yaml = format!("model: {}\nversion: {}\n", self.model, self.version);
        yaml += &format!("intercept: {}\n", number(model.intercept()));
        yaml += &model.clip().map(|clip| format!("clip: {}\n", number(clip))).unwrap_or_default();
        yaml += "features:\n";
        for Feature { name, weight, mean, deviation } in model.features() {
            let [weight, mean, deviation] = [weight, mean, deviation].map(|&value| number(value));
            let _ = writeln!(yaml, "  {name}: {{weight: {weight}, mean: {mean}, deviation: {deviation}}}");
        }
        yaml
    }

    /// Parses a file that [`to_yaml`](ModelFormat::to_yaml) wrote. `file` is its name in messages.
    ///
    /// # Errors
    /// If it is a model of another kind or version, a feature is missing or unknown, or a number is impossible.
    pub fn parse(&self, yaml: &str, file: &str) -> Result<LogisticModel, ModelFileError> {
        let problem = |(line, message)| ModelFileError { file: file.to_owned(), line, message };
        self.check_head(yaml).and_then(|()| self.read(yaml)).map_err(problem)
    }

    /// Checks the kind and the version. This comes first, because another version may have other keys.
    fn check_head(&self, yaml: &str) -> Result<(), Problem> {
        let HeadRecord { model, version } = parsed(yaml)?;
        if model.value != self.model {
            let message = format!("this is a model of kind '{}'; give one of kind '{}'", model.value, self.model);
            return Err((model.referenced.line(), message));
        }
        if version.value != self.version {
            let Spanned { value, referenced, .. } = version;
            let message = format!(
                "the model has version {value}, and this program reads version {}; train the model again",
                self.version
            );
            return Err((referenced.line(), message));
        }
        Ok(())
    }

    fn read(&self, yaml: &str) -> Result<LogisticModel, Problem> {
        let FileRecord { intercept, clip, mut features, .. } = parsed(yaml)?;
        check("intercept", intercept.value, f64::is_finite, intercept.referenced.line())?;
        if let Some(clip) = &clip {
            check("clip", clip.value, is_positive, clip.referenced.line())?;
        }
        let known = self.known(&mut features, |name, FeatureRecord { weight, mean, deviation }, line| {
            check(&format!("weight of '{name}'"), weight, f64::is_finite, line)?;
            check_scale(name, mean, deviation, line)?;
            Ok(Feature { name: name.to_owned(), weight, mean, deviation })
        })?;
        Ok(LogisticModel::new(known, intercept.value, clip.map(|clip| clip.value)))
    }

    /// The features in the order of the format.
    fn known<R, F>(
        &self,
        found: &mut BTreeMap<String, Spanned<R>>,
        read: impl Fn(&str, R, u64) -> Result<F, Problem>,
    ) -> Result<Vec<F>, Problem> {
        let mut known = Vec::with_capacity(self.features.len());
        for &name in self.features {
            let missing = || (0, format!("there is no feature '{name}'; train the model again with this version"));
            let Spanned { value, referenced, .. } = found.remove(name).ok_or_else(missing)?;
            known.push(read(name, value, referenced.line())?);
        }
        if let Some((name, Spanned { referenced, .. })) = found.first_key_value() {
            let message = format!("this version does not know the feature '{name}'; train the model again with it");
            return Err((referenced.line(), message));
        }
        Ok(known)
    }

    /// The network as a file. For each feature it has the weights of all units.
    ///
    /// # Panics
    /// If the features of the network are not those of the format.
    pub fn network_to_yaml(&self, network: &Network) -> String {
        let is_named = network.inputs.iter().map(|input| input.name.as_str()).eq(self.features.iter().copied());
        assert!(is_named, "the network has the features of the format");
        let list = |values: &[f32]| {
            let values: Vec<String> = values.iter().map(|&value| number(value.into())).collect();
            format!("[{}]", values.join(", "))
        };
        let mut yaml = format!("model: {}\nversion: {}\n", self.model, self.version);
        let _ = writeln!(yaml, "intercept: {}", number(network.intercept.into()));
        let _ = writeln!(yaml, "unit-weights: {}", list(&network.unit_weights));
        let _ = writeln!(yaml, "unit-intercepts: {}\nfeatures:", list(&network.unit_intercepts));
        for Input { name, mean, deviation, weights } in &network.inputs {
            let [mean, deviation] = [mean, deviation].map(|&value| number(value.into()));
            let _ = writeln!(yaml, "  {name}: {{mean: {mean}, deviation: {deviation}, weights: {}}}", list(weights));
        }
        yaml
    }

    /// Parses a file that [`network_to_yaml`](ModelFormat::network_to_yaml) wrote. `file` is its name in messages.
    ///
    /// # Errors
    /// If it is a model of another kind or version, a feature or a unit is missing or unknown, or a number is
    /// impossible.
    pub fn parse_network(&self, yaml: &str, file: &str) -> Result<Network, ModelFileError> {
        if let Some(network) = self.written_network(yaml) {
            return Ok(network);
        }
        let problem = |(line, message)| ModelFileError { file: file.to_owned(), line, message };
        self.check_head(yaml).and_then(|()| self.read_network(yaml)).map_err(problem)
    }

    /// The network in a file, if each line is as [`network_to_yaml`](ModelFormat::network_to_yaml) writes it. Otherwise
    /// the file is read as YAML, which would be half of the time of a program that reads one page.
    fn written_network(&self, yaml: &str) -> Option<Network> {
        let mut lines = yaml.lines().skip_while(|line| line.is_empty() || line.starts_with('#'));
        let mut value = |key: &str| lines.next()?.strip_prefix(key)?.strip_prefix(": ");
        let is_known = value("model")? == self.model && value("version")?.parse() == Ok(self.version);
        let intercept = written_number(value("intercept")?)? as f32;
        let [unit_weights, unit_intercepts] = [value("unit-weights")?, value("unit-intercepts")?].map(written_units);
        let is_next = lines.next() == Some("features:");
        let mut input = |name: &&str| {
            let values = lines.next()?.strip_prefix("  ")?.strip_prefix(*name)?.strip_prefix(": {mean: ")?;
            let (mean, values) = values.split_once(", deviation: ")?;
            let (deviation, weights) = values.split_once(", weights: ")?;
            let (mean, deviation) = (written_number(mean)?, written_number(deviation).filter(|&of| is_positive(of))?);
            let weights = written_units(weights.strip_suffix('}')?)?;
            Some(Input { name: (*name).to_owned(), mean: mean as f32, deviation: deviation as f32, weights })
        };
        let inputs = self.features.iter().map(&mut input).collect::<Option<Vec<Input>>>()?;
        let is_all = is_known && is_next && lines.next().is_none();
        let network = Network { inputs, unit_weights: unit_weights?, unit_intercepts: unit_intercepts?, intercept };
        is_all.then_some(network)
    }

    fn read_network(&self, yaml: &str) -> Result<Network, Problem> {
        let NetworkRecord { intercept, unit_weights, unit_intercepts, mut features, .. } = parsed(yaml)?;
        check("intercept", intercept.value, f64::is_finite, intercept.referenced.line())?;
        let units = |of: &Spanned<Vec<f64>>, what: &str| units(&of.value, what, of.referenced.line());
        let inputs = self.known(&mut features, |name, InputRecord { mean, deviation, weights }, line| {
            check_scale(name, mean, deviation, line)?;
            let weights = self::units(&weights, &format!("weights of '{name}'"), line)?;
            Ok(Input { name: name.to_owned(), mean: mean as f32, deviation: deviation as f32, weights })
        })?;
        Ok(Network {
            inputs,
            unit_weights: units(&unit_weights, "weights of the units")?,
            unit_intercepts: units(&unit_intercepts, "intercepts of the units")?,
            intercept: intercept.value as f32,
        })
    }
}

/// The finite number in a text.
fn written_number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

/// The numbers in a text such as `[0.5, 1.0]`, if there is one for each unit.
fn written_units(text: &str) -> Option<[f32; UNITS]> {
    let numbers = text.strip_prefix('[')?.strip_suffix(']')?.split(", ").map(written_number);
    let units: Vec<f32> = numbers.map(|number| Some(without_tiny(number? as f32))).collect::<Option<_>>()?;
    units.try_into().ok()
}

fn check_scale(name: &str, mean: f64, deviation: f64, line: u64) -> Result<(), Problem> {
    check(&format!("mean of '{name}'"), mean, f64::is_finite, line)?;
    check(&format!("deviation of '{name}'"), deviation, is_positive, line)
}

/// Checks values and returns them as one number per unit.
fn units(values: &[f64], what: &str, line: u64) -> Result<[f32; UNITS], Problem> {
    let units: Vec<f32> = values.iter().map(|&value| without_tiny(value as f32)).collect();
    let count = |_| (line, format!("the {what} are {}, not {UNITS}; train the model again", values.len()));
    values.iter().try_for_each(|&value| check(what, value, f64::is_finite, line))?;
    units.try_into().map_err(count)
}

fn parsed<T: serde::de::DeserializeOwned>(yaml: &str) -> Result<T, Problem> {
    // Numbers that are not finite pass here, because the checks that follow can name the feature.
    let options = serde_saphyr::options! { reject_non_finite_typeless_float: false };
    serde_saphyr::from_str_with_options(yaml, options).map_err(|error| {
        let line = error.location().map_or(0, |location| location.line());
        let message = error.without_snippet().to_string();
        let message = message.split(" at line ").next().unwrap_or_default();
        (line, format!("{message}; correct it, or train the model again"))
    })
}

fn is_positive(number: f64) -> bool {
    number.is_finite() && number > 0.0
}

fn check(what: &str, number: f64, is_right: fn(f64) -> bool, line: u64) -> Result<(), Problem> {
    match is_right(number) {
        true => Ok(()),
        false => Err((line, format!("the {what} cannot be {number}; correct it, or train the model again"))),
    }
}

/// A number with 6 digits, as short as possible.
pub fn number(number: f64) -> String {
    // Adding 0 turns -0 into 0.
    let rounded = format!("{number:.5e}").parse::<f64>().map_or(number, |rounded| rounded + 0.0);
    format!("{rounded:?}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const FORMAT: ModelFormat = ModelFormat { model: "toy", version: 3, features: &["words", "links"] };
    const YAML: &str = "model: toy\nversion: 3\nintercept: -0.25\nclip: 4.0\nfeatures:\n  \
        words: {weight: 0.672, mean: 2.31, deviation: 1.2}\n  links: {weight: -1e-7, mean: 0.0, deviation: 123456.0}\n";

    fn problem(yaml: &str) -> String {
        FORMAT.parse(yaml, "toy.yaml").unwrap_err().to_string()
    }

    #[test]
    fn a_model_is_read_and_written_again() {
        let model = FORMAT.parse(YAML, "toy.yaml").unwrap();
        assert_eq!(model.features()[1].weight, -1e-7);
        assert_eq!(model.clip(), Some(4.0));
        assert_eq!(FORMAT.to_yaml(&model), YAML);
        let no_clip = YAML.replace("clip: 4.0\n", "");
        assert_eq!(FORMAT.to_yaml(&FORMAT.parse(&no_clip, "toy.yaml").unwrap()), no_clip);
    }

    fn network() -> Network {
        let units = |by: f32| std::array::from_fn(|unit| unit as f32 / 8.0 - by);
        let input = |name: &str, by: f32| Input { name: name.to_owned(), mean: by, deviation: 0.5, weights: units(by) };
        let inputs = vec![input("words", 1.0), input("links", 0.25)];
        Network { inputs, unit_intercepts: units(0.5), unit_weights: units(2.0), intercept: -0.25 }
    }

    #[test]
    fn a_network_is_read_and_written_again() {
        let yaml = FORMAT.network_to_yaml(&network());
        assert_eq!(FORMAT.parse_network(&yaml, "toy.yaml").unwrap(), network());
        let commented = format!("# A network.\n\n{yaml}");
        for written in [&yaml, &commented] {
            assert_eq!(FORMAT.written_network(written), FORMAT.read_network(written).ok());
        }
        for other in [yaml.replace("{mean", "{ mean"), yaml.replace("0.5", "5e-1 # half"), yaml.clone() + "\n# End\n"] {
            let read = FORMAT.parse_network(&other, "toy.yaml").map_err(|error| error.to_string());
            let as_yaml = FORMAT.read_network(&other).map_err(|(line, message)| format!("toy.yaml:{line}: {message}"));
            assert_eq!((read, FORMAT.written_network(&other)), (as_yaml, None), "{other}");
        }
        let is_wrong = |old: &str, new: &str, expected: &str| {
            let problem = FORMAT.parse_network(&yaml.replacen(old, new, 1), "toy.yaml").unwrap_err().to_string();
            assert!(problem.starts_with(expected) && problem.contains("train the model again"), "{problem}");
        };
        is_wrong("[-2.0, ", "[", "toy.yaml:4: the weights of the units are 31, not 32");
        is_wrong("[-2.0, ", "[.nan, ", "toy.yaml:4: the weights of the units cannot be NaN");
        is_wrong("[-1.0, ", "[-1.0, 2.0, ", "toy.yaml:7: the weights of 'words' are 33, not 32");
        is_wrong("deviation: 0.5", "deviation: 0.0", "toy.yaml:7: the deviation of 'words' cannot be 0");
        is_wrong("links:", "lonks:", "toy.yaml: there is no feature 'links'");
        is_wrong("version: 3", "version: 2", "toy.yaml:2: the model has version 2");
    }

    #[test]
    fn the_order_of_the_features_in_a_file_means_nothing() {
        let mut lines: Vec<&str> = YAML.split_inclusive('\n').collect();
        lines.swap(5, 6);
        assert_eq!(FORMAT.to_yaml(&FORMAT.parse(&lines.concat(), "toy.yaml").unwrap()), YAML);
    }

    #[test]
    fn a_wrong_file_says_where_and_what_to_do() {
        let is_wrong = |yaml: &str, expected: &str| {
            let problem = problem(yaml);
            assert!(problem.starts_with(expected), "{problem}");
            assert!(problem.contains("train the model again") || problem.contains("; give one"), "{problem}");
        };
        is_wrong(&YAML.replace("model: toy", "model: shape"), "toy.yaml:1: this is a model of kind 'shape'");
        is_wrong(&YAML.replace("version: 3", "version: 2\nnew: key"), "toy.yaml:2: the model has version 2");
        is_wrong(&YAML.replace("words:", "wards:"), "toy.yaml: there is no feature 'words'");
        is_wrong(
            &(YAML.to_owned() + "  luck: {weight: 1.0, mean: 0.0, deviation: 1.0}\n"),
            "toy.yaml:8: this version does not know the feature 'luck'",
        );
        is_wrong(&YAML.replace("0.672", ".nan"), "toy.yaml:6: the weight of 'words' cannot be NaN");
        is_wrong(&YAML.replace("mean: 0.0", "mean: .inf"), "toy.yaml:7: the mean of 'links' cannot be inf");
        is_wrong(&YAML.replace("deviation: 1.2", "deviation: 0"), "toy.yaml:6: the deviation of 'words' cannot be 0");
        is_wrong(&YAML.replace("-0.25", "-.inf"), "toy.yaml:3: the intercept cannot be -inf");
        is_wrong(&YAML.replace("clip: 4.0", "clip: -1"), "toy.yaml:4: the clip cannot be -1");
        is_wrong(&YAML.replace("mean: 2.31, ", ""), "toy.yaml:6: ");
        is_wrong(&YAML.replace("links:", "words:"), "toy.yaml:7: ");
        is_wrong(&YAML.replace("clip:", "clap:"), "toy.yaml:4: ");
        is_wrong("A boat.\n", "toy.yaml:1: ");
        is_wrong("", "toy.yaml");
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_to_6_digits(
            numbers in prop::collection::vec(-1e12f64..1e12, 3),
            exponent in -30i32..30,
            deviations in prop::collection::vec(1e-9f64..1e9, 2),
            clip in prop::option::of(0.5f64..50.0),
        ) {
            let feature = |name: &str, weight: f64, deviation: f64| Feature {
                name: name.to_owned(),
                weight: weight * 10f64.powi(exponent),
                mean: numbers[2],
                deviation,
            };
            let features = vec![
                feature("words", numbers[0], deviations[0]),
                feature("links", numbers[1], deviations[1]),
            ];
            let model = LogisticModel::new(features, numbers[2], clip);
            let yaml = FORMAT.to_yaml(&model);
            let read = FORMAT.parse(&yaml, "toy.yaml").unwrap();
            prop_assert_eq!(FORMAT.to_yaml(&read), yaml);
            for (read, written) in read.features().iter().zip(model.features()) {
                prop_assert!((read.weight - written.weight).abs() <= 1e-5 * written.weight.abs());
                prop_assert!((read.deviation - written.deviation).abs() <= 1e-5 * written.deviation);
            }
        }
    }
}
