//! CSS selectors, and the elements of a page that they select.
//!
//! Supports the part of CSS that selects elements by the names and attributes in their tags:
//!
//! - names, classes, ids and attributes, alone or together: `div.story#main[role=main]`, `*`, `[itemprop=author]`;
//! - an element inside another one (`aside li`) or directly inside it (`main > p`);
//! - several selectors with commas.
//!
//! Attributes are those that a [`Tree`] has. The node of the page counts as both `html` and `body`, and has no classes.

use std::fmt;

use rustc_hash::FxHashMap;

use crate::html::{Attribute, NodeKind, Tree};

/// Maximum length of the name of an element, in bytes. A [`Tree`] cuts longer names off.
pub const MAX_NAME: usize = 23;

/// A CSS selector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selector {
    css: String,
    /// The selectors between the commas. At least one.
    alternatives: Vec<Vec<Step>>,
}

/// An element on the way to the selected one.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Step {
    /// Whether it must be directly inside the element before it.
    is_child: bool,
    tests: Vec<Test>,
}

/// A property that an element must have.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Test {
    Name(String),
    Class(String),
    Id(String),
    /// An attribute, and its value if that is given.
    Attribute(Attribute, Option<String>),
}

/// The reason why a text is not a selector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelectorError(String);

impl fmt::Display for SelectorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SelectorError {}

impl Selector {
    /// Parses a selector.
    ///
    /// # Errors
    /// If the text is not a selector, or uses a part of CSS that dehusk does not support.
    pub fn parse(css: &str) -> Result<Selector, SelectorError> {
        let mut parser = Parser { css, at: 0 };
        let mut alternatives = vec![parser.steps()?];
        while parser.take(',') {
            alternatives.push(parser.steps()?);
        }
        match parser.peek() {
            None => Ok(Selector { css: css.to_owned(), alternatives }),
            Some(char) => Err(parser.unknown(char)),
        }
    }

    /// The selector as it was written.
    pub fn css(&self) -> &str {
        &self.css
    }

    /// The selector as XPath 1.0.
    pub fn xpath(&self) -> String {
        let alternatives: Vec<String> = self.alternatives.iter().map(|steps| xpath(steps)).collect();
        alternatives.join(" | ")
    }
}

fn xpath(steps: &[Step]) -> String {
    let mut path = String::new();
    for step in steps {
        path.push_str(if step.is_child { "/" } else { "//" });
        let name = step.tests.iter().find_map(|test| match test {
            Test::Name(name) => Some(name.as_str()),
            _ => None,
        });
        path.push_str(name.unwrap_or("*"));
        for test in &step.tests {
            match test {
                Test::Name(_) => {}
                Test::Class(class) => {
                    let class = literal(&format!(" {class} "));
                    path.push_str(&format!("[contains(concat(' ', normalize-space(@class), ' '), {class})]"));
                }
                Test::Id(id) => path.push_str(&format!("[@id={}]", literal(id))),
                Test::Attribute(attribute, None) => path.push_str(&format!("[@{}]", attribute.name())),
                Test::Attribute(attribute, Some(value)) => {
                    path.push_str(&format!("[@{}={}]", attribute.name(), literal(value)));
                }
            }
        }
    }
    path
}

/// A text as a string of XPath, which has no escapes.
fn literal(text: &str) -> String {
    match (text.contains('\''), text.contains('"')) {
        (false, _) => format!("'{text}'"),
        (true, false) => format!("\"{text}\""),
        (true, true) => format!("concat('{}')", text.replace('\'', "', \"'\", '")),
    }
}

/// A name as CSS, with escapes where it needs them.
pub fn identifier(name: &str) -> String {
    let mut css = String::with_capacity(name.len());
    for (index, char) in name.chars().enumerate() {
        let is_plain = char.is_ascii_alphabetic() || char == '_' || !char.is_ascii();
        let is_inner = char.is_ascii_digit() && index > 0 && !(index == 1 && css == "-");
        let is_hyphen = char == '-' && name != "-";
        match is_plain || is_inner || is_hyphen {
            true => css.push(char),
            false if char.is_ascii_digit() || char.is_control() => css.push_str(&format!("\\{:x} ", char as u32)),
            false => css.extend(['\\', char]),
        }
    }
    css
}

struct Parser<'c> {
    css: &'c str,
    at: usize,
}

