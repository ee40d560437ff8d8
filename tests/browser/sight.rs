//! What a person sees of a page.
//!
//! Questions are about the present state of the page. Expectations wait for a while.

use serde_json::{Value, json};

use super::session::Browser;
use super::waiting::eventually;

impl Browser {
    /// The address of the page.
    #[track_caller]
    pub fn url(&self) -> String {
        self.done("the address", self.client().current_url()).into()
    }

    /// The text of an element as a person sees it.
    #[track_caller]
    pub fn text(&self, css: &str) -> String {
        eventually(&format!("the text of {css}"), || self.texts(css).into_iter().next().ok_or("none is there".into()))
    }

    /// The texts of all elements that a CSS selector finds now; none if nothing is there.
    #[track_caller]
    pub fn texts(&self, css: &str) -> Vec<String> {
        self.of_all(css, "innerText ?? element.textContent")
    }

    /// How many elements a CSS selector finds now.
    #[track_caller]
    pub fn count(&self, css: &str) -> usize {
        self.of_all(css, "tagName").len()
    }

    /// A property of an element, as scripts see it: `value`, `checked`, `ariaExpanded`, `dataset.id`.
    #[track_caller]
    pub fn property(&self, css: &str, name: &str) -> String {
        let values = || self.of_all(css, name).into_iter().next().ok_or("none is there".to_owned());
        eventually(&format!("{name} of {css}"), values)
    }

    /// A property of an element's style, as it comes out of all sheets: `color`, `display`.
    #[track_caller]
    pub fn style(&self, css: &str, name: &str) -> String {
        let script = "return getComputedStyle(document.querySelector(arguments[0])).getPropertyValue(arguments[1])";
        self.run_with(script, vec![json!(css), json!(name)]).as_str().unwrap_or_default().to_owned()
    }

    /// Waits until the text of the first such element contains this.
    #[track_caller]
    pub fn expect(&self, css: &str, part: &str) {
        eventually(&format!("{css} to say {part:?}"), || match self.texts(css).first() {
            Some(text) if text.contains(part) => Ok(()),
            Some(text) => Err(format!("it says {text:?}")),
            None => Err("none is there".to_owned()),
        });
    }

    /// Waits until a CSS selector finds this number of elements.
    #[track_caller]
    pub fn expect_count(&self, css: &str, count: usize) {
        eventually(&format!("{count} of {css}"), || match self.count(css) {
            found if found == count => Ok(()),
            found => Err(format!("{found} are there")),
        });
    }

    /// Waits until the keyboard's focus is on an element that a CSS selector describes.
    #[track_caller]
    pub fn expect_focus(&self, css: &str) {
        let script = "const focused = document.activeElement;
            return focused.matches(arguments[0]) ? null : focused.cloneNode(false).outerHTML";
        let focus = || self.run_with(script, vec![json!(css)]);
        eventually(&format!("the focus on {css}"), || match focus() {
            Value::Null => Ok(()),
            other => Err(format!("it is on {other}")),
        });
    }

    /// An expression over each element that is there now.
    #[track_caller]
    fn of_all(&self, css: &str, expression: &str) -> Vec<String> {
        let each = format!("element => String(element.{expression})");
        let values = self
            .run_with(&format!("return [...document.querySelectorAll(arguments[0])].map({each})"), vec![json!(css)]);
        serde_json::from_value(values).unwrap_or_else(|error| panic!("{css}: {error}"))
    }
}
