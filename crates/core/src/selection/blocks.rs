//! Finds the blocks of a source: what the decision removes, as rows that recur together.
//!
//! Takes documents of a source, with the decision about each token. A line, or a part of a line, is a row if it is
//! removed in several documents. Rows that are neighbours in most of their documents are one block. A block that removes
//! little joins the one beside it, or is left out. The lines between rows, such as the headlines in a list, become part
//! of the block if that removes much more of what the decision removes than of what it keeps. So a source has few blocks,
//! and accepting all of them removes nearly what the decision removes. This is grammar induction as for wrappers
//! (RoadRunner, Crescenzi and others 2001), with the alternatives in a loop in place of a sequence, because rows come in
//! many orders.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::rehearsal::Rehearsed;
use crate::cleaning::reading::Match;
use crate::cleaning::reading::block_search::{Ground, RowPlace, disjoint, join, matches};
use crate::cleaning::reading::layout::Layout;
use crate::cleaning::reading::matcher::{TokenAutomaton, Tokens};
use crate::cleaning::{Cleaner, Reading};
use crate::patterns::regex::Edges;
use crate::patterns::{Block, Form, Open, Pattern, PatternFile, Row, Status, thousandths};
use crate::tokens::{Lexer, Piece, TokenKind, TokenRun};

/// Number of documents that have a row, at least; and their share.
const ROW_DOCUMENTS: usize = 2;
/// See [`ROW_DOCUMENTS`].
const ROW_SHARE: f64 = 0.05;
/// A token that the decision keeps, and a block removes, counts as much as this many tokens that it leaves in. Losing
/// content is worse, and some of what the decision keeps is boilerplate, too.
const LOSS: f64 = 5.0;
/// A row is removed wherever it is if the decision keeps it in at most this share of its places.
const KEPT_OF_SURE: f64 = 0.05;
/// Two rows are in one block if they are neighbours in this share of the documents of the rarer one. A row that is in
/// several stretches in more than this share of its documents has several places in a page, such as menu and foot.
const TOGETHER: f64 = 0.5;
/// Maximum number of lines between two rows, and of characters in each.
const MOST_OPEN: Open = Open { lines: 60, characters: 2000 };
/// Maximum number of lines after the last row, and of characters in each.
const MOST_AFTER: Open = Open { lines: 6, characters: 200 };
/// A row in fewer documents of its block than this share is left out if the block removes as much without it.
const RARE: f64 = 0.2;
/// A block removes this share of what the decision removes, at least.
const BLOCK_SHARE: f64 = 0.02;
/// Number of limits of length that are tried.
const LENGTHS: usize = 12;

/// Adds the blocks of a source to its file. The documents were cleaned with the patterns of the file. Other patterns
/// that nobody touched become evidence.
///
/// A block that shares most of its words with a block that a person has decided on continues it: it has its id, status
/// and note.
pub fn add(file: &mut PatternFile, cleaner: &Cleaner, documents: &[Rehearsed]) {
    let slotted: Vec<Vec<(Range<usize>, &TokenRun)>> =
        documents.iter().map(|document| slotted(cleaner, &document.reading)).collect();
    let decided: Vec<Decided> = (documents.iter().zip(&slotted))
        .map(|(Rehearsed { text, reading, goes, .. }, slotted)| Decided {
            text,
            tokens: &reading.tokens,
            layout: &reading.layout,
            goes,
            slotted,
        })
        .collect();
    let found = find(&decided, &file.lexer);

    let mut old: Vec<Pattern> = file.patterns.extract_if(.., |pattern| pattern.block().is_some()).collect();
    old.iter_mut().for_each(|old| count_again(old, cleaner, documents));

    let removed = removed_tokens(&decided);
    file.keep_as_patterns(|pattern| pattern.elements().is_some());
    let mut taken: FxHashSet<String> = file.all().chain(&old).map(|pattern| pattern.id.clone()).collect();
    for FoundBlock { block, documents, occurrences, tokens, example, .. } in found {
        let fresh = Pattern {
            id: String::new(),
            status: Status::Proposed,
            regex: block.regex(&file.lexer),
            documents,
            among: decided.len(),
            occurrences,
            sources: None,
            removes: Some(thousandths(tokens as f64 / removed.max(1) as f64)),
            example,
            ends_after: None,
            note: String::new(),
            form: Form::Block(Arc::new(block)),
        };
        // A person wrote a regex for this block, and it has the counts of the block.
        if let Some(edited) = edited_of(&fresh, file) {
            (edited.documents, edited.among, edited.occurrences) = (fresh.documents, fresh.among, fresh.occurrences);
            continue;
        }
        file.patterns.push(match take_like(&fresh, &mut old) {
            Some(Pattern { id, status, note, .. }) => Pattern { id, status, note, ..fresh },
            None => Pattern { id: free_id(&fresh, &file.lexer, &mut taken), ..fresh },
        });
    }
    file.patterns.extend(old.into_iter().filter(Pattern::is_touched));
    file.add_rows_as_evidence();
}

