//! What a decision would change, before it is made.
//!
//! Takes [`Step`]s, and cleans documents as they are cleaned now and as they would be after each step. Returns the
//! differences between what is cut. So it also shows text that no pattern matches, but that is removed, or comes back,
//! together with its neighbours. Only documents in which a changed pattern matches can change, so only these are
//! cleaned.

use std::cmp::Reverse;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rayon::prelude::*;

use dehusk_core::cleaning::reading::regexes::MatchError;
use dehusk_core::cleaning::{CleanError, Cleaner, Cleaning, Origin, Scratch, Span};
use dehusk_core::patterns::{Pattern, PatternFile, SHARED, Status};
use dehusk_core::selection::effects::{Found, Question, SampleMatch, found};
use dehusk_core::tokens::characters::words;

use super::Session;
use super::decision::{Change, FileChanges, Refusal, Step};
use super::documents::{LoadedDocument, Texts};

/// Maximum time that a person waits. After that, results are shown for the documents done so far.
const PATIENCE_OF_PERSON: Duration = Duration::from_secs(4);

/// What a decision would change.
#[derive(Debug, Default)]
pub struct Preview {
    /// The documents that were looked at, with the source whose documents they are.
    pub texts: Vec<(String, Arc<Texts>)>,
    /// Number of documents that were looked at in time.
    pub sampled: usize,
    /// Number of all documents.
    pub of: usize,
    /// Number of documents of whose text more or less would be removed.
    pub documents: usize,
    /// The text that would be removed in addition.
    pub removed: Difference,
    /// The text that would no longer be removed.
    pub back: Difference,
    /// The matches of the changed patterns, now and after the decision.
    pub matches: [MatchCounts; 2],
    /// New matches.
    pub gained: Vec<SampleMatch>,
    /// Matches that are lost.
    pub lost: Vec<SampleMatch>,
    /// Why the engine gave up on some documents, if it did.
    pub failure: Option<String>,
}

/// Numbers of matches, and of documents with a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MatchCounts {
    /// Number of matches.
    pub matches: usize,
    /// Number of documents.
    pub documents: usize,
}

/// Text that is removed before a decision but not after it, or the other way round.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// Number of its words.
    pub words: usize,
    /// Number of the words that no pattern explains.
    pub unmatched: usize,
    /// Each different text once, the largest sum first.
    pub excerpts: Vec<Excerpt>,
}

/// A text that is removed in one state and not in the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The index in [`Preview::texts`], and the index of the document there.
    pub document: (usize, usize),
    /// The bytes of the document.
    pub bytes: Range<usize>,
    /// Whether no pattern explains any of it.
    pub is_unmatched: bool,
    /// Number of places with the same text.
    pub places: usize,
}

impl Session {
    /// A function that returns true for [`PATIENCE_OF_PERSON`] from now, unless the review ends before.
    pub(super) fn patience(&self) -> impl Fn() -> bool + Sync {
        let start = Instant::now();
        move || start.elapsed() < PATIENCE_OF_PERSON && !self.survey.is_closed()
    }

    /// The matches of a pattern from a source's own file, as many as are found in time.
    pub fn matches(&self, source: &str, index: usize, texts: &Texts) -> Vec<SampleMatch> {
        let files = self.files_for(source);
        let Some(own) = files.first() else { return Vec::new() };
        let alone = own.only(own.patterns.get(index).into_iter().cloned().collect());
        let watched = Some(Origin { file: 0, index: 0 });
        let question = Question { files: &[&alone], options: &self.options, watched };
        let go_on = self.patience();
        texts.effects(&question, go_on).watched
    }

