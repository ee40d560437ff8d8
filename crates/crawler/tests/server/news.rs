//! The invented newspapers of `corpora/news` as sites.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::behaviour::gzip;
use super::sites::{Base, Page, Sent, Sites};
use super::{date, escape};

/// The invented newspapers. Each one has a home page that links to its articles, and:
///
/// | paper | feed | robots.txt | sent |
/// |---|---|---|---|
/// | `harbor-ledger.example` | `/feed.xml`: RSS, `ttl`, full text in `content:encoded` | `Sitemap`, no `/archive/` | gzip |
/// | `bergland-bote.example` | `/feed.xml`: RSS, summaries, `ttl` | no `/intern/`, but `/intern/offen` | chunked |
/// | `tideline-wire.example` | `/feed.xml`: Atom, full text | `Crawl-delay: 0.5`, two `Sitemap` | plain |
/// | `orchard-courier.example` | `/feed.json`: JSON Feed, `content_html` | 404 | plain |
/// | `shiomi-shinpo.example` | `/feed.xml`: RSS, summaries, `sy:updatePeriod` | none for others, `/private/` not for `dehusk` | until closed |
/// | `marsa-press.example` | none | nothing is allowed | plain |
///
/// All have `/sitemap.xml`, an index of `/sitemap-pages.xml` and the news sitemap `/sitemap-news.xml.gz`. The feed has the ten newest
/// articles, and the sitemaps have all. Each home page links to a page that its robots.txt forbids, if one does.
pub const PAPERS: [&str; 6] = [
    "harbor-ledger.example",
    "bergland-bote.example",
    "tideline-wire.example",
    "orchard-courier.example",
    "shiomi-shinpo.example",
    "marsa-press.example",
];

/// An article of a newspaper.
#[derive(Clone, Debug)]
pub struct Article {
    /// The name of its file, without the extension.
    pub document: String,
    /// Its path on the server.
    pub path: String,
    /// When it was written, in seconds since 1970.
    pub date: i64,
    /// The lines of its expected text. The first is the headline.
    pub gold: Vec<String>,
    /// The page of the server.
    pub html: String,
}

struct Paper {
    host: String,
    name: String,
    language: &'static str,
    articles: Vec<Article>,
}

/// The folder `corpora`: it stands above this package, or in it.
pub fn corpora() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = package.ancestors().map(|folder| folder.join("corpora")).find(|folder| folder.join("news").is_dir());
    folder.expect("the folder corpora")
}

/// The articles of a newspaper, by their names.
pub fn articles(host: &str) -> Vec<Article> {
    read(host).articles
}

fn read(host: &str) -> Paper {
    assert!(PAPERS.contains(&host), "{host} is not one of the newspapers");
    let language = match host {
        "bergland-bote.example" => "de",
        "shiomi-shinpo.example" => "ja",
        "marsa-press.example" => "ar",
        _ => "en",
    };
    let folder = corpora().join("news").join(host);
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder).expect("a newspaper").map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    let mut name = None;
    let mut articles = Vec::new();
    for file in files {
        let document = file.file_stem().expect("a name").to_string_lossy().into_owned();
        let text = fs::read_to_string(&file).expect("a page");
        let gold = corpora().join("news-gold").join(host).join(format!("{document}.txt"));
        let gold: Vec<String> = fs::read_to_string(gold).expect("gold").lines().map(str::to_owned).collect();
        let is_html = file.extension().is_some_and(|extension| extension == "html");
        let masthead = if is_html { "The Orchard Courier" } else { masthead(host) };
        name.get_or_insert_with(|| masthead.to_owned());
        let mut numbers = document.splitn(4, '-').take(3).map(|part| part.parse::<i64>().expect("a date"));
        let mut number = || numbers.next().expect("a date");
        let date = date::at(number(), number(), number(), 8);
        let html = if is_html { text } else { wrap(language, masthead, &gold[0], &text) };
        articles.push(Article { path: path(host, &document), date, gold, html, document });
    }
    Paper { host: host.to_owned(), name: name.unwrap_or_default(), language, articles }
}

fn masthead(host: &str) -> &'static str {
    match host {
        "harbor-ledger.example" => "The Harbor Ledger",
        "bergland-bote.example" => "Bergland-Bote",
        "tideline-wire.example" => "Tideline Wire",
        "shiomi-shinpo.example" => "潮見新報",
        _ => "Marsa Press",
    }
}

