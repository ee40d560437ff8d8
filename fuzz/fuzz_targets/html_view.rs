//! Any string is a page, and the laws of pages hold for it: the text is the same whatever is requested with it, every
//! character of it leads back to what it stands for, and the tree nests, in text and in bytes.

#![no_main]

use dehusk_core::html::laws;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|html: &str| laws::check(html));