    /// What each of these steps would change. Stops when the time is over or `go_on` returns false. All steps change
    /// the same patterns. The error says why a step cannot be made.
    pub fn preview(&self, steps: &[Step], go_on: impl Fn() -> bool + Sync) -> Result<Vec<Preview>, Refusal> {
        let patience = self.patience();
        let go_on = || patience() && go_on();

        let changed = Changed::by(self, steps)?;
        let mut previews: Vec<Preview> = steps.iter().map(|_| Preview::default()).collect();
        for source in changed.sources() {
            let texts = self.documents.texts(source);
            // Documents of a source whose own file changes, too, are looked at together with that source.
            let is_elsewhere =
                |page: usize| source == SHARED && changed.files.contains_key(&texts.documents[page].source);
            let pages: Vec<usize> = (0..texts.documents.len()).filter(|&page| !is_elsewhere(page)).collect();
            let probe = changed.probe(self, source);
            let can_change = match changed.is_about_all_text {
                true => vec![Some(true); pages.len()],
                false => Changed::matching(&probe, &texts, &pages, &go_on),
            };

            let mut by_source: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
            let mut outcomes: Vec<(usize, Outcome)> = Vec::new();
            for (page, is_matched) in pages.iter().copied().zip(can_change) {
                match is_matched {
                    Some(true) => by_source.entry(&texts.documents[page].source).or_default().push(page),
                    Some(false) => outcomes.push((page, Some(Ok(Vec::new())))),
                    None => outcomes.push((page, None)),
                }
            }

            for (of_source, pages) in by_source {
                let states = changed.states(self, of_source);
                let look = |scratch: &mut Scratch, &page: &usize| {
                    let document = &texts.documents[page];
                    (page, if go_on() { states.look(scratch, document, &go_on) } else { None })
                };
                outcomes.extend(pages.par_iter().map_init(Scratch::default, look).collect::<Vec<_>>());
            }

            outcomes.sort_by_key(|(page, _)| *page);
            for (number, preview) in previews.iter_mut().enumerate() {
                preview.add(number, source, &texts, &outcomes);
            }
        }

        for Preview { texts, removed, back, .. } in &mut previews {
            [removed, back].into_iter().for_each(|difference| difference.join_same_texts(texts));
        }
        Ok(previews)
    }
}

/// The files that steps change, before the steps and after each step.
struct Changed {
    files: BTreeMap<String, ChangedFile>,
    /// Number of steps.
    steps: usize,
    /// Whether text changes that no pattern matches.
    is_about_all_text: bool,
}

struct ChangedFile {
    now: Arc<PatternFile>,
    /// The file after each step.
    then: Vec<Arc<PatternFile>>,
    ids: HashSet<String>,
}

impl Changed {
    fn by(session: &Session, steps: &[Step]) -> Result<Changed, Refusal> {
        let mut files: BTreeMap<String, ChangedFile> = BTreeMap::new();
        let mut is_about_all_text = false;
        for (number, step) in steps.iter().enumerate() {
            for changes in &step.files {
                let FileChanges { source, changes: of_file } = changes;
                let Some(now) = session.files.get(source) else { continue };
                let unchanged = || ChangedFile {
                    then: vec![Arc::clone(&now); steps.len()],
                    now: Arc::clone(&now),
                    ids: HashSet::new(),
                };
                let file = files.entry(source.clone()).or_insert_with(unchanged);
                changes.apply(Arc::make_mut(&mut file.then[number]))?;
                let id = |change: &Change| match change {
                    Change::Pattern { id, .. } | Change::Own { id, .. } => Some(id.clone()),
                    Change::Keep { .. } | Change::Loose { .. } => None,
                };
                is_about_all_text |= of_file.iter().any(|change| matches!(change, Change::Loose { .. }));
                file.ids.extend(of_file.iter().filter_map(id));
            }
        }
        Ok(Changed { files, steps: steps.len(), is_about_all_text })
    }

    /// The sources of the changed files. The shared patterns come last, because their documents are those of all
    /// sources.
    fn sources(&self) -> impl Iterator<Item = &str> {
        let own = self.files.keys().map(String::as_str).filter(|&source| source != SHARED);
        own.chain(self.files.contains_key(SHARED).then_some(SHARED))
    }