/// Papers differ in how their paths look.
fn path(host: &str, document: &str) -> String {
    let (date, slug) = document.split_at(11.min(document.len()));
    let date = date.trim_end_matches('-').replace('-', "/");
    match host {
        "harbor-ledger.example" => format!("/{date}/{slug}.html"),
        "bergland-bote.example" => format!("/artikel/{document}"),
        "tideline-wire.example" => format!("/story/{document}/"),
        // Its pages link to each other so.
        "orchard-courier.example" => format!("/{document}"),
        _ => format!("/articles/{document}.html"),
    }
}

/// Makes HTML of a page's text: a block for the lines that stand together, a paragraph for each line.
fn wrap(language: &str, name: &str, headline: &str, text: &str) -> String {
    let direction = if language == "ar" { " dir=\"rtl\"" } else { "" };
    let title = escape(&format!("{headline} | {name}"));
    let mut html = format!(
        "<!DOCTYPE html>\n<html lang=\"{language}\"{direction}>\n<head>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n</head>\n\
         <body>\n<p><a href=\"/\">{name}</a></p>\n"
    );
    let mut had_headline = false;
    for block in text.split("\n\n") {
        html.push_str("<div>\n");
        for line in block.lines().filter(|line| !line.is_empty()) {
            let tag = if line == headline && !had_headline { "h1" } else { "p" };
            had_headline |= line == headline;
            html.push_str(&format!("<{tag}>{}</{tag}>\n", escape(line)));
        }
        html.push_str("</div>\n");
    }
    html.push_str("</body>\n</html>\n");
    html
}

pub(super) fn add(sites: &mut Sites, host: &str) {
    let paper = Arc::new(read(host));
    sites.rule(host, move |path, base| paper.page(path, base));
    let sent = match host {
        "harbor-ledger.example" => Sent::Gzip,
        "bergland-bote.example" => Sent::Chunked,
        "shiomi-shinpo.example" => Sent::UntilClosed,
        _ => Sent::Plain,
    };
    sites.sent(host, sent);
}

impl Paper {
    fn page(&self, path: &str, base: Base) -> Option<Page> {
        let bare = path.split('?').next().unwrap_or_default();
        let newest = self.articles.iter().map(|article| article.date).max().unwrap_or_default();
        let page = match bare {
            "/" => Page::html(self.home()),
            "/robots.txt" => Page::new("text/plain; charset=utf-8", self.robots(base)?),
            "/sitemap.xml" => Page::new("application/xml", self.index(base)),
            "/sitemap-pages.xml" => Page::new("text/xml; charset=utf-8", self.pages(base)),
            "/sitemap-news.xml.gz" => Page::new("application/gzip", gzip(self.news_sitemap(base).as_bytes())),
            "/feed.xml" | "/feed.json" => self.feed(bare, base)?,
            _ => return self.article(bare).or_else(|| self.other(bare)),
        };
        Some(page.modified(newest))
    }

    fn article(&self, path: &str) -> Option<Page> {
        let article = self.articles.iter().find(|article| article.path == path)?;
        Some(Page::html(article.html.clone()).modified(article.date))
    }

    /// Pages that are no articles.
    fn other(&self, path: &str) -> Option<Page> {
        let text = match (&*self.host, path) {
            ("harbor-ledger.example", "/archive/2019.html") => "What happened in 2019",
            ("bergland-bote.example", "/intern/dienstplan") => "Der Dienstplan der Redaktion",
            ("bergland-bote.example", "/intern/offen") => "Offene Stellen",
            ("shiomi-shinpo.example", "/private/desk.html") => "編集部",
            ("orchard-courier.example", section) => {
                const SECTIONS: [&str; 7] = ["/news", "/farming", "/village", "/food", "/sport", "/arts", "/notices"];
                let section = SECTIONS.iter().find(|&&name| name == section)?;
                return Some(Page::html(self.list(&section[1..])));
            }
            _ => return None,
        };
        Some(Page::html(format!(
            "<!DOCTYPE html>\n<html lang=\"{}\"><head><meta charset=\"utf-8\"><title>{text}</title></head>\n\
             <body><p>{text}</p></body></html>\n",
            self.language
        )))
    }

    fn home(&self) -> String {
        self.list(&self.name)
    }

