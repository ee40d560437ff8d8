//! What is compared: dehusk, and simple rules that it has to beat.

use std::borrow::Cow;

use dehusk::cleaning::{CleanError, CleanOptions, Cleaner, Cleaning, Method, Scratch};
use dehusk::corpus::Document;
use dehusk::evaluation::opponents::LineCounts;

use super::scoring::Libraries;

/// The share of the documents from which on [`Rule::LinesInFifth`] drops a line.
const FIFTH: f64 = 0.2;

/// A way to clean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// Remove nothing.
    LeftAlone,
    /// Remove the lines that stand in two documents of the source or more.
    LinesInTwo,
    /// Remove the lines that stand in 20 % of the documents of the source, or more.
    LinesInFifth,
    /// The literature's rule.
    Union,
    /// As asked for.
    Dehusk,
    /// As asked for, but with what half of the documents teach.
    HalfMined,
}

impl Rule {
    /// All there are, in the order in which they are told.
    pub const ALL: [Rule; 6] =
        [Rule::LeftAlone, Rule::LinesInTwo, Rule::LinesInFifth, Rule::Union, Rule::Dehusk, Rule::HalfMined];

    /// For people.
    pub fn label(self) -> &'static str {
        match self {
            Rule::LeftAlone => "left alone",
            Rule::LinesInTwo => "without lines in 2 documents",
            Rule::LinesInFifth => "without lines in 20 % of documents",
            Rule::Union => "dehusk --method union",
            Rule::Dehusk => "dehusk",
            Rule::HalfMined => "dehusk, half of the documents mined",
        }
    }

    /// For the head of a narrow column.
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

    /// For scripts.
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

/// The rules made ready for one source.
pub struct Rules {
    lines: LineCounts,
    /// Dehusk's, by rule.
    cleaners: Vec<(Rule, Cleaner)>,
}

/// One thread's scratch space, as many as there are cleaners.
pub type Scratches = Vec<Scratch>;

/// What a rule leaves of a text.
pub struct Kept<'t> {
    pub rule: Rule,
    pub text: Cow<'t, str>,
    /// How it came to be, for [`Rule::Dehusk`].
    pub cleaning: Option<Cleaning>,
}

impl Rules {
    /// Counts the lines of a source's documents and compiles its patterns.
    pub fn new(source: &str, documents: &[Option<Document>], libraries: &Libraries, options: &CleanOptions) -> Rules {
        let union = CleanOptions { method: Method::Union { merge_gap: 0 }, ..options.clone() };
        let all = libraries.all.for_source(source);
        let mut cleaners = vec![(Rule::Union, Cleaner::new(&all, &union)), (Rule::Dehusk, Cleaner::new(&all, options))];
        if let Some(half) = &libraries.half {
            cleaners.push((Rule::HalfMined, Cleaner::new(&half.for_source(source), options)));
        }
        let texts = documents.iter().flatten().map(|document| &*document.text);
        Rules { lines: LineCounts::of(texts), cleaners }
    }

    /// The cleaner that was asked for.
    pub fn cleaner(&self) -> Option<&Cleaner> {
        self.cleaners.iter().find(|(rule, _)| *rule == Rule::Dehusk).map(|(_, cleaner)| cleaner)
    }

    /// Scratch space for one thread.
    pub fn scratches(&self) -> Scratches {
        self.cleaners.iter().map(|(_, cleaner)| cleaner.scratch()).collect()
    }

    /// What each rule leaves of a text, in their order.
    pub fn apply<'t>(&self, scratches: &mut Scratches, text: &'t str) -> Result<Vec<Kept<'t>>, CleanError> {
        let without_lines = |rule, min_documents| {
            let text = self.lines.strip(text, min_documents).into();
            Kept { rule, text, cleaning: None }
        };
        let mut all = vec![
            Kept { rule: Rule::LeftAlone, text: text.into(), cleaning: None },
            without_lines(Rule::LinesInTwo, 2),
            without_lines(Rule::LinesInFifth, self.lines.documents_of_share(FIFTH)),
        ];
        for ((rule, cleaner), scratch) in self.cleaners.iter().zip(scratches) {
            let cleaning = cleaner.clean(scratch, text)?;
            let kept = cleaning.strip(text).into();
            all.push(Kept { rule: *rule, text: kept, cleaning: (*rule == Rule::Dehusk).then_some(cleaning) });
        }
        Ok(all)
    }
}
