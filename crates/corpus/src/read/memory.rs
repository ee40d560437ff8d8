//! The memory for documents: its total, and the shares that documents hold.
//!
//! Every reader of documents asks one [`Budget`] before it unpacks or parses bytes. A document keeps its [`Share`]
//! until the document is dropped. How much memory a document needs depends on what is done with it: [`Need`].

use std::fmt;
use std::sync::{Arc, Condvar, LazyLock, Mutex, PoisonError};

use dehusk_core::html::Tree;

use crate::{ReadOptions, Reason};

/// The memory for all documents that are read. Clones share the same memory.
#[derive(Clone)]
pub struct Budget(Arc<Pool>);

#[derive(Debug)]
struct Pool {
    limit: u64,
    left: Mutex<u64>,
    returned: Condvar,
}

/// A part of the memory. It is given back when the share is dropped.
#[derive(Debug)]
pub struct Share {
    pool: Arc<Pool>,
    bytes: u64,
}

/// What happens if the requested memory is not free now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patience {
    /// The reader waits until others give memory back. A reader that already holds a share must not wait: if all did,
    /// none could continue.
    Waits,
    /// The request fails with [`Reason::NoMemoryNow`].
    GivesUp,
}

impl Budget {
    /// A budget of this number of bytes.
    pub fn new(limit: u64) -> Budget {
        Budget(Arc::new(Pool { limit, left: Mutex::new(limit), returned: Condvar::new() }))
    }

    /// The total number of bytes.
    pub fn limit(&self) -> u64 {
        self.0.limit
    }

    /// Fails if cleaning a text needs more memory than the whole budget. `tree` is the tree of the text's page, if the
    /// blocks of the page are judged. Takes nothing from the budget. The time is linear in the text.
    ///
    /// # Errors
    /// [`Reason::TooLittleMemory`].
    pub fn check(&self, text: &str, tree: Option<&Tree>) -> Result<(), Reason> {
        let (need, blocks) = tree.map_or((Need::TO_CLEAN, 0), |tree| (Need::TO_JUDGE, tree.blocks()));
        need.within(self.limit(), Size { tags: blocks as u64, ..Size::of_text(text) }).map(drop)
    }

    /// Takes this number of bytes, or the whole budget if that is less. Waits until they are free.
    #[doc(hidden)]
    pub fn take(&self, bytes: u64) -> Share {
        let bytes = bytes.min(self.0.limit);
        let left = self.0.left.lock().unwrap_or_else(PoisonError::into_inner);
        let mut left = self.0.returned.wait_while(left, |left| *left < bytes).unwrap_or_else(PoisonError::into_inner);
        *left -= bytes;
        Share { pool: Arc::clone(&self.0), bytes }
    }

    /// Like [`take`](Budget::take), but returns `None` if the bytes are not free now.
    pub(crate) fn take_now(&self, bytes: u64) -> Option<Share> {
        let bytes = bytes.min(self.0.limit);
        let mut left = self.0.left.lock().unwrap_or_else(PoisonError::into_inner);
        *left = left.checked_sub(bytes)?;
        Some(Share { pool: Arc::clone(&self.0), bytes })
    }

    /// Takes this number of bytes, or the whole budget if that is less. `patience` says what happens if they are not
    /// free now.
    #[doc(hidden)]
    pub fn ask(&self, bytes: u64, patience: Patience) -> Result<Share, Reason> {
        match patience {
            Patience::Waits => Ok(self.take(bytes)),
            Patience::GivesUp => self.take_now(bytes).ok_or(Reason::NoMemoryNow),
        }
    }
}

impl Default for Budget {
    /// The budget of the whole process: 3/4 of the memory that was free when this was called first.
    fn default() -> Budget {
        static OF_PROCESS: LazyLock<Budget> = LazyLock::new(|| Budget::new(free::most_of_what_is_free()));
        OF_PROCESS.clone()
    }
}

impl fmt::Debug for Budget {
    /// Always writes the same text, because the amount of memory must not influence what a run does.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("Budget")
    }
}