/// Counts the matches of a block that is in the file already. A rejected block is not found again, because the decision
/// keeps its text. If there are no matches, the old counts are kept.
fn count_again(pattern: &mut Pattern, cleaner: &Cleaner, documents: &[Rehearsed]) {
    let is_it = |other: &Pattern| other.id == pattern.id;
    let (applied, rejected) = (cleaner.patterns().position(is_it), cleaner.rejected().position(is_it));
    let matches_in = |Rehearsed { reading, .. }: &Rehearsed| {
        let count = |found: &[Match], index| found.iter().filter(|found| Some(found.pattern) == index).count();
        count(&reading.selected, applied) + count(&reading.rejected, rejected)
    };
    let matches: Vec<usize> = documents.iter().map(matches_in).collect();
    let documents = matches.iter().filter(|&&matches| matches > 0).count();
    if documents > 0 {
        (pattern.documents, pattern.among, pattern.occurrences) = (documents, matches.len(), matches.iter().sum());
    }
}

/// Matches of patterns with slots.
fn slotted<'c>(cleaner: &'c Cleaner, reading: &Reading) -> Vec<(Range<usize>, &'c TokenRun)> {
    let run = |found: &Match| match &cleaner.pattern(found.pattern).form {
        Form::Run(run) if run.has_free() => Some((found.tokens.clone(), run)),
        _ => None,
    };
    reading.matches.iter().filter_map(run).collect()
}

/// The pattern that a person made of this block by an edit. It has kept the id.
fn edited_of<'f>(fresh: &Pattern, file: &'f mut PatternFile) -> Option<&'f mut Pattern> {
    let usual = fresh.block()?.ids(&file.lexer).next()?;
    file.patterns.iter_mut().find(|pattern| pattern.id == usual && !pattern.is_as_mined())
}

/// Takes out the old block that shares most words with a new one, if these are half of the words of one of the two.
fn take_like(fresh: &Pattern, old: &mut Vec<Pattern>) -> Option<Pattern> {
    let fresh = fresh.block()?;
    let words = |rows: &[Row]| rows.iter().map(|row| row.run.half_words()).sum::<usize>();
    let shared = |pattern: &Pattern| -> usize {
        let Some(block) = pattern.block() else { return 0 };
        let shared = block.rows.iter().filter(|row| fresh.rows.iter().any(|other| other.run == row.run));
        let shared: usize = shared.map(|row| row.run.half_words()).sum();
        if 2 * shared >= words(&block.rows).min(words(&fresh.rows)) { shared } else { 0 }
    };
    let most = old.iter().enumerate().map(|(index, pattern)| (shared(pattern), Reverse(index))).max()?;
    let (shared, Reverse(index)) = most;
    (shared > 0).then(|| old.remove(index))
}

/// The first id of a new block that is not taken.
fn free_id(fresh: &Pattern, lexer: &Lexer, taken: &mut FxHashSet<String>) -> String {
    let mut ids = fresh.block().into_iter().flat_map(|block| block.ids(lexer));
    ids.find(|id| taken.insert(id.clone())).unwrap_or_default()
}

/// A document of the source, and the decision about it.
#[derive(Clone, Copy)]
pub struct Decided<'d> {
    /// Its text.
    pub text: &'d str,
    /// Its tokens.
    pub tokens: &'d Tokens,
    /// Its lines.
    pub layout: &'d Layout,
    /// Whether each token is removed.
    pub goes: &'d [bool],
    /// Matches of patterns with slots, and which run each is of.
    pub slotted: &'d [(Range<usize>, &'d TokenRun)],
}

/// A block that was found, with its counts in these documents.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundBlock {
    /// The block.
    pub block: Block,
    /// Number of documents that it matches in.
    pub documents: usize,
    /// Number of its matches.
    pub occurrences: usize,
    /// Number of tokens in them that the decision removes.
    pub tokens: usize,
    /// The shortest of them, as written.
    pub example: String,
}

/// The places of rows in a document, from left to right.
struct Placed<'d> {
    document: Decided<'d>,
    places: Vec<RowPlace>,
}