    /// A page that links to all articles, newest first.
    fn list(&self, title: &str) -> String {
        let feed = match &*self.host {
            "orchard-courier.example" => {
                "<link rel=\"alternate\" type=\"application/feed+json\" href=\"/feed.json\">\n"
            }
            "marsa-press.example" => "",
            "tideline-wire.example" => "<link rel=\"alternate\" type=\"application/atom+xml\" href=\"/feed.xml\">\n",
            _ => "<link rel=\"alternate\" type=\"application/rss+xml\" href=\"/feed.xml\">\n",
        };
        let (name, language) = (&self.name, self.language);
        let mut html = format!(
            "<!DOCTYPE html>\n<html lang=\"{language}\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n{feed}</head>\n\
             <body>\n<h1>{name}</h1>\n<ul>\n"
        );
        for article in self.articles.iter().rev() {
            // One paper marks its links, as many do: the page is the same.
            let mark = if self.host == "tideline-wire.example" { "?utm_source=home#top" } else { "" };
            let headline = escape(&article.gold[0]);
            html.push_str(&format!("<li><a href=\"{}{mark}\">{headline}</a></li>\n", article.path));
        }
        html.push_str("</ul>\n<p>");
        let others: &[&str] = match &*self.host {
            "harbor-ledger.example" => &["/archive/2019.html"],
            "bergland-bote.example" => &["/intern/dienstplan", "/intern/offen"],
            "shiomi-shinpo.example" => &["/private/desk.html"],
            _ => &[],
        };
        for other in others {
            html.push_str(&format!("<a href=\"{other}\">{other}</a> "));
        }
        html.push_str("<a href=\"mailto:desk@paper.example\">E-mail</a></p>\n</body>\n</html>\n");
        html
    }

    fn robots(&self, base: Base) -> Option<String> {
        let sitemap = |path: &str| format!("Sitemap: {}\n", base.url(&self.host, path));
        Some(match &*self.host {
            "harbor-ledger.example" => {
                format!("# The Harbor Ledger\nUser-agent: *\nDisallow: /archive/\n\n{}", sitemap("/sitemap.xml"))
            }
            "bergland-bote.example" => {
                "User-agent: *\r\nAllow: /intern/offen\r\nDisallow: /intern/\r\nDisallow: /*.pdf$\r\n".to_owned()
            }
            "tideline-wire.example" => {
                let sitemaps = sitemap("/sitemap-pages.xml") + &sitemap("/sitemap-news.xml.gz");
                format!("User-agent: *\nCrawl-delay: 0.5\nDisallow:\n{sitemaps}")
            }
            "shiomi-shinpo.example" => {
                "User-agent: *\nDisallow: /\n\nUser-agent: otherbot\nUser-agent: Dehusk\nDisallow: /private/\n"
                    .to_owned()
            }
            "marsa-press.example" => "\u{feff}User-agent: *\nDisallow: /\n".to_owned(),
            _ => return None,
        })
    }

