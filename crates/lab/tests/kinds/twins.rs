//! Corpora of invented text, each of a kind that the model must not take for news: long books, transcripts, leaflets full of
//! stock sentences, code with licence heads, printed pages, chats, and messages with trailers.

use dehusk_core::random::Random;
use dehusk_lab::injection::flowing_texts;

/// A document, and what of it is content.
pub struct Twin {
    pub text: String,
    pub gold: String,
}

/// A kind of twins.
pub struct Kind {
    pub name: &'static str,
    /// Makes a corpus of so many documents.
    pub twins: fn(usize) -> Vec<Twin>,
    /// The numbers of documents to try. Short documents are tried in large numbers.
    pub numbers: &'static [usize],
    /// Minimum share of the boilerplate that is removed from 100 documents or more.
    pub least_removed: f64,
}

pub const KINDS: [Kind; 7] = [
    Kind { name: "books", twins: books, numbers: &[10, 100], least_removed: 0.9 },
    Kind { name: "transcripts", twins: transcripts, numbers: &[10, 100], least_removed: 1.0 },
    Kind { name: "leaflets", twins: leaflets, numbers: &[10, 100, 1000], least_removed: 1.0 },
    Kind { name: "code", twins: code, numbers: &[10, 100], least_removed: 0.7 },
    Kind { name: "printed-pages", twins: printed_pages, numbers: &[10, 100], least_removed: 0.3 },
    Kind { name: "chats", twins: chats, numbers: &[10, 100, 1000], least_removed: 0.0 },
    Kind { name: "messages", twins: messages, numbers: &[10, 100, 1000], least_removed: 0.95 },
];

const NAMES: [&str; 8] =
    ["Ada Rook", "Tom Linden", "Mara Voss", "Jon Pike", "Ines Falk", "Sam Tarn", "Lea Born", "Kit Moor"];

/// Makes a corpus. The same seed gives the same one.
fn corpus(seed: u64, documents: usize, twin: impl Fn(usize, &[&str], &mut Random) -> Twin) -> Vec<Twin> {
    let texts = flowing_texts(seed, documents);
    let mut random = Random::along(seed, &[documents as u64]);
    let twin = |(number, text): (usize, &String)| {
        let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
        twin(number, &lines, &mut random)
    };
    texts.iter().enumerate().map(twin).collect()
}

fn sentences<'t>(lines: &[&'t str]) -> Vec<&'t str> {
    lines.iter().flat_map(|line| line.split_inclusive(". ")).map(str::trim).filter(|line| line.len() > 8).collect()
}

fn title(lines: &[&str]) -> String {
    lines[0].split_whitespace().take(4).collect::<Vec<_>>().join(" ")
}

fn all_content(text: String) -> Twin {
    Twin { gold: text.clone(), text }
}

fn books(documents: usize) -> Vec<Twin> {
    const CHAPTERS: usize = 12;
    let texts = flowing_texts(90, CHAPTERS * documents);
    corpus(1, documents, |number, lines, _| {
        let title = title(lines);
        let chapters = texts[CHAPTERS * number..][..CHAPTERS].iter().enumerate();
        let gold: String = chapters.map(|(chapter, text)| format!("CHAPTER {}\n\n{text}\n\n", chapter + 1)).collect();
        let text = format!(
            "The Open Shelf edition of {title}\n\nThis book is for the use of anyone anywhere, at no cost and with almost no \
             restrictions. You may copy it, give it away or use it again under the terms of the Open Shelf licence.\n\n\
             Title: {title}\nShelf number: {number}\n\n*** START OF THIS OPEN SHELF BOOK ***\n\n{gold}\n\
             *** END OF THIS OPEN SHELF BOOK ***\n\nThe Open Shelf is a trademark. Volunteers have checked this book twice \
             against the printed one.\nSection 1. Terms of use. By reading any part of this book you agree to all the terms \
             of this licence.\nSection 2. Nothing in this licence limits the rights that the law of your country gives \
             you.\nMost people start at our web site, which has the main search facility: https://shelf.example\n"
        );
        Twin { text, gold }
    })
}

fn transcripts(documents: usize) -> Vec<Twin> {
    const SHORT: [&str; 5] =
        ["Yeah, exactly.", "Right.", "That makes a lot of sense.", "So tell me more about that.", "Mm."];
    corpus(2, documents, |_, lines, random| {
        let guest = *random.pick(&NAMES[2..]);
        let mut said = vec![
            format!("{}: Welcome back to the show. I'm {}, and with me today is {guest}.", NAMES[0], NAMES[0]),
            format!("{guest}: Thank you for having me."),
        ];
        for sentence in sentences(lines) {
            let speaker = *random.pick(&[NAMES[0], NAMES[1], guest, guest]);
            said.push(format!("{speaker}: {sentence}"));
            if random.percent(35) {
                said.push(format!("{}: {}", random.pick(&NAMES[..2]), random.pick(&SHORT)));
            }
        }
        all_content(said.join("\n\n"))
    })
}