impl<'d> Decided<'d> {
    fn ground(&self) -> Ground<'d> {
        Ground { text: self.text, tokens: self.tokens, layout: self.layout }
    }

    /// Number of tokens that are kept and removed, among these. A number is no word, and counts here.
    fn tokens(&self, tokens: Range<usize>) -> [usize; 2] {
        let removed = self.goes[tokens.clone()].iter().filter(|&&goes| goes).count();
        [tokens.len() - removed, removed]
    }

    /// Whether a word of these tokens is kept.
    fn keeps_word(&self, tokens: Range<usize>) -> bool {
        tokens.into_iter().any(|token| !self.goes[token] && self.tokens.tokens[token].kind == TokenKind::Word)
    }

    /// The removed lines and parts of lines that have a word.
    fn removed_rows(&self) -> impl Iterator<Item = Range<usize>> {
        self.layout.lines.iter().flat_map(|line| {
            let mut rows = Vec::new();
            let mut start = line.start;
            while start < line.end {
                let goes = self.goes[start];
                let length = self.goes[start..line.end].iter().take_while(|&&other| other == goes).count();
                let row = start..start + length;
                start = row.end;
                if goes && self.has_fixed_word(&row) {
                    rows.push(row);
                }
            }
            rows
        })
    }

    /// Whether a row has a word that no mutable pattern matches.
    fn has_fixed_word(&self, row: &Range<usize>) -> bool {
        self.tokens.tokens[row.clone()].iter().any(|token| token.kind == TokenKind::Word)
    }

    /// The run of a row.
    fn run(&self, row: &Range<usize>) -> TokenRun {
        let line_starts = &self.tokens.line_starts;
        let mut pieces = Vec::with_capacity(row.len() + 2);
        pieces.extend(line_starts[row.start].then_some(Piece::Break));
        for (index, token) in self.tokens.tokens[row.clone()].iter().enumerate() {
            let space_before = token.space_before || (index == 0 && line_starts[row.start]);
            pieces.push(match token.kind {
                TokenKind::Mutable(id) | TokenKind::Marks(id) => Piece::Slot { id, space_before },
                _ => Piece::Literal { text: self.text[token.range()].into(), space_before },
            });
        }
        pieces.extend(line_starts[row.end].then_some(Piece::Break));
        TokenRun(pieces.into())
    }
}

/// Number of tokens that the decision removes.
fn removed_tokens(documents: &[Decided]) -> usize {
    documents.iter().map(|document| document.tokens(0..document.goes.len())[1]).sum()
}

/// The blocks of a source, those with the most words first. The documents may be in any order.
pub fn find(documents: &[Decided], lexer: &Lexer) -> Vec<FoundBlock> {
    let least = ROW_DOCUMENTS.max((ROW_SHARE * documents.len() as f64).ceil() as usize);
    let runs = recurring(documents, least);
    let edges = Edges::of_runs(&runs);
    let automaton = TokenAutomaton::new(runs.iter().enumerate().map(|(row, run)| (row, run, edges)), lexer.tokenizer());
    let mut placed: Vec<Placed> = (documents.par_iter())
        .map_init(
            || lexer.clone(),
            |lexer, &document| {
                let (tokens, symbols) = automaton.read(document.text, lexer);
                let mut places = Vec::new();
                automaton.find(document.text, &tokens, &symbols, |tokens, row| places.push(RowPlace { tokens, row }));
                Placed { document, places: disjoint(places) }
            },
        )
        .collect();

    let mut rows = rows_of(runs, &placed);
    let is_row: Vec<bool> = rows.iter().map(|row| row.documents >= least).collect();
    placed.iter_mut().for_each(|one| one.places.retain(|place| is_row[place.row]));
    open_between(&mut rows, &placed);
    let removed = removed_tokens(documents);
    let mut groups = grouped(&rows, &placed, least, removed);
    let documents_with = |group: &Group| placed.iter().filter(|one| !group.matches(one).is_empty()).count();
    groups.retain(|group| documents_with(group) >= least);
    open_after(&mut groups, &placed);
    let counted = |group: Group| group.without_needless_rows(&placed).counted(&placed);
    let is_enough =
        |found: &FoundBlock| found.documents >= least && found.tokens as f64 >= BLOCK_SHARE * removed as f64;
    let mut found: Vec<FoundBlock> = groups.into_par_iter().map(counted).filter(is_enough).collect();
    found.sort_by(|a, b| b.tokens.cmp(&a.tokens).then_with(|| a.block.rows[0].run.cmp(&b.block.rows[0].run)));
    found
}

/// The runs that are removed as a row in enough documents. A row that is one of many which a pattern with slots matches,
/// such as one byline of many, counts as that pattern.
fn recurring(documents: &[Decided], least: usize) -> Vec<TokenRun> {
    let rows = documents.iter().enumerate().flat_map(|(number, of)| {
        of.removed_rows().map(move |row| {
            let slotted = of.slotted.iter().filter(|(tokens, _)| *tokens == row).map(|(_, run)| *run).min();
            (number, of.run(&row), slotted)
        })
    });
    let (mut literal, mut slotted) = (Counts::default(), Counts::default());
    let mut slotted_of: FxHashMap<TokenRun, TokenRun> = FxHashMap::default();
    for (number, run, pattern) in rows {
        if let Some(pattern) = pattern {
            slotted.add(number, pattern.clone());
            let least = slotted_of.entry(run.clone()).or_insert_with(|| pattern.clone());
            if pattern < least {
                *least = pattern.clone();
            }
        }
        literal.add(number, run);
    }
    let is_usual = |run: &TokenRun, count: usize| {
        let of_pattern = slotted_of.get(run).map_or(0, |pattern| slotted.documents(pattern));
        count as f64 >= TOGETHER * of_pattern as f64
    };
    let literal = literal.0.iter().filter(|(run, (count, _))| is_usual(run, *count));
    let enough = literal.chain(&slotted.0).filter(|(_, (count, _))| *count >= least);
    let mut runs: Vec<TokenRun> = enough.map(|(run, _)| run.clone()).collect();
    runs.sort_unstable();
    runs.dedup();
    runs
}

