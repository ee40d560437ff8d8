//! Invented pages of news.

use std::ops::Range;

use serde_json::json;

use super::sandbox::Story;

/// The text of a page, by its parts. No two pages have a part in common, except for the menu and the footer.
pub struct News {
    pub number: usize,
    pub title: String,
    pub paragraphs: Vec<String>,
    pub teasers: Vec<String>,
}

/// A sentence that nobody else says.
pub fn sentence(story: &mut Story, words: usize) -> String {
    let text = (0..words).map(|_| story.word()).collect::<Vec<_>>().join(" ");
    text[..1].to_uppercase() + &text[1..] + "."
}

impl News {
    pub fn of(number: usize) -> News {
        let story = &mut Story(number as u64);
        let title = sentence(story, 7).replace('.', "");
        let paragraphs = [(); 6].map(|()| [14, 9, 17].map(|words| sentence(story, words)).join(" ")).into();
        News { number, title, paragraphs, teasers: [(); 4].map(|()| sentence(story, 12)).into() }
    }

    pub fn html(&self) -> String {
        let News { title, paragraphs, teasers, .. } = self;
        let link = |name: &str| format!("<li><a href=/{name}>{name}</a></li>");
        let menu: String = ["Home", "Politics", "Sport", "Weather", "Culture", "Jobs"].map(link).concat();
        let paragraphs: String = paragraphs.iter().map(|paragraph| format!("<p>{paragraph}</p>")).collect();
        let teaser = |teaser: &String| {
            let headline = teaser.split(' ').take(5).collect::<Vec<_>>().join(" ");
            format!("<li class=teaser><h3><a href=/story>{headline}</a></h3><p>{teaser}</p></li>")
        };
        let teasers: String = teasers.iter().map(teaser).collect();
        format!(
            "<title>{title}</title><nav class=menu><ul>{menu}</ul></nav><article><h1>{title}</h1>{paragraphs}</article>\
             <aside class=related><ul>{teasers}</ul></aside><footer>Terms of use of the Daily Tide</footer>"
        )
    }

    pub fn line(&self) -> String {
        json!({"id": self.number, "source": "tide", "html": self.html()}).to_string() + "\n"
    }
}

pub fn news(numbers: Range<usize>) -> Vec<News> {
    numbers.map(News::of).collect()
}

pub fn lines(numbers: Range<usize>) -> String {
    news(numbers).iter().map(News::line).collect()
}
