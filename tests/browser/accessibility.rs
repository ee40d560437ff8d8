//! Finds barriers for people who see little or nothing, or use no mouse, with axe-core.

use serde_json::Value;

use super::session::{Browser, Scheme};

impl Browser {
    /// The barriers of the page in its present state, in light and in dark colours, each with its elements.
    pub fn barriers(&self) -> Vec<String> {
        let schemes = [Scheme::Light, Scheme::Dark];
        schemes.into_iter().flat_map(|scheme| self.barriers_in(scheme)).collect()
    }

    /// Fails if the page has barriers, and lists them.
    #[track_caller]
    pub fn expect_no_barriers(&self) {
        let barriers = self.barriers();
        assert!(barriers.is_empty(), "{} barriers:\n{}", barriers.len(), barriers.join("\n"));
    }

    fn barriers_in(&self, scheme: Scheme) -> Vec<String> {
        let before = self.scheme();
        self.prefer(scheme);
        if self.run("return typeof axe === 'undefined'") == true {
            self.run(self.axe());
        }
        let result = self.run("return axe.run(document, {resultTypes: ['violations']})");
        self.prefer(before);
        items(&result["violations"]).map(|violation| describe(violation, scheme)).collect()
    }
}

fn describe(violation: &Value, scheme: Scheme) -> String {
    let [impact, id, help] = ["impact", "id", "help"].map(|key| text(&violation[key]));
    let nodes: Vec<String> = items(&violation["nodes"]).map(describe_node).collect();
    format!("{} scheme, {impact}: {help} ({id})\n{}", scheme.name(), nodes.join("\n"))
}

fn describe_node(node: &Value) -> String {
    let targets: Vec<&str> = items(&node["target"]).map(text).collect();
    let why = text(&node["failureSummary"]).replace('\n', "\n    ");
    format!("  {}: {}\n    {why}", targets.join(" "), text(&node["html"]))
}

fn items(value: &Value) -> std::slice::Iter<'_, Value> {
    value.as_array().map(Vec::as_slice).unwrap_or_default().iter()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
