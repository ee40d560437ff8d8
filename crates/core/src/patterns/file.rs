//! One YAML file of patterns: reads it, checks it, and writes it in canonical form.
//!
//! `docs/patterns.md` describes the form. A file is complete in itself: besides the patterns it has the tokenizer
//! and the mutable patterns used for mining, because texts must be tokenized the same way again. Written files are
//! canonical: keys have a fixed order and patterns are sorted by regex, so that mining again gives small differences.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::hash::Hash;
use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::keep::Keep;
use super::lexers::{LexerCache, hash_of, is_shipped, listed};
use super::problem::FileProblem;
use super::record::{
    EvidenceRecord, FileRecord, KeepRecord, Lined, MinedRecord, PatternRecord, RowRecord, comments, heading, id_in,
};
use super::regex::Edges;
use super::scalar::{quoted, scalar};
use super::{
    Block, Elements, Form, ID_DIGITS, LONG_ID_DIGITS, Loose, Open, Pattern, Row, Status, Template, canonical, form,
    id_of, regex, thousandths,
};
use crate::tokens::{Lexer, TokenRun, Tokenizer};

/// The version of the form. Written as the key `dehusk` of every file.
pub const VERSION: u32 = 1;

/// What the patterns were mined from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MinedFrom {
    /// Number of documents of the source.
    pub documents: usize,
    /// Number of documents that repeat another one and were not counted.
    pub near_duplicates: usize,
    /// Whether the documents are snapshots of one page. Then recurrence alone decides what is removed, without the
    /// model: content that remains on such a page from one hour to the next recurs as boilerplate does.
    pub snapshots: bool,
    /// Number of tokens of all documents.
    pub tokens: usize,
    /// For the union method: a pattern with this share or more counts as template, 0..=1.
    pub cutoff: f64,
    /// The share of the text that the patterns removed from these documents, 0..=1. `None` if that was not measured.
    pub removed: Option<f64>,
    /// For each share in hundredths, the number of repeats with this share. Empty if not known.
    pub histogram: BTreeMap<u8, u64>,
}

impl MinedFrom {
    /// Number of documents without near-duplicates.
    pub fn counted(&self) -> usize {
        self.documents.saturating_sub(self.near_duplicates)
    }
}

/// The patterns of one source, or the shared ones.
#[derive(Clone, Debug)]
pub struct PatternFile {
    /// The comments of the file, as whole lines. They are written at the top, wherever they were.
    pub heading: String,
    /// The source's name, or [`SHARED`](super::SHARED).
    pub source: String,
    /// What the patterns were mined from.
    pub mined: MinedFrom,
    /// How the source's text is unlike all text that the decision model has learned from. If set, recurrence alone
    /// decides.
    pub unusual: Option<String>,
    /// What is done with text that no pattern matches.
    pub loose: Loose,
    /// Texts that are never removed, sorted by text.
    pub keep: Vec<Keep>,
    /// The patterns that people review. Sorted by regex, then id.
    pub patterns: Vec<Pattern>,
    /// Runs that recur but are not patterns for people: they only support decisions about whole documents. Nobody needs
    /// to review them. Sorted like the patterns.
    pub evidence: Vec<Pattern>,
    /// The lexer that was used for mining and must be used for cleaning.
    pub lexer: Lexer,
}

impl PatternFile {
    /// Whether a person decided, noted or edited something in the file.
    pub fn is_touched(&self) -> bool {
        !self.heading.is_empty()
            || self.loose != Loose::Proposed
            || !self.keep.is_empty()
            || self.patterns.iter().any(Pattern::is_touched)
    }

    /// Whether documents of its source are cleaned like those of any other source of which nothing was mined.
    #[doc(hidden)]
    pub fn says_nothing(&self) -> bool {
        let is_usual = self.unusual.is_none() && !self.mined.snapshots && self.mined.documents > 0;
        is_usual && self.all().next().is_none() && self.keep.is_empty() && self.loose == Loose::Proposed
    }

    /// Makes a file with the templates as proposed patterns.
    pub fn of_templates(source: &str, mined: MinedFrom, templates: Vec<Template>, lexer: &Lexer) -> PatternFile {
        let edges = Edges::of_runs(templates.iter().map(|template| &template.run));
        let mut templates: Vec<(String, Template)> =
            templates.into_iter().map(|template| (regex::render(&template.run, lexer, edges), template)).collect();
        templates.sort_unstable_by(|a, b| a.0.cmp(&b.0));

        let mut taken = FxHashSet::default();
        let patterns = templates.into_iter().map(|(regex, template)| {
            let mut id = id_of(&template.run, lexer.mutable(), ID_DIGITS);
            if !taken.insert(id.clone()) {
                id = id_of(&template.run, lexer.mutable(), LONG_ID_DIGITS);
            }
            Pattern {
                id,
                status: Status::Proposed,
                regex,
                form: Form::Run(template.run),
                documents: template.documents,
                among: template.among,
                occurrences: template.occurrences,
                sources: (template.sources > 1).then_some(template.sources),
                removes: None,
                ends_after: template.ends_after,
                example: template.example,
                note: String::new(),
            }
        });

        PatternFile {
            heading: String::new(),
            source: source.to_owned(),
            mined,
            unusual: None,
            loose: Loose::default(),
            keep: Vec::new(),
            patterns: patterns.collect(),
            evidence: Vec::new(),
            lexer: lexer.clone(),
        }
    }

