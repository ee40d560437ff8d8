//! Groups patterns of a list that are nearly the same.
//!
//! Two patterns are alike if they have the same tokens apart from one stretch, or if one contains the other. In both
//! cases, the tokens in common must be at least two, and at least half of the longer pattern. Each pattern joins the
//! first group whose first pattern it is like. So the members of a group are like its first pattern, but not always
//! like each other.

use std::collections::HashMap;

use dehusk_core::patterns::{Form, Pattern, PatternFile};
use dehusk_core::tokens::Piece;

/// Patterns that are nearly the same, as indices in their file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlikePatterns {
    /// The first of these patterns in the list.
    pub first: usize,
    /// The patterns that are like the first one, in the order of the list.
    pub others: Vec<usize>,
}

impl AlikePatterns {
    /// All patterns of the group.
    pub fn all(&self) -> impl Iterator<Item = usize> + '_ {
        std::iter::once(self.first).chain(self.others.iter().copied())
    }
}

/// Groups the patterns of a list. Most groups have one member. A regex that a person wrote is not like any other
/// pattern.
pub fn alike_patterns(file: &PatternFile, listed: &[usize]) -> Vec<AlikePatterns> {
    let mut groups: Vec<AlikePatterns> = Vec::with_capacity(listed.len());
    let mut firsts: Vec<Vec<&Piece>> = Vec::with_capacity(listed.len());
    // Patterns that are alike have a pair of tokens in common. Only groups with such a pair are compared.
    let mut by_pair: HashMap<(Pair, &Piece, &Piece), Vec<usize>> = HashMap::new();
    for &index in listed {
        let tokens = tokens(&file.patterns[index]);
        let candidates = lookups(&tokens).filter_map(|pair| by_pair.get(&pair)).flatten().copied();
        match candidates.filter(|&group| are_alike(&firsts[group], &tokens)).min() {
            Some(group) => groups[group].others.push(index),
            None => {
                pairs(&tokens).for_each(|pair| by_pair.entry(pair).or_default().push(groups.len()));
                groups.push(AlikePatterns { first: index, others: Vec::new() });
                firsts.push(tokens);
            }
        }
    }
    groups
}

/// Where in a pattern a pair of tokens is.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Pair {
    /// Its first two tokens.
    Start,
    /// Its last two tokens.
    End,
    /// Its first and its last token.
    Edges,
    /// Any neighbours.
    Inside,
}

/// The pairs of a group's first pattern, under which other patterns find the group.
fn pairs<'p>(tokens: &[&'p Piece]) -> impl Iterator<Item = (Pair, &'p Piece, &'p Piece)> {
    edges(tokens).into_iter().chain(neighbours(tokens, Pair::Inside))
}

/// The pairs with which a pattern looks for the groups that it may belong to.
fn lookups<'p>(tokens: &[&'p Piece]) -> impl Iterator<Item = (Pair, &'p Piece, &'p Piece)> {
    // The first pattern of a group may contain this pattern.
    let inside_of_group = edges(tokens).first().map(|&(_, a, b)| (Pair::Inside, a, b));
    edges(tokens).into_iter().chain(neighbours(tokens, Pair::Start)).chain(inside_of_group)
}

fn edges<'p>(tokens: &[&'p Piece]) -> Vec<(Pair, &'p Piece, &'p Piece)> {
    match *tokens {
        [] | [_] => Vec::new(),
        [first, second] => vec![(Pair::Start, first, second), (Pair::End, first, second), (Pair::Edges, first, second)],
        [first, second, .., before, last] | [first, second @ before, last] => {
            vec![(Pair::Start, first, second), (Pair::End, before, last), (Pair::Edges, first, last)]
        }
    }
}

fn neighbours<'p>(tokens: &[&'p Piece], pair: Pair) -> Vec<(Pair, &'p Piece, &'p Piece)> {
    tokens.windows(2).map(|two| (pair, two[0], two[1])).collect()
}