impl Share {
    /// Gives back all memory of the share beyond this number of bytes.
    fn reduce_to(&mut self, bytes: u64) {
        let more = self.bytes.saturating_sub(bytes);
        self.bytes -= more;
        self.pool.give_back(more);
    }
}

impl Pool {
    fn give_back(&self, bytes: u64) {
        *self.left.lock().unwrap_or_else(PoisonError::into_inner) += bytes;
        self.returned.notify_all();
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.pool.give_back(self.bytes);
    }
}

/// A document that is read from a record needs at least this number of bytes for each byte of the record.
pub(crate) const LEAST_PER_BYTE: u64 = 16;

/// Maximum memory for a document, in bytes, from its reading until it is dropped. Measured on the worst cases
/// (`benches/memory`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Need {
    /// For each byte of the document as it is stored, unpacked.
    of_stored: u64,
    /// For each start tag of a page.
    of_tag: u64,
    /// For each byte of its text.
    of_text: u64,
    of_token: u64,
    of_line: u64,
}

/// Whether a document has tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Page,
}

/// The numbers that determine how much memory a document needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Bytes of the document as it is stored, unpacked.
    pub stored: u64,
    /// Start tags, and other markup that begins like a start tag.
    pub tags: u64,
    /// Bytes of its text.
    pub text: u64,
    /// Tokens of its text.
    pub tokens: u64,
    /// Lines of its text.
    pub lines: u64,
}

impl Need {
    /// To read a document, and nothing else.
    pub const TO_READ: Need = Need { of_stored: 3, of_tag: 170, of_text: 2, of_token: 0, of_line: 0 };
    /// To read a document, if pages are read without their trees.
    pub const TO_READ_TEXT: Need = Need { of_stored: 4, of_tag: 0, ..Need::TO_READ };
    /// To clean a document and to write it.
    pub const TO_CLEAN: Need = Need { of_stored: 6, of_tag: 400, of_text: 7, of_token: 48, of_line: 40 };
    /// To clean a page whose blocks are judged.
    pub const TO_JUDGE: Need = Need { of_tag: 1500, ..Need::TO_CLEAN };
    /// To learn from a document and clean it. Each line may be a known segment.
    pub const TO_STREAM: Need = Need { of_stored: 6, of_tag: 500, of_text: 12, of_token: 60, of_line: 200 };
    /// To learn from a document and clean it, if the blocks of pages are judged.
    pub const TO_STREAM_JUDGED: Need = Need { of_tag: 1700, ..Need::TO_STREAM };
    /// To divide a page into segments or blocks, and to write them.
    pub const TO_DIVIDE: Need = Need { of_stored: 34, of_tag: 2000, of_text: 8, of_token: 0, of_line: 0 };

    /// The maximum need of a document of this number of bytes.
    fn most_of(&self, kind: Kind, bytes: u64) -> u64 {
        // The shortest tag has 3 bytes.
        let tags = if kind == Kind::Page { bytes / 3 } else { 0 };
        self.of(Size { stored: bytes, tags, ..Size::default() }).saturating_add(self.most_of_text(bytes))
    }

    /// The maximum need of a text of this number of bytes. A token has at least 1 byte, and a line that is not empty at
    /// least 2.
    fn most_of_text(&self, bytes: u64) -> u64 {
        let of_byte = self.of_text + self.of_token.max((self.of_token + self.of_line) / 2);
        of_byte.saturating_mul(bytes)
    }

    /// The need of a document of this size.
    pub fn of(&self, size: Size) -> u64 {
        let parts = [
            (self.of_stored, size.stored),
            (self.of_tag, size.tags),
            (self.of_text, size.text),
            (self.of_token, size.tokens),
            (self.of_line, size.lines),
        ];
        parts.into_iter().fold(0, |sum: u64, (of, count)| sum.saturating_add(of.saturating_mul(count)))
    }

    /// Like [`of`](Need::of), but fails if the need is more than `limit`.
    pub fn within(&self, limit: u64, size: Size) -> Result<u64, Reason> {
        let need = self.of(size);
        if need <= limit { Ok(need) } else { Err(Reason::TooLittleMemory { need: Some(need), limit }) }
    }
}