    fn index(&self, base: Base) -> String {
        let sitemap = |path: &str| {
            format!("<sitemap><loc>{}</loc><lastmod>2024-06-30</lastmod></sitemap>\n", base.url(&self.host, path))
        };
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n\
             {}{}</sitemapindex>\n",
            sitemap("/sitemap-pages.xml"),
            sitemap("/sitemap-news.xml.gz")
        )
    }

    fn pages(&self, base: Base) -> String {
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n\
             <url><loc>{}</loc><changefreq>hourly</changefreq></url>\n</urlset>\n",
            base.url(&self.host, "/")
        )
    }

    fn news_sitemap(&self, base: Base) -> String {
        let mut xml = String::from(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" \
             xmlns:news=\"http://www.google.com/schemas/sitemap-news/0.9\">\n",
        );
        for article in &self.articles {
            xml.push_str(&format!(
                "<url><loc>{}</loc><lastmod>{date}</lastmod><news:news><news:publication><news:name>{}</news:name>\
                 <news:language>{}</news:language></news:publication><news:publication_date>{date}</news:publication_date>\
                 <news:title>{}</news:title></news:news></url>\n",
                base.url(&self.host, &article.path),
                self.name,
                self.language,
                escape(&article.gold[0]),
                date = date::iso(article.date),
            ));
        }
        xml.push_str("</urlset>\n");
        xml
    }

    fn newest(&self) -> impl Iterator<Item = &Article> {
        self.articles.iter().rev().take(10)
    }

    fn feed(&self, path: &str, base: Base) -> Option<Page> {
        match (&*self.host, path) {
            ("harbor-ledger.example", "/feed.xml") => Some(self.rss(base, "<ttl>30</ttl>\n", true)),
            ("bergland-bote.example", "/feed.xml") => Some(self.rss(base, "<ttl>60</ttl>\n", false)),
            ("shiomi-shinpo.example", "/feed.xml") => Some(self.rss(
                base,
                "<sy:updatePeriod>hourly</sy:updatePeriod>\n<sy:updateFrequency>2</sy:updateFrequency>\n",
                false,
            )),
            ("tideline-wire.example", "/feed.xml") => Some(self.atom(base)),
            ("orchard-courier.example", "/feed.json") => Some(self.json(base)),
            _ => None,
        }
    }

    fn rss(&self, base: Base, interval: &str, is_full: bool) -> Page {
        let mut xml = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rss version=\"2.0\" xmlns:content=\"http://purl.org/rss/1.0/modules/content/\" \
             xmlns:sy=\"http://purl.org/rss/1.0/modules/syndication/\">\n<channel>\n<title>{}</title>\n<link>{}</link>\n\
             <description>{}</description>\n{interval}",
            self.name,
            base.url(&self.host, "/"),
            self.name
        );
        for article in self.newest() {
            let url = base.url(&self.host, &article.path);
            let summary = article.gold.get(1).map_or("", |line| line);
            xml.push_str(&format!(
                "<item>\n<title>{}</title>\n<link>{url}</link>\n<guid>{url}</guid>\n<pubDate>{}</pubDate>\n<description>{}</description>\n",
                escape(&article.gold[0]),
                date::http(article.date),
                escape(summary)
            ));
            if is_full {
                xml.push_str(&format!("<content:encoded><![CDATA[{}]]></content:encoded>\n", full(article)));
            }
            xml.push_str("</item>\n");
        }
        xml.push_str("</channel>\n</rss>\n");
        Page::new("application/rss+xml; charset=utf-8", xml)
    }

    fn atom(&self, base: Base) -> Page {
        let home = base.url(&self.host, "/");
        let mut xml = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\">\n<title>{}</title>\n<id>{home}</id>\n\
             <link href=\"{home}\"/>\n<link rel=\"self\" href=\"{}\"/>\n",
            self.name,
            base.url(&self.host, "/feed.xml")
        );
        for article in self.newest() {
            let url = base.url(&self.host, &article.path);
            let date = date::iso(article.date);
            xml.push_str(&format!(
                "<entry>\n<title>{}</title>\n<id>{url}</id>\n<link href=\"{url}\"/>\n<published>{date}</published>\n<updated>{date}</updated>\n\
                 <content type=\"html\">{}</content>\n</entry>\n",
                escape(&article.gold[0]),
                escape(&full(article))
            ));
        }
        xml.push_str("</feed>\n");
        Page::new("application/atom+xml; charset=utf-8", xml)
    }

    fn json(&self, base: Base) -> Page {
        let items: Vec<String> = self
            .newest()
            .map(|article| {
                let url = json_text(&base.url(&self.host, &article.path));
                let title = json_text(&article.gold[0]);
                let (date, html) = (date::iso(article.date), json_text(&full(article)));
                format!(
                    "{{\"id\":{url},\"url\":{url},\"title\":{title},\"date_published\":\"{date}\",\"content_html\":{html}}}"
                )
            })
            .collect();
        let json = format!(
            "{{\"version\":\"https://jsonfeed.org/version/1.1\",\"title\":{},\"home_page_url\":{},\"items\":[\n{}\n]}}\n",
            json_text(&self.name),
            json_text(&base.url(&self.host, "/")),
            items.join(",\n")
        );
        Page::new("application/feed+json", json)
    }
}

/// The article as HTML, as feeds have it: without its headline.
fn full(article: &Article) -> String {
    article.gold[1..].iter().map(|line| format!("<p>{}</p>\n", escape(line))).collect()
}

fn json_text(text: &str) -> String {
    let mut json = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => json.extend(['\\', character]),
            '\n' => json.push_str("\\n"),
            control if control < ' ' => json.push_str(&format!("\\u{:04x}", control as u32)),
            other => json.push(other),
        }
    }
    json.push('"');
    json
}