    /// A cleaner that finds all matches of the changed patterns, whatever their status.
    fn probe(&self, session: &Session, source: &str) -> Cleaner {
        let names = [source, SHARED].into_iter().take(if source == SHARED { 1 } else { 2 });
        let mut probes: Vec<PatternFile> = Vec::new();
        for file in names.filter_map(|name| self.files.get(name)) {
            let mut seen: HashSet<&str> = HashSet::new();
            for state in std::iter::once(&file.now).chain(&file.then) {
                let changed = state.patterns.iter().filter(|pattern| file.ids.contains(&pattern.id));
                let unseen: Vec<&Pattern> = changed.filter(|pattern| seen.insert(&pattern.regex)).collect();
                if !unseen.is_empty() {
                    let accepted = |pattern: &Pattern| Pattern { status: Status::Accepted, ..pattern.clone() };
                    let mut probe = PatternFile::empty(&file.now.source, &file.now.lexer);
                    probe.patterns = unseen.into_iter().map(accepted).collect();
                    probes.push(probe);
                }
            }
        }
        Cleaner::new(&probes.iter().collect::<Vec<_>>(), &session.options)
    }

    /// For each of these documents, whether a changed pattern matches in it. `None` if the time was over before. Also
    /// true if the regex engine gives up on the document, so that it is looked at, and the reason is told.
    fn matching(
        probe: &Cleaner,
        texts: &Texts,
        pages: &[usize],
        go_on: &(impl Fn() -> bool + Sync),
    ) -> Vec<Option<bool>> {
        let look = |scratch: &mut Scratch, &page: &usize| {
            if !go_on() {
                return None;
            }
            let LoadedDocument { text, tree, .. } = &texts.documents[page];
            match probe.read_page(scratch, text, tree.as_deref(), go_on) {
                Ok(reading) => Some(reading.found().next().is_some()),
                Err(error) => (!is_stopped(&error)).then_some(true),
            }
        };
        pages.par_iter().map_init(Scratch::default, look).collect()
    }

    /// The cleaners of a source now and after each step.
    fn states(&self, session: &Session, source: &str) -> States {
        let unchanged = session.files_for(source);
        let state = |step: Option<usize>| {
            let file = |file: &Arc<PatternFile>| match (self.files.get(&file.source), step) {
                (Some(changed), Some(step)) => Arc::clone(&changed.then[step]),
                (Some(changed), None) => Arc::clone(&changed.now),
                (None, _) => Arc::clone(file),
            };
            let files: Vec<Arc<PatternFile>> = unchanged.iter().map(file).collect();
            let mut watched = HashSet::new();
            for (number, file) in files.iter().enumerate() {
                let Some(changed) = self.files.get(&file.source) else { continue };
                let is_watched = |index: &usize| changed.ids.contains(&file.patterns[*index].id);
                let indices = (0..file.patterns.len()).filter(is_watched);
                watched.extend(indices.map(|index| Origin { file: number, index }));
            }
            State { cleaner: session.cleaner(&files), watched }
        };
        States { now: state(None), then: (0..self.steps).map(|step| state(Some(step))).collect() }
    }
}

/// The cleaners of a source in several states.
struct States {
    now: State,
    /// The state after each step.
    then: Vec<State>,
}

struct State {
    cleaner: Cleaner,
    /// The changed patterns.
    watched: HashSet<Origin>,
}

/// A document as it is cleaned in one state.
struct Look {
    cleaning: Cleaning,
    /// The matches of the changed patterns.
    matches: Vec<Found>,
}

/// What each step changes in a document. The error says why this cannot be known. `None` if the time was over before.
type Outcome = Option<Result<Vec<DocumentChange>, String>>;

/// The changes of one step in a document.
#[derive(Clone, Default)]
struct DocumentChange {
    removed: Vec<Cut>,
    back: Vec<Cut>,
    /// Numbers of matches, now and after the step.
    matches: [usize; 2],
    gained: Vec<Found>,
    lost: Vec<Found>,
}

/// Text that is removed in one state and not in the other.
#[derive(Clone)]
struct Cut {
    bytes: Range<usize>,
    /// Number of its words.
    words: usize,
    /// Number of its words that no pattern explains.
    unmatched: usize,
}

