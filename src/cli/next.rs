//! Which commands a person may want after `dehusk run`: to review the patterns, and to see what was removed and why.

use std::path::Path;

use dehusk_corpus::{FileKind, InputFile, Inventory, SourceBy};

use super::options::{CorpusArgs, ReadingArgs};
use super::summary::Summary;

/// Two commands that fit what was done, as they can be pasted into a shell.
pub fn commands(corpus: &CorpusArgs, patterns: &Path, inventory: &Inventory, summary: &Summary) -> Vec<String> {
    let how = format!("-p {}{}", quoted(&patterns.to_string_lossy()), flags(&corpus.reading));
    let paths = corpus.corpus.iter().map(|path| quoted(&path.to_string_lossy())).collect::<Vec<String>>().join(" ");
    let list = corpus.list.files_from.as_deref();
    let list = list.map(|list| format!("--files-from {} ", quoted(&list.to_string_lossy()))).unwrap_or_default();
    let can_be_read_again = !inventory.files().iter().any(InputFile::is_stdin) && list != "--files-from - ";
    let review = format!("dehusk review {paths} {list}{how}").replace("  ", " ");
    let review = (cfg!(feature = "review") && can_be_read_again).then_some(review);
    let file = file_that_lost_most(inventory, summary).filter(|_| can_be_read_again);
    let explain = file.map(|file| {
        let line = match file.kind() {
            // The first row of CSV names the columns.
            FileKind::Csv => " --line 2",
            _ if file.holds_many() => " --line 1",
            _ => "",
        };
        format!("dehusk explain {}{line} {how}", quoted(&file.path().to_string_lossy()))
    });
    review.into_iter().chain(explain).collect()
}

/// A file of the source of which the largest share was removed. If the sources are not told by files, the first file.
fn file_that_lost_most<'i>(inventory: &'i Inventory, summary: &Summary) -> Option<&'i InputFile> {
    let removed = |file: &InputFile| {
        let cleaned = summary.sources.get(file.source()?.as_str())?.cleaned.as_ref()?;
        Some(cleaned.removed_percent())
    };
    let shares = inventory.files().iter().map(|file| (file, removed(file).unwrap_or_default()));
    shares.rev().max_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(file, _)| file)
}

/// The flags about sources and keys that differ from their defaults, with a space before each.
fn flags(reading: &ReadingArgs) -> String {
    let source_by = match &reading.source_by {
        SourceBy::Auto => None,
        rule => Some(("source-by", rule.rule().to_owned())),
    };
    let source = reading.source.as_ref().map(|source| ("source", source.to_string()));
    let keys = [
        ("source-key", &reading.source_key, "source"),
        ("url-key", &reading.url_key, "url"),
        ("text-key", &reading.text_key, "text"),
        ("html-key", &reading.html_key, "html"),
    ];
    let keys = keys.into_iter().filter(|(_, key, usual)| key != usual).map(|(flag, key, _)| (flag, key.clone()));
    let flags = source_by.into_iter().chain(source).chain(keys);
    flags.map(|(flag, value)| format!(" --{flag} {}", quoted(&value))).collect()
}

/// A word for a shell.
fn quoted(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_./,=+@%-:".contains(&byte) || !byte.is_ascii();
    match !word.is_empty() && word.bytes().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn words_are_quoted_for_a_shell() {
        let quoted = ["news", "my news", "it's", "", "a$b"].map(quoted);
        assert_eq!(quoted, ["news", "'my news'", r"'it'\''s'", "''", "'a$b'"]);
    }
}