impl Size {
    /// The size of the markup of a page. The numbers for its text are 0.
    pub fn of_page(html: &str) -> Size {
        // A count in a stretch of at most 255 bytes fits in a byte, so that a processor can count 16 bytes at a time.
        let (bytes, next) = (html.as_bytes(), html.as_bytes().get(1..).unwrap_or_default());
        let is_start = |(&byte, &next): (&u8, &u8)| u8::from((byte == b'<') & (next != b'/'));
        let starts = |(bytes, next): (&[u8], &[u8])| -> u8 { bytes.iter().zip(next).map(is_start).sum() };
        let tags = bytes.chunks(255).zip(next.chunks(255)).map(|pair| u64::from(starts(pair))).sum();
        Size { stored: html.len() as u64, tags, ..Size::default() }
    }

    /// The size of a text. Counts at least as many tokens as any tokenizer of words finds in it.
    pub fn of_text(text: &str) -> Size {
        let (mut tokens, mut lines, mut in_word, mut before) = (0, 0, false, b'\n');
        for &byte in text.as_bytes() {
            let is_word = byte.is_ascii_alphanumeric();
            // The first byte of each non-ASCII character counts, because the character may be a token of its own.
            let is_inside = byte & 0xc0 == 0x80 || byte.is_ascii_whitespace() || is_word && in_word;
            tokens += u64::from(!is_inside);
            // Lines without text need nothing.
            lines += u64::from(byte == b'\n' && before != b'\n');
            (in_word, before) = (is_word, byte);
        }
        let bytes = text.len() as u64;
        Size { stored: bytes, tags: 0, text: bytes, tokens, lines }
    }
}

/// The memory for one document while it is read. It becomes the document's [`Share`] when its text is known.
pub(crate) struct Claim {
    share: Share,
    need: Need,
    limit: u64,
    /// Whether this is the whole budget, because the document may need more. Then its actual need is counted when its
    /// text is known.
    is_all: bool,
}

impl Claim {
    /// Claims the maximum memory that a document of this number of bytes may need.
    pub(crate) fn new(options: &ReadOptions, patience: Patience, kind: Kind, bytes: u64) -> Result<Claim, Reason> {
        let (budget, need) = (&options.memory, options.need);
        let worst = need.most_of(kind, bytes);
        let share = budget.ask(worst, patience)?;
        Ok(Claim { share, need, limit: budget.limit(), is_all: worst > budget.limit() })
    }

    /// Maximum size of a document with this claim, unpacked, in bytes. `bytes` is the size for which the claim was
    /// made.
    fn most_bytes(&self, bytes: u64) -> u64 {
        if self.is_all { self.limit / (self.need.of_stored + self.need.of_text) } else { bytes }
    }

    /// Fails if a page with markup of this size needs more memory than there is, whatever its text.
    pub(crate) fn check(&self, markup: Size) -> Result<(), Reason> {
        if self.is_all { self.need.within(self.limit, markup).map(drop) } else { Ok(()) }
    }

    /// Reduces the claim to what the document needs, now that its text is known. `stored` is the size of the stored
    /// document: of its markup, or of its text alone. Fails if the need is more than the budget.
    pub(crate) fn settled(mut self, stored: Size, text: &str) -> Result<Share, Reason> {
        let need = match self.is_all {
            true => {
                let Size { text, tokens, lines, .. } = Size::of_text(text);
                self.need.within(self.limit, Size { text, tokens, lines, ..stored })?
            }
            false => self.need.of(stored).saturating_add(self.need.most_of_text(text.len() as u64)),
        };
        self.share.reduce_to(need);
        Ok(self.share)
    }
}

