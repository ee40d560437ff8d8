//! Replaces tokens by integers: equal tokens get equal integers.
//!
//! Takes the documents of a source. Returns one [`SymbolSequence`]: the symbols of all documents, one document after
//! the other. After each document comes a symbol that occurs nowhere else, so no repeat can cross from one document
//! into the next. Documents are tokenized in parallel. Symbols are numbered by first appearance, so the result does not
//! depend on the number of threads.

use std::ops::{Deref, Range};
use std::sync::atomic::{AtomicU64, Ordering};

use hashbrown::HashTable;
use rayon::prelude::*;

use super::key::TokenKey;
use super::lexer::{Lexer, Token, TokenKind};
use super::run::{Piece, TokenRun};

/// A token as an integer. Symbols are numbered from 0 without gaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(pub u32);

/// The index of a document in its source's corpus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DocumentIndex(pub u32);

/// The distinct tokens of a source. Symbol 0 is always the line break.
#[derive(Debug, Default)]
pub struct Vocabulary {
    text: String,
    entries: Vec<Entry>,
    table: HashTable<(TokenKey, u32)>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    kind: TokenKind,
    space_before: bool,
    start: usize,
    end: usize,
}

impl Vocabulary {
    /// The line break's symbol.
    pub const BREAK: Symbol = Symbol(0);

    /// A vocabulary with only the line break.
    pub fn new() -> Vocabulary {
        let mut vocabulary = Vocabulary::default();
        vocabulary.intern(TokenKind::Break, false, "");
        vocabulary
    }

    /// Number of symbols.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Always false, because the line break is always known.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The symbol of a token. A new token gets a new symbol. The text of a break or of a match of a mutable pattern is
    /// ignored.
    pub fn intern(&mut self, kind: TokenKind, space_before: bool, text: &str) -> Symbol {
        self.intern_key(TokenKey::of(kind, space_before, text), kind, space_before, text)
    }

    fn intern_key(&mut self, key: TokenKey, kind: TokenKind, space_before: bool, text: &str) -> Symbol {
        if let Some(symbol) = self.find(key, || text) {
            return symbol;
        }
        let symbol = self.entries.len() as u32;
        let start = self.text.len();
        self.text.push_str(if is_literal(kind) { text } else { "" });
        self.entries.push(Entry { kind, space_before, start, end: self.text.len() });
        self.table.insert_unique(key.hash(), (key, symbol), |(key, _)| key.hash());
        Symbol(symbol)
    }

    /// Adds all tokens of another vocabulary. Returns their symbols here.
    fn add(&mut self, other: &Vocabulary) -> Vec<u32> {
        let symbol = |entry: &Entry| self.intern(entry.kind, entry.space_before, &other.text[entry.start..entry.end]).0;
        other.entries.iter().map(symbol).collect()
    }

    /// The symbol of the token with this key and text, if known.
    #[inline]
    pub fn find<'t>(&self, key: TokenKey, text: impl Fn() -> &'t str) -> Option<Symbol> {
        let is_same = |&(other, symbol): &(TokenKey, u32)| {
            other == key && (!key.is_long() || self.text_of(Symbol(symbol)) == text())
        };
        self.table.find(key.hash(), is_same).map(|&(_, symbol)| Symbol(symbol))
    }

    /// The kind of a symbol's token.
    pub fn kind(&self, symbol: Symbol) -> TokenKind {
        self.entries[symbol.0 as usize].kind
    }

    /// Whether white space stands before the symbol's token.
    pub fn has_space_before(&self, symbol: Symbol) -> bool {
        self.entries[symbol.0 as usize].space_before
    }

    /// The text of a word or character. `None` for other tokens.
    pub fn literal(&self, symbol: Symbol) -> Option<&str> {
        is_literal(self.kind(symbol)).then(|| self.text_of(symbol))
    }

    /// A run of symbols as a run of tokens. The symbols must be from inside one document.
    pub fn run(&self, symbols: &[Symbol]) -> TokenRun {
        TokenRun(symbols.iter().map(|&symbol| self.piece(symbol)).collect())
    }

    fn piece(&self, symbol: Symbol) -> Piece {
        let Entry { kind, space_before, .. } = self.entries[symbol.0 as usize];
        match kind {
            TokenKind::Break => Piece::Break,
            TokenKind::Mutable(id) | TokenKind::Marks(id) => Piece::Slot { id, space_before },
            TokenKind::Word | TokenKind::Character => {
                Piece::Literal { text: self.text_of(symbol).into(), space_before }
            }
        }
    }

    fn text_of(&self, symbol: Symbol) -> &str {
        let entry = self.entries[symbol.0 as usize];
        &self.text[entry.start..entry.end]
    }
}

/// A vocabulary that does not grow any more. So lexers may remember its symbols.
#[derive(Debug)]
pub(crate) struct FrozenVocabulary {
    vocabulary: Vocabulary,
    id: VocabularyId,
}

