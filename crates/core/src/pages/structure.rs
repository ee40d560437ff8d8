//! Decides about a page by its blocks. The decision about its text is used as evidence.
//!
//! Takes the blocks of a page ([`JudgedPage`]) and the decision that was made from the text alone. Then whole blocks
//! are kept or removed, as the [block model](crate::dom::block_model) says. Inside a kept block, recurring text that
//! chance does not explain is still removed. The headline is kept. For this and other [parts](crate::dom::page_parts)
//! about which people disagree, the user may choose otherwise.

use std::ops::Range;

use crate::cleaning::decide::Decision;
use crate::cleaning::reading::Reading;
use crate::cleaning::reading::matcher::Tokens;
use crate::dom::block_model::{BlockModel, JudgedPage, TextEvidence, content};
use crate::dom::page_parts::{Chosen, PageChoices};

/// The settings of a decision by blocks.
pub struct Structure<'m> {
    /// The model.
    pub model: &'m BlockModel,
    /// What the user chose.
    pub choices: PageChoices,
    /// Whether there is evidence from the source. If not, the decision about the text is not used as evidence.
    pub is_of_source: bool,
}

/// Decides by the blocks of a page. `text` is its visible text.
pub fn decide(
    Structure { model, choices, is_of_source }: Structure,
    text: &str,
    page: &JudgedPage,
    reading: &Reading,
    Decision { goes, probabilities, patterns, is_beyond_chance, dropped, .. }: &mut Decision,
) {
    let tokens = &reading.tokens;
    let blocks = &page.page.blocks;
    let judged = match is_of_source {
        true => model.judge_in_source(page, &text_evidence(page, tokens, goes, probabilities)),
        false => page.probabilities.clone(),
    };

    let mut stays = content(text, blocks, &judged, choices.favor.care());
    let parts = page.parts(text, &stays);
    let ends_before = |range: &Range<usize>, index: usize| range.end == blocks[index - 1].text.end;
    // People who mark main texts disagree about headlines, so the model knows nothing about headlines.
    parts.headline().into_iter().for_each(|headline| stays[headline] = true);

    for (index, ((block, stays), p)) in blocks.iter().zip(stays).zip(judged).enumerate() {
        let of_block = tokens_in(tokens, &block.text);
        match parts.chosen(index, choices) {
            Some(Chosen::Stays) => goes[of_block].fill(false),
            Some(Chosen::Goes(part)) => {
                for token in of_block {
                    (goes[token], probabilities[token]) = (!reading.is_rejected[token], 1.0);
                    patterns[token] = None;
                }
                // The white space between two blocks that are removed belongs to the first one.
                if let Some((before, _)) = dropped.last_mut().filter(|(before, _)| ends_before(before, index)) {
                    before.end = block.text.start;
                }
                dropped.push((block.text.clone(), part));
            }
            None => {
                for token in of_block {
                    let is_beyond_chance = is_beyond_chance[token] && goes[token];
                    goes[token] = !reading.is_rejected[token] && (!stays || is_beyond_chance);
                    if !is_beyond_chance {
                        probabilities[token] = 1.0 - p;
                    }
                }
            }
        }
    }
}

/// The tokens that start in some bytes.
fn tokens_in(Tokens { tokens, .. }: &Tokens, bytes: &Range<usize>) -> Range<usize> {
    let before = |limit: usize| tokens.partition_point(|token| token.range().start < limit);
    before(bytes.start)..before(bytes.end)
}

