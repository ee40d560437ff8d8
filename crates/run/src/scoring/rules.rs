//! The rules that are compared: dehusk, and simple rules that it has to beat.

use std::borrow::Cow;

use rayon::prelude::*;

use super::Libraries;
use crate::library::FilesOfSource;
use crate::scoring::opponents::LineCounts;
use dehusk_core::cleaning::{CleanError, CleanOptions, Cleaner, Cleaning, Scratch};
use dehusk_corpus::Document;

/// [`Rule::LinesInFifth`] removes the lines that are in at least this share of the documents.
const FIFTH: f64 = 0.2;

/// A way to clean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// Remove nothing.
    LeftAlone,
    /// Remove the lines that are in two or more documents of the source.
    LinesInTwo,
    /// Remove the lines that are in 20 % or more of the documents of the source.
    LinesInFifth,
    /// The rule of the literature: remove all matches of the patterns whose share reaches the cutoff.
    Union,
    /// Clean with the options that the user gave.
    Dehusk,
    /// Clean with the same options, but with patterns mined from half of the documents.
    HalfMined,
}

impl Rule {
    /// All rules, in the order in which they are shown.
    pub const ALL: [Rule; 6] =
        [Rule::LeftAlone, Rule::LinesInTwo, Rule::LinesInFifth, Rule::Union, Rule::Dehusk, Rule::HalfMined];

    /// The name of the rule in tables.
    pub fn label(self) -> &'static str {
        match self {
            Rule::LeftAlone => "left alone",
            Rule::LinesInTwo => "without lines in 2 documents",
            Rule::LinesInFifth => "without lines in 20 % of documents",
            Rule::Union => "dehusk, method union",
            Rule::Dehusk => "dehusk",
            Rule::HalfMined => "dehusk, half of the documents mined",
        }
    }

    /// The name at the head of a narrow column.
    pub fn short_label(self) -> &'static str {
        match self {
            Rule::LeftAlone => "alone",
            Rule::LinesInTwo => "2 docs",
            Rule::LinesInFifth => "20 %",
            Rule::Union => "union",
            Rule::Dehusk => "dehusk",
            Rule::HalfMined => "half",
        }
    }

    /// The name in JSON.
    pub fn key(self) -> &'static str {
        match self {
            Rule::LeftAlone => "left_alone",
            Rule::LinesInTwo => "lines_in_2_documents",
            Rule::LinesInFifth => "lines_in_20_percent",
            Rule::Union => "union",
            Rule::Dehusk => "dehusk",
            Rule::HalfMined => "half_mined",
        }
    }
}

/// The options of the rules that use patterns.
#[derive(Debug)]
pub struct Methods {
    /// The options that the user gave.
    pub asked: CleanOptions,
    /// The options of [`Rule::Union`].
    pub union: CleanOptions,
}

/// The rules for one source, with line counts and compiled patterns.
#[derive(Debug)]
pub(super) struct Rules {
    lines: LineCounts,
    judged: Rule,
    cleaners: Vec<RuleCleaner>,
}

/// A cleaner, and the rules that use it. If the user chose the union method, two rules use the same cleaner.
#[derive(Debug)]
struct RuleCleaner {
    rules: Vec<Rule>,
    cleaner: Cleaner,
}

/// The scratch space of one thread: a [`Scratch`] for each cleaner.
pub(super) type Scratches = Vec<Scratch>;

/// The text that some rules keep.
pub(super) struct Kept<'r, 't> {
    pub rules: &'r [Rule],
    pub text: Cow<'t, str>,
    /// The spans that were removed, if the rules use patterns.
    pub cleaning: Option<Cleaning>,
}

impl Rules {
    /// Counts the lines of a source's documents and compiles its patterns.
    pub fn new(source: &str, documents: &[Option<Document>], libraries: &Libraries, methods: &Methods) -> Rules {
        let texts = documents.iter().flatten().map(|document| &*document.text);
        let cleaners = wanted(source, libraries, methods).into_par_iter();
        let compile = |(rules, files, options): (Vec<Rule>, FilesOfSource, &CleanOptions)| RuleCleaner {
            rules,
            cleaner: Cleaner::new(&files.files(), options),
        };
        Rules { lines: LineCounts::of(texts), judged: libraries.judged(), cleaners: cleaners.map(compile).collect() }
    }

    /// The cleaner whose losses are reported.
    pub fn judged(&self) -> Option<&Cleaner> {
        self.cleaners.iter().find(|one| one.rules.contains(&self.judged)).map(|one| &one.cleaner)
    }

    /// Scratch space for one thread. All cleaners can use it at the same time.
    pub fn scratches(&self) -> Scratches {
        self.cleaners.iter().map(|_| Scratch::default()).collect()
    }

    /// Applies all rules to a document. Returns the text that each keeps.
    pub fn apply<'t>(
        &self,
        scratches: &mut Scratches,
        document: &'t Document,
    ) -> Result<Vec<Kept<'_, 't>>, CleanError> {
        let text = document.text.as_str();
        let in_fifth = self.lines.documents_of_share(FIFTH);
        let mut all = vec![
            Kept { rules: &[Rule::LeftAlone], text: text.into(), cleaning: None },
            Kept { rules: &[Rule::LinesInTwo], text: self.lines.strip(text, 2).into(), cleaning: None },
            Kept { rules: &[Rule::LinesInFifth], text: self.lines.strip(text, in_fifth).into(), cleaning: None },
        ];
        let clean = |(one, scratch): (&RuleCleaner, &mut Scratch)| {
            let reading = one.cleaner.read_page(scratch, text, document.tree.as_deref(), &|| true)?;
            let cleaning = one.cleaner.explain(text, &reading);
            Ok((cleaning.strip(text), cleaning))
        };
        let cleaned: Vec<(String, Cleaning)> =
            self.cleaners.par_iter().zip(scratches).map(clean).collect::<Result<_, CleanError>>()?;
        all.extend(self.cleaners.iter().zip(cleaned).map(|(one, (kept, cleaning))| Kept {
            rules: &one.rules,
            text: kept.into(),
            cleaning: Some(cleaning),
        }));
        Ok(all)
    }
}

/// The cleaners that are needed: for each the rules that use it, its pattern files and its options.
fn wanted<'a>(
    source: &str,
    libraries: &'a Libraries,
    Methods { asked, union }: &'a Methods,
) -> Vec<(Vec<Rule>, FilesOfSource, &'a CleanOptions)> {
    let all = libraries.all.for_source(source);
    let mut wanted = match asked.method == union.method {
        true => vec![(vec![Rule::Union, Rule::Dehusk], all, asked)],
        false => vec![(vec![Rule::Union], all.clone(), union), (vec![Rule::Dehusk], all, asked)],
    };
    wanted.extend(libraries.half.iter().map(|half| (vec![Rule::HalfMined], half.for_source(source), asked)));
    wanted
}