/// Unpacks a document of about this number of bytes, and claims the memory for it. `unpack` gets the maximum number of
/// bytes that it may return, and must fail with [`Reason::TooLarge`] or [`Reason::BodyTooLarge`] if there are more.
/// Then the memory is given back, more is claimed, and `unpack` is called again. So no reader that holds memory waits
/// for more.
pub(crate) fn unpacked<T>(
    options: &ReadOptions,
    patience: Patience,
    kind: Kind,
    about: u64,
    mut unpack: impl FnMut(u64) -> Result<T, Reason>,
) -> Result<(T, Claim), Reason> {
    let most = options.most_bytes();
    let mut bytes = about.clamp(LEAST_CLAIM.min(most), most);
    loop {
        let claim = Claim::new(options, patience, kind, bytes)?;
        let allowed = claim.most_bytes(bytes).min(most);
        match unpack(allowed) {
            Err(Reason::TooLarge { .. } | Reason::BodyTooLarge { .. }) if allowed < most => match claim.is_all {
                true => {
                    let need = (about > allowed).then(|| claim.need.most_of(kind, about));
                    return Err(Reason::TooLittleMemory { need, limit: claim.limit });
                }
                false => bytes = bytes.saturating_mul(4).min(most),
            },
            Err(reason) => return Err(reason),
            Ok(unpacked) => return Ok((unpacked, claim)),
        }
    }
}

/// The limit of the address space or of the data of this process (`ulimit -v`, `ulimit -d`). `None` if there is none.
pub fn limit_of_process() -> Option<u64> {
    free::limit_of_process()
}

/// Smaller documents claim as much memory as a document of this number of bytes.
const LEAST_CLAIM: u64 = 1 << 16;

mod free {
    pub use limits::limit_of_process;

    /// 3/4 of the memory that this process can still take: the free memory of the machine, or what its control group or its
    /// limits (`ulimit -v`) leave, if that is less.
    pub fn most_of_what_is_free() -> u64 {
        [of_machine(), limits::of_groups(), limits::of_process()].into_iter().flatten().min().unwrap_or(u64::MAX) / 4
            * 3
    }

    fn of_machine() -> Option<u64> {
        use sysinfo::{MemoryRefreshKind, RefreshKind, System};
        let memory = MemoryRefreshKind::nothing().with_ram();
        Some(System::new_with_specifics(RefreshKind::nothing().with_memory(memory)).available_memory())
    }

    #[cfg(not(target_os = "linux"))]
    mod limits {
        pub fn of_groups() -> Option<u64> {
            None
        }

        pub fn of_process() -> Option<u64> {
            None
        }

        pub fn limit_of_process() -> Option<u64> {
            None
        }
    }

    /// Limits of Linux. Libraries read only the limits of the outermost control group, or none.
    #[cfg(target_os = "linux")]
    mod limits {
        use std::fs::read_to_string;
        use std::path::Path;

        /// The limits of a process, each with the field of what the process uses of it.
        const LIMITS: [(&str, &str); 2] = [("Max address space", "VmSize:"), ("Max data size", "VmData:")];

        /// The memory that the control groups of this process leave. All groups that contain the process count.
        pub fn of_groups() -> Option<u64> {
            left_by_groups(&read_to_string("/proc/self/cgroup").ok()?, Path::new("/sys/fs/cgroup"))
        }

        /// The least memory that a group leaves. `groups` is a list of control groups, `root` the folder that has them.
        pub fn left_by_groups(groups: &str, root: &Path) -> Option<u64> {
            groups.lines().filter_map(|line| left_by_group(line, root)).min()
        }

        fn left_by_group(line: &str, root: &Path) -> Option<u64> {
            let mut parts = line.splitn(3, ':').skip(1);
            let (controllers, group) = (parts.next()?, parts.next()?);
            let (root, limit, taken) = match controllers {
                "" => (root.to_owned(), "memory.max", "memory.current"),
                _ if controllers.split(',').any(|name| name == "memory") => {
                    (root.join("memory"), "memory.limit_in_bytes", "memory.usage_in_bytes")
                }
                _ => return None,
            };
            let group = root.join(group.trim_start_matches('/'));
            let left = |group: &Path| {
                let number = |name| read_to_string(group.join(name)).ok()?.trim().parse::<u64>().ok();
                Some(number(limit)?.saturating_sub(number(taken).unwrap_or(0)))
            };
            // In a container, the path may be that of the host. Then only the root exists.
            group.ancestors().take_while(|group| group.starts_with(&root)).filter_map(left).min()
        }

