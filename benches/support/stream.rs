//! Invented streams: pages of sites in order of time, as JSONL, each with the text that should be kept.
//!
//! A page has a menu, the links of its section, a list of headlines of the last days, an article and a footer. The menu
//! changes an entry now and then, the list every few pages. On the page of the redesign, all texts and their elements
//! are replaced.

use std::fmt::Write as _;
use std::io::{self, Write};

use dehusk_core::random::Random;

use super::language::{push_name, push_paragraph, push_sentence, push_title};

/// The options.
#[derive(Clone, Copy, Debug)]
pub struct Stream {
    pub seed: u64,
    pub sources: usize,
    /// Number of pages of each source.
    pub pages: usize,
    /// The page of each source, from 1, on which all templates change.
    pub redesign_at: Option<usize>,
}

/// A page, and its article.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamPage {
    pub html: String,
    pub gold: String,
}

const MENU: usize = 12;
/// Number of pages after which an entry of the menu is replaced. Each entry has another time.
const MENU_LIFE: usize = 240;
/// The sections. A page belongs to one of them.
const SECTIONS: usize = 6;
const LINKS: usize = 6;
const HEADLINES: usize = 6;
/// Number of pages after which a new headline comes into the list and another leaves it.
const HEADLINE_EVERY: usize = 4;
const LEGAL: usize = 4;

/// The elements of a design: around everything, and of menu, list, article and footer. No path is in both designs.
const DESIGNS: [[&str; 5]; 2] = [
    ["div", "ul/li/a", "table/tr/td", "div/p", "div/small"],
    ["main", "nav/span", "aside/section", "article/p", "footer/b"],
];

/// The independent random sequences.
#[derive(Clone, Copy)]
enum Chance {
    Menu,
    Section,
    Legal,
    Headline,
    Page,
}

impl Stream {
    /// Writes all pages with the text that should be kept: one line per page, the sources in turn.
    pub fn write(&self, pages: &mut impl Write, gold: &mut impl Write) -> io::Result<()> {
        for number in 1..=self.pages {
            for source in 0..self.sources {
                let StreamPage { html, gold: text } = self.page(source, number);
                let (id, source) = (format!("{number:07}"), format!("site{source:04}.example"));
                let line = serde_json::json!({"id": id, "source": source, "html": html});
                writeln!(pages, "{line}")?;
                let line = serde_json::json!({"id": id, "source": source, "text": text});
                writeln!(gold, "{line}")?;
            }
        }
        Ok(())
    }

    /// A page of a source, from 1.
    pub fn page(&self, source: usize, number: usize) -> StreamPage {
        let design = usize::from(self.redesign_at.is_some_and(|redesign| number >= redesign));
        let [around, menu, list, article, footer] = DESIGNS[design];
        let mut html = format!("<!DOCTYPE html>\n<{around}>\n");
        for entry in 0..MENU {
            let shift = entry * MENU_LIFE / MENU;
            let age = (number + shift) / MENU_LIFE;
            element(&mut html, menu, |text| {
                push_title(text, &mut self.chance(source, Chance::Menu, &[design, entry, age]), 2);
            });
        }
        let section = self.chance(source, Chance::Section, &[number]).below(SECTIONS);
        for link in 0..LINKS {
            element(&mut html, menu, |text| {
                push_title(text, &mut self.chance(source, Chance::Section, &[design, section, link]), 2);
            });
        }
        for headline in 0..HEADLINES {
            element(&mut html, list, |text| {
                self.push_headline(text, source, design, number / HEADLINE_EVERY + headline)
            });
        }
        let gold = self.push_article(&mut html, article, source, number);
        for line in 0..LEGAL {
            element(&mut html, footer, |text| {
                push_sentence(text, &mut self.chance(source, Chance::Legal, &[design, line]));
            });
        }
        push(&mut html, format_args!("</{around}>\n"));
        StreamPage { html, gold }
    }

    fn chance(&self, source: usize, chance: Chance, path: &[usize]) -> Random {
        let path = [source, chance as usize].into_iter().chain(path.iter().copied());
        Random::along(self.seed, &path.map(|step| step as u64).collect::<Vec<u64>>())
    }

    fn push_headline(&self, text: &mut String, source: usize, design: usize, number: usize) {
        push_title(text, &mut self.chance(source, Chance::Headline, &[design, number]), 7);
    }

    fn push_article(&self, html: &mut String, path: &str, source: usize, number: usize) -> String {
        let mut random = self.chance(source, Chance::Page, &[number]);
        let mut gold = String::new();
        push_title(&mut gold, &mut random, 8);
        push(html, format_args!("<h1>{gold}</h1>\n"));
        element(html, path, |text| {
            text.push_str("By ");
            push_name(text, &mut random);
            push(text, format_args!(" | {} comments", random.below(300)));
        });
        for _ in 0..random.between(4, 9) {
            let start = gold.len() + 1;
            gold.push('\n');
            push_paragraph(&mut gold, &mut random);
            element(html, path, |text| text.push_str(&gold[start..]));
        }
        gold
    }
}

/// The innermost of these elements, inside the others.
fn element(html: &mut String, path: &str, write: impl FnOnce(&mut String)) {
    path.split('/').for_each(|name| push(html, format_args!("<{name}>")));
    write(html);
    path.rsplit('/').for_each(|name| push(html, format_args!("</{name}>")));
    html.push('\n');
}

fn push(text: &mut String, arguments: std::fmt::Arguments) {
    // Writing to a string cannot fail.
    let _ = text.write_fmt(arguments);
}
