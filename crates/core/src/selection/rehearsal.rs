//! Cleans documents of a source with its new patterns, in the same way as they will be cleaned later.

use rayon::prelude::*;

use super::selectors::Sight;
use crate::cleaning::{CleanError, CleanOptions, Cleaner, Expected, Scratch};
use crate::pages::PageText;
use crate::patterns::{PatternFile, thousandths};

/// What cleaning removes from documents of a source.
#[derive(Debug)]
pub struct Rehearsal {
    /// The share of the text that is removed, 0..=1, rounded to 3 decimal places. `None` if there is no text.
    pub removed: Option<f64>,
    /// How much of the text is content according to the model, and how much of that is removed.
    pub expected: Expected,
    /// What cleaning does to those documents that are pages.
    pub pages: Vec<Sight>,
}

struct Cleaned {
    bytes: usize,
    left: usize,
    expected: Expected,
    sight: Option<Sight>,
}

impl Rehearsal {
    /// Cleans documents. `read` returns the document with an index. A document that cannot be cleaned counts as
    /// completely kept.
    pub fn of<'t>(
        files: &[&PatternFile],
        documents: usize,
        read: impl Fn(usize) -> PageText<'t> + Sync,
        options: &CleanOptions,
    ) -> Rehearsal {
        let cleaner = Cleaner::new(files, options);
        let clean = |scratch: &mut Scratch, index: usize| {
            let page = read(index);
            let bytes = page.text.len();
            cleaned(&cleaner, scratch, &page).unwrap_or(Cleaned {
                bytes,
                left: bytes,
                expected: Expected::default(),
                sight: None,
            })
        };
        let all: Vec<Cleaned> = (0..documents).into_par_iter().map_init(Scratch::default, clean).collect();
        let sum = |of: fn(&Cleaned) -> usize| all.iter().map(of).sum::<usize>();
        let (bytes, left) = (sum(|one| one.bytes), sum(|one| one.left));
        let removed = (bytes > 0).then(|| thousandths((bytes - left) as f64 / bytes as f64));
        let mut expected = Expected::default();
        all.iter().for_each(|one| expected.add(&one.expected));
        Rehearsal { removed, expected, pages: all.into_iter().filter_map(|one| one.sight).collect() }
    }
}

fn cleaned(
    cleaner: &Cleaner,
    scratch: &mut Scratch,
    PageText { text, tree }: &PageText,
) -> Result<Cleaned, CleanError> {
    let reading = cleaner.read_page(scratch, text, tree.as_deref(), &|| true)?;
    let cleaning = cleaner.explain(text, &reading);
    let page = tree.as_deref().zip(reading.page.as_ref());
    let sight = page.map(|(tree, page)| Sight::of(text, tree, page, &cleaning));
    Ok(Cleaned { bytes: text.len(), left: cleaning.strip(text).len(), expected: cleaning.expected, sight })
}