    /// A file without patterns, as if nothing had been mined. It only says how texts are tokenized.
    #[doc(hidden)]
    pub fn empty(source: &str, lexer: &Lexer) -> PatternFile {
        PatternFile::of_templates(source, MinedFrom::default(), Vec::new(), lexer)
    }

    /// A copy of the file with only these patterns, and without evidence.
    #[doc(hidden)]
    pub fn only(&self, patterns: Vec<Pattern>) -> PatternFile {
        let PatternFile { heading, source, mined, unusual, loose, keep, lexer, .. } = self;
        PatternFile {
            heading: heading.clone(),
            source: source.clone(),
            mined: mined.clone(),
            unusual: unusual.clone(),
            loose: *loose,
            keep: keep.clone(),
            patterns,
            evidence: Vec::new(),
            lexer: lexer.clone(),
        }
    }

    /// A pattern in words, with named slots and `⏎` for line ends. If a person wrote or edited the regex, it is the
    /// regex. For a selector, it is the selector after the role of its elements.
    pub fn in_words(&self, pattern: &Pattern) -> String {
        match &pattern.form {
            Form::Run(run) => run.written(self.lexer.mutable()),
            Form::Regex(_) => pattern.regex.clone(),
            Form::Elements(elements) => format!("{} {}", elements.role.key(), pattern.regex),
            Form::Block(block) => {
                let rows = block.rows.iter().map(|row| row.run.written(self.lexer.mutable()));
                rows.collect::<Vec<String>>().join(" / ")
            }
        }
    }

    /// The patterns, then the evidence.
    #[doc(hidden)]
    pub fn all(&self) -> impl Iterator<Item = &Pattern> {
        self.patterns.iter().chain(&self.evidence)
    }

    /// The patterns, then the evidence.
    pub(crate) fn all_mut(&mut self) -> impl Iterator<Item = &mut Pattern> {
        self.patterns.iter_mut().chain(&mut self.evidence)
    }

    /// Moves patterns for which `is_for_people` is false to the evidence, unless a person touched them.
    pub(crate) fn keep_as_patterns(&mut self, is_for_people: impl Fn(&Pattern) -> bool) {
        let (patterns, evidence): (Vec<Pattern>, Vec<Pattern>) = std::mem::take(&mut self.patterns)
            .into_iter()
            .partition(|pattern| pattern.is_touched() || is_for_people(pattern));
        self.patterns = patterns;
        self.evidence.extend(evidence);
        self.sort();
    }

    /// Parses a file. The error lists every problem found, at least one.
    pub fn parse(yaml: &str, cache: &LexerCache) -> Result<PatternFile, Vec<FileProblem>> {
        let (heading, record) = match canonical::read(yaml) {
            Some(record) => (heading(yaml).to_owned(), record),
            None => (comments(yaml), FileRecord::parse(yaml)?),
        };
        let (version, tokenizer) = (&record.dehusk, Tokenizer::parse(&record.mined.value.tokenizer));
        let at = |line: u64, message: String| vec![FileProblem { line, id: None, message }];
        if version.value != VERSION {
            let message = format!(
                "version {} is unknown, because this dehusk reads version {VERSION}; use the dehusk that wrote the \
                 file",
                version.value
            );
            return Err(at(version.line, message));
        }
        let tokenizer = tokenizer.map_err(|error| at(record.mined.line, error.to_string()))?;
        record.mined.value.check_shares().map_err(|message| at(record.mined.line, message))?;
        let mutable = cache.mutable(record.mutable).map_err(|message| at(0, message))?;

        let mut file = PatternFile {
            heading,
            source: record.source,
            mined: MinedFrom { histogram: record.histogram, ..record.mined.value.into() },
            unusual: record.unusual,
            loose: record.loose,
            keep: Vec::with_capacity(record.keep.len()),
            patterns: Vec::with_capacity(record.patterns.len()),
            evidence: Vec::with_capacity(record.evidence.len()),
            lexer: Lexer::new(tokenizer, mutable),
        };

        let mut problems = file.keep_all(record.keep);
        problems.extend(file.add_all(record.patterns));
        problems.extend(file.add_evidence(record.evidence));
        file.add_rows_as_evidence();
        if problems.is_empty() { Ok(file) } else { Err(problems) }
    }

    /// Adds the texts to keep from a file. Returns what is wrong with them.
    fn keep_all(&mut self, records: Vec<KeepRecord>) -> Vec<FileProblem> {
        let mut problems = Vec::new();
        for KeepRecord { text: Lined { value, line }, note } in records {
            let mut complain = |message| problems.push(FileProblem { line, id: None, message });
            match Keep::new(&value, &note) {
                Ok(keep) if self.keep.iter().any(|other| other.text() == keep.text()) => {
                    complain(format!("the text to keep '{value}' occurs twice; remove one of the two"));
                }
                Ok(keep) => self.keep.push(keep),
                Err(error) => complain(error.to_string()),
            }
        }
        problems
    }

