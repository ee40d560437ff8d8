//! An invented news site with any number of pages. Each page depends only on the seed and its number.
//!
//! A page is a frame around a story. The frame has navigation and, in HTML, a head with styles and scripts; then a
//! byline, lists of headlines of other pages, and a footer, a part of which is the same on all sites. Dates, counts and
//! names vary. Some stories are told twice, and some have a note in their middle.

use std::fmt::Write;

use dehusk_core::random::Random;

use super::language::{push_name, push_paragraph, push_sentence, push_title, push_words};

/// The format of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Html,
    Text,
}

impl Form {
    /// The extension of a file of this form.
    pub fn extension(self) -> &'static str {
        match self {
            Form::Html => "html",
            Form::Text => "txt",
        }
    }

    /// The length of pages of this form by default.
    pub fn usual_bytes(self) -> usize {
        match self {
            Form::Html => 30_000,
            Form::Text => 5000,
        }
    }
}

/// One source.
#[derive(Clone, Debug)]
pub struct Site {
    seed: u64,
    source: u64,
    form: Form,
    document_bytes: usize,
    head: String,
    top: String,
    foot: String,
}

/// The independent random sequences.
#[derive(Clone, Copy)]
enum Stream {
    Shared,
    Frame,
    Headline,
    Story,
    Page,
}

/// Number of stories that link to each other, as the stories of one week do.
const WEEK: usize = 100;
const SECTIONS: usize = 8;
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

impl Site {
    /// The site with this number, with pages of about this number of bytes.
    pub fn new(seed: u64, source: usize, form: Form, document_bytes: usize) -> Site {
        let empty = String::new();
        let (head, top, foot) = (empty.clone(), empty.clone(), empty);
        let mut site = Site { seed, source: source as u64, form, document_bytes, head, top, foot };
        let mut random = site.random(Stream::Frame, 0);
        if form == Form::Html {
            site.head = site.styles_and_scripts(&mut random);
        }
        site.top = site.navigation(&mut random);
        site.foot = site.footer(&mut random);
        site
    }

    /// The number of the site.
    pub fn number(&self) -> usize {
        self.source as usize
    }

    /// The name of the site.
    pub fn name(&self) -> String {
        format!("site{:04}.example", self.source)
    }

    /// One page.
    pub fn page(&self, number: usize) -> String {
        let mut random = self.random(Stream::Page, number);
        let week = number / WEEK * WEEK;
        let is_retold = number > week && random.percent(2);
        let story = if is_retold { week + random.below(number - week) } else { number };
        let mut page = String::with_capacity(2 * self.document_bytes);
        if self.form == Form::Html {
            page.push_str("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>");
            self.push_headline(&mut page, story);
            page.push_str(" - News</title>\n");
        }
        page.push_str(&self.head);
        page.push_str(&self.top);
        self.block(&mut page, "<h1>", "</h1>", |text| self.push_headline(text, story));
        self.block(&mut page, "<p class=\"byline\">", "</p>", |text| {
            text.push_str("By ");
            push_name(text, &mut random);
            push(text, format_args!(" | {} comments | Published ", random.below(300)));
            push_date(text, &mut random);
        });
        self.push_story(&mut page, story);
        self.push_related(&mut page, &mut random, week);
        page.push_str(&self.foot);
        page
    }

    fn random(&self, stream: Stream, number: usize) -> Random {
        let source = if matches!(stream, Stream::Shared) { u64::MAX } else { self.source };
        Random::along(self.seed, &[source, stream as u64, number as u64])
    }

    /// A line of text, or an element.
    fn block(&self, page: &mut String, open: &str, close: &str, write: impl FnOnce(&mut String)) {
        let (open, close) = if self.form == Form::Html { (open, close) } else { ("", "") };
        page.push_str(open);
        write(page);
        page.push_str(close);
        page.push('\n');
    }

