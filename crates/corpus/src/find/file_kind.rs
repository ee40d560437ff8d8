//! Derives from a file's name what the file contains, and the name of its cleaned copy.
//!
//! Extensions may be in upper or lower case. `.gz`, `.zst` and `.zstd` say how a file is compressed. The extension
//! before them says what it contains.

use std::ffi::OsStr;
use std::path::Path;

/// The content of a file, by its extension. All kinds except Parquet may be compressed. Then the name ends with
/// `.gz`, `.zst` or `.zstd`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// `.txt`: one document.
    Text,
    /// `.md`: one document. Its markup counts as text.
    Markdown,
    /// `.html`, `.htm`: one document.
    Html,
    /// `.jsonl`, `.ndjson`: one document per line.
    JsonLines,
    /// `.json`: one document per value of an array, or per value of those that follow each other.
    Json,
    /// `.csv`, `.tsv`: one document per row.
    Csv,
    /// `.warc`, `.wet`: one document per record. Some records are not documents.
    Warc,
    /// `.parquet`: one document per row.
    Parquet,
}

/// The extensions of all kinds, as error messages list them.
pub(crate) const KNOWN_EXTENSIONS: &str = ".txt, .md, .html, .htm, .jsonl, .ndjson, .json, .csv, .tsv, .warc, .wet (each also with .gz or .zst at its end) \
     or .parquet";

/// The name of a file with settings of the program. It may lie in a corpus, and is no part of it.
pub const SETTINGS_FILE: &str = "dehusk.toml";

impl FileKind {
    /// The kind of a file with this name. `None` if dehusk cannot read it.
    pub fn of(path: &Path) -> Option<FileKind> {
        let name = Path::new(path.file_name()?);
        if !is_compressed(name) {
            return FileKind::named(name.extension()?);
        }
        let kind = FileKind::named(Path::new(name.file_stem()?).extension()?)?;
        // A Parquet file is read from its end and has its own compression. So it must not be compressed as a whole.
        (kind != FileKind::Parquet).then_some(kind)
    }

    /// Whether a file of this kind can contain many documents, each with its own source.
    pub fn holds_many(self) -> bool {
        match self {
            FileKind::JsonLines | FileKind::Json | FileKind::Csv | FileKind::Warc | FileKind::Parquet => true,
            FileKind::Text | FileKind::Markdown | FileKind::Html => false,
        }
    }

    /// Whether such a file is often no document but something about documents: settings, or a table of facts. It is read
    /// if a person names it, or if its folder has no other documents.
    pub(crate) fn may_be_beside(self) -> bool {
        matches!(self, FileKind::Json | FileKind::Csv)
    }

    /// Whether its documents have keys or columns, which can be recognised by their values.
    pub(crate) fn has_keys(self) -> bool {
        matches!(self, FileKind::JsonLines | FileKind::Json | FileKind::Csv)
    }

    /// The `name` of a file without the extensions for kind and compression. The whole name if its kind is unknown.
    pub fn stem(name: &str) -> &str {
        let (inner, _) = split_compression(name);
        match (FileKind::of(Path::new(name)), inner.rsplit_once('.')) {
            (Some(_), Some((stem, _))) => stem,
            _ => name,
        }
    }

    fn named(extension: &OsStr) -> Option<FileKind> {
        match extension.to_str()?.to_ascii_lowercase().as_str() {
            "txt" => Some(FileKind::Text),
            "md" => Some(FileKind::Markdown),
            "html" | "htm" => Some(FileKind::Html),
            "jsonl" | "ndjson" => Some(FileKind::JsonLines),
            "json" => Some(FileKind::Json),
            "csv" | "tsv" => Some(FileKind::Csv),
            "warc" | "wet" => Some(FileKind::Warc),
            "parquet" => Some(FileKind::Parquet),
            _ => None,
        }
    }
}

/// Whether a file of this name is compressed.
pub(crate) fn is_compressed(path: &Path) -> bool {
    path.extension().and_then(OsStr::to_str).is_some_and(is_compression)
}

/// The output name of an HTML page that is written as text: `name` with this `extension`, and with the same extension
/// for compression.
pub(crate) fn text_name(name: &str, extension: &str) -> String {
    let (_, compression) = split_compression(name);
    format!("{}.{extension}{compression}", FileKind::stem(name))
}

/// Splits the `name` before the extension for compression, if it has one.
fn split_compression(name: &str) -> (&str, &str) {
    match name.rfind('.') {
        Some(dot) if is_compression(&name[dot + 1..]) => name.split_at(dot),
        _ => (name, ""),
    }
}

fn is_compression(extension: &str) -> bool {
    ["gz", "zst", "zstd"].iter().any(|known| extension.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_what_a_file_holds() {
        let cases = [
            ("a.b/x.txt", Some(FileKind::Text)),
            ("X.HTM", Some(FileKind::Html)),
            ("x.html.gz", Some(FileKind::Html)),
            ("y.JSONL.Zst", Some(FileKind::JsonLines)),
            ("y.ndjson.zstd", Some(FileKind::JsonLines)),
            ("y.json.gz", Some(FileKind::Json)),
            ("y.TSV", Some(FileKind::Csv)),
            ("crawl.warc.wet.gz", Some(FileKind::Warc)),
            ("crawl.warc", Some(FileKind::Warc)),
            ("rows.parquet", Some(FileKind::Parquet)),
            ("rows.parquet.gz", None),
            ("crawl.warc.wat.gz", None),
            ("x.txt.gz.gz", None),
            ("x.gz", None),
            ("x.txt.bz2", None),
            ("a.txt/x", None),
            (".txt", None),
            (".txt.gz", None),
            ("txt", None),
        ];
        for (name, kind) in cases {
            assert_eq!(FileKind::of(Path::new(name)), kind, "{name}");
        }
    }

    #[test]
    fn a_stem_lacks_what_says_the_kind() {
        for (name, stem) in [("a/x.html", "a/x"), ("x.html.gz", "x"), ("v1.5", "v1.5"), ("x.gz", "x.gz"), ("17", "17")]
        {
            assert_eq!(FileKind::stem(name), stem);
        }
    }

    #[test]
    fn a_page_becomes_a_text_that_is_compressed_alike() {
        for (page, text) in [("a.b/x.html", "a.b/x.txt"), ("x.HTM.GZ", "x.txt.GZ"), ("x.y.html.zst", "x.y.txt.zst")] {
            assert_eq!(text_name(page, "txt"), text);
        }
        assert_eq!(text_name("a/x.html.gz", "md"), "a/x.md.gz");
    }
}
