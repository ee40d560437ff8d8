//! The settings of a state's tables, as stored.

use serde::{Deserialize, Serialize};

use super::error::Problem;
use dehusk_core::patterns::{LexerCache, PatternFile};
use dehusk_core::streaming::Detection;
use dehusk_core::streaming::lifetime::Lifetime;
use dehusk_core::streaming::table::TableOptions;
use dehusk_core::tokens::Lexer;

/// The settings of a state's tables.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// The rules for what counts as template, and for when segments are forgotten.
    pub table: TableOptions,
    /// How segments are made: the tokenizer and the mutable patterns, as an empty pattern file.
    pub lexer: String,
}

/// Fractions are stored as text, because a JSON number may not come back exactly and cannot be infinite.
#[derive(Serialize, Deserialize)]
struct Stored {
    min_documents: u32,
    min_evidence: u32,
    block_share: String,
    base: String,
    factor: String,
    max_segments: Option<usize>,
}

impl Settings {
    /// The settings of a new state.
    pub fn new(table: TableOptions, lexer: &Lexer) -> Settings {
        Settings { table, lexer: String::new() }.with_lexer(lexer)
    }

    /// These settings, with another lexer.
    pub fn with_lexer(self, lexer: &Lexer) -> Settings {
        Settings { lexer: PatternFile::empty("stream", lexer).to_yaml(), ..self }
    }

    /// A pattern file without patterns, with the lexer that makes segments.
    pub(super) fn reader(&self, lexers: &LexerCache) -> Result<PatternFile, Problem> {
        PatternFile::parse(&self.lexer, lexers).map_err(|_| Problem::BrokenLexer)
    }

    /// All settings except the lexer, as JSON.
    pub(super) fn to_json(&self) -> String {
        let TableOptions { detection, lifetime, max_segments } = self.table;
        let stored = Stored {
            min_documents: detection.template_documents,
            min_evidence: detection.evidence_documents,
            block_share: detection.block_share.to_string(),
            base: lifetime.base.to_string(),
            factor: lifetime.factor.to_string(),
            max_segments,
        };
        serde_json::json!(stored).to_string()
    }

    pub(super) fn parse(json: &str, lexer: String) -> Result<Settings, Problem> {
        let stored: Stored = serde_json::from_str(json).map_err(|error| Problem::Damaged(error.to_string()))?;
        let Stored { min_documents, min_evidence, .. } = stored;
        let detection = Detection {
            template_documents: min_documents,
            evidence_documents: min_evidence,
            block_share: fraction(&stored.block_share)?,
        };
        let lifetime = Lifetime { base: fraction(&stored.base)?, factor: fraction(&stored.factor)? };
        Ok(Settings { table: TableOptions { detection, lifetime, max_segments: stored.max_segments }, lexer })
    }
}

/// Parses a number. The result is exactly the number that was written.
pub(super) fn fraction(text: &str) -> Result<f64, Problem> {
    text.parse().map_err(|_| Problem::Damaged(format!("{text:?} is not a number")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_come_back_as_they_were() {
        for (base, block_share, max_segments) in [(f64::INFINITY, 0.1 + 0.2, None), (1e-300, 1.0 / 3.0, Some(7))] {
            let detection = Detection { template_documents: 3, evidence_documents: 4, block_share };
            let lifetime = Lifetime { base, factor: 2.5 };
            let table = TableOptions { detection, lifetime, max_segments };
            let settings = Settings { table, lexer: "words".to_owned() };
            assert_eq!(Settings::parse(&settings.to_json(), "words".to_owned()).unwrap(), settings);
        }
    }

    #[test]
    fn what_is_no_setting_is_told() {
        let error = Settings::parse("{}", String::new()).unwrap_err();
        assert!(error.to_string().starts_with("is damaged (missing field"), "{error}");
    }
}