/// The number of documents of each run, and the last one of them.
#[derive(Default)]
struct Counts(FxHashMap<TokenRun, (usize, usize)>);

impl Counts {
    fn add(&mut self, document: usize, run: TokenRun) {
        let (count, last) = self.0.entry(run).or_insert((0, usize::MAX));
        *count += usize::from(*last != document);
        *last = document;
    }

    fn documents(&self, run: &TokenRun) -> usize {
        self.0.get(run).map_or(0, |(count, _)| *count)
    }
}

/// The rows, by what the decision does at their places. A row that is kept more often than removed gets no document.
fn rows_of(runs: Vec<TokenRun>, placed: &[Placed]) -> Vec<Row> {
    let mut removed = vec![(0_usize, 0_usize); runs.len()];
    let mut kept = vec![0_usize; runs.len()];
    for Placed { document, places } in placed {
        let mut seen = FxHashSet::default();
        for RowPlace { tokens, row } in places {
            if document.keeps_word(tokens.clone()) {
                kept[*row] += 1;
            } else {
                removed[*row].0 += usize::from(seen.insert(*row));
                removed[*row].1 += 1;
            }
        }
    }
    let row = |(index, run): (usize, TokenRun)| {
        let ((documents, removed), kept) = (removed[index], kept[index]);
        Row {
            run,
            documents: if removed >= kept { documents } else { 0 },
            occurrences: removed,
            is_sure: is_sure(kept, removed),
            between: Open::default(),
            after: Open::default(),
        }
    };
    runs.into_iter().enumerate().map(row).collect()
}

/// Whether text is removed wherever it is, if it is kept in some places and removed in others.
pub fn is_sure(kept: usize, removed: usize) -> bool {
    kept as f64 <= KEPT_OF_SURE * removed as f64
}

/// What may be removed with a row: open lines, and the number of tokens in them that the decision keeps and removes.
struct Chance {
    open: Open,
    tokens: [usize; 2],
}

/// What it is worth to remove tokens that the decision keeps and removes, in tokens.
fn worth([kept, removed]: [usize; 2]) -> f64 {
    removed as f64 - LOSS * kept as f64
}

/// The limits with which most is removed, if what is lost counts more. Of each list of chances, which grow, the last one
/// that fits is taken.
fn best_limits(chances: &[Vec<Chance>]) -> Open {
    let mut lines: Vec<u16> = chances.iter().flatten().map(|chance| chance.open.lines).collect();
    lines.sort_unstable();
    lines.dedup();
    let lengths = lengths_to_try(chances.iter().flatten().map(|chance| chance.open.characters));
    let value = |limits: Open| -> f64 {
        let fitting =
            chances.iter().filter_map(|growing| growing.iter().rfind(|chance| limits.has_room_for(chance.open)));
        fitting.map(|chance| worth(chance.tokens)).sum()
    };
    let mut best = (0.0, Open::default());
    for &lines in &lines {
        for &characters in &lengths {
            let limits = Open { lines, characters };
            let value = value(limits);
            if value > best.0 {
                best = (value, limits);
            }
        }
    }
    best.1
}

/// Some of the lengths, evenly spread by rank, the longest one among them.
fn lengths_to_try(lengths: impl Iterator<Item = u16>) -> Vec<u16> {
    let mut lengths: Vec<u16> = lengths.filter(|&length| length > 0).collect();
    lengths.sort_unstable();
    lengths.dedup();
    let count = lengths.len();
    let few = count.min(LENGTHS);
    (1..=few).map(|number| lengths[number * count / few - 1]).collect()
}

/// A limit of length with some room, because documents to come have longer lines, too.
fn with_room(open: Open) -> Open {
    let characters = (open.characters + (open.characters / 4).max(4)).min(MOST_OPEN.characters);
    if open.lines == 0 { open } else { Open { characters, ..open } }
}

/// Sets the lines that may be between a row and the next one.
fn open_between(rows: &mut [Row], placed: &[Placed]) {
    let mut chances: Vec<Vec<Vec<Chance>>> = rows.iter().map(|_| Vec::new()).collect();
    for Placed { document, places } in placed {
        for pair in places.windows(2) {
            let between = pair[0].tokens.end..pair[1].tokens.start;
            let open = document.ground().lines_between(between.clone(), MOST_OPEN.lines);
            if open.lines > 0 && MOST_OPEN.has_room_for(open) {
                chances[pair[0].row].push(vec![Chance { open, tokens: document.tokens(between) }]);
            }
        }
    }
    for (row, chances) in rows.iter_mut().zip(&chances) {
        row.between = with_room(best_limits(chances));
    }
}

