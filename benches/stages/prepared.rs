//! The input of the stages. Each thing is made once, when a stage first needs it.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use dehusk_core::cleaning::{CleanOptions, Cleaner, Cleaning, Reading, Scratch};
use dehusk_core::mining::cross_source::cross_source;
use dehusk_core::mining::filters::filtered_repeats;
use dehusk_core::mining::near_duplicates::{Groups, group_near_duplicates};
use dehusk_core::mining::places::Places;
use dehusk_core::mining::repeats::Interval;
use dehusk_core::mining::suffix_array::SuffixArray;
use dehusk_core::mining::{MineOptions, Mined, mine_texts};
use dehusk_core::patterns::{PatternFile, Template};
use dehusk_core::tokens::{Lexer, MutableSet, SymbolSequence, Tokenizer};

use crate::support::corpus::Corpus;
use crate::support::site::Form;

/// Number of sources that are compared.
const SOURCES: usize = 10;

/// One source of invented text, as each stage needs it.
pub struct Prepared {
    megabytes: u64,
    pub texts: Vec<String>,
    pub lexer: Lexer,
    pub options: MineOptions,
    sequence: OnceLock<SymbolSequence>,
    array: OnceLock<SuffixArray>,
    places: OnceLock<Places>,
    groups: OnceLock<Groups>,
    repeats: OnceLock<Vec<Interval>>,
    sources: OnceLock<Vec<Mined>>,
    templates: OnceLock<(Mined, Vec<Template>)>,
    patterns: OnceLock<PatternFile>,
    cleaner: OnceLock<Cleaner>,
    readings: OnceLock<Vec<Reading>>,
    cleanings: OnceLock<Vec<Cleaning>>,
}

/// A source of about this number of MB.
pub fn prepared(megabytes: u64) -> &'static Prepared {
    static PREPARED: Mutex<BTreeMap<u64, &Prepared>> = Mutex::new(BTreeMap::new());
    let mut all = PREPARED.lock().unwrap_or_else(PoisonError::into_inner);
    all.entry(megabytes).or_insert_with(|| Box::leak(Box::new(Prepared::new(megabytes))))
}

/// Pages with about this number of MB.
pub fn pages(megabytes: u64) -> Vec<String> {
    pages_of(Corpus::of_bytes(Form::Html, megabytes * 1_000_000))
}

/// A folder with these pages.
pub fn folder(megabytes: u64) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("stages-{megabytes}"));
    if folder.exists() {
        fs::remove_dir_all(&folder).expect("a folder to write again");
    }
    Corpus::of_bytes(Form::Html, megabytes * 1_000_000).write(&folder).expect("room for a corpus");
    folder
}

fn pages_of(corpus: Corpus) -> Vec<String> {
    corpus.sites().flat_map(|site| corpus.pages(&site).collect::<Vec<String>>()).collect()
}

impl Prepared {
    fn new(megabytes: u64) -> Prepared {
        Prepared {
            megabytes,
            texts: pages_of(Corpus::of_bytes(Form::Text, megabytes * 1_000_000)),
            lexer: Lexer::new(Tokenizer::Words, Arc::new(MutableSet::shipped())),
            options: MineOptions::default(),
            sequence: OnceLock::new(),
            array: OnceLock::new(),
            places: OnceLock::new(),
            groups: OnceLock::new(),
            repeats: OnceLock::new(),
            sources: OnceLock::new(),
            templates: OnceLock::new(),
            patterns: OnceLock::new(),
            cleaner: OnceLock::new(),
            readings: OnceLock::new(),
            cleanings: OnceLock::new(),
        }
    }

    /// The tokens of all texts.
    pub fn bytes(&self) -> usize {
        self.texts.iter().map(String::len).sum()
    }

    pub fn sequence(&self) -> &SymbolSequence {
        self.sequence.get_or_init(|| SymbolSequence::of_texts(&self.texts, &self.lexer).expect("few tokens"))
    }

    pub fn array(&self) -> &SuffixArray {
        self.array.get_or_init(|| SuffixArray::build(self.sequence().symbols()))
    }

    pub fn places(&self) -> &Places {
        self.places.get_or_init(|| Places::of(self.sequence(), self.array()))
    }

    pub fn groups(&self) -> &Groups {
        self.groups.get_or_init(|| {
            let copies = Groups::of_identical(self.sequence(), None);
            group_near_duplicates(self.sequence(), self.array(), self.places(), &copies).0
        })
    }

    pub fn repeats(&self) -> &[Interval] {
        self.repeats.get_or_init(|| {
            filtered_repeats(self.sequence(), self.array(), self.places(), self.groups(), &self.options)
        })
    }

    /// The share of documents of each repeat.
    pub fn share(&self, repeat: &Interval) -> f64 {
        repeat.documents as f64 / self.groups().len() as f64
    }

    /// The same amount of text, from several sources.
    pub fn sources(&self) -> &[Mined] {
        self.sources.get_or_init(|| {
            let one = Corpus::of_bytes(Form::Text, self.megabytes * 1_000_000);
            let corpus = Corpus { sources: SOURCES, ..one };
            let mine = |texts: Vec<String>| mine_texts(&texts, &self.lexer, &self.options).expect("few tokens");
            corpus.sites().map(|site| mine(corpus.pages(&site).collect())).collect()
        })
    }

    pub fn templates(&self) -> &(Mined, Vec<Template>) {
        self.templates.get_or_init(|| {
            let mined = mine_texts(&self.texts, &self.lexer, &self.options).expect("few tokens");
            let templates = cross_source(std::slice::from_ref(&mined)).own.remove(0);
            (mined, templates)
        })
    }

    pub fn patterns(&self) -> &PatternFile {
        self.patterns.get_or_init(|| {
            let (mined, templates) = self.templates();
            PatternFile::of_templates("stages", mined.facts(), templates.clone(), &self.lexer)
        })
    }

    pub fn cleaner(&self) -> &Cleaner {
        self.cleaner.get_or_init(|| Cleaner::new(&[self.patterns()], &CleanOptions::default()))
    }

    pub fn readings(&self) -> &[Reading] {
        self.readings.get_or_init(|| {
            let mut scratch = Scratch::default();
            self.texts
                .iter()
                .map(|text| self.cleaner().read(&mut scratch, text).expect("no regex of a person"))
                .collect()
        })
    }

    /// Each text with its reading.
    pub fn read(&self) -> impl Iterator<Item = (&str, &Reading)> {
        self.texts.iter().map(String::as_str).zip(self.readings())
    }

    /// The evidence of the tokens of each text.
    pub fn cleanings(&self) -> &[Cleaning] {
        self.cleanings.get_or_init(|| {
            let mut scratch = Scratch::default();
            self.texts
                .iter()
                .map(|text| self.cleaner().clean(&mut scratch, text).expect("no regex of a person"))
                .collect()
        })
    }
}