    /// Adds the patterns from a file. Returns what is wrong with them.
    fn add_all(&mut self, records: Vec<PatternRecord>) -> Vec<FileProblem> {
        let mut line_of: FxHashMap<String, u64> = FxHashMap::default();
        let mut problems = Vec::new();
        let forms: Vec<Result<Form, (u64, String)>> =
            records.par_iter().map(|record| form_of(record, &self.lexer)).collect();

        for (record, form) in records.into_iter().zip(forms) {
            let line = record.id.line;
            let id = record.id.value.clone();
            let mut complain = |line, message| problems.push(FileProblem { line, id: Some(id.clone()), message });
            if let Some(first) = line_of.insert(id.clone(), line) {
                complain(
                    line,
                    format!("line {first} already has this id; remove one of the two, or give it another id"),
                );
            }
            match form {
                Ok(Form::Run(run))
                    if record.text.as_ref().is_some_and(|text| *text.value != run.written(self.lexer.mutable())) =>
                {
                    let line = record.text.map_or(line, |text| text.line);
                    complain(
                        line,
                        "its text is not what its regex says; edit the regex, and remove the text".to_owned(),
                    );
                }
                Ok(form) => {
                    let pattern = self.pattern(record, form);
                    self.patterns.push(pattern);
                }
                Err((line, problem)) => complain(line, problem),
            }
        }
        problems
    }

    /// Adds the rows of blocks as evidence, if they are not evidence already: a document may have only some of the rows.
    /// Sorts the file.
    pub(crate) fn add_rows_as_evidence(&mut self) {
        let rows: Vec<Pattern> = self.patterns.iter().flat_map(|pattern| self.evidence_of_rows(pattern)).collect();
        fn run(pattern: &Pattern) -> Option<&TokenRun> {
            if let Form::Run(run) = &pattern.form { Some(run) } else { None }
        }
        let mut known: FxHashSet<&TokenRun> = self.all().filter_map(run).collect();
        let mut taken: FxHashSet<&str> = self.all().map(|pattern| &*pattern.id).collect();
        let are_new: Vec<bool> =
            (rows.iter()).map(|row| run(row).is_some_and(|run| known.insert(run)) && taken.insert(&row.id)).collect();
        let new = rows.into_iter().zip(are_new).filter(|(_, is_new)| *is_new).map(|(row, _)| row);
        self.evidence.extend(new);
        self.sort();
    }

    /// The rows of a block as evidence.
    fn evidence_of_rows<'p>(&'p self, pattern: &'p Pattern) -> impl Iterator<Item = Pattern> + 'p {
        let rows = pattern.block().map_or(&[][..], |block| &block.rows);
        let edges = Edges::of_runs(rows.iter().map(|row| &row.run));
        rows.iter().map(move |Row { run, documents, occurrences, .. }| {
            let id = id_of(run, self.lexer.mutable(), ID_DIGITS);
            let regex = regex::render(run, &self.lexer, edges);
            evidence(id, regex, run.clone(), [*documents, pattern.among, *occurrences])
        })
    }

    /// Adds the evidence from a file, with the ids that mining gave it. Returns what is wrong with it.
    fn add_evidence(&mut self, records: Vec<EvidenceRecord>) -> Vec<FileProblem> {
        let runs: Vec<Option<(TokenRun, String)>> = (records.par_iter())
            .map(|EvidenceRecord { text, unspaced, .. }| {
                let run = TokenRun::parse(&text.value, &self.lexer)?;
                let edges = if *unspaced { Edges::Unspaced } else { Edges::of_runs([&run]) };
                let regex = regex::render(&run, &self.lexer, edges);
                Some((run, regex))
            })
            .collect();
        let mut taken: FxHashSet<String> = self.patterns.iter().map(|pattern| pattern.id.clone()).collect();
        let (mut seen, mut problems) = (FxHashSet::default(), Vec::new());
        for (record, run) in records.into_iter().zip(runs) {
            let EvidenceRecord {
                text: Lined { value, line }, documents, among, occurrences, sources, ends_after, ..
            } = record;
            let Some((run, regex)) = run else {
                let message = format!("the evidence '{value}' is not as dehusk writes it; mine again, or remove it");
                problems.push(FileProblem { line, id: None, message });
                continue;
            };
            let ids = [ID_DIGITS, LONG_ID_DIGITS].map(|digits| id_of(&run, self.lexer.mutable(), digits));
            let is_new = seen.insert(run.clone());
            let Some(id) = ids.into_iter().find(|id| is_new && taken.insert(id.clone())) else {
                let message = format!("the evidence '{value}' occurs twice; remove one of the two");
                problems.push(FileProblem { line, id: None, message });
                continue;
            };
            let counts = [documents, among.unwrap_or(self.mined.counted()), occurrences];
            self.evidence.push(Pattern { sources, ends_after, ..evidence(id, regex, run, counts) });
        }
        problems
    }

    /// Sorts the contents into canonical order.
    #[doc(hidden)]
    pub fn sort(&mut self) {
        self.keep.sort_by(|a, b| a.text().cmp(b.text()));
        // Blocks that remove most come first.
        let rank = |pattern: &Pattern| match pattern.block() {
            Some(_) => Reverse((pattern.removes.unwrap_or_default() * 1000.0).round() as u64 + 1),
            None => Reverse(0),
        };
        for list in [&mut self.patterns, &mut self.evidence] {
            list.sort_by(|a, b| (rank(a), &a.regex, &a.id).cmp(&(rank(b), &b.regex, &b.id)));
        }
    }