/// Groups rows that are neighbours into blocks.
fn grouped(rows: &[Row], placed: &[Placed], least: usize, removed: usize) -> Vec<Group> {
    // Stretches of joined rows, with a row that is sure.
    let mut stretches: Vec<(usize, Vec<RowPlace>)> = Vec::new();
    for (number, Placed { document, places }) in placed.iter().enumerate() {
        join(document.ground(), rows, places, |joined| {
            if joined.iter().any(|place| rows[place.row].is_sure) {
                stretches.push((number, joined.to_vec()));
            }
        });
    }
    let mut stretches_in: FxHashMap<(usize, usize), usize> = FxHashMap::default();
    for (number, joined) in &stretches {
        let distinct: FxHashSet<usize> = joined.iter().map(|place| place.row).collect();
        distinct.into_iter().for_each(|row| *stretches_in.entry((row, *number)).or_default() += 1);
    }
    // For each row, the number of documents, and of those with several stretches.
    let mut documents_of = vec![[0_usize; 2]; rows.len()];
    for ((row, _), stretches) in stretches_in {
        documents_of[row][0] += 1;
        documents_of[row][1] += usize::from(stretches > 1);
    }
    let has_one_place = |row: usize| {
        let [documents, with_several] = documents_of[row];
        with_several as f64 <= TOGETHER * documents as f64
    };

    // How often each row has another one as its neighbour: the nearest one, before or after it, in as many documents or
    // more. A headline in a list that changes has always other headlines beside it, and always the title of the list.
    let mut beside: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for (_, joined) in &stretches {
        let mut seen = FxHashSet::default();
        let rows = joined.iter().map(|place| place.row).filter(|&row| has_one_place(row) && seen.insert(row));
        let rows: Vec<usize> = rows.collect();
        let mut count = |row: usize, common: &mut Vec<usize>| {
            while common.last().is_some_and(|&last| documents_of[last][0] < documents_of[row][0]) {
                common.pop();
            }
            if let Some(&neighbour) = common.last() {
                *beside.entry((row, neighbour)).or_default() += 1;
            }
            common.push(row);
        };
        let (mut before, mut after) = (Vec::new(), Vec::new());
        rows.iter().for_each(|&row| count(row, &mut before));
        rows.iter().rev().for_each(|&row| count(row, &mut after));
    }
    // After the rows, a group for each row that is the first of a stretch without rows that have one place.
    let mut groups = Groups::of(2 * rows.len());
    for ((row, neighbour), count) in beside {
        if count as f64 >= TOGETHER * documents_of[row][0] as f64 {
            groups.unite(row, neighbour);
        }
    }

    // A row with several places belongs to the block of the nearest row that has one place.
    let group_at = |groups: &mut Groups, joined: &[RowPlace]| -> Vec<usize> {
        let anchors: Vec<usize> = (0..joined.len()).filter(|&at| has_one_place(joined[at].row)).collect();
        let group = |at: usize| match anchors.iter().min_by_key(|anchor| (anchor.abs_diff(at), **anchor)) {
            Some(&anchor) => groups.group_of(joined[anchor].row),
            // All rows of the stretch have several places: they are a block of their own.
            None => groups.group_of(rows.len() + joined.iter().map(|place| place.row).min().unwrap_or_default()),
        };
        (0..joined.len()).map(group).collect()
    };
    let placed_groups: Vec<Vec<usize>> = stretches.iter().map(|(_, joined)| group_at(&mut groups, joined)).collect();
    let stretches_with_groups = || stretches.iter().zip(&placed_groups);
    let mut tokens: BTreeMap<usize, usize> = BTreeMap::new();
    for ((_, joined), placed_groups) in stretches_with_groups() {
        for (place, group) in joined.iter().zip(placed_groups) {
            *tokens.entry(*group).or_default() += place.tokens.len();
        }
    }
    // How often each group is beside another one: joined, or with few lines between.
    let mut beside: BTreeMap<usize, BTreeMap<usize, usize>> = BTreeMap::new();
    let mut count = |[a, b]: [usize; 2]| {
        if a != b {
            *beside.entry(a).or_default().entry(b).or_default() += 1;
            *beside.entry(b).or_default().entry(a).or_default() += 1;
        }
    };
    let mut before: Option<(usize, &RowPlace, usize)> = None;
    for ((number, joined), placed_groups) in stretches_with_groups() {
        placed_groups.windows(2).for_each(|pair| count([pair[0], pair[1]]));
        let [Some(first), Some(last)] = [joined.first(), joined.last()] else { continue };
        if let Some((_, end, group)) = before.filter(|(of, ..)| of == number) {
            let ground = placed[*number].document.ground();
            let between = ground.lines_between(end.tokens.end..first.tokens.start, MOST_AFTER.lines);
            if MOST_AFTER.has_room_for(between) {
                count([group, placed_groups[0]]);
            }
        }
        before = placed_groups.last().map(|&group| (*number, last, group));
    }
    unite_small(&mut groups, tokens, beside, (BLOCK_SHARE * removed as f64) as usize);

    let mut members: BTreeMap<usize, BTreeMap<usize, Member>> = BTreeMap::new();
    for ((number, joined), placed_groups) in stretches_with_groups() {
        let tokens = placed[*number].document.goes.len();
        for (place, group) in joined.iter().zip(placed_groups) {
            let member = members.entry(groups.group_of(*group)).or_default().entry(place.row).or_default();
            member.add(*number, 1_000_000 * place.tokens.start / tokens);
        }
    }
    let block = |members: BTreeMap<usize, Member>| {
        let enough = |row: usize, member: &Member| member.documents >= least.min(documents_of[row][0]);
        let mut members: Vec<(usize, Member)> =
            members.into_iter().filter(|(row, member)| enough(*row, member)).collect();
        members.sort_by(|(row, a), (other, b)| a.mean_place().cmp(&b.mean_place()).then(row.cmp(other)));
        let index_of = members.iter().enumerate().map(|(index, (row, _))| (*row, index)).collect();
        let rows: Vec<Row> =
            members.into_iter().map(|(row, member)| Row { documents: member.documents, ..rows[row].clone() }).collect();
        rows.iter().any(|row| row.is_sure).then_some(Group { block: Block { rows }, index_of })
    };
    members.into_values().filter_map(block).collect()
}

