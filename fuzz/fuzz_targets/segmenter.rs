//! Any string is a page, and each method divides it: each leaf is in one segment, segments are numbered by their first leaves,
//! their outermost nodes hold each leaf once, and the page is divided in the same way again.

#![no_main]

use dehusk_segments::segmentation::laws;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|html: &str| laws::check(html));