    fn pattern(&self, record: PatternRecord, form: Form) -> Pattern {
        Pattern {
            id: record.id.value,
            status: record.status,
            regex: match &form {
                Form::Block(block) => block.regex(&self.lexer),
                _ => record.content.or(record.drop).or(record.regex).map_or_else(String::new, |written| written.value),
            },
            form,
            documents: record.documents,
            among: record.among.unwrap_or(self.mined.counted()),
            occurrences: record.occurrences,
            sources: record.sources,
            removes: record.removes.map(|removes| thousandths(removes.value)),
            ends_after: record.ends_after,
            example: record.example,
            note: record.note,
        }
    }

    /// A problem for each pattern whose regex does not match its own example. `yaml` is the text of the file.
    pub fn check_examples(&self, yaml: &str) -> Vec<FileProblem> {
        let lines: FxHashMap<&str, u64> =
            yaml.lines().zip(1..).filter_map(|(line, number)| Some((id_in(line)?, number))).collect();
        let matches = |pattern: &Pattern| pattern.matches_example();
        let problem = |pattern: &Pattern| {
            let message = match matches(pattern) {
                Ok(false) if pattern.example.is_empty() => "it has no example; add a text that it matches".to_owned(),
                Ok(true) => return None,
                Ok(false) => {
                    format!("its regex does not match its example '{}'; correct one of the two", pattern.example)
                }
                Err(error) => format!("its regex cannot be tried on its example: {error}"),
            };
            let line = lines.get(pattern.id.as_str()).copied().unwrap_or(0);
            Some(FileProblem { line, id: Some(pattern.id.clone()), message })
        };
        self.patterns.iter().filter_map(problem).collect()
    }

    /// The things that a person should look at before the file is used, a sentence each: contradictions, and the
    /// patterns touched by a person that do not match their examples.
    #[doc(hidden)]
    pub fn doubts(&self) -> Vec<String> {
        let mismatches = self.patterns.iter().filter_map(|pattern| {
            let Pattern { id, example, .. } = pattern;
            // A regex as it was mined matches its example.
            let is_mismatch =
                pattern.is_touched() && !example.is_empty() && matches!(pattern.matches_example(), Ok(false));
            let message =
                || format!("the regex of pattern {id} does not match its example '{example}'; correct one of the two");
            is_mismatch.then(message)
        });
        self.contradictions().into_iter().chain(mismatches).collect()
    }

    /// A sentence for each accepted pattern that matches the whole of a text to keep. These two decisions contradict
    /// each other, and the text is kept.
    #[doc(hidden)]
    pub fn contradictions(&self) -> Vec<String> {
        let accepted = self.patterns.iter().filter(|pattern| pattern.status == Status::Accepted);
        let pairs = accepted.flat_map(|pattern| self.keep.iter().map(move |keep| (pattern, keep)));
        let pairs = pairs.filter(|(pattern, keep)| pattern.matches_all_of(keep.text()));
        let message = |(Pattern { id, .. }, keep): (&Pattern, &Keep)| {
            format!("pattern {id} is accepted, but it matches '{}', which must be kept; the text is kept", keep.text())
        };
        pairs.map(message).collect()
    }

    /// The file in canonical form. It is complete in itself: mutable patterns other than the shipped ones are listed in
    /// it.
    pub fn to_yaml(&self) -> String {
        let mutable = self.lexer.mutable();
        self.written(is_shipped(mutable))
    }

    /// The file in canonical form, for a folder that has its mutable patterns in a table.
    pub fn to_yaml_in_folder(&self) -> String {
        self.written(true)
    }

    /// The file in canonical form. Its mutable patterns are named or listed as in this text of it.
    pub fn to_yaml_like(&self, yaml: &str) -> String {
        self.written(!yaml.contains("\nmutable:\n"))
    }

    /// The file, with the hash of its mutable patterns, or with a list of them.
    fn written(&self, is_mutable_named: bool) -> String {
        let MinedFrom { documents, near_duplicates, snapshots, tokens, cutoff, removed, histogram } = &self.mined;
        let tokenizer = scalar(self.lexer.tokenizer().name());
        let removed = removed.map(|share| format!("removed: {share}, ")).unwrap_or_default();
        let snapshots = if *snapshots { "snapshots: true, " } else { "" };
        let mut yaml = format!("{}dehusk: {VERSION}\nsource: {}\n", self.heading, scalar(&self.source));
        let _ = writeln!(
            yaml,
            "mined: {{documents: {documents}, near_duplicates: {near_duplicates}, {snapshots}tokens: {tokens}, cutoff: {cutoff}, {removed}tokenizer: {tokenizer}}}"
        );

        if let Some(unusual) = &self.unusual {
            let _ = writeln!(yaml, "unusual: {}", quoted(unusual));
        }
        match self.loose {
            Loose::Proposed => {}
            Loose::Remove => yaml.push_str("loose: remove\n"),
            Loose::Keep => yaml.push_str("loose: keep\n"),
        }
        yaml.push_str(if self.keep.is_empty() { "" } else { "keep:\n" });
        for keep in &self.keep {
            let _ = write!(yaml, "  - text: {}\n    note: {}\n", quoted(keep.text()), quoted(&keep.note));
        }

        yaml.push_str(if self.patterns.is_empty() { "patterns: []\n" } else { "patterns:\n" });
        self.patterns.iter().for_each(|pattern| self.write_pattern(&mut yaml, pattern));
        // Rows are evidence anyway.
        fn facts(of: &Pattern) -> impl Eq + Hash {
            (&*of.regex, of.documents, of.among, of.occurrences, of.sources, of.ends_after)
        }
        let rows: Vec<Pattern> = self.patterns.iter().flat_map(|pattern| self.evidence_of_rows(pattern)).collect();
        let rows: FxHashSet<_> = rows.iter().map(facts).collect();
        let evidence = self.evidence.iter().filter(|evidence| !rows.contains(&facts(evidence)));
        for (number, evidence) in evidence.enumerate() {
            yaml.push_str(if number == 0 { "evidence:\n" } else { "" });
            self.write_evidence(&mut yaml, evidence);
        }

        let mutable = self.lexer.mutable();
        match (mutable.patterns(), is_mutable_named) {
            ([], _) => yaml.push_str("mutable: []\n"),
            (_, true) => _ = writeln!(yaml, "mutable: '{}'", hash_of(mutable)),
            (patterns, false) => yaml.extend(["mutable:\n", &listed(patterns, "")]),
        }
        if !histogram.is_empty() {
            let counts: Vec<String> = histogram.iter().map(|(share, count)| format!("{share}: {count}")).collect();
            let _ = writeln!(yaml, "histogram: {{{}}}", counts.join(", "));
        }
        yaml
    }

