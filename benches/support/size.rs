//! Sizes as people write them: `27M`.

/// Reads a number of bytes, with K, M or G for thousands, millions or thousands of millions.
pub fn parse_size(size: &str) -> Result<u64, String> {
    let (digits, unit) = match size.as_bytes().last() {
        Some(b'K' | b'k') => (&size[..size.len() - 1], 1000),
        Some(b'M' | b'm') => (&size[..size.len() - 1], 1_000_000),
        Some(b'G' | b'g') => (&size[..size.len() - 1], 1_000_000_000),
        _ => (size, 1),
    };
    let number: u64 = digits.parse().map_err(|_| format!("'{size}' is no size such as 27M"))?;
    number.checked_mul(unit).ok_or_else(|| format!("'{size}' is too much"))
}