/// Unites each group of fewer than `least` tokens with the one that it is beside most often. The smallest one is first.
fn unite_small(
    groups: &mut Groups,
    mut tokens: BTreeMap<usize, usize>,
    mut beside: BTreeMap<usize, BTreeMap<usize, usize>>,
    least: usize,
) {
    let mut smallest: BTreeSet<(usize, usize)> = tokens.iter().map(|(group, tokens)| (*tokens, *group)).collect();
    while let Some((of_small, small)) = smallest.pop_first().filter(|(tokens, _)| *tokens < least) {
        let neighbours = beside.remove(&small).unwrap_or_default();
        let Some(large) = neighbours.iter().map(|(group, count)| (*count, tokens[group], Reverse(*group))).max() else {
            continue;
        };
        let Reverse(large) = large.2;
        groups.join(small, large);
        smallest.remove(&(tokens[&large], large));
        *tokens.entry(large).or_default() += of_small;
        smallest.insert((tokens[&large], large));
        for (group, count) in neighbours {
            let of_group = beside.entry(group).or_default();
            of_group.remove(&small);
            if group != large {
                *of_group.entry(large).or_default() += count;
                *beside.entry(large).or_default().entry(group).or_default() += count;
            }
        }
    }
}

/// A row in a block.
#[derive(Debug, Default)]
struct Member {
    documents: usize,
    last: Option<usize>,
    /// Sum of its places in the documents, in millionths of them. Whole numbers, because they add up to the same in any
    /// order.
    places: usize,
    count: usize,
}

impl Member {
    fn add(&mut self, document: usize, place: usize) {
        self.documents += usize::from(self.last != Some(document));
        self.last = Some(document);
        self.places += place;
        self.count += 1;
    }

    fn mean_place(&self) -> usize {
        self.places / self.count
    }
}

/// Disjoint groups of rows.
struct Groups(Vec<usize>);

impl Groups {
    fn of(count: usize) -> Groups {
        Groups((0..count).collect())
    }

    fn group_of(&mut self, mut row: usize) -> usize {
        while self.0[row] != row {
            self.0[row] = self.0[self.0[row]];
            row = self.0[row];
        }
        row
    }

    /// The smaller number names the group, so that the order of calls has no effect on it.
    fn unite(&mut self, a: usize, b: usize) {
        let (a, b) = (self.group_of(a), self.group_of(b));
        self.0[a.max(b)] = a.min(b);
    }

    /// Makes the first group, named by itself, a part of the second one.
    fn join(&mut self, part: usize, whole: usize) {
        self.0[part] = whole;
    }
}

/// A block, and which row of the source each of its rows is.
struct Group {
    block: Block,
    index_of: FxHashMap<usize, usize>,
}

impl Group {
    /// The group without rare rows that change nothing, such as headlines in a list whose lines are open anyway.
    fn without_needless_rows(mut self, placed: &[Placed]) -> Group {
        let mut documents_with: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut gains: FxHashMap<usize, f64> = FxHashMap::default();
        for (number, one) in placed.iter().enumerate() {
            let rows =
                one.places.iter().filter_map(|place| self.index_of.contains_key(&place.row).then_some(place.row));
            let rows: FxHashSet<usize> = rows.collect();
            if !rows.is_empty() {
                gains.insert(number, self.gain(one));
            }
            rows.into_iter().for_each(|row| documents_with.entry(row).or_default().push(number));
        }
        let rare = |documents: &Vec<usize>| (documents.len() as f64) < RARE * gains.len() as f64;
        let mut order: Vec<(usize, Vec<usize>)> = documents_with.into_iter().filter(|(_, of)| rare(of)).collect();
        order.sort_by_key(|(row, documents)| (documents.len(), *row));
        for (row, documents) in order {
            let index = self.index_of.remove(&row);
            let without: Vec<f64> = documents.iter().map(|number| self.gain(&placed[*number])).collect();
            if documents.iter().zip(&without).any(|(number, gain)| *gain < gains[number]) {
                self.index_of.extend(index.map(|index| (row, index)));
            } else {
                gains.extend(documents.into_iter().zip(without));
            }
        }
        let mut left: Vec<(usize, usize)> = self.index_of.into_iter().map(|(row, index)| (index, row)).collect();
        left.sort_unstable();
        let rows = left.iter().map(|(index, _)| self.block.rows[*index].clone()).collect();
        Group {
            block: Block { rows },
            index_of: left.into_iter().zip(0..).map(|((_, row), index)| (row, index)).collect(),
        }
    }

