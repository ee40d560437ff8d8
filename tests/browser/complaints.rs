//! What the browser's console reports: errors and warnings of scripts, uncaught errors, violations of the page's own
//! security policy, failed requests.

use serde_json::{Value, json};

use super::session::Browser;

impl Browser {
    /// What the pages reported since the last call, a line each.
    pub fn complaints(&self) -> Vec<String> {
        let entries = self.command("se/log", json!({"type": "browser"}));
        let entries = entries.as_array().map(Vec::as_slice).unwrap_or_default();
        entries.iter().filter(|entry| is_complaint(entry)).map(describe).collect()
    }
}

fn is_complaint(entry: &Value) -> bool {
    ["WARNING", "SEVERE"].contains(&text(entry, "level"))
}

fn describe(entry: &Value) -> String {
    format!("{}: {}", text(entry, "source"), text(entry, "message"))
}

fn text<'e>(entry: &'e Value, key: &str) -> &'e str {
    entry[key].as_str().unwrap_or_default()
}
