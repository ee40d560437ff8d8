//! Compiles the patterns of pattern files.

use std::collections::HashSet;
use std::sync::Arc;

use super::{CleanOptions, Cleaner, Origin, Reader, same_lexer};
use crate::cleaning::decide::chance::{beyond_chance, once};
use crate::cleaning::decide::evidence::Weight;
use crate::cleaning::reading::matcher::TokenAutomaton;
use crate::cleaning::reading::regexes::Regexes;
use crate::pages::elements::Selectors;
use crate::patterns::regex::Edges;
use crate::patterns::{Block, Elements, ForeignRegex, Form, Loose, Pattern, PatternFile, Role, SHARED, Status};

impl Cleaner {
    /// Compiles the patterns of these files. The source's own file must come first. A pattern that one file rejects is
    /// not applied from later files either.
    pub fn new(files: &[&PatternFile], options: &CleanOptions) -> Cleaner {
        let loose = files.iter().map(|file| file.loose).find(|loose| *loose != Loose::Proposed).unwrap_or_default();
        // Without the patterns that nobody accepted, it cannot be decided about other text.
        let Review { applied, rejected } = Review::of(files, !options.decides_loose(loose));
        let reviewed = || applied.iter().chain(&rejected);
        let patterns = applied.len() + rejected.len();
        let mut readers: Vec<Reader> = Vec::new();
        for file in files {
            if readers.iter().any(|reader| same_lexer(&reader.lexer, &file.lexer)) {
                continue;
            }
            let alike = || reviewed().enumerate().filter(|(_, other)| same_lexer(&other.file.lexer, &file.lexer));
            let runs = alike().filter_map(|(index, other)| match &other.pattern.form {
                Form::Run(run) => Some((index, run, Edges::written_in(&other.pattern.regex))),
                _ => None,
            });
            // Rows are numbered after all patterns.
            let blocks: Vec<(usize, &Block)> =
                alike().filter_map(|(index, other)| Some((index, other.pattern.block()?))).collect();
            let edges = Edges::of_runs(blocks.iter().flat_map(|(_, block)| block.rows.iter().map(|row| &row.run)));
            let rows = blocks.iter().flat_map(|(_, block)| &block.rows).enumerate();
            let rows = rows.map(|(number, row)| (patterns + number, &row.run, edges));
            let automaton = TokenAutomaton::new(runs.chain(rows), file.lexer.tokenizer());
            let row = |&(index, block): &(usize, &Block)| (0..block.rows.len()).map(move |row| (index, row));
            readers.push(Reader { lexer: file.lexer.clone(), automaton, rows: blocks.iter().flat_map(row).collect() });
        }

        let regex = |(index, Reviewed { pattern, .. }): (usize, &Reviewed)| match &pattern.form {
            Form::Regex(regex) => Some((index, regex.clone())),
            Form::Run(_) | Form::Block(_) | Form::Elements(_) => None,
        };
        let of_pattern = |(index, Reviewed { pattern, .. }): (usize, &Reviewed)| match &pattern.form {
            Form::Elements(elements) => Some((index, elements.clone(), is_certain(pattern))),
            Form::Run(_) | Form::Regex(_) | Form::Block(_) => None,
        };

        let selectors = Selectors::new(applied.iter().enumerate().filter_map(of_pattern));
        // A person who rejects a selector for content does not say that the rest of the page is content.
        let is_kept = |(_, elements, _): &(usize, Elements, bool)| elements.role == Role::Drop;
        let kept = Selectors::new(rejected.iter().enumerate().filter_map(of_pattern).filter(is_kept));
        let keeps = files.iter().flat_map(|file| &file.keep).map(|keep| ForeignRegex::from(Arc::clone(keep.regex())));

        Cleaner {
            regexes: Arc::new(Regexes::new(reviewed().enumerate().filter_map(regex).collect())),
            keeps: Arc::new(Regexes::new(keeps.enumerate().collect())),
            selectors: Arc::new([selectors, kept]),
            origins: reviewed().map(|reviewed| reviewed.origin).collect(),
            weights: applied.iter().map(|reviewed| weight(reviewed.pattern)).collect(),
            reaches_cutoff: applied.iter().map(|reviewed| reaches_cutoff(reviewed.pattern, reviewed.file)).collect(),
            patterns: applied.iter().map(|reviewed| reviewed.pattern.clone()).collect(),
            rejected: rejected.iter().map(|reviewed| reviewed.pattern.clone()).collect(),
            readers: readers.into(),
            recurrence_decides: files.iter().any(|file| file.unusual.is_some() || file.mined.snapshots),
            loose,
            is_of_source: files.iter().any(|file| file.source != SHARED && file.mined.documents > 0),
            options: options.clone(),
        }
    }
}

/// The patterns of some files, divided by status. A pattern that one file rejects is not applied from later files
/// either.
pub(crate) struct Review<'f> {
    pub(crate) applied: Vec<Reviewed<'f>>,
    rejected: Vec<Reviewed<'f>>,
}

pub(crate) struct Reviewed<'f> {
    pub(crate) pattern: &'f Pattern,
    pub(crate) file: &'f PatternFile,
    /// `None` for evidence.
    origin: Option<Origin>,
}

impl<'f> Review<'f> {
    pub(crate) fn of(files: &[&'f PatternFile], only_accepted: bool) -> Review<'f> {
        let mut ids: HashSet<&str> = HashSet::new();
        let mut review = Review { applied: Vec::new(), rejected: Vec::new() };
        for (number, &file) in files.iter().enumerate() {
            let (rejected, others): (Vec<Reviewed>, Vec<Reviewed>) = (file.patterns.iter().enumerate())
                .map(|(index, pattern)| Reviewed { pattern, file, origin: Some(Origin { file: number, index }) })
                .chain(file.evidence.iter().map(|pattern| Reviewed { pattern, file, origin: None }))
                .partition(|reviewed| reviewed.pattern.status == Status::Rejected);
            ids.extend(rejected.iter().map(|reviewed| reviewed.pattern.id.as_str()));
            review.rejected.extend(rejected);
            let is_applied = |Reviewed { pattern, .. }: &Reviewed| {
                let is_asked_for = pattern.status == Status::Accepted || !only_accepted;
                is_asked_for && !ids.contains(pattern.id.as_str())
            };
            review.applied.extend(others.into_iter().filter(is_applied));
        }
        review
    }
}

fn weight(pattern: &Pattern) -> Weight {
    Weight {
        share: pattern.share(),
        documents: pattern.documents,
        occurrences: pattern.occurrences,
        is_certain: is_certain(pattern),
        holds_lines: match &pattern.form {
            Form::Run(run) => run.has_whole_line(),
            Form::Regex(_) | Form::Block(_) | Form::Elements(_) => true,
        },
        has_free: matches!(&pattern.form, Form::Run(run) if run.has_free()),
        ends_after: pattern.ends_after,
        beyond: beyond_chance(pattern.documents, pattern.occurrences, pattern.among),
        once: once(pattern.documents, pattern.occurrences, pattern.among),
    }
}

/// Whether a person confirmed the pattern: by accepting it, or by writing it without counts.
fn is_certain(pattern: &Pattern) -> bool {
    pattern.status == Status::Accepted || (!pattern.is_as_mined() && pattern.documents == 0)
}

fn reaches_cutoff(pattern: &Pattern, file: &PatternFile) -> bool {
    is_certain(pattern) || pattern.share() >= file.mined.cutoff
}