/// Tells the frozen vocabularies of a process apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct VocabularyId(u64);

impl FrozenVocabulary {
    pub(crate) fn new(vocabulary: Vocabulary) -> FrozenVocabulary {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        FrozenVocabulary { vocabulary, id: VocabularyId(NEXT.fetch_add(1, Ordering::Relaxed)) }
    }

    pub(crate) fn id(&self) -> VocabularyId {
        self.id
    }
}

impl Deref for FrozenVocabulary {
    type Target = Vocabulary;

    fn deref(&self) -> &Vocabulary {
        &self.vocabulary
    }
}

fn is_literal(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::Word | TokenKind::Character)
}

/// Number of positions in a block, for the lookup of a position's document.
const BLOCK_OF_POSITIONS: usize = 1024;

/// The symbols of all documents of a source.
#[derive(Debug)]
pub struct SymbolSequence {
    symbols: Vec<u32>,
    /// The start of each document, and the end of the last.
    starts: Vec<u32>,
    /// The document of the first position of each block, and the last document.
    document_of_block: Vec<u32>,
    vocabulary: Vocabulary,
}

/// The source has more tokens than the suffix array can index.
#[derive(Debug, thiserror::Error)]
#[error(
    "it has {tokens} tokens, and at most {} are possible; split it into several sources",
    SymbolSequence::MAX_TOKENS
)]
pub struct TooManyTokens {
    tokens: usize,
}

/// A part of the documents, tokenized by one thread with its own vocabulary.
struct Shard {
    vocabulary: Vocabulary,
    /// The symbols of its documents, each followed by [`Shard::END`].
    symbols: Vec<u32>,
    lengths: Vec<u32>,
}

impl SymbolSequence {
    /// Maximum number of positions, including document ends. A 32-bit suffix array cannot index more.
    pub const MAX_TOKENS: usize = i32::MAX as usize - 1;

    /// Tokenizes the texts in the given order, on all cores. Fails if there are more than
    /// [`SymbolSequence::MAX_TOKENS`] tokens.
    pub fn of_texts<T: AsRef<str> + Sync>(texts: &[T], lexer: &Lexer) -> Result<SymbolSequence, TooManyTokens> {
        const DOCUMENTS_PER_SHARD: usize = 256;
        let shards: Vec<Shard> = texts
            .par_chunks(DOCUMENTS_PER_SHARD)
            .map_init(|| lexer.clone(), |lexer, texts| Shard::of_texts(texts, lexer))
            .collect();
        SymbolSequence::of_shards(shards)
    }

    fn of_shards(shards: Vec<Shard>) -> Result<SymbolSequence, TooManyTokens> {
        let tokens = shards.iter().map(|shard| shard.symbols.len()).sum();
        if tokens > SymbolSequence::MAX_TOKENS {
            return Err(TooManyTokens { tokens });
        }
        let mut vocabulary = Vocabulary::new();
        let renumbered: Vec<Vec<u32>> = shards.iter().map(|shard| vocabulary.add(&shard.vocabulary)).collect();

        let mut symbols = vec![0; tokens];
        let mut starts = vec![0];
        let mut rest = symbols.as_mut_slice();
        let mut parts = Vec::new();
        for (shard, renumbered) in shards.iter().zip(&renumbered) {
            let part = rest.split_off_mut(..shard.symbols.len()).unwrap_or_default();
            let first_end = vocabulary.len() + starts.len() - 1;
            parts.push((shard, renumbered, first_end as u32, part));
            for length in &shard.lengths {
                starts.push(starts[starts.len() - 1] + length);
            }
        }

        parts.into_par_iter().for_each(|(shard, renumbered, first_end, part)| shard.write(renumbered, first_end, part));
        let document_of_block = documents_of_blocks(&starts);
        Ok(SymbolSequence { symbols, starts, document_of_block, vocabulary })
    }

    /// All symbols as integers. Those below `vocabulary().len()` are tokens, the others document ends.
    pub fn symbols(&self) -> &[u32] {
        &self.symbols
    }