    fn write_pattern(&self, yaml: &mut String, pattern: &Pattern) {
        let _ = write!(yaml, "  - id: {}\n    status: {}\n", quoted(&pattern.id), pattern.status.name());
        if let Form::Run(run) = &pattern.form {
            let _ = writeln!(yaml, "    text: {}", quoted(&run.written(self.lexer.mutable())));
        }
        self.write_facts(yaml, pattern);
        let _ = write!(yaml, "    example: {}\n    note: {}\n", quoted(&pattern.example), quoted(&pattern.note));
        // The regex or selector comes last, because it is the hardest to read.
        match &pattern.form {
            Form::Block(block) => self.write_rows(yaml, block),
            _ => _ = writeln!(yaml, "    {}: {}", pattern.form.key(), quoted(&pattern.regex)),
        }
    }

    fn write_rows(&self, yaml: &mut String, block: &Block) {
        yaml.push_str("    rows:\n");
        for Row { run, documents, occurrences, is_sure, between, after } in &block.rows {
            let occurrences =
                if occurrences == documents { String::new() } else { format!(", occurrences: {occurrences}") };
            let sure = if *is_sure { "" } else { ", sure: false" };
            let open = |key: &str, open: &Open| match open.lines {
                0 => String::new(),
                _ => format!(", {key}: [{}, {}]", open.lines, open.characters),
            };
            let (between, after) = (open("between", between), open("after", after));
            let text = quoted(&run.written(self.lexer.mutable()));
            let _ =
                writeln!(yaml, "      - {{documents: {documents}{occurrences}{sure}{between}{after}, text: {text}}}");
        }
    }

    fn write_evidence(
        &self,
        yaml: &mut String,
        Pattern { form, regex, documents, among, occurrences, sources, ends_after, .. }: &Pattern,
    ) {
        let Form::Run(run) = form else { return };
        let fact =
            |key: &str, value: &Option<usize>| value.map(|value| format!(", {key}: {value}")).unwrap_or_default();
        let among = fact("among", &Some(*among).filter(|among| *among != self.mined.counted()));
        let (sources, ends_after) = (fact("sources", sources), fact("ends_after", ends_after));
        let is_usual = regex::render(run, &self.lexer, Edges::of_runs([run])) == *regex;
        let unspaced = if is_usual { "" } else { ", unspaced: true" };
        let text = quoted(&run.written(self.lexer.mutable()));
        let _ = writeln!(
            yaml,
            "  - {{documents: {documents}{among}, occurrences: {occurrences}{sources}{ends_after}{unspaced}, text: {text}}}"
        );
    }

    fn write_facts(&self, yaml: &mut String, pattern: &Pattern) {
        let _ = writeln!(yaml, "    documents: {}", pattern.documents);
        if pattern.among != self.mined.counted() {
            let _ = writeln!(yaml, "    among: {}", pattern.among);
        }
        let _ = writeln!(yaml, "    occurrences: {}", pattern.occurrences);
        if let Some(sources) = pattern.sources {
            let _ = writeln!(yaml, "    sources: {sources}");
        }
        if let Some(removes) = pattern.removes {
            let _ = writeln!(yaml, "    removes: {removes}");
        }
        if let Some(words) = pattern.ends_after {
            let _ = writeln!(yaml, "    ends_after: {words}");
        }
    }
}

/// A run that is evidence. The counts are of the documents with it, of all documents, and of its occurrences.
fn evidence(id: String, regex: String, run: TokenRun, [documents, among, occurrences]: [usize; 3]) -> Pattern {
    Pattern {
        id,
        status: Status::Proposed,
        regex,
        form: Form::Run(run),
        documents,
        among,
        occurrences,
        sources: None,
        removes: None,
        ends_after: None,
        example: String::new(),
        note: String::new(),
    }
}