impl States {
    fn look(&self, scratch: &mut Scratch, document: &LoadedDocument, go_on: &dyn Fn() -> bool) -> Outcome {
        let look = |scratch: &mut Scratch| {
            let now = self.now.look(scratch, document, go_on)?;
            let change =
                |then: &State| Ok(DocumentChange::of(&document.text, &now, &then.look(scratch, document, go_on)?));
            self.then.iter().map(change).collect()
        };
        match look(scratch) {
            Err(error) if is_stopped(&error) => None,
            looked => Some(looked.map_err(|error| error.to_string())),
        }
    }
}

impl State {
    fn look(
        &self,
        scratch: &mut Scratch,
        LoadedDocument { text, tree, .. }: &LoadedDocument,
        go_on: &dyn Fn() -> bool,
    ) -> Result<Look, CleanError> {
        let reading = self.cleaner.read_page(scratch, text, tree.as_deref(), go_on)?;
        let cleaning = self.cleaner.explain(text, &reading);
        let all = found(self.cleaner.count(), &reading, &cleaning).into_iter();
        let is_watched = |origin| self.watched.contains(&origin);
        let watched = all.filter(|(pattern, _)| self.cleaner.origin(*pattern).is_some_and(is_watched));
        let mut matches: Vec<Found> = watched.flat_map(|(_, matches)| matches).collect();
        matches.sort_by_key(|found| (found.bytes.start, found.bytes.end));
        Ok(Look { cleaning, matches })
    }
}

impl DocumentChange {
    fn of(text: &str, now: &Look, then: &Look) -> DocumentChange {
        let without = |some: &Look, others: &Look| -> Vec<Found> {
            let known: HashSet<&Range<usize>> = others.matches.iter().map(|found| &found.bytes).collect();
            some.matches.iter().filter(|found| !known.contains(&found.bytes)).cloned().collect()
        };
        DocumentChange {
            removed: difference(text, &then.cleaning, &now.cleaning),
            back: difference(text, &now.cleaning, &then.cleaning),
            matches: [now, then].map(|look| look.matches.len()),
            gained: without(then, now),
            lost: without(now, then),
        }
    }
}

/// The text that `some` removes and `other` does not, without white space at the edges.
fn difference(text: &str, some: &Cleaning, other: &Cleaning) -> Vec<Cut> {
    let mut cuts = Vec::new();
    for span in &some.spans {
        let mut at = span.range.start;
        let meeting = other.spans.iter().map(|other| &other.range);
        let meeting = meeting.filter(|other| other.start < span.range.end && span.range.start < other.end);
        for other in meeting.chain([&(span.range.end..span.range.end)]) {
            let part = trimmed(text, at..other.start.max(at));
            if !part.is_empty() {
                let words = words(&text[part.clone()]);
                cuts.push(Cut { words, unmatched: unmatched(text, span, &part), bytes: part });
            }
            at = other.end.max(at);
        }
    }
    cuts
}

/// Number of words in a part of a span that no pattern explains.
fn unmatched(text: &str, span: &Span, part: &Range<usize>) -> usize {
    let mut at = part.start;
    let mut count = 0;
    for (bytes, _) in &span.because {
        count += words(&text[at..bytes.start.clamp(at, part.end)]);
        at = bytes.end.clamp(at, part.end);
    }
    count + words(&text[at..part.end])
}

impl Preview {
    /// Adds the changes that the step with this number makes in the documents of a source.
    fn add(&mut self, step: usize, source: &str, texts: &Arc<Texts>, outcomes: &[(usize, Outcome)]) {
        let number = self.texts.len();
        self.texts.push((source.to_owned(), Arc::clone(texts)));
        self.of += outcomes.len();
        for (page, outcome) in outcomes {
            let changes = match outcome {
                Some(Ok(changes)) => changes,
                Some(Err(error)) => {
                    self.failure.get_or_insert_with(|| error.clone());
                    continue;
                }
                None => continue,
            };
            self.sampled += 1;
            // There are no changes for a document without a match.
            let Some(change) = changes.get(step) else { continue };
            self.documents += usize::from(!(change.removed.is_empty() && change.back.is_empty()));
            for (difference, cuts) in [(&mut self.removed, &change.removed), (&mut self.back, &change.back)] {
                cuts.iter().for_each(|cut| difference.add((number, *page), cut));
            }
            for (sum, count) in self.matches.iter_mut().zip(change.matches) {
                sum.matches += count;
                sum.documents += usize::from(count > 0);
            }
            // These matches do not say in which of `texts` they are: they are shown only for a decision on one file,
            // see `pages::preview`.
            self.gained.extend(change.gained.iter().map(|found| found.sample_match(*page)));
            self.lost.extend(change.lost.iter().map(|found| found.sample_match(*page)));
        }
    }
}

