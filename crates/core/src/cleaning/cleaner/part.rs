//! A part of a cleaner: the compiled patterns of one file. The cleaners of many sources share the part of the file for
//! all sources.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use super::compile::{Review, Reviewed};
use super::{Scratch, is_certain, same_lexer};
use crate::cleaning::decide::chance::{beyond_chance, once};
use crate::cleaning::decide::evidence::Weight;
use crate::cleaning::reading::Match;
use crate::cleaning::reading::block_search::{self, Ground, RowPlace};
use crate::cleaning::reading::layout::Layout;
use crate::cleaning::reading::matcher::{TokenAutomaton, Tokens};
use crate::cleaning::reading::regexes::Regexes;
use crate::patterns::regex::Edges;
use crate::patterns::{ForeignRegex, Form, Pattern, PatternFile};
use crate::tokens::{Lexer, Symbol};

/// The compiled patterns of a file. The indices of rejected patterns follow those of the applied ones.
#[derive(Debug)]
pub(super) struct Part {
    pub applied: Box<[Pattern]>,
    /// They are matched because their text must be kept.
    pub rejected: Box<[Pattern]>,
    /// For each applied pattern, then for each rejected one: its index in the file. `None` for evidence.
    pub indices: Box<[Option<usize>]>,
    /// Of the applied patterns.
    pub weights: Box<[Weight]>,
    pub reaches_cutoff: Box<[bool]>,
    pub lexer: Lexer,
    pub automaton: TokenAutomaton,
    /// For each row in the automaton, its pattern and its index in the block. Rows are numbered after all patterns.
    rows: Box<[(usize, usize)]>,
    /// The patterns that run on the regex engine.
    pub regexes: Regexes,
    pub keeps: Regexes,
}

/// What is found in a text.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Matches of patterns.
    pub matches: Vec<Match>,
    /// Matches of blocks. They are no evidence for anything else.
    pub of_blocks: Vec<Match>,
}

impl Part {
    /// Compiles the patterns of a file, except those with an id that an earlier file rejects.
    pub fn new<'f>(file: &'f PatternFile, rejected_before: &HashSet<&'f str>, only_accepted: bool) -> Part {
        let Review { applied, rejected } = Review::of_file(file, &mut rejected_before.clone(), only_accepted);
        let all = || applied.iter().chain(&rejected).enumerate();
        let patterns = applied.len() + rejected.len();
        let runs = all().filter_map(|(index, Reviewed { pattern, .. })| match &pattern.form {
            Form::Run(run) => Some((index, run, Edges::written_in(&pattern.regex))),
            _ => None,
        });
        let blocks = || all().filter_map(|(index, reviewed)| Some((index, reviewed.pattern.block()?)));
        let edges = Edges::of_runs(blocks().flat_map(|(_, block)| block.rows.iter().map(|row| &row.run)));
        let rows = blocks().flat_map(|(_, block)| &block.rows).enumerate();
        let rows = rows.map(|(number, row)| (patterns + number, &row.run, edges));
        let regex = |(index, Reviewed { pattern, .. }): (usize, &Reviewed)| match &pattern.form {
            Form::Regex(regex) => Some((index, regex.clone())),
            Form::Run(_) | Form::Block(_) | Form::Elements(_) => None,
        };
        let keeps = file.keep.iter().map(|keep| ForeignRegex::from(Arc::clone(keep.regex())));
        Part {
            automaton: TokenAutomaton::new(runs.chain(rows), file.lexer.tokenizer()),
            rows: blocks().flat_map(|(index, block)| (0..block.rows.len()).map(move |row| (index, row))).collect(),
            regexes: Regexes::new(all().filter_map(regex).collect()),
            keeps: Regexes::new(keeps.enumerate().collect()),
            indices: all().map(|(_, reviewed)| reviewed.index).collect(),
            weights: applied.iter().map(|reviewed| weight(reviewed.pattern)).collect(),
            reaches_cutoff: applied.iter().map(|reviewed| reaches_cutoff(reviewed.pattern, file)).collect(),
            applied: applied.iter().map(|reviewed| reviewed.pattern.clone()).collect(),
            rejected: rejected.iter().map(|reviewed| reviewed.pattern.clone()).collect(),
            lexer: file.lexer.clone(),
        }
    }

    /// The pattern with an index.
    pub fn pattern(&self, index: usize) -> &Pattern {
        self.applied.get(index).unwrap_or_else(|| &self.rejected[index - self.applied.len()])
    }

    /// The matches of the patterns and blocks that need no regex engine.
    pub fn find(&self, ground: Ground, symbols: &[Symbol]) -> Found {
        let mut found = Found::default();
        let mut places: BTreeMap<usize, Vec<RowPlace>> = BTreeMap::new();
        let first_row = self.applied.len() + self.rejected.len();
        self.automaton.find(ground.text, ground.tokens, symbols, |tokens, index| match index.checked_sub(first_row) {
            None => found.matches.push(Match { tokens, pattern: index }),
            Some(number) => {
                let (pattern, row) = self.rows[number];
                places.entry(pattern).or_default().push(RowPlace { tokens, row });
            }
        });
        for (pattern, places) in places {
            if let Some(block) = self.pattern(pattern).block() {
                let stretches = block_search::matches(ground, block, places);
                found.of_blocks.extend(stretches.into_iter().map(|tokens| Match { tokens, pattern }));
            }
        }
        found
    }

    /// The matches of a part with another lexer, as tokens of the text as it was read before. `others` are the readings
    /// of the text with other lexers.
    pub fn find_apart<'p>(
        &'p self,
        ground: Ground,
        scratch: &mut Scratch,
        others: &mut Vec<(&'p Lexer, Tokens, Layout)>,
    ) -> Found {
        let known = others.iter().position(|(lexer, ..)| same_lexer(lexer, &self.lexer)).unwrap_or_else(|| {
            let tokens = Tokens::of(ground.text, scratch.lexer(&self.lexer));
            let layout = Layout::of(ground.text, &tokens);
            others.push((&self.lexer, tokens, layout));
            others.len() - 1
        });
        let (_, tokens, layout) = &others[known];
        let symbols = self.automaton.symbols(ground.text, tokens);
        let Found { matches, of_blocks } = self.find(Ground { text: ground.text, tokens, layout }, &symbols);
        let moved = |Match { tokens: found, pattern }| {
            let bytes = tokens.tokens[found.start].range().start..tokens.tokens[found.end - 1].range().end;
            Match { tokens: ground.tokens.within(&bytes), pattern }
        };
        Found {
            matches: matches.into_iter().map(moved).collect(),
            of_blocks: of_blocks.into_iter().map(moved).collect(),
        }
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

fn reaches_cutoff(pattern: &Pattern, file: &PatternFile) -> bool {
    is_certain(pattern) || pattern.share() >= file.mined.cutoff
}