    /// What the block is worth in a document, in tokens.
    fn gain(&self, one: &Placed) -> f64 {
        self.matches(one).into_iter().map(|tokens| worth(one.document.tokens(tokens))).sum()
    }

    /// The matches in a document.
    fn matches(&self, Placed { document, places }: &Placed) -> Vec<Range<usize>> {
        let own = places.iter().filter_map(|RowPlace { tokens, row }| {
            Some(RowPlace { tokens: tokens.clone(), row: *self.index_of.get(row)? })
        });
        matches(document.ground(), &self.block, own.collect())
    }
}

/// Sets the lines that may come after the last row. What other blocks remove does not count.
fn open_after(groups: &mut [Group], placed: &[Placed]) {
    let mut chances: Vec<Vec<Vec<Vec<Chance>>>> =
        groups.iter().map(|group| group.block.rows.iter().map(|_| Vec::new()).collect()).collect();
    for one in placed {
        let matched: Vec<Vec<Range<usize>>> = groups.iter().map(|group| group.matches(one)).collect();
        let mut is_covered = vec![false; one.document.goes.len()];
        matched.iter().flatten().for_each(|tokens| is_covered[tokens.clone()].fill(true));
        for ((group, matched), chances) in groups.iter().zip(&matched).zip(&mut chances) {
            for tokens in matched {
                let last = one
                    .places
                    .iter()
                    .rfind(|place| place.tokens.end == tokens.end && group.index_of.contains_key(&place.row));
                let Some(row) = last.and_then(|place| group.index_of.get(&place.row)) else { continue };
                chances[*row].push(lines_after(one.document, tokens.end, &is_covered));
            }
        }
    }
    for (group, chances) in groups.iter_mut().zip(&chances) {
        for (row, chances) in group.block.rows.iter_mut().zip(chances) {
            if chances.len() >= ROW_DOCUMENTS {
                row.after = with_room(best_limits(chances));
            }
        }
    }
}

/// The lines after a match, one more with each chance, up to one that another match covers.
fn lines_after(document: Decided, start: usize, is_covered: &[bool]) -> Vec<Chance> {
    let ground = document.ground();
    let mut after: Vec<Chance> = Vec::new();
    let (mut end, mut longest) = (start, 0);
    for lines in 1..=MOST_AFTER.lines {
        let next = ground.end_after(end, Open { lines: 1, ..MOST_AFTER });
        if next == end || is_covered[end..next].contains(&true) {
            break;
        }
        longest = longest.max(ground.characters(end..next));
        end = next;
        after.push(Chance { open: Open { lines, characters: longest }, tokens: document.tokens(start..end) });
    }
    after
}

