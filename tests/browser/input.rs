//! What a person does with a page.

use std::path::Path;

use fantoccini::Locator;
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

    /// Clicks a field and types, each character a key.
    #[track_caller]
    pub fn write(&self, css: &str, text: &str) {
        self.click(css);
        text.chars().for_each(|character| self.press(&character.to_string()));
    }
}
