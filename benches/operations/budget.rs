//! Memory budgets on the command line.

use crate::Failure;

/// A number of bytes with its unit.
pub fn bytes(text: &str) -> Result<usize, Failure> {
    let units = [("KiB", 10), ("MiB", 20), ("GiB", 30)];
    let with_unit = units.iter().find_map(|(unit, bits)| Some((text.strip_suffix(unit)?, bits)));
    let (number, bits) = with_unit.ok_or("a budget needs a unit: KiB, MiB or GiB")?;
    Ok(number.parse::<usize>()? << bits)
}
