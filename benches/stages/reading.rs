//! From files to symbols.

use divan::counter::BytesCount;
use divan::{Bencher, black_box};

use dehusk_core::html::visible_text;
use dehusk_core::tokens::SymbolSequence;
use dehusk_corpus::{Inventory, ReadOptions};

use crate::prepared::{folder, pages, prepared};
use crate::sizes;

/// Walks a folder and reads its pages with their markup.
#[divan::bench(args = sizes())]
fn read(bencher: Bencher, megabytes: u64) {
    let folder = folder(megabytes);
    let options = ReadOptions::default().html(dehusk_corpus::HtmlView::Markup);
    bencher.counter(BytesCount::new(megabytes * 1_000_000)).bench(|| {
        let inventory = Inventory::scan(std::slice::from_ref(&folder), &options).expect("a folder of pages");
        for listing in inventory.sources().expect("sources").listings {
            for place in &listing.documents {
                black_box(inventory.read(place).expect("a page"));
            }
        }
    });
}

#[divan::bench(args = sizes())]
fn html_view(bencher: Bencher, megabytes: u64) {
    let pages = pages(megabytes);
    let bytes: usize = pages.iter().map(String::len).sum();
    bencher.counter(BytesCount::new(bytes)).bench(|| pages.iter().for_each(|page| drop(black_box(visible_text(page)))));
}

#[divan::bench(args = sizes())]
fn lex(bencher: Bencher, megabytes: u64) {
    let prepared = prepared(megabytes);
    bencher.counter(BytesCount::new(prepared.bytes())).bench(|| {
        let mut lexer = prepared.lexer.clone();
        for text in &prepared.texts {
            lexer.scan(text, |token, _| _ = black_box(token));
        }
    });
}

/// Includes lexing, on all threads.
#[divan::bench(args = sizes())]
fn intern(bencher: Bencher, megabytes: u64) {
    let prepared = prepared(megabytes);
    bencher
        .counter(BytesCount::new(prepared.bytes()))
        .bench(|| SymbolSequence::of_texts(&prepared.texts, &prepared.lexer));
}