impl Group {
    /// The block with its counts. A row that is in no match is left out.
    fn counted(self, placed: &[Placed]) -> FoundBlock {
        let mut counts_of = vec![(0, 0); self.block.rows.len()];
        let mut found = FoundBlock {
            block: Block { rows: Vec::new() },
            documents: 0,
            occurrences: 0,
            tokens: 0,
            example: String::new(),
        };
        for one in placed {
            let matched = self.matches(one);
            found.documents += usize::from(!matched.is_empty());
            found.occurrences += matched.len();
            let mut rows: Vec<usize> = Vec::new();
            for tokens in matched {
                found.tokens += one.document.tokens(tokens.clone())[1];
                let inside = one
                    .places
                    .iter()
                    .filter(|place| tokens.start <= place.tokens.start && place.tokens.end <= tokens.end);
                rows.extend(inside.filter_map(|place| self.index_of.get(&place.row)));
                let example = &one.document.text[one.document.tokens.bytes_of(&tokens)];
                let length = |text: &str| (text.is_empty(), text.len());
                if (length(example), example) < (length(&found.example), &*found.example) {
                    found.example = example.to_owned();
                }
            }
            rows.iter().for_each(|row: &usize| counts_of[*row].1 += 1);
            rows.sort_unstable();
            rows.dedup();
            rows.into_iter().for_each(|row| counts_of[row].0 += 1);
        }
        let rows = self.block.rows.into_iter().zip(counts_of).filter(|(_, (documents, _))| *documents > 0);
        found.block.rows = rows.map(|(row, (documents, occurrences))| Row { documents, occurrences, ..row }).collect();
        found
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::tokens::{MutableSet, Tokenizer};

    fn lexer() -> Lexer {
        Lexer::new(Tokenizer::Words, Arc::new(MutableSet::none()))
    }

    /// Looks at the blocks of documents. Lines that end with `-` are removed.
    fn with_blocks<T>(documents: &[String], look: impl FnOnce(&[Decided], Vec<FoundBlock>) -> T) -> T {
        let read = |document: &String| {
            let text = document.replace('-', "");
            let tokens = Tokens::of(&text, &mut lexer());
            let layout = Layout::of(&text, &tokens);
            let mut goes = vec![false; tokens.tokens.len()];
            layout
                .lines
                .iter()
                .zip(document.lines())
                .for_each(|(line, written)| goes[line].fill(written.ends_with('-')));
            (text, tokens, layout, goes)
        };
        let read: Vec<_> = documents.iter().map(read).collect();
        let decided = read.iter();
        let decided = decided.map(|(text, tokens, layout, goes)| Decided { text, tokens, layout, goes, slotted: &[] });
        let decided: Vec<Decided> = decided.collect();
        let found = find(&decided, &lexer());
        look(&decided, found)
    }

    fn written(found: &[FoundBlock]) -> Vec<String> {
        let row = |row: &Row| {
            let sure = if row.is_sure { "" } else { "?" };
            let open = |Open { lines, .. }: Open| if lines > 0 { format!(" +{lines}") } else { String::new() };
            let text = row.run.written(&MutableSet::none());
            format!("{sure}{}{}{}", text.trim_matches('⏎'), open(row.between), open(row.after))
        };
        found.iter().map(|found| found.block.rows.iter().map(row).collect::<Vec<_>>().join(", ")).collect()
    }

    fn pages(page: impl Fn(usize) -> String) -> Vec<String> {
        (0..12).map(page).collect()
    }

    #[test]
    fn head_and_foot_are_two_blocks() {
        let pages = pages(|n| format!("Home-\nNews-\nStory {n} is told\nwith words of {n}\nAbout us-\nTerms-"));
        assert_eq!(with_blocks(&pages, |_, found| written(&found)), ["About us, Terms", "Home, News"]);
    }

    #[test]
    fn headlines_of_a_list_are_open_lines() {
        let pages =
            pages(|n| format!("Story {n} is told here\nRelated-\nA ferry {n} sank-\nB{n} came-\nAbout us-\nlast {n}-"));
        assert_eq!(with_blocks(&pages, |_, found| written(&found)), ["Related +2, About us +1"]);
    }

    #[test]
    fn rows_may_be_missing_or_come_in_another_order() {
        let pages = pages(|n| match n % 3 {
            0 => format!("Story {n} is told\nPrint-\nMail-\nShare-"),
            1 => format!("Story {n} is told\nMail-\nPrint-"),
            _ => format!("Story {n} is told\nPrint-\nShare-"),
        });
        let (rows, words) = with_blocks(&pages, |_, found| (written(&found), found[0].documents));
        assert_eq!((rows.len(), words), (1, 12), "{rows:?}");
    }

    /// Pages with a long menu, which is most of what is removed, and a rare row below it.
    fn with_rare_row(above: &str) -> Vec<String> {
        let menu = (0..60).map(|n| format!("menu {}-\n", ["a", "b", "c", "d", "e"].map(|x| x.repeat(n + 1)).join(" ")));
        let menu: String = menu.collect();
        pages(|n| {
            let rare = if n < 4 { format!("{above}Rare row-\n") } else { String::new() };
            format!("{menu}{rare}Story {n} is told\nwith words of {n}")
        })
    }

    #[test]
    fn a_small_block_joins_the_one_that_it_is_beside() {
        for above in ["", "a line\nof page\n"] {
            let found = with_blocks(&with_rare_row(above), |_, found| written(&found));
            assert!(found.len() == 1 && found[0].ends_with("Rare row"), "{above:?} {found:?}");
        }
    }

    #[test]
    fn a_small_block_that_is_alone_is_no_block() {
        let found = with_blocks(&with_rare_row(&"a line\n".repeat(9)), |_, found| written(&found));
        assert!(found.len() == 1 && !found[0].contains("Rare row"), "{found:?}");
    }

    #[test]
    fn a_row_that_content_has_is_removed_only_beside_a_sure_row() {
        let pages = pages(|n| match n {
            0 => "Home-\nNews-\nStory is told\nNews\nof today".to_owned(),
            _ => format!("Home-\nNews-\nStory {n} is told"),
        });
        assert_eq!(with_blocks(&pages, |_, found| written(&found)), ["Home, ?News"]);
    }

    proptest! {
        /// A block matches in all documents that its rows were counted in. The order of the documents has no effect.
        #[test]
        fn blocks_have_their_documents_in_any_order(
            documents in prop::collection::vec(
                prop::collection::vec(prop::sample::select(vec!["a-", "b-", "c-", "d", "e", "f-\na", "x y-", "d e-"]), 1..8), 5..9,
            ),
            swap in 0_usize..8,
        ) {
            let documents: Vec<String> = documents.iter().map(|lines| lines.join("\n")).collect();
            let mut other = documents.clone();
            other.rotate_left(swap % documents.len());
            let blocks = with_blocks(&documents, |_, found| {
                for FoundBlock { block, documents, occurrences, example, .. } in &found {
                    prop_assert!(*documents >= ROW_DOCUMENTS && occurrences >= documents && !example.is_empty());
                    prop_assert!(block.rows.iter().any(|row| row.is_sure));
                    prop_assert!(block.rows.iter().all(|row| row.documents <= *documents), "{block:?} {documents}");
                }
                Ok(found)
            })?;
            let moved = with_blocks(&other, |_, found| found);
            prop_assert_eq!(blocks, moved);
        }
    }
}