    /// Number of things on a page, if there is one for each `bytes` bytes.
    fn one_in(&self, bytes: usize) -> usize {
        (self.document_bytes / bytes).max(2)
    }

    fn styles_and_scripts(&self, random: &mut Random) -> String {
        let mut head = String::from("<style>");
        for rule in 0..self.one_in(375) {
            head.push('.');
            push_words(&mut head, random, 2, "-");
            push(&mut head, format_args!("{{margin:{rule}px;padding:{}px}}", 2 * rule));
        }
        head.push_str("</style>\n<script>");
        for variable in 0..self.one_in(200) {
            head.push_str("var ");
            push_words(&mut head, random, 2, "_");
            push(&mut head, format_args!("={variable};"));
        }
        head.push_str("</script>\n");
        head
    }

    fn navigation(&self, random: &mut Random) -> String {
        let mut top = String::new();
        self.block(&mut top, "</head><body><div id=\"top\"><ul>", "", |text| push_title(text, random, 3));
        for item in 0..self.one_in(250) {
            let mut open = format!("<li class=\"nav-item item-{item}\"><a href=\"/section/");
            push_words(&mut open, random, 2, "-");
            open.push_str("\">");
            self.block(&mut top, &open, "</a></li>", |text| push_title(text, random, 2));
        }
        self.block(&mut top, "</ul></div><div id=\"main\">", "", |_| ());
        top
    }

    fn footer(&self, random: &mut Random) -> String {
        let mut foot = String::new();
        let mut shared = self.random(Stream::Shared, 0);
        for line in 0..self.one_in(5000) {
            let random = if line % 2 == 0 { &mut *random } else { &mut shared };
            self.block(&mut foot, "<p class=\"legal\">", "</p>", |text| push_sentence(text, random));
        }
        self.block(&mut foot, "</div></body></html>", "", |_| ());
        foot
    }

    fn push_headline(&self, text: &mut String, story: usize) {
        let mut random = self.random(Stream::Headline, story);
        let words = random.between(5, 10);
        push_title(text, &mut random, words);
    }

    fn push_story(&self, page: &mut String, story: usize) {
        let mut random = self.random(Stream::Story, story);
        self.block(page, "<p class=\"section\">", "</p>", |text| {
            let section = random.below(SECTIONS);
            text.push_str("Home > ");
            push_title(text, &mut self.random(Stream::Frame, section), 1);
        });
        let page_bytes = random.between(self.document_bytes / 2, self.document_bytes * 3 / 2);
        let end = page_bytes.saturating_sub(self.foot.len()).max(page.len() + self.document_bytes / 10);
        while page.len() < end {
            self.block(page, "<p>", "</p>", |text| push_paragraph(text, &mut random));
            if random.percent(8) {
                self.block(page, "<p class=\"more\">", "</p>", |text| {
                    text.push_str("Read more: ");
                    self.push_headline(text, story / WEEK * WEEK + random.below(WEEK));
                });
            }
        }
    }

    fn push_related(&self, page: &mut String, random: &mut Random, week: usize) {
        self.block(page, "</div><div class=\"related\"><h2>", "</h2>", |text| text.push_str("Related stories"));
        for _ in 0..self.one_in(2500) {
            let story = week + random.below(WEEK);
            let open = format!("<div class=\"teaser\"><h3><a href=\"/news/{story}.html\">");
            self.block(page, &open, "</a></h3>", |text| self.push_headline(text, story));
            self.block(page, "<span class=\"date\">", "</span></div>", |text| push_date(text, random));
        }
    }
}

fn push_date(text: &mut String, random: &mut Random) {
    let (day, year) = (random.between(1, 28), random.between(2000, 2020));
    push(text, format_args!("{day} {} {year}", random.pick(&MONTHS)));
}

fn push(text: &mut String, arguments: std::fmt::Arguments) {
    // Writing to a string cannot fail.
    let _ = text.write_fmt(arguments);
}
