//! The figures as JSON, for scripts.

use serde_json::{Map, Value, json};

use dehusk_lab::removal::Removal;
use dehusk_lab::stream_figures::{Figures, Judged, Shares, SourceFigures, Storage, Unit};

use dehusk::cli::summary::Summary;

/// The figures as JSON.
pub fn of(figures: &Figures, summary: &Summary) -> Value {
    let windows = figures.windows().into_iter().map(|pages| {
        let (documents, words) = figures.within(Unit::Words, &pages);
        let (_, blocks) = figures.within(Unit::Blocks, &pages);
        let (words, blocks) = (of_judged(&words), of_judged(&blocks));
        json!({"from": pages.start(), "to": pages.end(), "documents": documents, "words": words, "blocks": blocks})
    });
    let pages = (1..=figures.pages()).map(|page| {
        let (documents, judged) = figures.within(Unit::Words, &(page..=page));
        json!({"page": page, "documents": documents, "words": of_judged(&judged), "table": figures.table_at(page)})
    });
    let last_half = |unit| {
        let means = Judged::METHODS.map(str::to_owned).into_iter().zip(figures.means_of_last_half(unit));
        let means: Map<String, Value> = means.map(|(method, means)| (method, json!(means))).collect();
        (of_judged(&figures.in_last_half(unit).1), means)
    };
    let documents = figures.in_last_half(Unit::Words).0;
    let ((words, means), (blocks, block_means)) = (last_half(Unit::Words), last_half(Unit::Blocks));
    let last_half =
        json!({"documents": documents, "words": words, "means": means, "blocks": blocks, "block_means": block_means});
    let per_source = figures.sources.iter().map(|source| (source.source.clone(), of_source(source)));
    json!({
        "sources": figures.sources.len(),
        "last_half": last_half,
        "windows": windows.collect::<Vec<Value>>(),
        "pages": pages.collect::<Vec<Value>>(),
        "per_source": per_source.collect::<Map<String, Value>>(),
        "skipped": summary.skipped,
        "seconds": summary.seconds,
    })
}

fn of_source(source: &SourceFigures) -> Value {
    let Storage { table, half, batch } = &source.storage;
    let batch = batch.as_ref().map(|batch| json!({"pages": batch.pages, "bytes": batch.bytes}));
    json!({
        "pages": source.pages.len(),
        "last_half": of_judged(&source.in_last_half(Unit::Words)),
        "last_half_blocks": of_judged(&source.in_last_half(Unit::Blocks)),
        "storage": {"table": table, "half": half, "batch": batch},
    })
}

fn of_judged(judged: &Judged) -> Value {
    let of_removal = |removal: Removal| {
        let Shares { precision, recall } = Shares::of(&removal);
        let Removal { removed, right, boilerplate } = removal;
        json!({"removed": removed, "right": right, "boilerplate": boilerplate, "precision": precision, "recall": recall})
    };
    let methods = Judged::METHODS.map(str::to_owned).into_iter().zip(judged.methods().map(of_removal));
    methods.collect::<Map<String, Value>>().into()
}