/// The form of a pattern. An error has the line where it is, and what is wrong.
fn form_of(record: &PatternRecord, lexer: &Lexer) -> Result<Form, (u64, String)> {
    if !record.rows.is_empty() {
        return block_of(record, lexer).map(|block| Form::Block(Arc::new(block)));
    }
    let (role, Lined { value, line }) = record.written().map_err(|problem| (record.id.line, problem))?;
    record.check_removes()?;
    let problem = |what: String| (*line, format!("{what}; correct it, or remove the pattern"));
    match role {
        Some(role) => match Elements::parse(role, value) {
            Ok(elements) => Ok(Form::Elements(elements)),
            Err(error) => Err(problem(format!("its '{}' is no CSS selector that dehusk knows: {error}", role.key()))),
        },
        None => form(&record.id.value, value, lexer)
            .map_err(|error| problem(format!("its regex does not compile: {error}"))),
    }
}

/// The block of a pattern. An error has the line where it is, and what is wrong.
fn block_of(record: &PatternRecord, lexer: &Lexer) -> Result<Block, (u64, String)> {
    let others = [&record.regex, &record.content, &record.drop];
    if let Some(other) = others.into_iter().flatten().next() {
        return Err((
            other.line,
            "it has rows, and a regex or a selector beside them; remove one of the two".to_owned(),
        ));
    }
    record.check_removes()?;
    let row = |row: &RowRecord| {
        let RowRecord { text: Lined { value, line }, documents, occurrences, sure, between, after } = row;
        let run = TokenRun::parse(value, lexer).ok_or_else(|| {
            (*line, format!("the row '{value}' is not as dehusk writes it; mine again, or remove the row"))
        })?;
        let open = |(lines, characters): (u16, u16)| Open { lines, characters };
        let (documents, occurrences) = (*documents, occurrences.unwrap_or(*documents));
        Ok(Row { run, documents, occurrences, is_sure: *sure, between: open(*between), after: open(*after) })
    };
    let rows = record.rows.iter().map(row).collect::<Result<Vec<Row>, (u64, String)>>()?;
    match rows.iter().any(|row| row.is_sure) {
        true => Ok(Block { rows }),
        false => Err((record.id.line, "no row of it is sure, so it matches nothing; make one sure".to_owned())),
    }
}

