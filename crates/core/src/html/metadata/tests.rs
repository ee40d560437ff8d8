use proptest::prelude::*;

use super::*;

/// The fields that a page has, as `name: value`, in their order.
fn said(page: &str) -> String {
    said_at(page, None)
}

fn said_at(page: &str, address: Option<&str>) -> String {
    let metadata = serde_json::to_value(page_metadata(page, address)).expect("JSON");
    let fields = metadata.as_object().expect("an object").iter();
    let known = fields.filter_map(|(name, value)| Some(format!("{name}: {}", value.as_str()?)));
    known.collect::<Vec<_>>().join("\n")
}

fn linked(json: &str) -> String {
    format!("<script type='application/ld+json'>{json}</script>")
}

/// A graph as plugins of common publishing systems write it.
const GRAPH: &str = r##"{"@context": "https://schema.org", "@graph": [
    {"@type": ["Article", "BlogPosting"], "@id": "https://tide.example/ferry#article", "isPartOf": {"@id": "https://tide.example/ferry"},
     "author": {"name": "Ada Reyl", "@id": "#ada"}, "headline": "Ferry late &#8211; again", "datePublished": "2024-03-14T08:30:00+00:00",
     "image": {"@id": "#picture"}, "publisher": {"@id": "#tide"}, "inLanguage": "en-GB"},
    {"@type": "WebPage", "@id": "https://tide.example/ferry", "url": "https://tide.example/ferry", "name": "Ferry late - The Tide",
     "description": "The ferry\ncame late."},
    {"@type": "ImageObject", "@id": "#picture", "contentUrl": "/ferry.jpg"},
    {"@type": "WebSite", "@id": "#site", "name": "The Tide"},
    {"@type": "Organization", "@id": "#tide", "name": "Tide Press"}]}"##;

#[test]
fn linked_data_is_understood() {
    let expected = "title: Ferry late – again\nauthor: Ada Reyl\ndate: 2024-03-14T08:30:00+00:00\nlanguage: en-GB\n\
                    site_name: The Tide\nurl: https://tide.example/ferry\ndescription: The ferry came late.\n\
                    image: https://tide.example/ferry.jpg";
    assert_eq!(said(&linked(GRAPH)), expected);
    assert_eq!(said(&linked(&format!("<!-- [{GRAPH}] -->"))), expected);
    let raw_line_end = GRAPH.replace("\\n", "\n");
    assert_eq!(said(&linked(&raw_line_end)), expected);
}

