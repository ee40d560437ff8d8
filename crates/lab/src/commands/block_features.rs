//! Flags about the features of blocks.

use clap::builder::PossibleValuesParser;

use dehusk_segments::importance::features::{FEATURES, IMPORTANCE_WIDTH};

/// A degree of coherence.
pub fn coherence(text: &str) -> Result<u8, String> {
    match text.parse::<u8>() {
        Ok(degree) if (2..=10).contains(&degree) => Ok(degree),
        _ => Err("it is a number from 2 to 10".to_owned()),
    }
}

/// The names of the two groups of features: all spatial ones, and all others.
const PARTS: [&str; 2] = ["spatial", "content"];

/// The names of features, and of groups of features.
pub fn feature_names() -> PossibleValuesParser {
    let published = FEATURES.iter().filter(|feature| feature.is_published);
    PossibleValuesParser::new(PARTS.into_iter().chain(published.map(|feature| feature.name)))
}

/// For each feature, whether it is used if these are left out. Those of names are not used.
pub fn features_without(names: &[String]) -> [bool; IMPORTANCE_WIDTH] {
    std::array::from_fn(|at| {
        let feature = FEATURES[at];
        let part = PARTS[usize::from(!feature.is_spatial)];
        feature.is_published && !names.iter().any(|name| name == feature.name || name == part)
    })
}
