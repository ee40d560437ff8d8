//! The pictures in docs/patterns.md, taken anew: `DEHUSK_PICTURES=docs/pictures cargo test --test browser pictures`.

use std::path::PathBuf;

use super::in_browser;
use super::review::Review;
use super::session::Scheme;

const SOURCE: &str = "s/harbor-ledger.example/";

#[test]
fn pictures_for_the_documentation() {
    let Some(folder) = std::env::var_os("DEHUSK_PICTURES").map(PathBuf::from) else { return };
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    in_browser(|browser| {
        let review = Review::of_sample_corpus();
        let picture = |name: &str| browser.screenshot(&folder.join(name));
        browser.resize(1200, 720);
        browser.prefer(Scheme::Light);
        browser.open(&format!("{}s/orchard-courier.example/d/1?view=page", review.url));
        browser.in_frame(|| browser.expect(".dehusk-legend", "would be removed"));
        picture("page.png");
        browser.open(&format!("{}{SOURCE}", review.url));
        browser.expect("#pattern", "removed because of it");
        picture("patterns.png");
        browser.open(&format!("{}{SOURCE}?id=ce11322c", review.url));
        browser.expect("#pattern", "removed because of it");
        browser.press("e");
        browser.expect("#trial", "documents with a match");
        browser.run("const regex = document.querySelector('#regex'); regex.value = regex.value.replace('comments', '(?:comments|replies)').replace('{0,20}', '{0,9}'); regex.dispatchEvent(new Event('input', { bubbles: true }));");
        browser.expect("#trial", "No longer matched");
        picture("edit.png");
        browser.open(&format!("{}{SOURCE}d/3", review.url));
        browser.press("j");
        browser.press("j");
        browser.expect("#pattern", "removed because of it");
        picture("document.png");
    });
}