/// The tokens of a mined pattern, without line breaks.
fn tokens(pattern: &Pattern) -> Vec<&Piece> {
    match &pattern.form {
        Form::Run(run) => run.pieces().iter().filter(|piece| **piece != Piece::Break).collect(),
        Form::Block(block) => {
            let pieces = block.rows.iter().flat_map(|row| row.run.pieces());
            pieces.filter(|piece| **piece != Piece::Break).collect()
        }
        Form::Regex(_) | Form::Elements(_) => Vec::new(),
    }
}

fn are_alike(one: &[&Piece], other: &[&Piece]) -> bool {
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    let same = |(a, b): &(&&Piece, &&Piece)| a == b;
    let start = short.iter().zip(long).take_while(same).count();
    let end = short[start..].iter().rev().zip(long.iter().rev()).take_while(same).count();
    let contains = || long.windows(short.len().max(1)).any(|window| window == short);
    let is_enough = |common: usize| common >= 2 && 2 * common >= long.len();
    is_enough(start + end) || (is_enough(short.len()) && contains())
}

#[cfg(test)]
mod tests {
    use super::*;
    use dehusk_core::patterns::{ID_DIGITS, LexerCache, id_of, regex};

    /// Groups patterns with these words. Gives the indices of the words in each group.
    fn grouped(words: &[&str]) -> Vec<Vec<usize>> {
        let head = "dehusk: 1\nsource: s\nmined: {documents: 9, tokens: 9, cutoff: 0.5, tokenizer: words}\n";
        let parse = |yaml: &str| PatternFile::parse(yaml, &LexerCache::default()).unwrap();
        let lexer = parse(head).lexer;
        let pattern = |(index, words): (usize, &&str)| {
            let regex = format!(r"(?<!\S){}(?!\w)", words.replace(' ', r"\s+"));
            let id = id_of(&regex::parse(&regex, &lexer).unwrap(), lexer.mutable(), ID_DIGITS);
            format!("  - {{id: '{id}', regex: '{regex}', note: '{index}'}}\n")
        };
        let patterns: String = words.iter().enumerate().map(pattern).collect();
        let file = parse(&format!("{head}patterns:\n{patterns}"));
        let number = |index: usize| file.patterns[index].note.parse().unwrap();
        let mut listed: Vec<usize> = (0..words.len()).collect();
        listed.sort_by_key(|&index| -> usize { number(index) });
        let groups = alike_patterns(&file, &listed);
        groups.iter().map(|group| group.all().map(number).collect()).collect()
    }

    #[test]
    fn patterns_that_differ_in_one_stretch_are_alike() {
        assert_eq!(
            grouped(&["More from Sport", "Read it", "More from the Business desk"]),
            [vec![0], vec![1], vec![2]]
        );
        assert_eq!(grouped(&["More from Sport", "Read it", "More from Business"]), [vec![0, 2], vec![1]]);
        assert_eq!(grouped(&["Share on Facebook now", "Share at last now"]), [vec![0, 1]]);
        assert_eq!(grouped(&["Some rights reserved", "All rights reserved"]), [vec![0, 1]]);
        assert_eq!(grouped(&["Share now", "Share later"]), [vec![0], vec![1]], "one token is not enough");
        assert_eq!(grouped(&["a b c d", "a x c y"]), [vec![0], vec![1]], "they differ in two stretches");
    }

    #[test]
    fn a_pattern_within_another_is_like_it() {
        assert_eq!(grouped(&["of the harbor", "News of the harbor today"]), [vec![0, 1]]);
        assert_eq!(grouped(&["News of the harbor today", "of the harbor"]), [vec![0, 1]]);
        assert_eq!(grouped(&["of the", "News of the harbor today"]), [vec![0], vec![1]], "it is less than half");
    }

    #[test]
    fn members_are_like_the_first_one() {
        assert_eq!(grouped(&["a b c d", "a b x y", "z w x y"]), [vec![0, 1], vec![2]]);
    }
}
