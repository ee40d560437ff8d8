//! The templates to inject, and the text that fills their slots.

use serde::Serialize;

use super::placing::Insertion;
use dehusk_core::random::Random;

/// A kind of template, by the part that is different in each document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Nothing.
    Constant,
    /// Text that mutable patterns match: dates, times, numbers, addresses.
    MutableSlots,
    /// Names, headlines, topics. Each has something on both sides: words of the template, or an end of the line.
    FreeSlots,
    /// As `FreeSlots`, but some slot is open: it is at an end of the template inside a line, so nothing marks its end.
    OpenSlots,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 4] = [Kind::Constant, Kind::MutableSlots, Kind::FreeSlots, Kind::OpenSlots];

    /// The name for people.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Constant => "constant",
            Kind::MutableSlots => "mutable slots",
            Kind::FreeSlots => "free slots",
            Kind::OpenSlots => "open slots",
        }
    }

    /// The templates of this kind at a place, from two to forty words, with slots in braces.
    pub fn templates(self, place: Insertion) -> impl Iterator<Item = &'static str> {
        let is_of_kind = move |template: &&str| match self {
            Kind::Constant | Kind::MutableSlots => true,
            Kind::FreeSlots => !has_open_slot(template, place),
            Kind::OpenSlots => has_open_slot(template, place),
        };
        self.list().iter().copied().filter(is_of_kind)
    }

    /// The path of random numbers for a template of this kind. Free and open slots have the same path.
    pub(super) fn numbers(self, template: &str) -> [u64; 2] {
        let kind = if self == Kind::OpenSlots { Kind::FreeSlots } else { self };
        let number = self.list().iter().position(|known| *known == template).unwrap_or_default();
        [kind as u64, number as u64]
    }

    fn list(self) -> &'static [&'static str] {
        match self {
            Kind::Constant => &CONSTANT,
            Kind::MutableSlots => &MUTABLE,
            Kind::FreeSlots | Kind::OpenSlots => &FREE,
        }
    }
}

fn has_open_slot(template: &str, place: Insertion) -> bool {
    let is_inside_line = matches!(place, Insertion::BetweenSentences | Insertion::MidSentence);
    is_inside_line && (template.starts_with('{') || template.ends_with('}'))
}

const CONSTANT: [&str; 8] = [
    "Follow us on Twitter | Subscribe to our newsletter",
    "All rights reserved.",
    "Sign up for our morning newsletter and get the stories that matter delivered to your inbox every single day.",
    "Read more at example.org",
    "This material may not be published, broadcast, rewritten or redistributed without permission.",
    "Share this",
    "Story continues below advertisement",
    "We use cookies and similar technologies to remember your settings, to measure how our pages are used and to show \
     you advertising that fits your interests. By continuing to browse you agree to this; see our privacy policy for \
     the details.",
];

const MUTABLE: [&str; 8] = [
    "Posted on {date} at {time} | {count} comments",
    "Last updated: {date}",
    "Published {day} {clock} | Updated {day} {clock} | {count} responses so far",
    "Permanent link: {url}",
    "Copyright © {year} Example Media Ltd.",
    "{count} of {count} people found this helpful",
    "Price: {price} | Order number {count} | Delivered by {date}",
    "This article was first published on {date} and has been read {count} times since then. To comment on it, write to \
     {email} or go to {url} before {date}, and quote the number {count} in the subject line of your message.",
];

const FREE: [&str; 8] = [
    "By {name} | Staff writer",
    "Related: {headline}",
    "Filed under: {topic}",
    "{name} contributed to this report.",
    "Photograph by {name} for Example Pictures",
    "Next story: {headline} | Previous story: {headline}",
    "By {name}, Special to the Example Tribune",
    "{name} is a reporter who covers {topic} for the Example Tribune and joined the paper after ten years abroad. \
     Follow the whole team on Twitter, or send a message to the news desk with your tips and corrections.",
];

/// The names and headlines that fill the free slots of one corpus.
#[derive(Debug)]
pub struct Fillers<'t> {
    headlines: &'t [String],
    names: Vec<String>,
}

