//! Invented snapshots of a front page that is fetched every hour, as text, each with the text that should be kept.
//!
//! A page has a menu, the date, teasers and a footer. A teaser has the name of its section, a headline and a sentence. Each
//! hour some teasers enter at the top, and as many leave from the lower half. So no teaser is there all the time, unless
//! there are few snapshots.

use std::collections::VecDeque;
use std::fs;
use std::io;
use std::path::Path;

use dehusk_core::random::Random;

use super::language::{push_name, push_sentence, push_title};

/// The options.
#[derive(Clone, Copy, Debug)]
pub struct Snapshots {
    pub seed: u64,
    pub snapshots: usize,
    /// Number of teasers on a page.
    pub teasers: usize,
    /// The least and the largest number of teasers that enter in an hour.
    pub turnover: (usize, usize),
}

/// A snapshot: the text of the page, and its headlines and sentences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    pub name: String,
    pub text: String,
    pub gold: String,
}

const MENU: usize = 12;
const LEGAL: usize = 4;
const SECTIONS: [&str; 5] = ["World", "Business", "Harbour", "Culture", "Sport"];
/// Hours before the first snapshot, in which the page fills.
const BEFORE: usize = 24;

impl Snapshots {
    /// All snapshots, the earliest first.
    pub fn pages(&self) -> Vec<Snapshot> {
        let mut random = Random::along(self.seed, &[0]);
        let menu: Vec<String> = (0..MENU).map(|_| written(|text| push_title(text, &mut random, 2))).collect();
        let legal: Vec<String> = (0..LEGAL).map(|_| written(|text| push_sentence(text, &mut random))).collect();
        let mut number = 0;
        let mut teasers: VecDeque<[String; 3]> = (0..self.teasers).map(|_| self.teaser(&mut number)).collect();
        let mut pages = Vec::new();
        for hour in 0..BEFORE + self.snapshots {
            for _ in 0..random.between(self.turnover.0, self.turnover.1) {
                teasers.remove(random.between(self.teasers / 2, self.teasers - 1));
                teasers.push_front(self.teaser(&mut number));
            }
            if let Some(hour) = hour.checked_sub(BEFORE) {
                let (day, hour) = (1 + hour / 24, hour % 24);
                let date = format!("March {}, {} | Updated {hour:02}:05", 1 + (day - 1) % 28, 2021 + (day - 1) / 28);
                let lines = teasers.iter().flatten().chain(&legal);
                let lines: Vec<&str> = menu.iter().chain([&date]).chain(lines).map(String::as_str).collect();
                let gold: Vec<&str> = teasers.iter().flat_map(|teaser| &teaser[1..]).map(String::as_str).collect();
                let name = format!("{day:03}-{hour:02}");
                pages.push(Snapshot { name, text: lines.join("\n") + "\n", gold: gold.join("\n") + "\n" });
            }
        }
        pages
    }

    /// Writes the pages and what should be kept of them to the folders `text` and `gold`, as one source.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        let folders = ["text", "gold"].map(|name| folder.join(name).join("front.example"));
        folders.iter().try_for_each(fs::create_dir_all)?;
        self.pages().iter().try_for_each(|page| {
            let name = format!("{}.txt", page.name);
            fs::write(folders[0].join(&name), &page.text)?;
            fs::write(folders[1].join(&name), &page.gold)
        })
    }

    /// The next teaser: its section, headline and sentence.
    fn teaser(&self, number: &mut u64) -> [String; 3] {
        let mut random = Random::along(self.seed, &[1, *number]);
        *number += 1;
        let sentence = |text: &mut String, random: &mut Random| {
            push_name(text, random);
            text.push_str(" said: ");
            push_sentence(text, random);
        };
        [
            (*random.pick(&SECTIONS)).to_owned(),
            written(|text| push_title(text, &mut random, 7)),
            written(|text| sentence(text, &mut random)),
        ]
    }
}

fn written(write: impl FnOnce(&mut String)) -> String {
    let mut text = String::new();
    write(&mut text);
    text
}