impl<'c> Parser<'c> {
    fn rest(&self) -> &'c str {
        &self.css[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn take(&mut self, wanted: char) -> bool {
        let is_next = self.peek() == Some(wanted);
        self.at += if is_next { wanted.len_utf8() } else { 0 };
        is_next
    }

    /// Skips white space. Returns whether there was any.
    fn blank(&mut self) -> bool {
        let before = self.at;
        self.at = self.css.len() - self.rest().trim_ascii_start().len();
        self.at > before
    }

    fn steps(&mut self) -> Result<Vec<Step>, SelectorError> {
        let (mut steps, mut is_child) = (Vec::new(), false);
        loop {
            self.blank();
            steps.push(Step { is_child, tests: self.tests()? });
            let is_apart = self.blank();
            is_child = self.take('>');
            if !is_child && (!is_apart || matches!(self.peek(), None | Some(','))) {
                return Ok(steps);
            }
        }
    }

    fn tests(&mut self) -> Result<Vec<Test>, SelectorError> {
        let mut tests = Vec::new();
        let is_any = self.take('*');
        if !is_any && self.peek().is_some_and(starts_name) {
            let name = self.name()?.to_ascii_lowercase();
            if name.len() > MAX_NAME {
                return Err(SelectorError(format!("the name '{name}' is longer than {MAX_NAME} bytes")));
            }
            tests.push(Test::Name(name));
        }
        loop {
            tests.push(match self.peek() {
                Some('.') => Test::Class(self.after_sign()?),
                Some('#') => Test::Id(self.after_sign()?),
                Some('[') => self.attribute()?,
                None | Some(',' | '>') if !is_any && tests.is_empty() => {
                    return Err(SelectorError("an element is missing here, such as 'div.story'".to_owned()));
                }
                Some(char) if !is_any && tests.is_empty() => return Err(self.unknown(char)),
                _ => return Ok(tests),
            });
        }
    }

    fn after_sign(&mut self) -> Result<String, SelectorError> {
        self.at += 1;
        self.name()
    }

    fn attribute(&mut self) -> Result<Test, SelectorError> {
        self.at += 1;
        self.blank();
        let name = self.name()?.to_ascii_lowercase();
        let attribute = Attribute::of(name.as_bytes())
            .ok_or_else(|| SelectorError(format!("the attribute '{name}' cannot be used here")))?;
        self.blank();
        let value = if self.take('=') {
            self.blank();
            Some(match self.peek() {
                Some(quote @ ('"' | '\'')) => self.quoted(quote)?,
                _ => self.name()?,
            })
        } else {
            None
        };
        self.blank();
        match (self.take(']'), self.peek()) {
            (true, _) => Ok(Test::Attribute(attribute, value)),
            (false, Some(char)) => Err(self.unknown(char)),
            (false, None) => Err(SelectorError("a ']' is missing at its end".to_owned())),
        }
    }

    fn name(&mut self) -> Result<String, SelectorError> {
        let mut name = String::new();
        while let Some(char) = self.peek() {
            match char {
                '\\' => name.push(self.escaped()?),
                _ if starts_name(char) || (char.is_ascii_digit() && !name.is_empty()) => {
                    name.push(char);
                    self.at += char.len_utf8();
                }
                _ => break,
            }
        }
        match (name.is_empty(), self.peek()) {
            (false, _) => Ok(name),
            (true, Some(char)) => Err(self.unknown(char)),
            (true, None) => Err(SelectorError("a name is missing at its end".to_owned())),
        }
    }

    fn quoted(&mut self, quote: char) -> Result<String, SelectorError> {
        self.at += 1;
        let mut text = String::new();
        while let Some(char) = self.peek() {
            match char {
                '\\' => text.push(self.escaped()?),
                _ => {
                    self.at += char.len_utf8();
                    if char == quote {
                        return Ok(text);
                    }
                    text.push(char);
                }
            }
        }
        Err(SelectorError(format!("a {quote} is missing at its end")))
    }

    /// Reads an escape and returns its character: `\:`, or `\3a ` with the number of the character.
    fn escaped(&mut self) -> Result<char, SelectorError> {
        self.at += 1;
        let digits = self.rest().bytes().take(6).take_while(u8::is_ascii_hexdigit).count();
        let char = match digits {
            0 => self.peek(),
            _ => u32::from_str_radix(&self.rest()[..digits], 16).ok().and_then(char::from_u32),
        };
        let char = char.ok_or_else(|| SelectorError("there is no character after its '\\'".to_owned()))?;
        self.at += if digits == 0 { char.len_utf8() } else { digits };
        if digits > 0 {
            self.take(' ');
        }
        Ok(char)
    }

    fn unknown(&self, char: char) -> SelectorError {
        let what = match char {
            ':' => "pseudo-classes such as ':first-child' cannot be used here".to_owned(),
            '+' | '~' => format!("'{char}' cannot be used here, only '>' and spaces between elements"),
            '^' | '$' | '|' => format!("'{char}=' cannot be used here, only '='"),
            _ => format!("'{char}' cannot stand here"),
        };
        SelectorError(format!("{what} (character {} of '{}')", self.css[..self.at].chars().count() + 1, self.css))
    }
}

fn starts_name(char: char) -> bool {
    char.is_ascii_alphabetic() || matches!(char, '-' | '_' | '\\') || !char.is_ascii()
}

/// A property of an element, by which the steps that it may match are looked up.
enum Key<'k> {
    Name(&'k str),
    Class(&'k str),
    Id(&'k str),
    Any,
}

/// The steps with each key.
#[derive(Clone, Debug, Default)]
struct StepsByKey {
    names: FxHashMap<String, Vec<u32>>,
    classes: FxHashMap<String, Vec<u32>>,
    ids: FxHashMap<String, Vec<u32>>,
    any: Vec<u32>,
}

impl StepsByKey {
    fn add(&mut self, key: Key, step: u32) {
        let steps = match key {
            Key::Name(name) => self.names.entry(name.to_owned()).or_default(),
            Key::Class(class) => self.classes.entry(class.to_owned()).or_default(),
            Key::Id(id) => self.ids.entry(id.to_owned()).or_default(),
            Key::Any => &mut self.any,
        };
        steps.push(step);
    }

    fn with(&self, key: Key) -> &[u32] {
        let steps = match key {
            Key::Name(name) => self.names.get(name),
            Key::Class(class) => self.classes.get(class),
            Key::Id(id) => self.ids.get(id),
            Key::Any => Some(&self.any),
        };
        steps.map_or(&[], Vec::as_slice)
    }
}

/// Selectors that are looked for together, each with a number.
#[derive(Clone, Debug, Default)]
pub struct SelectorSet {
    /// All steps of all alternatives, one alternative after the other.
    steps: Vec<Placed>,
    by_key: StepsByKey,
}

#[derive(Clone, Debug)]
struct Placed {
    step: Step,
    /// Whether it is the first step.
    is_first: bool,
    /// The number of the selector, if it is the last step.
    completes: Option<usize>,
}

impl SelectorSet {
    /// Adds a selector with this number.
    pub fn add(&mut self, number: usize, selector: &Selector) {
        for steps in &selector.alternatives {
            for (index, step) in steps.iter().enumerate() {
                let completes = (index + 1 == steps.len()).then_some(number);
                self.by_key.add(key(step), self.steps.len() as u32);
                self.steps.push(Placed { step: step.clone(), is_first: index == 0, completes });
            }
        }
    }

    /// Whether there are no selectors.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The selected elements in the order of the page, each with the number of its selector. The time is linear in the
    /// page.
    pub fn select(&self, tree: &Tree) -> Vec<(usize, usize)> {
        let mut selected = Vec::new();
        if self.is_empty() {
            return selected;
        }

        // The elements around the current one, each with the steps that it matches.
        let mut open: Vec<(usize, Vec<u32>)> = Vec::new();
        // For each step, the number of elements around the current one that match it.
        let mut around = vec![0_u32; self.steps.len()];
        for node in (0..tree.len()).filter(|&node| tree.kind(node) == NodeKind::Element) {
            while open.last().is_some_and(|(last, _)| tree.end(*last) <= node) {
                let (_, steps) = open.pop().unwrap_or_default();
                steps.into_iter().for_each(|step| around[step as usize] -= 1);
            }

            let parent = open.last().map_or(&[][..], |(_, steps)| steps);
            let mut steps = Vec::new();
            self.candidates(tree, node, |step| {
                let placed = &self.steps[step as usize];
                let is_reached = placed.is_first
                    || if placed.step.is_child { parent.contains(&(step - 1)) } else { around[step as usize - 1] > 0 };
                if is_reached && placed.step.tests.iter().all(|test| test.holds(tree, node)) {
                    steps.push(step);
                }
            });

            steps.sort_unstable();
            steps.dedup();
            for &step in &steps {
                around[step as usize] += 1;
                selected.extend(self.steps[step as usize].completes.map(|number| (node, number)));
            }
            open.push((node, steps));
        }
        selected.dedup();
        selected
    }

    fn candidates(&self, tree: &Tree, node: usize, mut candidate: impl FnMut(u32)) {
        let mut with = |key: Key| self.by_key.with(key).iter().for_each(|&step| candidate(step));
        with(Key::Any);
        names_of(tree, node).for_each(|name| with(Key::Name(name)));
        tree.attribute(node, Attribute::Id).into_iter().for_each(|id| with(Key::Id(id)));
        let classes = tree.attribute(node, Attribute::Class).unwrap_or_default();
        classes.split_ascii_whitespace().for_each(|class| with(Key::Class(class)));
    }
}

/// The key of a step: what is likely the rarest property that its elements must have.
fn key(step: &Step) -> Key<'_> {
    let tests = || step.tests.iter();
    let id = tests().find_map(|test| if let Test::Id(id) = test { Some(Key::Id(id)) } else { None });
    let class = || tests().find_map(|test| if let Test::Class(class) = test { Some(Key::Class(class)) } else { None });
    let name = || tests().find_map(|test| if let Test::Name(name) = test { Some(Key::Name(name)) } else { None });
    id.or_else(class).or_else(name).unwrap_or(Key::Any)
}

/// The names of an element. Only the page has two.
fn names_of(tree: &Tree, node: usize) -> impl Iterator<Item = &str> {
    let page: &[&str] = if node == 0 { &["html", "body"] } else { &[] };
    page.iter().copied().chain((node > 0).then(|| tree.name(node)))
}

impl Test {
    fn holds(&self, tree: &Tree, node: usize) -> bool {
        match self {
            Test::Name(name) => names_of(tree, node).any(|other| other == name),
            Test::Class(class) => {
                let classes = tree.attribute(node, Attribute::Class).unwrap_or_default();
                classes.split_ascii_whitespace().any(|other| other == class)
            }
            Test::Id(id) => tree.attribute(node, Attribute::Id) == Some(id),
            Test::Attribute(attribute, value) => {
                let found = tree.attribute(node, *attribute);
                found.is_some_and(|found| value.as_ref().is_none_or(|value| value == found))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::html::read;

    const PAGE: &str = "<body class=home><header id=top><h1 class='title big'>a</h1></header><main role=main>\
        <div class='story body'><p>b<aside class=related><ul><li>c<li class=last>d</ul></aside><p itemprop=author>e</div>\
        <div class=Story>f</div></main><x-share class=\"tw:flex 2col\">g</x-share>";

    /// The text of the elements that a selector selects.
    fn selected(css: &str) -> String {
        let (text, tree) = read::<Tree>(PAGE);
        let selector = Selector::parse(css).unwrap();
        let mut set = SelectorSet::default();
        set.add(0, &selector);
        let nodes = set.select(&tree);
        let texts: Vec<&str> = nodes.iter().map(|&(node, _)| &text[tree.text(node)]).collect();
        texts.join("|").replace('\n', "")
    }

    #[test]
    fn elements_are_selected() {
        let of = |css, expected| assert_eq!(selected(css), expected, "{css}");
        of("h1", "a");
        of("H1.big.title", "a");
        of(".title", "a");
        of("#top", "a");
        of("div.story", "bcde");
        of("div.story p", "b|e");
        of("main>div>p", "b|e");
        of("main > p", "");
        of("main p", "b|e");
        of("aside.related li", "c|d");
        of("ul > li.last, h1", "a|d");
        of("[role=main] aside", "cd");
        of("p[itemprop]", "e");
        of("p[ itemprop = 'author' ]", "e");
        of("body > header", "a");
        of("html header, header", "a");
        of("div *", "b|cd|cd|c|d|e");
        of("x-share", "g");
        of(r".tw\:flex.\32 col", "g");
        of("aside aside", "");
    }

    #[test]
    fn what_is_no_selector_is_refused() {
        let refused = |css: &str, expected: &str| {
            let problem = Selector::parse(css).unwrap_err().to_string();
            assert!(problem.contains(expected), "{css}: {problem}");
        };
        refused("", "an element is missing");
        refused("div,", "an element is missing");
        refused("> p", "an element is missing");
        refused("div >", "an element is missing");
        refused("p:first-child", "pseudo-classes");
        refused("p + p", "'+' cannot be used");
        refused("[class^=a]", "'^=' cannot be used");
        refused("[data-x]", "the attribute 'data-x'");
        refused("[id", "a ']' is missing");
        refused("[id='a", "a ' is missing");
        refused("a.", "a name is missing");
        refused(".1a", "'1' cannot stand here (character 2 of '.1a')");
        refused("a\\", "no character after");
        refused(&"x".repeat(24), "longer than 23");
    }

    #[test]
    fn names_are_escaped() {
        for name in ["a", "2col", "-2", "-", "tw:flex", "é", "a b", "a\\", "--x", "-a", "\u{1}"] {
            let selector = Selector::parse(&format!(".{}", identifier(name))).unwrap();
            assert_eq!(selector.alternatives[0][0].tests, [Test::Class(name.to_owned())], "{}", selector.css());
        }
    }

    #[test]
    fn xpath_says_the_same() {
        let xpath = |css: &str| Selector::parse(css).unwrap().xpath();
        assert_eq!(
            xpath("div.story > p[itemprop=author], #it\\'s"),
            "//div[contains(concat(' ', normalize-space(@class), ' '), ' story ')]/p[@itemprop='author'] | //*[@id=\"it's\"]"
        );
        assert_eq!(xpath("body *[id='\"\\'']"), "//body//*[@id=concat('\"', \"'\", '')]");
    }

    /// Whether a node matches the last of some steps. Tries all ways to reach it.
    fn is(tree: &Tree, node: usize, steps: &[Step]) -> bool {
        let Some((last, before)) = steps.split_last() else { return true };
        let fits = last.tests.iter().all(|test| test.holds(tree, node));
        let reached = |parent: usize| is(tree, parent, before);
        let parent = tree.parent(node);
        fits && (before.is_empty()
            || if last.is_child { parent.is_some_and(reached) } else { tree.ancestors(node).any(reached) })
    }

    fn page() -> impl Strategy<Value = String> {
        let tag = prop::sample::select(
            &["<div>", "<div class=a>", "<p class='a b'>", "<ul id=b>", "</div>", "</ul>", "x"][..],
        );
        prop::collection::vec(tag, 0..20).prop_map(|tags| tags.concat())
    }

    fn css() -> impl Strategy<Value = String> {
        let step = prop::sample::select(&["div", "p", "*", ".a", "p.b", "#b", ".a.b", "[id]", "body"][..]);
        let between = prop::sample::select(&[" ", " > ", ", "][..]);
        (step.clone(), prop::collection::vec((between, step), 0..4)).prop_map(|(first, rest)| {
            rest.into_iter().fold(first.to_owned(), |css, (between, step)| css + between + step)
        })
    }

    proptest! {
        #[test]
        fn elements_are_those_of_the_naive_search(page in page(), css in prop::collection::vec(css(), 1..4)) {
            let (_, tree) = read::<Tree>(&page);
            let selectors: Vec<Selector> = css.iter().map(|css| Selector::parse(css).unwrap()).collect();
            let mut set = SelectorSet::default();
            selectors.iter().enumerate().for_each(|(number, selector)| set.add(number, selector));
            let elements = (0..tree.len()).filter(|&node| tree.kind(node) == NodeKind::Element);
            let is_selected = |node: usize, selector: &Selector| selector.alternatives.iter().any(|steps| is(&tree, node, steps));
            let numbers = |node| (0..selectors.len()).map(move |number| (node, number));
            let naive: Vec<(usize, usize)> =
                elements.flat_map(numbers).filter(|&(node, number)| is_selected(node, &selectors[number])).collect();
            let mut selected = set.select(&tree);
            selected.sort_unstable();
            prop_assert_eq!(selected, naive);
        }

        #[test]
        fn any_text_is_a_selector_or_refused(css in "[a-z.#>*, \\[\\]='\"\\\\0-9é:]{0,20}") {
            if let Ok(selector) = Selector::parse(&css) {
                prop_assert!(!selector.xpath().is_empty());
            }
        }

        #[test]
        fn any_name_can_be_written(name in "\\PC{1,8}") {
            let selector = Selector::parse(&format!("#{}", identifier(&name))).unwrap();
            prop_assert_eq!(&selector.alternatives[0][0].tests, &[Test::Id(name)]);
        }
    }
}