impl<'t> Fillers<'t> {
    /// Takes the headlines of the documents, and invents a staff of writers that grows with the number of documents.
    pub fn new(headlines: &'t [String], random: &mut Random) -> Fillers<'t> {
        let staff = 10 + headlines.len() / 5;
        let names = (0..staff).map(|_| format!("{} {}", random.pick(&FIRST_NAMES), random.pick(&LAST_NAMES))).collect();
        Fillers { headlines, names }
    }

    /// The template as filled for one document.
    pub fn fill(&self, template: &str, document: usize, random: &mut Random) -> String {
        let mut filled = String::new();
        let mut rest = template;
        while let Some((before, slot, after)) = next_slot(rest) {
            filled += before;
            filled += &self.filler(slot, document, random);
            rest = after;
        }
        filled + rest
    }

    fn filler(&self, slot: &str, document: usize, random: &mut Random) -> String {
        match slot {
            "name" => random.pick(&self.names).clone(),
            "headline" => {
                let other = document + 1 + random.below(self.headlines.len().saturating_sub(1));
                self.headlines[other % self.headlines.len()].clone()
            }
            "topic" => (*random.pick(&TOPICS)).to_owned(),
            slot => mutable_filler(slot, random),
        }
    }
}

/// The text before the first slot, the slot's name, and the rest.
fn next_slot(template: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = template.split_once('{')?;
    let (slot, after) = rest.split_once('}')?;
    Some((before, slot, after))
}

fn mutable_filler(slot: &str, random: &mut Random) -> String {
    let (year, month, day) = (random.between(2003, 2024), random.between(1, 12), random.between(1, 28));
    let (hour, minute) = (random.between(1, 12), random.below(60));
    match slot {
        "date" => format!("{} {day}, {year}", MONTHS[month - 1]),
        "day" => format!("{year}-{month:02}-{day:02}"),
        "year" => year.to_string(),
        "time" => format!("{hour}:{minute:02} {}", random.pick(&["AM", "PM"])),
        "clock" => format!("{hour:02}:{minute:02}"),
        "count" => random.between(2, 400).to_string(),
        "price" => format!("${}.{:02}", random.between(3, 90), random.below(100)),
        "email" => format!("desk{}@example.org", random.between(1, 60)),
        "url" => format!("https://www.example.org/{year}/{month:02}/story-{}.html", random.between(100, 99_999)),
        unknown => unreachable!("no slot is called {unknown}"),
    }
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const TOPICS: [&str; 16] = [
    "Politics",
    "Local news",
    "Business",
    "Opinion",
    "Science",
    "Health",
    "Arts and books",
    "Education",
    "Travel",
    "Weather",
    "Courts and crime",
    "Football",
    "Technology",
    "Food",
    "Housing",
    "Transport",
];
const FIRST_NAMES: [&str; 24] = [
    "Anna", "Boris", "Carla", "David", "Edith", "Farid", "Grace", "Hugo", "Irene", "Jonas", "Katya", "Liam", "Mona",
    "Nils", "Olga", "Pedro", "Quentin", "Rosa", "Samir", "Tessa", "Ulrich", "Vera", "Walter", "Yasmin",
];
const LAST_NAMES: [&str; 24] = [
    "Abbott",
    "Brenner",
    "Castillo",
    "Dupont",
    "Eriksen",
    "Fischer",
    "Gallo",
    "Hansen",
    "Ibarra",
    "Jansen",
    "Keller",
    "Lindqvist",
    "Moreau",
    "Novak",
    "Okafor",
    "Petrov",
    "Quinn",
    "Rossi",
    "Schmidt",
    "Tanaka",
    "Ueda",
    "Vargas",
    "Weber",
    "Zhang",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_slot_is_filled_and_only_constant_templates_have_none() {
        let headlines = ["One".to_owned(), "Two".to_owned(), "Three".to_owned()];
        let mut random = Random::new(1);
        let fillers = Fillers::new(&headlines, &mut random);
        for kind in Kind::ALL {
            for template in kind.list() {
                assert_eq!(template.contains('{'), kind != Kind::Constant, "{template}");
                let filled = fillers.fill(template, 0, &mut random);
                assert!(!filled.contains(['{', '}']), "{filled}");
            }
        }
    }

    #[test]
    fn slots_are_open_at_the_ends_of_templates_inside_lines() {
        let templates = |kind: Kind, place| kind.templates(place).collect::<Vec<_>>();
        assert_eq!(templates(Kind::FreeSlots, Insertion::Line), FREE);
        assert!(templates(Kind::OpenSlots, Insertion::Line).is_empty());
        let between = [FREE[0], FREE[4], FREE[6]];
        assert_eq!(templates(Kind::FreeSlots, Insertion::MidSentence), between);
        assert_eq!(templates(Kind::OpenSlots, Insertion::MidSentence).len(), FREE.len() - between.len());
    }

    #[test]
    fn no_document_is_related_to_itself() {
        let headlines = ["One".to_owned(), "Two".to_owned(), "Three".to_owned()];
        let mut random = Random::new(1);
        let fillers = Fillers::new(&headlines, &mut random);
        assert!((0..50).all(|_| fillers.fill("{headline}", 1, &mut random) != "Two"));
    }
}