impl From<MinedRecord> for MinedFrom {
    fn from(record: MinedRecord) -> MinedFrom {
        let MinedRecord { documents, near_duplicates, snapshots, tokens, cutoff, removed, .. } = record;
        MinedFrom { documents, near_duplicates, snapshots, tokens, cutoff, removed, ..MinedFrom::default() }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::path::Path;

    use super::*;

    pub(in crate::patterns) const FILE: &str = r#"# Ours since May.
dehusk: 1
source: example.com
mined: {documents: 40, near_duplicates: 2, tokens: 9120, cutoff: 0.43, removed: 0.6, tokenizer: words}
keep:
  - text: 'By the sea'
    note: 'a column'
patterns:
  - id: '2051f013'
    status: rejected
    text: 'Read {number} more'
    documents: 12
    occurrences: 14
    example: 'Read 3 more'
    note: 'it''s a column'
    regex: '(?<!\S)Read\s+(?:[0-9]+)\s+more(?!\w)'
  - id: 'mine'
    status: accepted
    documents: 0
    among: 7
    occurrences: 0
    example: "By\nX"
    note: ''
    regex: 'By [A-Z]+'
  - id: 'c2c25198'
    status: accepted
    documents: 11
    occurrences: 23
    removes: 0.125
    example: 'Ferry late again'
    note: ''
    drop: 'aside.related'
  - id: 'ours'
    status: proposed
    documents: 0
    occurrences: 0
    example: 'The ferry'
    note: ''
    content: 'div#main > p, [itemprop="it''s"]'
evidence:
  - {documents: 3, occurrences: 5, text: 'Share this'}
mutable:
  - name: number
    regex: '[0-9]+'
histogram: {0: 12, 99: 3}
"#;

    fn parse(yaml: &str) -> Result<PatternFile, Vec<FileProblem>> {
        PatternFile::parse(yaml, &LexerCache::default())
    }

    fn problem(from: &str, to: &str) -> String {
        let broken = FILE.replacen(from, to, 1);
        assert_ne!(broken, FILE);
        let problems = parse(&broken).unwrap_err();
        problems.iter().map(|problem| problem.display(Path::new("f.yaml"))).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn canonical_form_is_read_and_written_back() {
        let file = parse(FILE).unwrap();
        assert_eq!(file.patterns.len(), 4);
        let ids: Vec<String> = file.patterns.iter().map(|p| format!("{} {}", p.id, p.is_as_mined())).collect();
        assert_eq!(file.to_yaml(), FILE, "{ids:?}");
        assert_eq!(ids, ["2051f013 true", "mine false", "c2c25198 true", "ours false"]);
        let evidence: Vec<&str> = file.evidence.iter().map(|evidence| evidence.id.as_str()).collect();
        assert_eq!(evidence, ["2754a912"]);
    }

    #[test]
    fn a_pattern_is_a_regex_or_a_selector() {
        let drop = "    drop: 'aside.related'\n";
        assert_eq!(
            problem(drop, ""),
            "f.yaml:25: pattern c2c25198: it has no regex; add one, or a selector as 'drop' or 'content'"
        );
        let two = problem(drop, &format!("{drop}    content: 'p'\n"));
        assert_eq!(two, "f.yaml:25: pattern c2c25198: it has two of regex, content and drop; remove one of the two");
        let broken = problem("aside.related", "aside:hover");
        assert!(
            broken.starts_with("f.yaml:32: pattern c2c25198: its 'drop' is no CSS selector that dehusk knows: "),
            "{broken}"
        );
    }

    #[test]
    fn only_a_selector_has_a_share_of_what_is_removed() {
        let read = |removes: &str| {
            let file = parse(&FILE.replace("    removes: 0.125\n", removes)).unwrap();
            let selector = file.patterns.iter().find(|pattern| pattern.id == "c2c25198").unwrap().clone();
            (selector.removes, file.to_yaml().lines().find(|line| line.contains("removes:")).map(str::to_owned))
        };
        assert_eq!(read(""), (None, None));
        for (written, value, canonical) in
            [("0.12345", 0.123, "0.123"), ("0.50", 0.5, "0.5"), ("1.0", 1.0, "1"), ("-0.0", 0.0, "0")]
        {
            let read = read(&format!("    removes: {written}\n"));
            assert_eq!(read, (Some(value), Some(format!("    removes: {canonical}"))), "{written}");
        }
        for (written, told) in [("1.5", "1.5"), ("-0.1", "-0.1"), (".nan", "NaN")] {
            let expected =
                format!("f.yaml:29: pattern c2c25198: removes is {told}, and a share is a number from 0 to 1");
            assert_eq!(problem("removes: 0.125", &format!("removes: {written}")), expected);
        }
        let misplaced = |before: &str| problem(before, &format!("{before}    removes: 0.5\n"));
        let told = "'removes' is only for selectors; remove this key";
        assert_eq!(misplaced("    occurrences: 14\n"), format!("f.yaml:14: pattern 2051f013: {told}"));
    }

    /// The form of files before texts and evidence were written: the regex is before the counts.
    const OLD_FILE: &str = r#"dehusk: 1
source: example.com
mined: {documents: 40, near_duplicates: 2, tokens: 9120, cutoff: 0.43, tokenizer: words}
patterns:
  - id: '2051f013'
    status: rejected
    regex: '(?<!\S)Read\s+(?:[0-9]+)\s+more(?!\w)'
    documents: 12
    occurrences: 14
    example: 'Read 3 more'
    note: 'it''s a column'
mutable:
  - name: number
    regex: '[0-9]+'
"#;

    #[test]
    fn files_of_the_old_form_are_read() {
        let file = parse(OLD_FILE).unwrap();
        let read = &file.patterns[0];
        assert_eq!((read.status, read.documents, read.note.as_str()), (Status::Rejected, 12, "it's a column"));
        assert!(read.is_as_mined() && file.evidence.is_empty());
        let yaml = file.to_yaml();
        assert!(yaml.contains("    text: 'Read {number} more'\n    documents: 12\n"), "{yaml}");
        assert_eq!(parse(&yaml).unwrap().to_yaml(), yaml);
    }

    #[test]
    fn evidence_is_a_text_with_counts() {
        let told = |evidence: &str| problem("text: 'Share this'", evidence);
        assert_eq!(
            told("text: 'Share  this'"),
            "f.yaml:41: the evidence 'Share  this' is not as dehusk writes it; mine again, or remove it"
        );
        let twice = FILE.replace("evidence:\n", "evidence:\n  - {documents: 3, occurrences: 5, text: 'Share this'}\n");
        assert_eq!(
            parse(&twice).unwrap_err()[0].message,
            "the evidence 'Share this' occurs twice; remove one of the two"
        );
        for facts in [
            "documents: 3, among: 7, occurrences: 5, sources: 2, ends_after: 9, unspaced: true",
            "documents: 3, occurrences: 5, sources: 2",
        ] {
            let yaml = FILE.replace("documents: 3, occurrences: 5", facts);
            let file = parse(&yaml).unwrap();
            assert_eq!(file.to_yaml(), yaml);
            assert!(canonical::read(&yaml).is_some(), "{yaml}");
        }
    }

    #[test]
    fn mutable_patterns_are_named_or_listed() {
        let file = parse(FILE).unwrap();
        let named = file.to_yaml_in_folder();
        let hash = hash_of(file.lexer.mutable());
        assert!(named.contains(&format!("\nmutable: '{hash}'\n")), "{named}");
        let told = parse(&named).unwrap_err().remove(0).message;
        assert_eq!(
            told,
            format!(
                "its mutable patterns '{hash}' are missing; copy _mutable.yaml from the folder in which it was written"
            )
        );
        let cache = LexerCache::default();
        let table = super::super::lexers::table([&**file.lexer.mutable()], "").unwrap().unwrap();
        cache.add_table(&table).unwrap();
        let read = PatternFile::parse(&named, &cache).unwrap();
        assert_eq!((read.to_yaml(), read.to_yaml_in_folder()), (FILE.to_owned(), named));
        let changed = LexerCache::default().add_table(&table.replace("[0-9]+", "[0-8]+")).unwrap_err().message;
        assert!(changed.contains("are not as they were written"), "{changed}");

        let shipped = Lexer::new(Tokenizer::Words, Arc::new(crate::tokens::MutableSet::shipped()));
        let yaml = PatternFile::empty("s", &shipped).to_yaml();
        assert!(yaml.contains("\nmutable: '"), "{yaml}");
        assert_eq!(parse(&yaml).unwrap().lexer.mutable().patterns().len(), shipped.mutable().patterns().len());
    }

    #[test]
    fn an_example_is_tried_after_what_look_behinds_need() {
        let checked = |regex: &str, example: &str| {
            let mut file = parse(FILE).unwrap();
            let index = file.patterns.iter().position(|pattern| pattern.id == "mine").unwrap();
            let form = form("mine", regex, &file.lexer).unwrap();
            file.patterns[index] =
                Pattern { regex: regex.to_owned(), form, example: example.to_owned(), ..file.patterns[index].clone() };
            file.check_examples(FILE).into_iter().map(|problem| problem.message).collect::<Vec<String>>()
        };
        for regex in [r"(?<!\S)By\s+X(?!\w)", r"(?<=\S)By\s+X", r"(?<=[^\w\s])By\s+X", r"(?<=\w)By\s+X"] {
            assert_eq!(checked(regex, "By X"), [""; 0], "{regex}");
        }
        assert!(checked(r"By\s+X", "By Y")[0].contains("does not match its example 'By Y'"));
        assert!(checked(r"By\s+X", "")[0].contains("has no example"));
    }

    #[test]
    fn a_text_that_is_not_what_the_regex_says_is_a_problem() {
        let told = problem("text: 'Read {number} more'", "text: 'Read {number} less'");
        assert_eq!(
            told,
            "f.yaml:11: pattern 2051f013: its text is not what its regex says; edit the regex, and remove the text"
        );
        let edited = parse(&FILE.replace(r"more(?!\w)'", r"less(?!\w)'")).unwrap();
        assert!(!edited.patterns[0].is_as_mined(), "an edited regex has its own text");
        assert!(!edited.to_yaml().contains("text: 'Read"));
    }

    #[test]
    fn comments_move_to_the_top() {
        let commented = FILE
            .replace("patterns:\n", "patterns:   # one by one\n  # this one\n")
            .replace("'it''s a column'", "'it''s # no comment'")
            .replace("regex: 'By [A-Z]+'", "regex: 'By [A-Z]+'  # as it''s")
            .replace("'By the sea'", "By the#sea");
        let file = parse(&commented).unwrap();
        assert_eq!(file.heading, "# Ours since May.\n# one by one\n# this one\n# as it''s\n");
        assert_eq!(parse(&file.to_yaml()).unwrap().heading, file.heading);
    }

    #[test]
    fn a_cr_by_itself_ends_a_comment() {
        let file = parse(&FILE.replace("May.\n", "May.\r# On and on.\r\n").replace(".com\n", ".com # here\r")).unwrap();
        assert_eq!(file.heading, "# Ours since May.\n# On and on.\n# here\n");
        assert_eq!(parse(&file.to_yaml()).unwrap().to_yaml(), file.to_yaml());
    }

    #[test]
    fn a_regex_over_many_lines_has_no_comments() {
        let block = "regex: |-  # of\n      By\n      # ours\n";
        let file = parse(&FILE.replace("regex: 'By [A-Z]+'\n", block)).unwrap();
        assert_eq!(file.heading, "# Ours since May.\n# of\n");
        assert!(file.patterns.iter().any(|pattern| pattern.regex == "By\n# ours"));
    }

    #[test]
    fn an_edited_regex_is_no_longer_as_mined() {
        let file = parse(&FILE.replace("more", "less")).unwrap();
        assert!(!file.patterns[0].is_as_mined());
    }

    #[test]
    fn problems_name_line_and_pattern() {
        assert!(
            problem("'By [A-Z]+'", "'By ([A-Z]+'").starts_with("f.yaml:24: pattern mine: its regex does not compile")
        );
        assert!(problem("'mine'", "'2051f013'").starts_with("f.yaml:17: pattern 2051f013: line 9 already has this id"));
        assert!(
            problem("    note: ''", "    nota: ''").starts_with("f.yaml:23: pattern mine: unknown field `nota`"),
            "{}",
            problem("    note: ''", "    nota: ''")
        );
        assert!(problem("status: accepted", "status: maybe").starts_with("f.yaml:18: pattern mine:"));
        assert!(problem("dehusk: 1", "dehusk: 9").starts_with("f.yaml:2: version 9"));
        assert!(problem("source: ex", "sauce: ex").starts_with("f.yaml:3: "), "{}", problem("source: ex", "sauce: ex"));
        assert!(
            problem("patterns:", "patterns: ]").starts_with("f.yaml:8: "),
            "{}",
            problem("patterns:", "patterns: ]")
        );
        assert!(problem("text: 'By the sea'", "text: ' '").starts_with("f.yaml:6: the text to keep is empty"));
        let twice = "keep:\n  - text: 'By the sea '\n    note: ''\n";
        assert!(problem("keep:\n", twice).starts_with("f.yaml:8: the text to keep 'By the sea' occurs twice"));
        assert!(problem("words", "'('").contains("tokenizer"));
        assert_eq!(problem("0.43", ".inf"), "f.yaml:4: cutoff is inf, and a share is a number from 0 to 1");
        assert_eq!(problem("0.6", "60"), "f.yaml:4: removed is 60, and a share is a number from 0 to 1");
        assert!(problem("0.43", ".nan").contains("NaN"));
    }
}
