//! What a person does with a page.

use std::path::Path;

use fantoccini::Locator;
use serde_json::{Value, json};
use url::Url;

use super::keys::chord;
use super::session::Browser;
use super::waiting::eventually;

impl Browser {
    /// Opens an address, and waits until it is loaded.
    #[track_caller]
    pub fn open(&self, url: &str) {
        self.done(&format!("open {url}"), self.client().goto(url));
    }

    /// Opens a file.
    #[track_caller]
    pub fn open_file(&self, path: &Path) {
        let url = Url::from_file_path(path).unwrap_or_else(|()| panic!("{} is no absolute path", path.display()));
        self.open(url.as_str());
    }

    /// Loads the page anew.
    #[track_caller]
    pub fn reload(&self) {
        self.done("reload", self.client().refresh());
    }

    /// Clicks in the middle of the first element that a CSS selector finds.
    #[track_caller]
    pub fn click(&self, css: &str) {
        let click = async || self.client().find(Locator::Css(css)).await?.click().await;
        eventually(&format!("click {css}"), || self.wait(click()).map_err(|error| error.to_string()));
    }

    /// Presses a key, with others held if it is a chord: `j`, `?`, `Escape`, `Control+Enter`.
    #[track_caller]
    pub fn press(&self, keys: &str) {
        self.done(&format!("press {keys}"), self.client().perform_actions(chord(keys)));
    }

    /// Clicks a field and types text, one key per character.
    #[track_caller]
    pub fn write(&self, css: &str, text: &str) {
        self.click(css);
        self.type_in(text);
    }

    /// Types into the element with the focus.
    #[track_caller]
    pub fn type_in(&self, text: &str) {
        text.chars().for_each(|character| self.press(&character.to_string()));
    }

    /// Replaces the text of the field with the focus.
    #[track_caller]
    pub fn type_over(&self, text: &str) {
        self.press("Control+a");
        self.press("Delete");
        self.type_in(text);
    }

    /// Presses Tab until this element has the focus.
    #[track_caller]
    pub fn tab_to(&self, css: &str) {
        const AT_MOST: usize = 60;
        let is_there =
            || self.run_with("return document.activeElement.matches(arguments[0])", vec![json!(css)]) == true;
        let found = (0..AT_MOST).any(|_| {
            self.press("Tab");
            is_there()
        });
        assert!(found, "the keyboard does not come to {css}");
    }

    /// Selects the first place of a text, as with the pointer. It must not cross elements.
    #[track_caller]
    pub fn select(&self, css: &str, text: &str) {
        let script =
            "const nodes = document.createTreeWalker(document.querySelector(arguments[0]), NodeFilter.SHOW_TEXT);
            for (let node; (node = nodes.nextNode());) {
              const at = node.data.indexOf(arguments[1]);
              if (at < 0) continue;
              getSelection().setBaseAndExtent(node, at, node, at + arguments[1].length);
              return true;
            }";
        eventually(&format!("{text:?} in {css}"), || match self.run_with(script, vec![json!(css), json!(text)]) {
            Value::Bool(true) => Ok(()),
            _ => Err("it does not stand there".to_owned()),
        });
    }
}
