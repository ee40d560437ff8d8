//! The fonts of the machine, under the names that pages call them by.

use std::sync::Arc;

use anyhow::bail;
use blitz_dom::FontContext;
use parley::GenericFamily;
use parley::fontique::{Blob, Collection, CollectionOptions, FontInfoOverride, SourceCache};

/// What pages ask for, and a free font with letters of the same widths. Browsers know these pairs, and blitz does not.
const SAME_WIDTHS: [(&str, &str); 9] = [
    ("Arial", "Liberation Sans"),
    ("Helvetica", "Liberation Sans"),
    ("Arial Narrow", "Liberation Sans Narrow"),
    ("Times New Roman", "Liberation Serif"),
    ("Times", "Liberation Serif"),
    ("Courier New", "Liberation Mono"),
    ("Courier", "Liberation Mono"),
    ("Calibri", "Carlito"),
    ("Cambria", "Caladea"),
];
/// What browsers take first for kinds of fonts.
const KINDS: [(GenericFamily, &str); 2] =
    [(GenericFamily::Serif, "Times New Roman"), (GenericFamily::SansSerif, "Arial")];

/// The fonts of the machine.
///
/// # Errors
/// If it has none. blitz would draw text without any size.
pub fn fonts() -> anyhow::Result<FontContext> {
    let mut collection = Collection::new(CollectionOptions { shared: false, system_fonts: true });
    collection.register_fonts(Blob::new(Arc::new(blitz_dom::BULLET_FONT)), None);
    if collection.generic_families(GenericFamily::Serif).next().is_none() {
        bail!("fontconfig finds no fonts: install some, such as fonts-liberation");
    }
    for (name, same) in SAME_WIDTHS {
        if collection.family_by_name(name).is_some() {
            continue;
        }
        let Some(family) = collection.family_by_name(same) else { continue };
        for font in family.fonts().iter().filter_map(|font| font.load(None)) {
            let named = FontInfoOverride { family_name: Some(name), ..FontInfoOverride::default() };
            collection.register_fonts(font, Some(named));
        }
    }
    for (kind, name) in KINDS {
        let Some(first) = collection.family_id(name) else { continue };
        let others: Vec<_> = collection.generic_families(kind).filter(|&other| other != first).collect();
        collection.set_generic_families(kind, std::iter::once(first).chain(others));
    }
    Ok(FontContext { collection, source_cache: SourceCache::new_shared() })
}
