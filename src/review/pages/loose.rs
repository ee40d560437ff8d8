//! The text that is removed although no pattern matches it, and the buttons to decide on it.

use maud::{Markup, html};

use super::{Links, pattern};
use crate::review::status_of;
use crate::view::{percent, size};
use dehusk_core::patterns::{Loose, PatternFile, Status};
use dehusk_core::selection::effects::Effects;

/// Whether there is such text, or a decision on it.
pub fn is_listed(file: &PatternFile, effects: Option<&Effects>) -> bool {
    file.loose != Loose::Proposed || effects.is_some_and(|effects| effects.unmatched > 0)
}

/// The row in the list.
pub fn item(links: &Links, file: &PatternFile, effects: Option<&Effects>, is_current: bool) -> Markup {
    let status = status_of(file.loose).name();
    html! {
        a.item.loose href=(links.loose(&file.source)) data-id="" data-version=(status) aria-current=[is_current.then_some("true")] {
            span.status.(status) title=(status) { span.unseen { (status) } }
            span.text { "Text without a pattern" }
            @if let Some(effects) = effects {
                span.number { (percent(effects.unmatched as f64 / effects.total().removed.max(1) as f64)) }
            }
        }
    }
}

/// The selected row.
pub fn detail(links: &Links, file: &PatternFile, effects: Option<&Effects>, state: &str) -> Markup {
    let (source, now) = (&file.source, status_of(file.loose));
    let page = |page: &str| links.about(source, &format!("loose/{page}"));
    html! {
        article.pattern #pattern data-id="" data-version=(now.name()) data-status=(now.name()) data-source=(source) data-page=(page("")) data-state=(state) {
            h2.unseen { "Text without a pattern" }
            div.bar {
                (pattern::status_button(Status::Accepted, "Accept", "a", now))
                (pattern::status_button(Status::Rejected, "Reject", "r", now))
                @if now != Status::Proposed { (pattern::back_to_proposed()) }
            }
            header {
                span.status.(now.name()) { (now.name()) }
                b { "Text without a pattern" }
                @if let Some(effects) = effects {
                    ul.counts { li { b { (size(effects.unmatched)) } " removed" } }
                }
            }
            p {
                "This text is removed because of what it is and what stands around it, for example lists of headlines, \
                 which are different in each document. If you accept it, it is also removed where only accepted patterns act. \
                 If you reject it, it is kept."
            }
            div.preview data-preview=(page("preview")) { p.quiet { (pattern::COMPUTED) } }
        }
    }
}