    /// The distinct tokens.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// Number of documents.
    pub fn documents(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of tokens, without document ends.
    pub fn tokens(&self) -> usize {
        self.symbols.len() - self.documents()
    }

    /// One past the largest integer in `symbols()`.
    pub fn alphabet(&self) -> usize {
        self.vocabulary.len() + self.documents()
    }

    /// The positions of a document's tokens.
    pub fn document(&self, document: DocumentIndex) -> Range<usize> {
        let index = document.0 as usize;
        self.starts[index] as usize..self.starts[index + 1] as usize - 1
    }

    /// The document of a position. Fast, because it is called for every position.
    #[inline]
    pub fn document_at(&self, position: usize) -> DocumentIndex {
        let block = position / BLOCK_OF_POSITIONS;
        let (first, last) = (self.document_of_block[block], self.document_of_block[block + 1]);
        let others = &self.starts[first as usize + 1..=last as usize];
        DocumentIndex(first + others.partition_point(|&start| start as usize <= position) as u32)
    }

    /// Splits values of all positions into parts of whole documents, for parallel work.
    pub fn in_parts<'v, T>(&self, mut values: &'v mut [T]) -> Vec<&'v mut [T]> {
        let size = values.len() / (4 * rayon::current_num_threads()) + 1;
        let mut parts = Vec::new();
        let mut start = 0;
        for end in self.starts[1..].iter().map(|&end| end as usize) {
            if end - start >= size || end == self.symbols.len() {
                parts.extend(values.split_off_mut(..end - start));
                start = end;
            }
        }
        parts
    }

    /// The tokens at some positions of one document, as a run.
    pub fn run(&self, positions: Range<usize>) -> TokenRun {
        let symbols: Vec<Symbol> = self.symbols[positions].iter().map(|&symbol| Symbol(symbol)).collect();
        self.vocabulary.run(&symbols)
    }
}

fn documents_of_blocks(starts: &[u32]) -> Vec<u32> {
    let mut documents = Vec::new();
    for (document, &end) in starts[1..].iter().enumerate() {
        documents.resize((end as usize).div_ceil(BLOCK_OF_POSITIONS), document as u32);
    }
    documents.push(starts.len().saturating_sub(2) as u32);
    documents
}

impl Shard {
    /// A placeholder for document ends. The real symbols of ends come after the vocabulary, whose size is not known
    /// yet.
    const END: u32 = u32::MAX;

    fn of_texts<T: AsRef<str>>(texts: &[T], lexer: &mut Lexer) -> Shard {
        let mut shard = Shard { vocabulary: Vocabulary::new(), symbols: Vec::new(), lengths: Vec::new() };
        for text in texts {
            shard.add(text.as_ref(), lexer);
        }
        shard
    }

    fn add(&mut self, text: &str, lexer: &mut Lexer) {
        let before = self.symbols.len();
        let (vocabulary, symbols) = (&mut self.vocabulary, &mut self.symbols);
        lexer.scan(text, |Token { kind, space_before, start, end }, key| {
            symbols.push(vocabulary.intern_key(key, kind, space_before, &text[start as usize..end as usize]).0);
        });
        self.symbols.push(Shard::END);
        self.lengths.push((self.symbols.len() - before) as u32);
    }

    /// Writes the symbols of the shard, renumbered. The ends of its documents get the symbols from `end` on.
    fn write(&self, renumbered: &[u32], mut end: u32, to: &mut [u32]) {
        for (to, &symbol) in to.iter_mut().zip(&self.symbols) {
            *to = match symbol {
                Shard::END => {
                    end += 1;
                    end - 1
                }
                symbol => renumbered[symbol as usize],
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::tokens::{MutableSet, Tokenizer};

    fn sequence(texts: &[&str]) -> SymbolSequence {
        let lexer = Lexer::new(Tokenizer::Words, Arc::new(MutableSet::shipped()));
        SymbolSequence::of_texts(texts, &lexer).unwrap()
    }

    #[test]
    fn equal_tokens_have_equal_symbols_and_ends_are_unique() {
        let sequence = sequence(&["go 1 go", "go 27", ""]);
        // A break, " go", " <number>". Then the ends of the 3 documents.
        assert_eq!(sequence.symbols(), [0, 1, 2, 1, 0, 3, 0, 1, 2, 0, 4, 0, 5]);
        assert_eq!((sequence.documents(), sequence.tokens(), sequence.alphabet()), (3, 10, 6));
        assert_eq!(sequence.document(DocumentIndex(1)), 6..10);
        assert_eq!(sequence.document_at(9), DocumentIndex(1));
        assert_eq!(sequence.document_at(11), DocumentIndex(2));
    }

    #[test]
    fn white_space_before_a_token_is_part_of_its_symbol() {
        let sequence = sequence(&["a-b a - b"]);
        assert_eq!(sequence.symbols(), [0, 1, 2, 3, 1, 4, 5, 0, 6]);
    }

    #[test]
    fn how_documents_are_shared_out_never_shows() {
        let texts: Vec<String> = (0..600).map(|i| format!("word{} and word{}", i % 37, i % 11)).collect();
        let lexer = Lexer::new(Tokenizer::Words, Arc::new(MutableSet::shipped()));
        let whole = SymbolSequence::of_texts(&texts, &lexer).unwrap();
        let shards = texts.chunks(7).map(|texts| Shard::of_texts(texts, &mut lexer.clone())).collect();
        assert_eq!(whole.symbols(), SymbolSequence::of_shards(shards).unwrap().symbols());
    }
}