#[test]
fn the_site_is_what_a_page_is_part_of() {
    let part_of = |whole: &str| said(&linked(&format!(r#"{{"@type": "Article", "isPartOf": {whole}}}"#)));
    assert_eq!(part_of(r#"{"@type": "WebSite", "name": "The Tide"}"#), "site_name: The Tide");
    assert_eq!(part_of(r#"{"@type": "PublicationIssue", "name": "March"}"#), "");
}

#[test]
fn authors_have_many_forms() {
    let by = |author: &str| said(&linked(&format!(r#"{{"@type": "NewsArticle", "author": {author}}}"#)));
    assert_eq!(by(r#""Ada  Reyl""#), "author: Ada Reyl");
    assert_eq!(
        by(r#"["Ada Reyl", {"@type": "Person", "name": "Jon Holm"}, "Ada Reyl"]"#),
        "author: Ada Reyl; Jon Holm"
    );
    assert_eq!(by(r#"{"name": ["Ada Reyl", "Jon Holm"]}"#), "author: Ada Reyl; Jon Holm");
    assert_eq!(by(r#"{"@type": "Person", "name": {"@value": "Ada Reyl"}}"#), "");
    assert_eq!(by(r#"{"@value": "Ada Reyl"}"#), "author: Ada Reyl");
    for nobody in [r#""https://www.facebook.com/ada""#, r#""""#, "null", "5", r#"{"name": 5}"#, r#""12""#] {
        assert_eq!(by(nobody), "", "{nobody}");
    }
    assert_eq!(
        said("<meta property=article:author content='https://facebook.com/ada'><meta name=author content=Ada>"),
        "author: Ada"
    );
    let several = "<meta name=citation_author content='Reyl, Ada'><meta name=citation_author content='Holm, Jon'>";
    assert_eq!(said(several), "author: Reyl, Ada; Holm, Jon");
    assert_eq!(said("<p>By <a rel='nofollow author' href=/ada>Ada  <b>Reyl</b></a>"), "author: Ada Reyl");
    assert_eq!(said("<div itemprop=author><a itemprop=name>Ada</a> writes about boats</div>"), "author: Ada");
}

#[test]
fn linked_data_comes_first_then_open_graph_then_the_rest() {
    let article = linked(
        r#"{"@type": "http://schema.org/NewsArticle", "headline": "One", "datePublished": "2024-01-01",
        "inLanguage": {"name": "German", "alternateName": "de"}, "description": "One.", "image": ["https://a.example/1.png", "x"],
        "url": "https://a.example/1", "publisher": {"name": "Tide 1"}}"#,
    );
    let graph = "<meta property='og:title' content=Two><meta property=article:published_time content=2024-02-02>\
        <meta property=og:locale content=en_GB><meta property=og:description content='Two.'><meta property=og:site_name content='Tide 2'>\
        <meta property=og:image content=https://a.example/2.png><meta property=og:url content=https://a.example/2>";
    let meta = "<meta name=DC.title content=Three><meta name=date content=2024/03/03><meta name=language content=fr>\
        <meta name=description content='Three.'><meta name=application-name content='Tide 3'><meta itemprop=image content=https://a.example/3.png>";
    let shown = "<html lang=nl><title>Four</title><h1>Other</h1><time datetime=2024-04-04>today</time>";
    let of = |number: &str, date: &str, language: &str, site: &str, url: &str| {
        let file = match number {
            "One" => 1,
            "Two" => 2,
            _ => 3,
        };
        format!(
            "title: {number}\ndate: {date}\nlanguage: {language}\nsite_name: {site}\n{url}description: {number}.\nimage: https://a.example/{file}.png"
        )
    };
    // A publisher is not a site, so it comes after all sites.
    let [first, second] = [1, 2].map(|page| format!("url: https://a.example/{page}\n"));
    assert_eq!(said(&format!("{shown}{meta}{graph}{article}")), of("One", "2024-01-01", "de", "Tide 2", &second));
    assert_eq!(said(&article), of("One", "2024-01-01", "de", "Tide 1", &first));
    assert_eq!(said(&format!("{shown}{meta}{graph}")), of("Two", "2024-02-02", "en-GB", "Tide 2", &second));
    assert_eq!(said(&format!("{shown}{meta}")), of("Three", "2024-03-03", "fr", "Tide 3", ""));
    assert_eq!(said(shown), "title: Four\ndate: 2024-04-04\nlanguage: nl");
}

#[test]
fn the_headline_is_the_part_of_the_title_that_is_a_heading() {
    assert_eq!(said("<title>Ferry late | The Tide</title><h1>Ferry <i>late</i></h1>"), "title: Ferry late");
    assert_eq!(said("<title>The Tide</title><h1>Welcome</h1>"), "title: The Tide");
    assert_eq!(said("<h1>Welcome</h1>"), "title: Welcome");
    assert_eq!(said("<svg><title>x</title></svg><title> A &amp; B </title><title>c</title>"), "title: A & B");
}

#[test]
fn of_several_articles_the_one_counts_that_has_the_title() {
    let articles = linked(
        r#"[{"@type": "Article", "headline": "Other"}, {"@type": "Article", "headline": "Ferry late", "author": "Ada"}]"#,
    );
    assert_eq!(said(&format!("<title>Ferry late - Tide</title>{articles}")), "title: Ferry late\nauthor: Ada");
    assert_eq!(said(&format!("<title>The Tide</title>{articles}")), "title: The Tide");
    let nested =
        linked(r#"{"@type": "WebPage", "name": "x", "mainEntity": {"@type": "Report", "headline": "Ferry late"}}"#);
    assert_eq!(said(&nested), "title: Ferry late");
}

#[test]
fn addresses_are_absolute() {
    let page = "<link rel='next canonical' href='/ferry'><meta property=og:image content='ferry.jpg'>";
    assert_eq!(said(page), "");
    let url = Some("https://tide.example/2024/1?ref=x");
    assert_eq!(
        said_at(page, url),
        "url: https://tide.example/2024/1?ref=x\nimage: https://tide.example/2024/ferry.jpg"
    );
    let based = format!("<base href='https://tide.example/a/'>{page}");
    assert_eq!(said(&based), "url: https://tide.example/ferry\nimage: https://tide.example/a/ferry.jpg");
    for wrong in ["javascript:alert(1)", "data:image/png;base64,AA", "https://a b", "", "//"] {
        assert_eq!(
            said(&format!("<link rel=canonical href='{wrong}'><meta name=twitter:image content='{wrong}'>")),
            "",
            "{wrong}"
        );
    }
}

#[test]
fn the_date_is_that_of_the_article() {
    let page = "<time datetime=2024-01-01>now</time><h1>x</h1><time>5</time><time datetime=soon></time><time datetime=2024-02-02>";
    assert_eq!(said(page), "title: x");
    assert_eq!(said(&page.replace(" datetime=soon", "")), "title: x\ndate: 2024-02-02");
    assert_eq!(said("<time datetime=2024-01-01>now</time><h1>x</h1>"), "title: x\ndate: 2024-01-01");
    let wrong_first = "<meta property=article:published_time content='14 March'><meta name=date content=2024-03-14>";
    assert_eq!(said(wrong_first), "date: 2024-03-14");
    let modified = "<meta property=article:modified_time content=2024-03-14>";
    assert_eq!(said(modified), "");
}

#[test]
fn broken_statements_are_ignored() {
    let broken =
        ["{", "{\"@type\": \"Article\", \"headline\": \"One\"", "null", "[[[]]]", "{\"@graph\": 5}", "\"Article\"", ""];
    for json in broken {
        assert_eq!(
            said(&(linked(json) + &linked(r#"{"@type": "Article", "headline": "Two"}"#))),
            "title: Two",
            "{json}"
        );
    }
    let circle = r##"{"@graph": [{"@type": "Article", "@id": "#a", "author": {"@id": "#b"}}, {"@id": "#b", "name": {"@id": "#a"}}]}"##;
    assert_eq!(said(&linked(circle)), "");
    assert_eq!(said("<script>{\"@type\": \"Article\", \"headline\": \"One\"}</script>"), "");
    assert_eq!(
        said("<html lang=x><html lang='de-'><html lang='english please'><meta name=language content=English>"),
        ""
    );
    assert_eq!(said("<meta name=author><meta property=og:title content=' '><time datetime>"), "");
}

/// Pages that repeat a piece `count` times, each in another way of wasting time or memory.
fn hostile(count: usize) -> [String; 8] {
    [
        linked(&"[".repeat(count)),
        linked(&("[".repeat(count) + &"]".repeat(count))),
        linked(&format!("[{}0]", r#"{"":0},"#.repeat(count))),
        linked(&format!(r#"{{"@type": "Article", "author": [{}"x"]}}"#, r#"[["a"]],"#.repeat(count))),
        format!(
            "<title>x</title>{}",
            linked(&format!("[{}0]", r#"{"@type":"Article","headline":"y"},"#.repeat(count)))
        ),
        linked("{}").repeat(count),
        "<meta name=author content=x><meta property=og:title>".repeat(count),
        format!("<title>{}", "x<".repeat(count)),
    ]
}

#[test]
fn what_is_kept_of_a_page_is_bounded() {
    for page in hostile(100_000) {
        let (_, declared) = super::super::read::<Declared>(&page);
        let kept: usize = declared.scripts().iter().map(String::len).sum();
        assert!(kept <= 256 << 10 && declared.title().len() <= MOST_BYTES_OF_VALUE, "{}", &page[..60]);
        let metadata = page_metadata(&page, None);
        assert!(format!("{metadata:?}").len() < 10 * MOST_BYTES_OF_VALUE, "{}", &page[..60]);
    }
    let long = "x".repeat(MOST_BYTES_OF_VALUE + 1);
    let article = linked(&format!(r#"{{"@type": "Article", "headline": "{long}", "description": "Short."}}"#));
    assert_eq!(
        said(&format!("<meta name=description content={long}><title>{long}</title>{article}")),
        "description: Short."
    );
    // A script that is too large is left out, and the next one is read.
    let large = linked(&format!(r#"{{"@type": "Article", "headline": "One", "x": "{}"}}"#, "x".repeat(256 << 10)));
    assert_eq!(said(&(large + &linked(r#"{"@type": "Article", "headline": "Two"}"#))), "title: Two");
}

/// Pieces that statements are made of.
const PIECES: [&str; 28] = [
    "<script type=application/ld+json>",
    "</script>",
    "{\"@type\":",
    "\"Article\"",
    "\"WebPage\"",
    ",\"headline\":",
    ",\"author\":",
    "{\"@id\":\"#a\"}",
    "\"@graph\":[",
    "]",
    "}",
    ":",
    ",",
    "\"2024-03-14T",
    "08:30",
    "+01",
    "<meta name=date content=",
    "<meta itemprop=",
    "author",
    " content='",
    "'>",
    "<html lang=",
    "<time datetime=",
    "<h1>",
    "<title>",
    "é",
    "\u{0}",
    "<a rel=author href=//[>",
];

proptest! {
    #[test]
    fn any_page_has_metadata(page in any::<String>(), pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..40)) {
        let built = pieces.concat();
        for html in [&page, &built, &linked(&page), &format!("<meta name=date content='{page}'><html lang='{page}'>{built}")] {
            for address in [None, Some("https://tide.example/1"), Some(page.as_str())] {
                page_metadata(html, address);
            }
        }
    }

    #[test]
    fn any_text_is_a_date_or_none(text in any::<String>(), digits in "[12][0-9]{3}[-/é][0-9]{2}[-/][0-9]{2}[T ]?[0-9:.Z+ é-]{0,20}") {
        for value in [text, digits] {
            if let Some(date) = iso_date(&value) {
                assert_eq!(iso_date(&date).as_ref(), Some(&date), "{value}");
            }
        }
    }
}