fn text_evidence(page: &JudgedPage, tokens: &Tokens, goes: &[bool], probabilities: &[f32]) -> Vec<TextEvidence> {
    let of = |block: &Range<usize>| {
        let (mut all, mut gone, mut score) = (0.0_f32, 0.0, 0.0);
        for token in tokens_in(tokens, block) {
            let length = tokens.tokens[token].range().len() as f32;
            all += length;
            if goes[token] {
                gone += length;
                score += length * probabilities[token];
            }
        }
        TextEvidence { goes: gone / all.max(1.0), score: score / all.max(1.0) }
    };
    page.page.blocks.iter().map(|block| of(&block.text)).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;

    use proptest::prelude::*;

    use crate::cleaning::decide::evidence::Weight;
    use crate::cleaning::{CleanOptions, Cleaner, Cleaning, Recurring, Scratch};
    use crate::dom::block_model::{BlockModel, content};
    use crate::dom::page_parts::PartChoice::{self, Auto, Drop, Keep};
    use crate::dom::page_parts::{Favor, PageChoices, PagePart};
    use crate::html::{Tree, read};
    use crate::patterns::{LexerCache, PatternFile, SHARED};
    use crate::tokens::{Lexer, MutableSet, Tokenizer};

    /// A page with an article that is partly not prose, and with prose around it that is not part of the article.
    fn page() -> String {
        let link = |number: usize| format!("<li><a href=/{number}>Section {number}</a></li>");
        let menu: String = (0..9).map(link).collect();
        let teaser = |town: &str| {
            format!(
                "<li class=teaser><h3><a href=/{town}>Mayor of {town} resigns</a></h3><p>The mayor of {town} resigned on \
                 Monday, after the council had refused his plan.</p></li>"
            )
        };
        let teasers: String = ["Ulm", "Bonn", "Kiel", "Jena"].map(teaser).concat();
        let story = "<p>The ferry came in late on Tuesday, and nobody on the quay knew why it had taken so long.</p>";
        format!(
            "<title>Ferry late again</title><nav class=menu><ul>{menu}</ul></nav><article><h1>Ferry late again</h1>{0}\
             <ul><li>0 dead</li><li>1 late</li></ul>{0}</article><aside class=related><ul>{teasers}</ul></aside>\
             <footer>Terms of use</footer>",
            story.repeat(4)
        )
    }

    fn cleaned(source: &str, head: &str, patterns: &str, options: &CleanOptions) -> String {
        let (text, cleaning) = cleaning(&page(), source, head, patterns, options);
        cleaning.strip(&text)
    }

    fn cleaning(page: &str, source: &str, head: &str, patterns: &str, options: &CleanOptions) -> (String, Cleaning) {
        let mined = "mined: {documents: 9, tokens: 9, cutoff: 0.5, tokenizer: words}";
        let yaml = format!("dehusk: 1\nsource: {source}\n{mined}\n{head}patterns:\n{patterns}");
        let file = PatternFile::parse(&yaml, &LexerCache::default()).unwrap();
        let (text, tree) = read::<Tree>(page);
        let cleaning = Cleaner::new(&[&file], options).clean_page(&mut Scratch::default(), &text, &tree).unwrap();
        (text, cleaning)
    }

    fn pattern(id: &str, status: &str, regex: &str) -> String {
        format!("- {{id: {id}, regex: '{regex}', documents: 2, among: 9, occurrences: 2, status: {status}}}\n")
    }

    #[test]
    fn blocks_stay_or_go_whole() {
        let text = cleaned("s", "", "", &CleanOptions::default());
        assert_eq!(text.matches("nobody on the quay knew why").count(), 8, "{text}");
        assert!(text.starts_with("Ferry late again"), "{text}");
        for gone in ["Section 3", "Mayor of Bonn", "Terms of use"] {
            assert!(!text.contains(gone), "{gone}: {text}");
        }
    }

    #[test]
    fn a_row_of_a_table_stays_whole_or_goes_whole() {
        let page = "<p>Goals of the day.<table><tr><th>Club<th>Goals<tr><td>Tarn<td>51:19<td>68<tr><td>Cove<td>9:34<td>2</table>";
        let (text, tree) = read::<Tree>(page);
        let blocks = BlockModel::shipped().judge(&text, &tree).page.blocks;
        let names = || blocks.iter().map(|block| &text[block.text.clone()]);
        assert!(names().eq(["Goals of the day.", "Club", "Goals", "Tarn", "51:19", "68", "Cove", "9:34", "2"]));
        let kept = |likely: &[&str]| {
            let probabilities: Vec<f32> =
                names().map(|name| if likely.contains(&name) { 0.99 } else { 0.01 }).collect();
            let stays = content(&text, &blocks, &probabilities, 1.0);
            names().zip(stays).filter(|(_, stays)| *stays).map(|(name, _)| name).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(kept(&["Goals of the day.", "Tarn", "Cove"]), "Goals of the day. Tarn 51:19 68 Cove 9:34 2");
        assert_eq!(kept(&["Club", "Cove", "9:34"]), "Club Goals Cove 9:34 2");
        assert_eq!(kept(&["Goals of the day.", "68", "9:34", "2"]), "Goals of the day.");
    }

    #[test]
    fn what_people_decided_counts_more() {
        let patterns =
            pattern("aa01", "accepted", r"on\s+the\s+quay") + &pattern("aa02", "rejected", r"Terms\s+of\s+use");
        let text = cleaned("s", "keep:\n- {text: 'Section 3'}\n", &patterns, &CleanOptions::default());
        assert!(!text.contains("on the quay") && text.contains("nobody knew why"), "{text}");
        assert!(text.contains("Terms of use") && text.contains("Section 3"), "{text}");
        assert!(!text.contains("Section 4"), "{text}");
    }

    #[test]
    fn it_can_be_left_out() {
        let with = |options: CleanOptions| cleaned("s", "", "", &options);
        let as_text = with(CleanOptions::default().structure(None));
        assert!(as_text.contains("Mayor of Bonn"), "{as_text}");
        let accepted = CleanOptions::default().only_accepted(true);
        assert!(with(accepted).contains("Mayor of Bonn"));
    }

    #[test]
    fn it_decides_about_text_without_a_pattern() {
        let accepted = CleanOptions::default().only_accepted(true);
        assert_eq!(
            cleaned("s", "loose: remove\n", "", &accepted),
            cleaned("s", "", "", &CleanOptions::default()),
            "nothing is matched, so the structure decides about everything"
        );
    }

    #[test]
    fn what_is_favoured_counts() {
        let favoring = |favor| CleanOptions::default().page(PageChoices::default().favor(favor));
        let text = |favor| cleaned("s", "", "", &favoring(favor));
        let lengths = [Favor::Precision, Favor::Balance, Favor::Recall].map(|favor| text(favor).len());
        assert!(lengths.is_sorted(), "{lengths:?}");
        assert_eq!(text(Favor::Recall).matches("nobody on the quay knew why").count(), 8);
    }

    #[test]
    fn a_stream_decides_by_what_it_knows_of_the_source() {
        let (text, tree) = read::<Tree>(&page());
        let streamed = |recurring: &[Recurring]| {
            let reader = PatternFile::empty("s", &Lexer::new(Tokenizer::Words, Arc::new(MutableSet::shipped())));
            let cleaner = Cleaner::new(&[&reader], &CleanOptions::default());
            let reading = cleaner.read_page(&mut Scratch::default(), &text, Some(&tree), &|| true).unwrap();
            cleaner.explain_with(&text, &reading, recurring).strip(&text)
        };
        let weight = Weight { share: 0.5, documents: 9, occurrences: 9, ..Weight::default() };
        for recurring in [vec![], vec![Recurring { tokens: 0..2, weight }]] {
            let text = streamed(&recurring);
            assert_eq!(text.matches("nobody on the quay knew why").count(), 8, "{recurring:?}: {text}");
            assert!(!text.contains("Section 3"), "{recurring:?}: {text}");
        }
    }

    #[test]
    fn without_patterns_of_the_source_a_page_is_judged_alone() {
        let text = cleaned(SHARED, "", "", &CleanOptions::default());
        assert_eq!(text.matches("nobody on the quay knew why").count(), 8, "{text}");
        assert!(!text.contains("Mayor of Bonn"), "{text}");
    }

    fn choosing(headline: PartChoice, byline: PartChoice) -> CleanOptions {
        CleanOptions::default().page(PageChoices::default().headline(headline).byline(byline))
    }

    /// The page with a byline.
    fn signed(byline: &str) -> String {
        page().replacen("</h1>", &format!("</h1>{byline}"), 1)
    }

    #[test]
    fn the_user_chooses_what_happens_to_the_head() {
        let page = signed("<div class=meta><span>By Ada Kern</span></div><div class=meta>March 5, 2024</div>");
        let text = |headline, byline| {
            let (text, cleaning) = cleaning(&page, "s", "", "", &choosing(headline, byline));
            cleaning.strip(&text)
        };
        assert!(text(Keep, Keep).starts_with("Ferry late again\nBy Ada Kern\nMarch 5, 2024\n"), "{}", text(Keep, Keep));
        assert!(text(Drop, Keep).starts_with("By Ada Kern\nMarch 5, 2024\n"), "{}", text(Drop, Keep));
        assert!(text(Keep, Drop).starts_with("Ferry late again\nThe ferry came in"), "{}", text(Keep, Drop));
        assert!(text(Drop, Drop).starts_with("The ferry came in"), "{}", text(Drop, Drop));
        let rest = |text: String| text[text.find("The ferry came in").unwrap()..].to_owned();
        assert_eq!(rest(text(Drop, Drop)), rest(text(Auto, Auto)));
    }

    #[test]
    fn the_user_chooses_what_happens_to_comments() {
        let comment = |name: &str| {
            format!(
                "<li class=comment><p>{name} wrote:</p><p>I waited for the ferry on the quay, in the rain.</p><a href=#>Reply</a>"
            )
        };
        let comments: String = ["Ann", "Ben", "Cem"].map(comment).concat();
        let page = format!(
            "<body class=comments-open>{}<section id=kommentare><h2>3 comments</h2><ol>{comments}</ol></section>",
            page()
        );
        let text = |choice| {
            let options = CleanOptions::default().page(PageChoices::default().comments(choice));
            let (text, cleaning) = cleaning(&page, "s", "", "", &options);
            cleaning.strip(&text)
        };
        let (kept, dropped) = (text(Keep), text(Drop));
        assert_eq!(kept.matches("I waited for the ferry").count(), 3, "{kept}");
        assert!(kept.contains("Ben wrote") && kept.contains("3 comments"), "{kept}");
        assert!(!dropped.contains("Ben") && !dropped.contains("3 comments") && !dropped.contains("Reply"), "{dropped}");
        // An element that has the headline is not a section of comments, whatever its name is.
        for text in [kept, dropped, text(Auto)] {
            assert_eq!(text.matches("nobody on the quay knew why").count(), 8, "{text}");
        }
    }

    #[test]
    fn what_people_decided_counts_more_than_what_is_chosen() {
        let page = signed("<div>By Ada Kern</div><div>Harbour desk</div>");
        let accepted = pattern("aa01", "accepted", r"Ada\s+Kern");
        let rejected = pattern("aa02", "rejected", r"Harbour\s+desk");
        let keep = "keep:\n- {text: 'Ferry late'}\n";
        let text = |headline, byline| {
            let (text, cleaning) =
                cleaning(&page, "s", keep, &format!("{accepted}{rejected}"), &choosing(headline, byline));
            cleaning.strip(&text)
        };
        assert!(text(Keep, Keep).starts_with("Ferry late again\nBy\nHarbour desk\n"), "{}", text(Keep, Keep));
        assert!(text(Drop, Drop).starts_with("Ferry late\nHarbour desk\n"), "{}", text(Drop, Drop));
    }

    #[test]
    fn a_choice_that_does_nothing_is_told() {
        let ignores = |head: &str, options: &CleanOptions| cleaning(&page(), "s", head, "", options).1.ignores_choices;
        let dropping = choosing(Drop, Auto);
        assert!(!ignores("", &dropping) && !ignores("", &CleanOptions::default()));
        assert!(ignores("", &dropping.structure(None)));
    }

    /// An element of a page, with one of a few lines.
    fn part() -> impl Strategy<Value = String> {
        const STORY: &str = "The ferry came in late on Tuesday, and nobody on the quay knew why it had taken so long.";
        let line = prop::sample::select(vec![
            "Ferry late again",
            "FERRY LATE, AGAIN",
            "By Ada Kern",
            "March 5, 2024",
            "Share: A | B",
            "[",
            "(Photo: Kern)",
            "-",
            "Ferry",
            STORY,
        ]);
        let element = prop::sample::select(vec!["h1", "h2", "p", "div", "li", "span", "nav"]);
        (element, line).prop_map(|(element, line)| format!("<{element}>{line}</{element}>"))
    }

    /// The positions of the letters and digits of a text that are removed.
    fn gone(text: &str, cleaning: &Cleaning) -> Vec<usize> {
        let places = text.char_indices().filter(|(_, c)| c.is_alphanumeric()).map(|(at, _)| at);
        places.filter(|at| cleaning.spans.iter().any(|span| span.range.contains(at))).collect()
    }

    fn words(text: &str) -> BTreeSet<String> {
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
    }

    proptest! {
        #[test]
        fn a_choice_concerns_the_head_and_nothing_else(parts in prop::collection::vec(part(), 0..12), is_of_source: bool) {
            let page = format!("<title>Ferry late again</title>{}", parts.concat());
            let source = if is_of_source { "s" } else { SHARED };
            let cleaning = |headline, byline| cleaning(&page, source, "", "", &choosing(headline, byline)).1;
            let (text, _) = read::<Tree>(&page);
            let [auto, kept, dropped] = [Auto, Keep, Drop].map(|choice| cleaning(choice, choice));
            let in_head = |at: &usize| dropped.dropped.iter().any(|(block, _)| block.contains(at));
            // A block that repeats the headline may be removed: its words are also in the text that is kept.
            let stay = words(&kept.strip(&text));
            prop_assert!(dropped.dropped.iter().all(|(block, _)| words(&text[block.clone()]).is_subset(&stay)));
            let without_head = |cleaning: &Cleaning| gone(&text, cleaning).into_iter().filter(|at| !in_head(at)).collect::<Vec<_>>();
            prop_assert_eq!(without_head(&auto), without_head(&dropped));
            let letters = text.char_indices().filter(|(_, c)| c.is_alphanumeric()).map(|(at, _)| at);
            let of_head: Vec<usize> = letters.filter(in_head).collect();
            prop_assert!(of_head.iter().all(|at| gone(&text, &dropped).contains(at)));
            // Each choice is about its own part.
            for (headline, byline, part) in [(Drop, Auto, PagePart::Headline), (Auto, Drop, PagePart::Byline)] {
                let only = cleaning(headline, byline).dropped;
                let of_part: Vec<_> = dropped.dropped.iter().filter(|(_, of)| *of == part).map(|(block, _)| block.start).collect();
                prop_assert_eq!(only.iter().map(|(block, _)| block.start).collect::<Vec<_>>(), of_part);
            }
        }
    }
}