fn leaflets(documents: usize) -> Vec<Twin> {
    corpus(3, documents, |_, lines, random| {
        let name = title(lines).split(' ').next().unwrap_or_default().to_lowercase();
        let sentences = sentences(lines);
        let mut own = sentences.iter().cycle();
        let mut some = |count| own.by_ref().take(count).copied().collect::<Vec<_>>().join(" ");
        all_content(format!(
            "What is in this leaflet\n1. What {name} is and what it is used for\n2. What you need to know before you take \
             {name}\n3. How to take {name}\n4. Possible side effects\n\n1. What {name} is and what it is used for\n{}\n\n2. \
             What you need to know before you take {name}\nDo not take {name} if you are allergic to it or to any of the \
             other ingredients.\n{}\nTell your doctor or pharmacist if you are taking, have recently taken or might take any \
             other medicines.\n\n3. How to take {name}\nAlways take this medicine exactly as your doctor has told you. The \
             usual dose is {} tablets a day.\n{}\n\n4. Possible side effects\nLike all medicines, this medicine can cause \
             side effects, although not everybody gets them.\n{}",
            some(4),
            some(3),
            random.between(1, 9),
            some(3),
            some(5),
        ))
    })
}

/// Half of it is Rust, half is Python.
pub fn code(documents: usize) -> Vec<Twin> {
    const LICENCE: [&str; 5] = [
        "Copyright 2021 The Lantern Authors. All rights reserved.",
        "",
        "This file is part of Lantern. You may use it under the terms of the Lantern licence, version 2, which you find in the",
        "file COPYING at the top of the source tree. It comes without any warranty, to the extent that the law permits it.",
        "See the licence for the rights and the limits that it gives you.",
    ];
    corpus(4, documents, |number, lines, random| {
        let is_rust = is_rust(number);
        let comment = if is_rust { "//" } else { "#" };
        let head: String =
            LICENCE.iter().map(|line| format!("{comment} {line}").trim_end().to_owned() + "\n").collect();
        let words: Vec<String> = lines
            .iter()
            .flat_map(|line| line.split_whitespace())
            .map(|word| word.chars().filter(char::is_ascii_alphabetic).collect::<String>().to_lowercase())
            .filter(|word| word.len() > 3)
            .collect();
        let mut gold = if is_rust { "use std::fmt;\n\n" } else { "import math\n\n" }.to_owned();
        for (function, sentence) in sentences(lines).into_iter().take(6).enumerate() {
            let [name, of, value] = [0; 3].map(|_| format!("{}_{function}", random.pick::<String>(&words)));
            let factor = random.between(2, 900);
            gold += &match is_rust {
                true => format!(
                    "/// {sentence}\npub fn {name}({of}: &[u64]) -> u64 {{\n    let mut {value} = {factor};\n    for each in \
                     {of} {{\n        {value} += each * {factor};\n    }}\n    {value}\n}}\n\n"
                ),
                false => format!(
                    "def {name}({of}):\n    # {sentence}\n    {value} = {factor}\n    for each in {of}:\n        {value} += \
                     each * {factor}\n    return {value}\n\n"
                ),
            };
        }
        Twin { text: format!("{head}\n{gold}"), gold }
    })
}

/// Whether this document of the code is Rust.
pub fn is_rust(number: usize) -> bool {
    number.is_multiple_of(2)
}

fn printed_pages(documents: usize) -> Vec<Twin> {
    corpus(5, documents, |number, lines, _| {
        let (title, author) = (title(lines), NAMES[number % NAMES.len()]);
        let content: Vec<String> =
            (0..3).flat_map(|part| lines.iter().map(move |line| format!("{part}.  {line}"))).collect();
        let mut text = String::new();
        for (page, lines) in content.chunks(8).enumerate() {
            let number = 3000 + number;
            text += &format!(
                "{}\n\n{author}                Memo                    [Page {}]\n\n",
                lines.join("\n\n"),
                page + 1
            );
            text += &format!("Tidal Memo {number}        {title}        June 1999\n\n");
        }
        Twin { text, gold: content.join("\n\n") }
    })
}

fn chats(documents: usize) -> Vec<Twin> {
    corpus(6, documents, |_, lines, random| {
        let (mut text, mut gold) = (Vec::new(), Vec::new());
        for sentence in sentences(lines) {
            let nick =
                |random: &mut Random| random.pick(&NAMES).split(' ').next_back().unwrap_or_default().to_lowercase();
            if random.percent(30) {
                let (nick, verb) = (nick(random), *random.pick(&["joined", "left", "quit"]));
                text.push(format!("*** {nick} has {verb} #tides"));
            }
            let said = format!("<{}> {sentence}", nick(random));
            text.push(said.clone());
            gold.push(said);
        }
        Twin { text: text.join("\n"), gold: gold.join("\n") }
    })
}

fn messages(documents: usize) -> Vec<Twin> {
    corpus(7, documents, |number, lines, random| {
        let gold = format!(
            "{}: {}\n\n{}",
            title(lines),
            lines[0],
            sentences(lines).into_iter().take(5).collect::<Vec<_>>().join("\n")
        );
        let text = format!(
            "{gold}\n\nReviewed-on: https://review.tides.example/c/lantern/+/{}\nReviewed-by: {} <review@tides.example>\n\
             Run-checks: Checks <checks@tides.example>",
            41_000 + 7 * number,
            random.pick(&NAMES),
        );
        Twin { text, gold }
    })
}
