//! A token of a few bytes as 2 integers, which are fast to compare and hash.

/// A token of up to [`Short::MAX_BYTES`] bytes. Unused bytes are 0. The top byte of `high` is the length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Short {
    pub(crate) low: u64,
    pub(crate) high: u64,
}

impl Short {
    /// Maximum number of bytes.
    pub const MAX_BYTES: usize = 15;
    /// The bit position of the length in `high`.
    pub const LENGTH_SHIFT: u32 = 56;

    /// The bytes from `start` to `end`. `None` unless there are 1 to [`Short::MAX_BYTES`].
    #[inline]
    pub fn of(bytes: &[u8], start: usize, end: usize) -> Option<Short> {
        let length = end - start;
        if !(1..=Short::MAX_BYTES).contains(&length) {
            return None;
        }
        // No branch depends on the length, because the lengths of words cannot be predicted.
        let sixteen = match bytes[start..].first_chunk() {
            Some(sixteen) => u128::from_le_bytes(*sixteen),
            None => last_bytes(&bytes[start..end]),
        };
        let kept = sixteen & u128::MAX >> (128 - 8 * length);
        Some(Short { low: kept as u64, high: (kept >> 64) as u64 | (length as u64) << Short::LENGTH_SHIFT })
    }

    /// The first `length` of 8 bytes. `length` must be 1 to 8.
    #[inline]
    pub fn of_eight(eight: u64, length: usize) -> Short {
        Short { low: first_bytes(eight, length), high: (length as u64) << Short::LENGTH_SHIFT }
    }

    /// Number of bytes.
    pub(crate) fn len(self) -> usize {
        (self.high >> Short::LENGTH_SHIFT) as usize
    }

    /// The bytes, and zeros after them.
    pub fn bytes(self) -> [u8; 16] {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&self.low.to_le_bytes());
        bytes[8..15].copy_from_slice(&self.high.to_le_bytes()[..7]);
        bytes
    }

    /// The token with `a` to `z` instead of `A` to `Z`. `None` if some of its bytes are not ASCII.
    #[inline]
    pub(crate) fn to_ascii_lowercase(self) -> Option<Short> {
        let Short { low, high } = self;
        // The length is below 0x80, and no letter.
        let lower = |bytes: u64| bytes | ((within(bytes, b'A', b'Z') & TOP_BITS) >> 2);
        ((low | high) & TOP_BITS == 0).then(|| Short { low: lower(low), high: lower(high) })
    }

    /// A hash. Each bit of it depends on all bytes.
    #[inline]
    pub fn hash(self) -> u64 {
        let (low, high) = (self.low ^ 0x9e37_79b9_7f4a_7c15, self.high ^ 0xd1b5_4a32_d192_ed03);
        let product = u128::from(low) * u128::from(high);
        product as u64 ^ (product >> 64) as u64
    }
}

/// 8 bytes from `start` on, the first one lowest. Bytes after the end are 0.
#[inline]
pub fn eight_bytes(bytes: &[u8], start: usize) -> u64 {
    match bytes[start..].first_chunk() {
        Some(eight) => u64::from_le_bytes(*eight),
        None => last_bytes(&bytes[start..]) as u64,
    }
}

/// Up to 16 bytes, the first one lowest.
#[cold]
fn last_bytes(bytes: &[u8]) -> u128 {
    bytes.iter().rev().fold(0, |sum, &byte| sum << 8 | u128::from(byte))
}

#[inline]
fn first_bytes(eight: u64, length: usize) -> u64 {
    eight & u64::MAX >> (64 - 8 * length)
}

/// 1 in each of 8 bytes.
pub(crate) const EACH: u64 = 0x0101_0101_0101_0101;
/// The top bit of each of 8 bytes.
pub(crate) const TOP_BITS: u64 = 0x80 * EACH;

/// Sets the top bit of each of 8 bytes that is from `first` to `last`; the other bits have no meaning. All bytes must be below
/// 0x80, so nothing carries over.
#[inline]
pub(crate) fn within(bytes: u64, first: u8, last: u8) -> u64 {
    (bytes + u64::from(0x80 - first) * EACH) & !(bytes + u64::from(0x7f - last) * EACH)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn lower_case_is_that_of_the_text(text in "[@-\\[`-{ -~é]{1,15}") {
            let short = |text: &str| Short::of(text.as_bytes(), 0, text.len());
            let lower = short(&text.to_ascii_lowercase()).filter(|_| text.is_ascii());
            prop_assert_eq!(short(&text).and_then(Short::to_ascii_lowercase), lower);
        }

        #[test]
        fn equal_numbers_are_equal_stretches(
            (text, other) in ("[ab\0é]{0,24}", "[ab\0é]{0,24}"),
            at in 0usize..24,
            to in 0usize..24,
        ) {
            let stretch = |text: &str| {
                let start = at.min(text.len());
                (start, to.clamp(start, text.len()))
            };
            let ((start, end), (other_start, other_end)) = (stretch(&text), stretch(&other));
            let of_text = Short::of(text.as_bytes(), start, end);
            prop_assert_eq!(of_text.is_some(), (1..=Short::MAX_BYTES).contains(&(end - start)));
            if let Some(short) = of_text {
                prop_assert_eq!(&short.bytes()[..short.len()], &text.as_bytes()[start..end]);
            }
            if let (Some(one), Some(two)) = (of_text, Short::of(other.as_bytes(), other_start, other_end)) {
                prop_assert_eq!(one == two, text.as_bytes()[start..end] == other.as_bytes()[other_start..other_end]);
            }
        }
    }
}
