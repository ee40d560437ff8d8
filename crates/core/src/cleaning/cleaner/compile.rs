//! Compiles the patterns of pattern files, one part for each file.

use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

use super::part::Part;
use super::{CleanOptions, Cleaner, Placed, is_certain, same_lexer};
use crate::pages::elements::Selectors;
use crate::patterns::{Elements, Loose, Pattern, PatternFile, Role, SHARED, Status};
use crate::tokens::Lexer;

impl Cleaner {
    /// Compiles the patterns of these files. The source's own file must come first. A pattern that one file rejects is
    /// not applied from later files either.
    pub fn new(files: &[&PatternFile], options: &CleanOptions) -> Cleaner {
        Cleaner::of_parts(files, options, |file, rejected, only_accepted| {
            Arc::new(Part::new(file, rejected, only_accepted))
        })
    }

    /// Joins the parts of these files. `part` compiles a file, without the patterns that have an id that an earlier
    /// file rejects, and perhaps only those that are accepted.
    fn of_parts<'f>(
        files: &[&'f PatternFile],
        options: &CleanOptions,
        part: impl Fn(&'f PatternFile, &HashSet<&'f str>, bool) -> Arc<Part>,
    ) -> Cleaner {
        let loose = files.iter().map(|file| file.loose).find(|loose| *loose != Loose::Proposed).unwrap_or_default();
        // Without the patterns that nobody accepted, it cannot be decided about other text.
        let only_accepted = !options.decides_loose(loose);
        let (mut parts, mut ids) = (Vec::new(), HashSet::new());
        let (mut first_applied, mut first_rejected) = (0, 0);
        for file in files {
            let part = part(file, &ids, only_accepted);
            let [applied, rejected] = [part.applied.len(), part.rejected.len()];
            parts.push(Placed { part, first_applied, first_rejected });
            (first_applied, first_rejected) = (first_applied + applied, first_rejected + rejected);
            let is_rejected = |pattern: &&Pattern| pattern.status == Status::Rejected;
            ids.extend(file.all().filter(is_rejected).map(|pattern| pattern.id.as_str()));
        }
        let of_pattern =
            |(index, pattern): (usize, &Pattern)| Some((index, pattern.elements()?.clone(), is_certain(pattern)));
        let applied = parts.iter().flat_map(|placed| &placed.part.applied).enumerate();
        let selectors = Selectors::new(applied.filter_map(of_pattern));
        // A person who rejects a selector for content does not say that the rest of the page is content.
        let is_kept = |(_, elements, _): &(usize, Elements, bool)| elements.role == Role::Drop;
        let rejected = parts.iter().flat_map(|placed| &placed.part.rejected).enumerate();
        let kept = Selectors::new(rejected.filter_map(of_pattern).filter(is_kept));
        Cleaner {
            selectors: Arc::new([selectors, kept]),
            parts: parts.into(),
            recurrence_decides: files.iter().any(|file| file.unusual.is_some() || file.mined.snapshots),
            loose,
            is_of_source: files.iter().any(|file| file.source != SHARED && file.mined.documents > 0),
            options: options.clone(),
        }
    }
}

/// Compiles the cleaners of many sources. What they share is compiled once: a crawl can have a hundred thousand sources.
#[doc(hidden)]
#[derive(Debug)]
pub struct Compiler {
    shared: Option<Arc<PatternFile>>,
    options: CleanOptions,
    /// The part of the shared file: with all of its patterns, and with only the accepted ones.
    of_shared: [OnceLock<Arc<Part>>; 2],
    /// The cleaner of the sources whose files say nothing, for this lexer and this number of files.
    bare: OnceLock<(Lexer, usize, Cleaner)>,
}

impl Compiler {
    /// A compiler for sources that have these shared patterns.
    pub fn new(shared: Option<Arc<PatternFile>>, options: CleanOptions) -> Compiler {
        Compiler { shared, options, of_shared: Default::default(), bare: OnceLock::new() }
    }

    /// The shared patterns.
    pub fn shared(&self) -> Option<&PatternFile> {
        self.shared.as_deref()
    }

    /// The options of all cleaners.
    pub fn options(&self) -> &CleanOptions {
        &self.options
    }

    /// The same as [`Cleaner::new`] with these files and then the shared one.
    pub fn cleaner(&self, own: &[&PatternFile]) -> Cleaner {
        let Some(file) = own.last().filter(|file| file.says_nothing()) else { return self.compile(own) };
        let (lexer, files, bare) = self.bare.get_or_init(|| (file.lexer.clone(), own.len(), self.compile(own)));
        if same_lexer(lexer, &file.lexer) && *files == own.len() { bare.clone() } else { self.compile(own) }
    }

    fn compile(&self, own: &[&PatternFile]) -> Cleaner {
        let files: Vec<&PatternFile> = own.iter().copied().chain(self.shared()).collect();
        Cleaner::of_parts(&files, &self.options, |file, rejected, only_accepted| {
            let compile = || Arc::new(Part::new(file, rejected, only_accepted));
            let is_shared = self.shared().is_some_and(|shared| std::ptr::eq(shared, file));
            let is_rejected = |pattern: &Pattern| rejected.contains(pattern.id.as_str());
            match is_shared && (rejected.is_empty() || !file.all().any(is_rejected)) {
                true => Arc::clone(self.of_shared[usize::from(only_accepted)].get_or_init(compile)),
                false => compile(),
            }
        })
    }
}

/// The patterns of some files, divided by status. A pattern that one file rejects is not applied from later files
/// either.
pub(crate) struct Review<'f> {
    pub(crate) applied: Vec<Reviewed<'f>>,
    pub(super) rejected: Vec<Reviewed<'f>>,
}

pub(crate) struct Reviewed<'f> {
    pub(crate) pattern: &'f Pattern,
    pub(crate) file: &'f PatternFile,
    /// Its index in the file. `None` for evidence.
    pub(super) index: Option<usize>,
}

impl<'f> Review<'f> {
    pub(crate) fn of(files: &[&'f PatternFile], only_accepted: bool) -> Review<'f> {
        let mut ids = HashSet::new();
        let mut review = Review { applied: Vec::new(), rejected: Vec::new() };
        for file in files {
            let Review { applied, rejected } = Review::of_file(file, &mut ids, only_accepted);
            review.applied.extend(applied);
            review.rejected.extend(rejected);
        }
        review
    }

    /// The patterns of one file. `ids` are those of patterns that were rejected, and get those of this file.
    pub(super) fn of_file(file: &'f PatternFile, ids: &mut HashSet<&'f str>, only_accepted: bool) -> Review<'f> {
        let (rejected, others): (Vec<Reviewed>, Vec<Reviewed>) = (file.patterns.iter().enumerate())
            .map(|(index, pattern)| Reviewed { pattern, file, index: Some(index) })
            .chain(file.evidence.iter().map(|pattern| Reviewed { pattern, file, index: None }))
            .partition(|reviewed| reviewed.pattern.status == Status::Rejected);
        ids.extend(rejected.iter().map(|reviewed| reviewed.pattern.id.as_str()));
        let is_applied = |Reviewed { pattern, .. }: &Reviewed| {
            let is_asked_for = pattern.status == Status::Accepted || !only_accepted;
            is_asked_for && !ids.contains(pattern.id.as_str())
        };
        Review { applied: others.into_iter().filter(is_applied).collect(), rejected }
    }
}
