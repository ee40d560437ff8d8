//! What comes after the article: found when mining, written down, and known when cleaning.

use super::*;

/// Articles of two to seven paragraphs, every other one with comments, which recur nowhere.
fn with_comments(wrap: impl Fn(&str) -> String, ending: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    for number in 0..20u64 {
        let mut story = Story(number);
        let mut paragraphs = |count| (0..count).map(|_| story.paragraph()).collect::<Vec<_>>().join("\n\n");
        let article = paragraphs(2 + number / 2 % 6);
        let comments = paragraphs(2 * (number % 2));
        let text =
            format!("Home | News | Sport\n\n{article}\n\nLeave a comment below\n\n{comments}\n\n{COPYRIGHT_LINE}\n");
        sandbox.write(&format!("corpus/tide/{number:02}.{ending}"), wrap(&text));
    }
    sandbox
}

#[test]
fn it_is_told_where_articles_end_and_they_stay() {
    let sandbox = with_comments(str::to_owned, "txt");
    sandbox.expect(0, "mine corpus -o patterns --quiet");
    let patterns = sandbox.read("patterns/tide.yaml");
    assert_eq!(patterns.matches("ends_after: ").count(), 1, "{patterns}");
    sandbox.expect(0, "clean corpus -p patterns -o cleaned --quiet");
    for number in 0..20 {
        let name = format!("tide/{number:02}.txt");
        let page = sandbox.read(&format!("corpus/{name}"));
        let (article, _) = page.split_once("Leave a comment below").unwrap();
        let article = article.split_once('\n').unwrap().1.trim();
        assert!(sandbox.read(&format!("cleaned/{name}")).trim().starts_with(article));
    }
    // It is told why they go.
    let explained = sandbox.expect(0, "explain corpus/tide/01.txt -p patterns").stdout;
    let id = id_of_end(&explained);
    assert!(explained.contains(&format!("{{{id}")) || explained.contains(&format!("{id}}}")), "{id}: {explained}");
}

/// The id of the evidence for the end of articles in what `explain` prints.
fn id_of_end(explained: &str) -> &str {
    let line = explained.lines().find(|line| line.contains("evidence") && line.contains("Leave a comment below"));
    line.expect("the evidence").split_whitespace().next().expect("an id")
}

#[test]
fn a_stream_finds_them_too_and_hands_them_on() {
    let sandbox = with_comments(str::to_owned, "txt");
    sandbox.expect(0, "stream corpus --state state --learn-only --quiet");
    sandbox.expect(0, "mine --from-state state -o patterns --quiet");
    let patterns = sandbox.read("patterns/tide.yaml");
    assert_eq!(patterns.matches("    ends_after: ").count(), 1, "{patterns}");
    sandbox.expect(0, "clean corpus -p patterns -o cleaned --quiet");
    let page = sandbox.read("corpus/tide/01.txt");
    let (article, _) = page.split_once("Leave a comment below").expect("it has comments");
    let article = article.split_once('\n').expect("it has a menu").1;
    assert!(sandbox.read("cleaned/tide/01.txt").trim().starts_with(article.trim()));
    // Who takes an end away, and says why, is heard.
    let end = patterns.lines().find(|line| line.contains("ends_after")).expect("there is one");
    sandbox
        .write("patterns/tide.yaml", patterns.replace(&format!("{end}\n"), "").replace("note: ''", "note: 'goes on'"));
    sandbox.expect(0, "mine --from-state state -o patterns --quiet");
    assert!(!sandbox.read("patterns/tide.yaml").contains("ends_after"));
}

#[test]
fn what_a_person_makes_of_an_end_stays() {
    let sandbox = with_comments(str::to_owned, "txt");
    sandbox.expect(0, "mine corpus -o patterns --quiet");
    let explained = sandbox.expect(0, "explain corpus/tide/01.txt -p patterns").stdout;
    let pattern = format!(
        "  - id: '{}'\n    status: accepted\n    regex: '(?m)^\\s*Leave\\s+a\\s+comment\\s+below\\s*$'\n    \
         example: Leave a comment below\n",
        id_of_end(&explained)
    );
    let mined = sandbox.read("patterns/tide.yaml");
    let end = mined.lines().find(|line| line.contains("ends_after")).expect("there is one");
    let mined = mined.replace(&format!("{end}\n"), "");
    for ends_after in ["", "    ends_after: 100000\n"] {
        let by_hand = format!("{pattern}{ends_after}evidence:\n");
        sandbox.write("patterns/tide.yaml", mined.replace("evidence:\n", &by_hand));
        sandbox.expect(0, "mine corpus -o patterns --quiet");
        let mined_again = sandbox.read("patterns/tide.yaml");
        assert_eq!(mined_again.matches("ends_after").count(), usize::from(!ends_after.is_empty()), "{mined_again}");
        assert!(mined_again.contains(ends_after), "{mined_again}");
    }
}

#[test]
fn markup_has_no_ends() {
    let wrap = |text: &str| {
        let lines: Vec<String> =
            text.lines().filter(|line| !line.is_empty()).map(|line| format!("<p>{line}</p>")).collect();
        format!("<html><body>\n{}\n</body></html>\n", lines.join("\n"))
    };
    let sandbox = with_comments(wrap, "html");
    sandbox.expect(0, "run corpus -o text --quiet");
    sandbox.expect(0, "run corpus -o markup --quiet --html markup");
    assert!(sandbox.read("text/patterns/tide.yaml").contains("ends_after"));
    assert!(!sandbox.read("markup/patterns/tide.yaml").contains("ends_after"));
}