impl Difference {
    fn add(&mut self, document: (usize, usize), Cut { bytes, words, unmatched }: &Cut) {
        self.words += words;
        self.unmatched += unmatched;
        let is_unmatched = unmatched == words;
        self.excerpts.push(Excerpt { document, bytes: bytes.clone(), is_unmatched, places: 1 });
    }

    /// Keeps only the first excerpt of each text, and counts its places. The texts with the most bytes in all come
    /// first.
    fn join_same_texts(&mut self, texts: &[(String, Arc<Texts>)]) {
        let mut joined: Vec<Excerpt> = Vec::new();
        let mut known: HashMap<(&str, bool), usize> = HashMap::new();
        for excerpt in self.excerpts.drain(..) {
            let (of, page) = excerpt.document;
            let text = &texts[of].1.documents[page].text[excerpt.bytes.clone()];
            match known.entry((text, excerpt.is_unmatched)) {
                Entry::Occupied(index) => joined[*index.get()].places += 1,
                Entry::Vacant(new) => {
                    new.insert(joined.len());
                    joined.push(excerpt);
                }
            }
        }
        joined.sort_by_key(|excerpt| Reverse(excerpt.places * excerpt.bytes.len()));
        self.excerpts = joined;
    }
}

fn is_stopped(error: &CleanError) -> bool {
    matches!(error.source, MatchError::Stopped)
}

