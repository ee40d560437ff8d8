//! Names of settings in messages.
//!
//! A message of a library names the setting that helps, by the name of its field. The program turns this name into a
//! flag. In Python, it is the name of the argument.

use std::fmt;

/// Makes [`Setting`] from one list: the meaning of each setting, the setting, and its name.
macro_rules! settings {
    ($($(#[$doc:meta])* $setting:ident $name:literal,)*) => {
        /// A setting that a message may name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Setting {
            $($(#[$doc])* $setting,)*
        }

        impl Setting {
            /// All settings.
            pub const ALL: &[Setting] = &[$(Setting::$setting,)*];

            /// Its name, such as `max_document`.
            pub fn name(self) -> &'static str {
                match self {
                    $(Setting::$setting => $name,)*
                }
            }
        }
    };
}

settings! {
    /// Whether the line of authors and dates is kept.
    Byline "byline",
    /// Whether comments of readers are kept.
    Comments "comments",
    /// Whether doubtful text is rather kept or rather removed.
    Favor "favor",
    /// Whether files of others are replaced.
    Force "force",
    /// Whether the headline is kept.
    Headline "headline",
    /// How pages are read.
    Html "html",
    /// The key of pages.
    HtmlKey "html_key",
    /// The key of names.
    IdKey "id_key",
    /// The size of the largest document.
    MaxDocument "max_document",
    /// The largest part of a document that may be removed.
    MaxRemoved "max_removed",
    /// The memory that may be used.
    Memory "memory",
    /// Whether a stream is cleaned only with what was learned before.
    NoLearn "no_learn",
    /// The folder or file to write to.
    Output "output",
    /// Whether files that earlier runs left are deleted.
    Prune "prune",
    /// Whether an interrupted run continues.
    Resume "resume",
    /// How many documents of a source are mined.
    Sample "sample",
    /// The source of all documents.
    Source "source",
    /// What names the source of a document.
    SourceBy "source_by",
    /// The key of sources.
    SourceKey "source_key",
    /// The file in which a stream keeps what it has learned.
    State "state",
    /// The key of texts.
    TextKey "text_key",
    /// The number of threads.
    Threads "threads",
    /// The key of URLs.
    UrlKey "url_key",
}

impl Setting {
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
        let mut names: Vec<&str> = Setting::ALL.iter().map(|setting| setting.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Setting::ALL.len());
    }
}
