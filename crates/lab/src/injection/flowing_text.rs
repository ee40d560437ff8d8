//! Generates clean text to inject into.
//!
//! All words are invented, except the function words and stock phrases of English, which recur in text as they do in
//! templates. Frequencies follow Zipf's law. Every document has its topics, so that documents differ. Sentences and
//! paragraphs vary in length. A document is a headline and paragraphs, one line each, with blank lines between them.

use std::collections::BTreeSet;

use super::zipf::Zipf;
use dehusk_core::random::Random;

const FUNCTION_WORDS: &str = "the of and to a in that is for it was on with as be at by he from not this but had have \
    they which or one were all their there been has when who will more if no out so what up said about into than them \
    can only other new some could time these two may then do first any my now such like our over me even most made \
    after also did many off before must well back through years much where your way down should because long each \
    just those people how too little good very make world still see own work men day get here between both life being \
    under three never know same last another while us might great old year come since against go came right take used";
const STOCK_PHRASES: &str = "one of the|as well as|more than a|according to the|at the end of the|in order to|\
    for the first time|a number of|the end of the day|at the same time|in the first place|on the other hand|\
    as much as|as far as|the rest of the|a member of the|in front of the|at least in part|it is hard to|\
    by the time|over the past few years|in the middle of|as a result of|would like to|not so much as|\
    for a long time|the fact that|in the wake of|a great deal of|on the one hand";
const INVENTED_WORDS: usize = 4000;
const INVENTED_TOPICS: usize = 30;
const TOPIC_WORDS: usize = 80;
const PEOPLE: usize = 300;

/// Generates this many documents. The first ones do not depend on the number.
pub fn flowing_texts(seed: u64, documents: usize) -> Vec<String> {
    let language = Language::new(seed);
    (0..documents as u64)
        .map(|document| Writer::new(&language, Random::along(seed, &[2, document])).document())
        .collect()
}

/// The language that all documents of a seed share.
struct Language {
    function_words: Vec<&'static str>,
    stock_phrases: Vec<&'static str>,
    words: Vec<String>,
    topics: Vec<Vec<usize>>,
    people: Vec<String>,
    of_function: Zipf,
    of_stock: Zipf,
    of_words: Zipf,
    of_topic: Zipf,
}

impl Language {
    fn new(seed: u64) -> Language {
        let mut random = Random::along(seed, &[1]);
        let words = invent_words(&mut random);
        let topic = |random: &mut Random| (0..TOPIC_WORDS).map(|_| random.below(INVENTED_WORDS)).collect();
        let topics = (0..INVENTED_TOPICS).map(|_| topic(&mut random)).collect();
        let mut name = || capitalised(random.pick::<String>(&words));
        let people = (0..PEOPLE).map(|_| format!("{} {}", name(), name())).collect();
        let function_words: Vec<&str> = FUNCTION_WORDS.split_whitespace().collect();
        let stock_phrases: Vec<&str> = STOCK_PHRASES.split('|').collect();
        Language {
            of_function: Zipf::new(function_words.len(), 1),
            of_stock: Zipf::new(stock_phrases.len(), 2),
            of_words: Zipf::new(INVENTED_WORDS, 10),
            of_topic: Zipf::new(TOPIC_WORDS, 3),
            function_words,
            stock_phrases,
            words,
            topics,
            people,
        }
    }
}

fn invent_words(random: &mut Random) -> Vec<String> {
    const ONSETS: [&str; 22] = [
        "b", "br", "d", "dr", "f", "fl", "g", "gr", "h", "k", "l", "m", "n", "p", "pl", "r", "s", "st", "t", "tr", "v",
        "w",
    ];
    const VOWELS: [&str; 8] = ["a", "e", "i", "o", "u", "ai", "ea", "ou"];
    const CODAS: [&str; 10] = ["", "", "", "n", "r", "l", "s", "nd", "st", "m"];
    let (mut words, mut known) = (Vec::new(), BTreeSet::new());
    while words.len() < INVENTED_WORDS {
        let mut syllable = || [*random.pick(&ONSETS), *random.pick(&VOWELS), *random.pick(&CODAS)].concat();
        let first = syllable() + &syllable();
        let word = if words.len() % 3 == 0 { first } else { first + &syllable() };
        if known.insert(word.clone()) {
            words.push(word);
        }
    }
    words
}

/// Writes one document.
struct Writer<'l> {
    language: &'l Language,
    random: Random,
    topics: [usize; 2],
}

impl<'l> Writer<'l> {
    fn new(language: &'l Language, mut random: Random) -> Writer<'l> {
        let topics = [random.below(INVENTED_TOPICS), random.below(INVENTED_TOPICS)];
        Writer { language, random, topics }
    }

    fn document(&mut self) -> String {
        let mut text = self.headline() + "\n";
        for _ in 0..self.random.between(3, 9) {
            let sentences: Vec<String> = (0..self.random.between(1, 5)).map(|_| self.sentence()).collect();
            text += &format!("\n{}\n", sentences.join(" "));
        }
        text
    }

    fn headline(&mut self) -> String {
        let words: Vec<String> = (0..self.random.between(4, 9)).map(|_| self.word()).collect();
        capitalised(&words.join(" "))
    }

    fn sentence(&mut self) -> String {
        let length = self.random.between(5, 26);
        let words = capitalised(&self.clauses(length));
        match self.random.below(100) {
            0..12 => format!("“{words},” said {}.", self.random.pick(&self.language.people)),
            12..15 => format!("{words}?"),
            15..17 => format!("{words}!"),
            _ => format!("{words}."),
        }
    }

    /// Words, with a comma now and then.
    fn clauses(&mut self, length: usize) -> String {
        let mut clauses = String::new();
        let mut since_comma = 0;
        for left in (0..length).rev() {
            clauses += &self.word();
            since_comma += 1;
            if since_comma > 3 && left > 2 && self.random.percent(12) {
                clauses.push(',');
                since_comma = 0;
            }
            if left > 0 {
                clauses.push(' ');
            }
        }
        clauses
    }

    fn word(&mut self) -> String {
        let language = self.language;
        let random = &mut self.random;
        match random.below(1000) {
            0..10 => language.stock_phrases[language.of_stock.draw(random)].to_owned(),
            10..25 => random.between(2, 2500).to_string(),
            25..40 => random.pick(&language.people).clone(),
            40..480 => language.function_words[language.of_function.draw(random)].to_owned(),
            480..680 => {
                let topic = *random.pick(&self.topics);
                language.words[language.topics[topic][language.of_topic.draw(random)]].clone()
            }
            _ => language.words[language.of_words.draw(random)].clone(),
        }
    }
}

fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or(String::new(), |first| first.to_uppercase().chain(characters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_writes_the_same() {
        let (few, many) = (flowing_texts(7, 3), flowing_texts(7, 5));
        assert_eq!(few, many[..3]);
        assert_ne!(few[0], flowing_texts(8, 1)[0]);
        assert!(few.iter().all(|text| text.lines().count() > 4 && text.contains(". ")), "{few:?}");
    }
}