/// A range without the white space at its ends.
fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let end = range.start + text[range.clone()].trim_end().len();
    end - text[range.start..end].trim_start().len()..end
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::documents::Documents;
    use crate::review::many::ChosenPatterns;
    use dehusk_core::cleaning::CleanOptions;
    use dehusk_core::patterns::Status;
    use dehusk_corpus::{Inventory, ReadOptions};

    const HEAD: &str = "mined: {documents: 6, tokens: 9, cutoff: 0.5, tokenizer: words}\npatterns:\n";
    const STORY: &str = "The ferry was late again on Monday, near Harbor City, and nobody on the quay knew why or until \
                         when it would come back from the islands.";

    /// A review of six documents of source `s` and one of source `t`, with these patterns of `s` and shared ones.
    fn session(own: &str, shared: &str) -> (tempfile::TempDir, Session) {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        for number in 0..6 {
            let text = format!("Home | News\n\n{STORY} {number}\n\nShare this | Letters\nCopyright\n");
            write(&format!("c/s/{number}.txt"), &text);
        }
        write("c/t/0.txt", "The other paper.\n\nShare this\n");
        let paths = [("s", own), (SHARED, shared)].map(|(source, patterns)| {
            write(&format!("p/{source}.yaml"), &format!("dehusk: 1\nsource: {source}\n{HEAD}{patterns}"));
            folder.path().join(format!("p/{source}.yaml"))
        });
        let inventory = Inventory::scan(&[folder.path().join("c")], &ReadOptions::default()).unwrap();
        let documents = Documents::new(inventory, 1000);
        let session = Session::open(Box::new(move || paths.to_vec()), documents, CleanOptions::default(), true);
        (folder, session)
    }

    const OWN: &str = "  - {id: home, regex: '(?m)^\\s*Home\\s+\\|\\s+News\\s*$', documents: 6, among: 6}\n  \
                       - {id: place, regex: 'near\\s+Harbor\\s+City', documents: 2, among: 6}\n  \
                       - {id: share, regex: '(?m)^\\s*Share\\s+this', documents: 6, among: 6}\n  \
                       - {id: tail, regex: '(?m)^\\s*Copyright\\s*$', documents: 6, among: 6}\n";
    const SHARING: &str = "  - {id: shared, regex: '(?m)^\\s*Share\\s+this\\s*$', documents: 6, among: 6}\n";

    fn step(session: &Session, source: &str, id: &str, status: Status) -> Step {
        let file = session.files.get(source).unwrap();
        let index = file.patterns.iter().position(|pattern| pattern.id == id).unwrap();
        ChosenPatterns { files: vec![(file, vec![index])] }.step_to(status)
    }

    fn letters(text: &str) -> usize {
        text.chars().filter(|c| !c.is_whitespace()).count()
    }

    /// The cleaned documents.
    fn cleaned(session: &Session) -> Vec<String> {
        let clean = |source: &str| {
            let cleaner = session.cleaner(&session.files_for(source));
            let texts = session.documents.texts(source);
            let clean = |page: &crate::review::documents::LoadedDocument| {
                cleaner.clean(&mut Scratch::default(), &page.text).unwrap().strip(&page.text)
            };
            texts.documents.iter().map(clean).collect::<Vec<String>>()
        };
        ["s", "t"].iter().flat_map(|source| clean(source)).collect()
    }

    /// The number of letters of all texts of a difference.
    fn letters_of(preview: &Preview, difference: &Difference) -> usize {
        let of = |excerpt: &Excerpt| {
            let (texts, page) = excerpt.document;
            excerpt.places * letters(&preview.texts[texts].1.documents[page].text[excerpt.bytes.clone()])
        };
        difference.excerpts.iter().map(of).sum()
    }

    #[test]
    fn what_is_told_before_a_decision_is_what_happens() {
        for (source, id) in [("s", "home"), ("s", "place"), ("s", "share"), ("s", "tail"), (SHARED, "shared")] {
            for status in [Status::Accepted, Status::Rejected] {
                let (_folder, session) = session(OWN, SHARING);
                let step = step(&session, source, id, status);
                let preview = session.preview(std::slice::from_ref(&step), || true).unwrap().remove(0);
                let before = cleaned(&session);
                session.decide(step).unwrap();
                let after = cleaned(&session);
                let changed = before.iter().zip(&after).filter(|(before, after)| before != after).count();
                let sum = |texts: &[String]| texts.iter().map(|text| letters(text)).sum::<usize>();
                let case = format!("{id} {}: {preview:?}", status.name());
                assert_eq!((preview.documents, preview.sampled), (changed, preview.of), "{case}");
                let [removed, back] = [&preview.removed, &preview.back].map(|of| letters_of(&preview, of));
                assert_eq!(sum(&before) + back, sum(&after) + removed, "{case}");
                assert_eq!(id == "place" && status == Status::Accepted, removed > 0 && id == "place", "{case}");
            }
        }
    }

    #[test]
    fn each_text_is_told_once() {
        let (_folder, session) = session(OWN, SHARING);
        let preview = session.preview(&[step(&session, "s", "place", Status::Accepted)], || true).unwrap().remove(0);
        assert_eq!((preview.documents, preview.of), (6, 6));
        let places: Vec<usize> = preview.removed.excerpts.iter().map(|excerpt| excerpt.places).collect();
        assert_eq!(places, [6]);
        assert_eq!(preview.matches, [MatchCounts { matches: 6, documents: 6 }; 2]);
    }

    #[test]
    fn a_document_is_looked_at_once_for_all_files() {
        let (_folder, session) = session(OWN, SHARING);
        let mut both = step(&session, "s", "tail", Status::Rejected);
        both.files.extend(step(&session, SHARED, "shared", Status::Rejected).files);
        let preview = session.preview(&[both], || true).unwrap().remove(0);
        assert_eq!(preview.of, 7, "six of s and one of t");
    }

    #[test]
    fn who_is_told_to_stop_does() {
        let (_folder, session) = session(OWN, SHARING);
        let preview = session.preview(&[step(&session, "s", "place", Status::Accepted)], || false).unwrap().remove(0);
        assert_eq!((preview.sampled, preview.of, preview.documents), (0, 6, 0));
    }
}
