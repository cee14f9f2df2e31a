//! Sizes as people type them.

/// The number of bytes in `text`, with units as `sort` and `dd` have them: K and KiB are 1024, KB is 1000.
pub fn memory_size(text: &str) -> Result<usize, String> {
    let (digits, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
    let scale = match unit.trim_start().to_ascii_lowercase().as_str() {
        "" | "b" => Some(1),
        "k" | "kib" => Some(1 << 10),
        "m" | "mib" => Some(1 << 20),
        "g" | "gib" => Some(1 << 30),
        "t" | "tib" => Some(1 << 40),
        "kb" => Some(1_000),
        "mb" => Some(1_000_000),
        "gb" => Some(1_000_000_000),
        "tb" => Some(1_000_000_000_000),
        _ => None,
    };
    let (Some(scale), false) = (scale, digits.is_empty()) else {
        return Err("give a whole number of bytes, or one with a unit, like 256MiB, 4GiB or 500MB".into());
    };
    let bytes = digits.parse().ok().and_then(|number: usize| number.checked_mul(scale));
    bytes.ok_or_else(|| "that is more than an address can number".into())
}
