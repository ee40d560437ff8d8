//! dehusk as a library: mines the texts of two sources and cleans one of them. [`docs/recipes.md`](../docs/recipes.md) quotes it.
//!
//! ```text
//! cargo run --no-default-features --example library
//! ```

use std::error::Error;
use std::io::{self, Write};
use std::sync::Arc;

use dehusk::{
    CleanOptions, Cleaner, Lexer, MineOptions, MutableSet, PatternFile, Scratch, Tokenizer, cross_source, mine_texts,
};

const STORIES: [&str; 5] =
    ["Ferry late again.", "Choir wins the cup!", "Rain all week?", "The mayor resigns.", "Bakery reopens."];

fn main() -> Result<(), Box<dyn Error>> {
    let sources = ["post.example", "tide.example"];
    let texts = [texts("Daily Post | Home | Sport"), texts("The Tide, a paper for the harbour")];

    // Mine each source by itself.
    let lexer = Lexer::new(Tokenizer::Words, Arc::new(MutableSet::shipped()));
    let mut mined = Vec::new();
    for texts in &texts {
        mined.push(mine_texts(texts, &lexer, &MineOptions::default())?);
    }

    // Compare all sources, and write the templates to pattern files, which people can review.
    let templates = cross_source(&mined).own;
    let files = sources.iter().zip(&mined).zip(templates);
    let files = files.map(|((source, mined), own)| PatternFile::of_templates(source, mined.facts(), own, &lexer));
    let files: Vec<PatternFile> = files.collect();

    // A cleaner serves any number of threads, each of which has a scratch of its own.
    let cleaner = Cleaner::new(&[&files[0]], &CleanOptions::default());
    let cleaning = cleaner.clean(&mut Scratch::default(), &texts[0][1])?;
    write!(io::stdout(), "{}", cleaning.strip(&texts[0][1]))?;
    Ok(())
}

fn texts(masthead: &str) -> Vec<String> {
    let text = |(number, story)| format!("{masthead}\n\n{story}\n\n{number} comments | Permanent link\n");
    STORIES.iter().enumerate().map(text).collect()
}