        /// The memory that the limits of this process leave.
        pub fn of_process() -> Option<u64> {
            let read = |name: &str| read_to_string(format!("/proc/self/{name}")).ok();
            left_by_limits(&read("limits")?, &read("status")?)
        }

        pub fn left_by_limits(limits: &str, status: &str) -> Option<u64> {
            let left = |(limit, taken)| Some(soft(limits, limit)?.saturating_sub(kilobytes(status, taken)? * 1024));
            LIMITS.into_iter().filter_map(left).min()
        }

        pub fn limit_of_process() -> Option<u64> {
            let limits = read_to_string("/proc/self/limits").ok()?;
            LIMITS.into_iter().filter_map(|(limit, _)| soft(&limits, limit)).min()
        }

        /// A soft limit. `None` if there is none.
        fn soft(limits: &str, name: &str) -> Option<u64> {
            limits.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace().next()?.parse().ok()
        }

        fn kilobytes(status: &str, name: &str) -> Option<u64> {
            status.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace().next()?.parse().ok()
        }
    }

    #[cfg(all(test, target_os = "linux"))]
    mod tests {
        use super::limits::{left_by_groups, left_by_limits};

        #[test]
        fn the_smallest_of_all_groups_counts() {
            let root = tempfile::tempdir().expect("a folder");
            let write = |name: &str, number: &str| {
                let path = root.path().join(name);
                std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
                std::fs::write(path, number).expect("written");
            };
            assert_eq!(left_by_groups("0::/a/b", root.path()), None);
            write("a/b/memory.max", "max\n");
            write("a/memory.max", "1000\n");
            write("a/memory.current", "300\n");
            write("memory.max", "9000\n");
            assert_eq!(left_by_groups("0::/a/b\n", root.path()), Some(700));
            assert_eq!(left_by_groups("0::/elsewhere", root.path()), Some(9000));
            write("memory/c/memory.limit_in_bytes", "50");
            write("memory/c/memory.usage_in_bytes", "70");
            assert_eq!(left_by_groups("4:cpu:/a\n3:hugetlb,memory:/c\n0::/a/b", root.path()), Some(0));
        }

