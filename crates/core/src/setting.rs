//! Names of settings in messages.
//!
//! A message of a library names the setting that helps, by the name of its field. The program turns this name into a
//! flag. In Python, it is the name of the argument.

use std::fmt;

/// A setting that a message may name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// Whether comments of readers are kept.
    Comments,
    /// Whether doubtful text is rather kept or rather removed.
    Favor,
    /// Whether files of others are replaced.
    Force,
    /// Whether the line of authors and dates is kept.
    Byline,
    /// Whether the headline is kept.
    Headline,
    /// How pages are read.
    Html,
    /// The key of pages.
    HtmlKey,
    /// The key of names.
    IdKey,
    /// The size of the largest document.
    MaxDocument,
    /// The largest part of a document that may be removed.
    MaxRemoved,
    /// The memory that may be used.
    Memory,
    /// Whether a stream is cleaned only with what was learned before.
    NoLearn,
    /// The folder or file to write to.
    Output,
    /// Whether files that earlier runs left are deleted.
    Prune,
    /// Whether an interrupted run continues.
    Resume,
    /// How many documents of a source are mined.
    Sample,
    /// What names the source of a document.
    SourceBy,
    /// The key of sources.
    SourceKey,
    /// The file in which a stream keeps what it has learned.
    State,
    /// The key of texts.
    TextKey,
    /// The number of threads.
    Threads,
    /// The key of URLs.
    UrlKey,
}

impl Setting {
    /// All settings.
    pub const ALL: [Setting; 22] = [
        Setting::Comments,
        Setting::Favor,
        Setting::Force,
        Setting::Byline,
        Setting::Headline,
        Setting::Html,
        Setting::HtmlKey,
        Setting::IdKey,
        Setting::MaxDocument,
        Setting::MaxRemoved,
        Setting::Memory,
        Setting::NoLearn,
        Setting::Output,
        Setting::Prune,
        Setting::Resume,
        Setting::Sample,
        Setting::SourceBy,
        Setting::SourceKey,
        Setting::State,
        Setting::TextKey,
        Setting::Threads,
        Setting::UrlKey,
    ];

    /// Its name, such as `max_document`.
    pub fn name(self) -> &'static str {
        match self {
            Setting::Comments => "comments",
            Setting::Favor => "favor",
            Setting::Force => "force",
            Setting::Byline => "byline",
            Setting::Headline => "headline",
            Setting::Html => "html",
            Setting::HtmlKey => "html_key",
            Setting::IdKey => "id_key",
            Setting::MaxDocument => "max_document",
            Setting::MaxRemoved => "max_removed",
            Setting::Memory => "memory",
            Setting::NoLearn => "no_learn",
            Setting::Output => "output",
            Setting::Prune => "prune",
            Setting::Resume => "resume",
            Setting::Sample => "sample",
            Setting::SourceBy => "source_by",
            Setting::SourceKey => "source_key",
            Setting::State => "state",
            Setting::TextKey => "text_key",
            Setting::Threads => "threads",
            Setting::UrlKey => "url_key",
        }
    }

    /// The message with the name of each setting in it replaced, for example by a flag.
    pub fn rename_in(message: &str, name: impl Fn(Setting) -> String) -> String {
        Setting::ALL.iter().fold(message.to_owned(), |message, setting| {
            let shown = setting.to_string();
            if message.contains(&shown) { message.replace(&shown, &name(*setting)) } else { message }
        })
    }
}

/// Writes the name between backticks.
impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "`{}`", self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_settings_as_the_caller_knows_them() {
        let message = format!("allow more ({}), or give fewer {}: `memories`", Setting::Memory, Setting::Threads);
        let flags = Setting::rename_in(&message, |setting| format!("--{}", setting.name()));
        assert_eq!(flags, "allow more (--memory), or give fewer --threads: `memories`");
        assert_eq!(Setting::rename_in("no setting", |_| unreachable!()), "no setting");
    }

    #[test]
    fn each_setting_has_a_name_of_its_own() {
        let mut names = Setting::ALL.map(Setting::name).to_vec();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Setting::ALL.len());
    }
}