        #[test]
        fn limits_of_the_process_count() {
            let limits = |space: &str, data: &str| {
                format!(
                    "Limit  Soft Limit  Hard Limit  Units\nMax data size  {data}  unlimited  bytes\n\
                         Max address space  {space}  unlimited  bytes\n"
                )
            };
            let status = "VmSize:\t    100 kB\nVmData:\t   10 kB\n";
            assert_eq!(left_by_limits(&limits("unlimited", "unlimited"), status), None);
            assert_eq!(left_by_limits(&limits("204800", "unlimited"), status), Some(102_400));
            assert_eq!(left_by_limits(&limits("204800", "20480"), status), Some(10_240));
            assert_eq!(left_by_limits(&limits("1", "unlimited"), status), Some(0));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn no_more_is_taken_than_there_is() {
        let (budget, taken, most) = (Budget::new(10), AtomicU64::new(0), AtomicU64::new(0));
        std::thread::scope(|scope| {
            for bytes in [3, 4, 5, 6, 10, 99, 1, 2] {
                let (budget, taken, most) = (&budget, &taken, &most);
                scope.spawn(move || {
                    for _ in 0..50 {
                        let mut share = budget.take(bytes);
                        let now = taken.fetch_add(share.bytes, Ordering::SeqCst) + share.bytes;
                        most.fetch_max(now, Ordering::SeqCst);
                        std::thread::yield_now();
                        taken.fetch_sub(share.bytes, Ordering::SeqCst);
                        share.reduce_to(1);
                    }
                });
            }
        });
        assert!(most.into_inner() <= 10);
        assert_eq!(*budget.0.left.lock().expect("not poisoned"), 10);
    }

    #[test]
    fn what_is_not_free_now_is_not_taken() {
        let budget = Budget::new(10);
        let share = budget.take_now(8).expect("it is free");
        assert!(budget.take_now(3).is_none());
        drop(share);
        assert!(budget.take_now(99).is_some());
    }

    fn options(limit: u64) -> ReadOptions {
        ReadOptions { memory: Budget::new(limit), need: Need::TO_CLEAN, ..ReadOptions::default() }
    }

    /// Unpacks a document of this size with this memory. Returns the maximum that each call of `unpack` got, and the
    /// result.
    fn unpack(size: u64, about: u64, limit: u64) -> (Vec<u64>, Result<u64, Reason>) {
        let mut asked = Vec::new();
        let unpacked = unpacked(&options(limit), Patience::GivesUp, Kind::Text, about, |most| {
            asked.push(most);
            if size > most { Err(Reason::BodyTooLarge { limit: most }) } else { Ok(size) }
        });
        (asked, unpacked.map(|(size, _)| size))
    }

    #[test]
    fn what_is_larger_than_expected_is_unpacked_again_with_more_memory() {
        let (asked, unpacked) = unpack(1_000_000, 100_000, 10_000_000_000);
        assert_eq!((asked, unpacked), (vec![100_000, 400_000, 1_600_000], Ok(1_000_000)));
    }

    #[test]
    fn no_more_is_unpacked_than_there_is_memory_for() {
        let (asked, unpacked) = unpack(1_000_000_000, 100_000, 10_000_000);
        assert!(asked.iter().all(|&most| most < 1_000_000), "{asked:?}");
        assert!(matches!(unpacked, Err(Reason::TooLittleMemory { limit: 10_000_000, .. })), "{unpacked:?}");
        let (_, unpacked) = unpack(1_000_000_000, 100_000, u64::MAX);
        assert_eq!(unpacked, Err(Reason::BodyTooLarge { limit: 256_000_000 }));
    }

    proptest! {
        #[test]
        fn no_document_needs_more_than_the_largest_of_its_size(text in "(a| |\n|<|>|雨|é|\\.){0,200}") {
            let bytes = text.len() as u64;
            for need in [Need::TO_READ, Need::TO_CLEAN, Need::TO_JUDGE, Need::TO_STREAM, Need::TO_DIVIDE] {
                prop_assert!(need.of(Size::of_text(&text)) <= need.most_of(Kind::Text, bytes));
                // Of a tag that is cut off, only the first byte is in the text.
                let page = Size { tags: Size::of_page(&text).tags.min(bytes / 3), ..Size::of_text(&text) };
                prop_assert!(need.of(page) <= need.most_of(Kind::Page, bytes));
            }
        }
    }

    #[test]
    fn all_start_tags_count() {
        for (html, tags) in [("", 0), ("<", 0), ("<p>a</p>", 1), ("a<b", 1), ("<</<!", 2)] {
            assert_eq!(Size::of_page(html).tags, tags, "{html}");
            for more in [254, 255, 256, 1000] {
                let html = format!("{}{html}", "<p>a</p>".repeat(more));
                assert_eq!(Size::of_page(&html).tags, tags + more as u64, "{html}");
            }
        }
    }

    #[test]
    fn a_document_is_refused_only_for_what_it_is_made_of() {
        let text = "a word of it\n".repeat(100_000);
        let need = Need::TO_CLEAN.of(Size::of_text(&text));
        let claim = |limit| Claim::new(&options(limit), Patience::GivesUp, Kind::Text, text.len() as u64);
        let settled = |limit| claim(limit)?.settled(Size { stored: text.len() as u64, ..Size::default() }, &text);
        assert_eq!(settled(need).map(|share| share.bytes), Ok(need));
        assert!(matches!(settled(need - 1), Err(Reason::TooLittleMemory { .. })));
        assert!(3 * need < 2 * Need::TO_CLEAN.most_of(Kind::Text, text.len() as u64));
    }
}
