//! `fold`: a top-down sweep that carries values along the arcs and ends in what arrives at the terminals.
//!
//! Counting is exact at any size: counts travel as 64-bit numbers, and where one would overflow the sweep starts again with
//! residues modulo several coprime numbers, from which the Chinese remainder theorem puts the count together.
//!
//! Cost: every arc is pushed, sorted and popped once, and once more for the other terminal and for every 244 levels if 64
//! bits are too few.
//!
//! After: S. C. Sølvsten et al., "Efficient Binary Decision Diagram Manipulation in External Memory", 2021 (counting).

use num_bigint::BigUint;

use super::run::Run;
use crate::{
    disk::{queue::LevelQueue, sorter::Batch, space::Space},
    error::Result,
    file::{level_map::LevelMap, node_file::NodeFile, reader::LevelReader},
};

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// Paths from the root to a terminal.
    Paths,
    /// Assignments to the variables of the diagram's levels: a level that a path skips counts twice.
    Assignments,
}

/// The number of paths or assignments that lead to `terminal`.
pub fn count(file: &NodeFile, count: Count, terminal: bool, run: &mut Run<'_>) -> Result<BigUint> {
    let levels = file.levels().ranks() - 1;
    if levels == 0 {
        return Ok(BigUint::from(u8::from(!terminal)));
    }
    if let Some([_, total]) = fold::<Plain, 2>(file, count, terminal, &Plain, run)? {
        return Ok(BigUint::from(total));
    }
    if count == Count::Assignments {
        // One of the two terminals is often reached in few ways.
        if let Some([_, total]) = fold::<Plain, 2>(file, count, !terminal, &Plain, run)? {
            return Ok((BigUint::from(1u8) << levels) - total);
        }
    }
    // A count is at most 2^levels.
    let moduli = coprimes(levels / MODULUS_BITS + 1);
    let mut residues = Vec::with_capacity(moduli.len());
    for some in moduli.chunks(AT_ONCE) {
        // Modulo 1 every value is 0.
        let mut modulo = Modulo { moduli: [1; AT_ONCE] };
        modulo.moduli[..some.len()].copy_from_slice(some);
        let total = fold::<Modulo, { 1 + AT_ONCE }>(file, count, terminal, &modulo, run)?;
        residues.extend_from_slice(&total.expect("residues do not overflow")[1..=some.len()]);
    }
    Ok(combine(&moduli, &residues))
}

/// What arrives at `terminal`; `None` when a value overflowed on the way.
///
/// A record is an id followed by its value in `N - 1` lanes.
fn fold<A: Arithmetic, const N: usize>(
    file: &NodeFile,
    count: Count,
    terminal: bool,
    arithmetic: &A,
    run: &mut Run<'_>,
) -> Result<Option<[u64; N]>> {
    let _sweep = run.begin("count");
    let (space, levels) = (run.space, file.levels());
    let top = levels.ranks() - 1;
    let mut upper = Fold {
        file,
        ranks: LevelMap::new(levels, |rank| rank as u32),
        count,
        arithmetic,
        queue: LevelQueue::new(top, space)?,
        terminal: u64::from(terminal),
        total: [0; N],
        overflow: false,
    };
    let mut root = [1; N];
    root[0] = file.root();
    upper.queue.push(0, root, space)?;
    let mut reader = LevelReader::new(file, space.limits.window);
    for rank in (1..=top).rev() {
        let values = upper.queue.take(top - rank);
        reader.enter(rank);
        let mut sum: Option<[u64; N]> = None;
        run.sorter.sort(values, 1, space, &mut |batch: &Batch<u64, N>| {
            batch.iter().try_for_each(|value| match &mut sum {
                Some(sum) if sum[0] == value[0] => {
                    upper.overflow |= !arithmetic.add(&mut sum[1..], &value[1..]);
                    Ok(())
                }
                _ => sum.replace(value).map_or(Ok(()), |whole| upper.send(&whole, rank, &mut reader, space)),
            })
        })?;
        sum.map_or(Ok(()), |whole| upper.send(&whole, rank, &mut reader, space))?;
        if upper.overflow {
            return Ok(None);
        }
        run.report("count", file.variable(rank), 0);
    }
    Ok(Some(upper.total))
}

/// The sweep between two levels: what travels down, and what has arrived.
struct Fold<'a, A, const N: usize> {
    file: &'a NodeFile,
    /// The rank of every id.
    ranks: LevelMap,
    count: Count,
    arithmetic: &'a A,
    queue: LevelQueue<u64, N>,
    terminal: u64,
    /// What has arrived there.
    total: [u64; N],
    overflow: bool,
}

impl<A: Arithmetic, const N: usize> Fold<'_, A, N> {
    /// Sends the value of a node of `rank` along its two arcs.
    fn send(&mut self, whole: &[u64; N], rank: usize, reader: &mut LevelReader<'_>, space: &Space) -> Result<()> {
        for child in reader.children::<u64>(whole[0], space)? {
            if child == 1 - self.terminal {
                continue;
            }
            let to = self.ranks.of(child) as usize;
            let mut value = *whole;
            value[0] = child;
            if self.count == Count::Assignments {
                self.overflow |= !self.arithmetic.double(&mut value[1..], (rank - 1 - to) as u32);
            }
            if child == self.terminal {
                self.overflow |= !self.arithmetic.add(&mut self.total[1..], &value[1..]);
            } else {
                self.queue.push(self.file.levels().ranks() - 1 - to, value, space)?;
            }
        }
        Ok(())
    }
}

/// Arithmetic on the values that travel; each answers whether the result is right.
trait Arithmetic {
    /// Adds `b` to `a`.
    fn add(&self, a: &mut [u64], b: &[u64]) -> bool;

    /// Doubles `a` as many times.
    fn double(&self, a: &mut [u64], times: u32) -> bool;
}

/// One 64-bit number.
struct Plain;

impl Arithmetic for Plain {
    fn add(&self, a: &mut [u64], b: &[u64]) -> bool {
        a.iter_mut().zip(b).all(|(a, &b)| a.checked_add(b).map(|sum| *a = sum).is_some())
    }

    fn double(&self, a: &mut [u64], times: u32) -> bool {
        a.iter_mut().all(|a| {
            let fits = *a == 0 || times <= a.leading_zeros();
            *a = a.checked_shl(times).unwrap_or(0);
            fits
        })
    }
}

/// Bits that a modulus is good for.
const MODULUS_BITS: usize = 61;
/// Residues that travel together.
const AT_ONCE: usize = 4;

/// Residues, each modulo a number below 2^62.
struct Modulo {
    moduli: [u64; AT_ONCE],
}

impl Arithmetic for Modulo {
    fn add(&self, a: &mut [u64], b: &[u64]) -> bool {
        for ((a, &b), &modulus) in a.iter_mut().zip(b).zip(&self.moduli) {
            *a = (*a + b) % modulus;
        }
        true
    }

    fn double(&self, a: &mut [u64], times: u32) -> bool {
        for (a, &modulus) in a.iter_mut().zip(&self.moduli) {
            // Square and multiply.
            let product = |a: u64, b: u64| (u128::from(a) * u128::from(b) % u128::from(modulus)) as u64;
            let (mut power, mut left) = (2 % modulus, times);
            while left > 0 {
                if left % 2 == 1 {
                    *a = product(*a, power);
                }
                power = product(power, power);
                left /= 2;
            }
        }
        true
    }
}

/// `count` numbers between 2^61 and 2^62 of which no two have a common factor.
fn coprimes(count: usize) -> Vec<u64> {
    let mut found: Vec<u64> = Vec::with_capacity(count);
    let mut candidate = (1u64 << (MODULUS_BITS + 1)) - 1;
    while found.len() < count {
        if found.iter().all(|&other| gcd(other, candidate) == 1) {
            found.push(candidate);
        }
        candidate -= 2;
    }
    found
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The number below the product of `moduli` that has these `residues` (Chinese remainder theorem).
fn combine(moduli: &[u64], residues: &[u64]) -> BigUint {
    let mut number = BigUint::ZERO;
    let mut product = BigUint::from(1u8);
    for (&modulus, &residue) in moduli.iter().zip(residues) {
        let modulus = BigUint::from(modulus);
        let missing = (BigUint::from(residue) + &modulus - &number % &modulus) % &modulus;
        let inverse = (&product % &modulus).modinv(&modulus).expect("the moduli are coprime");
        number += &product * (missing * inverse % &modulus);
        product *= modulus;
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn residues_are_put_together_to_the_number_they_are_of() {
        let moduli = coprimes(20);
        for number in
            [BigUint::ZERO, BigUint::from(1u8), BigUint::from(1u8) << 1000, (BigUint::from(1u8) << 1200) - 1u8]
        {
            let residues: Vec<u64> =
                moduli.iter().map(|&m| u64::try_from(&number % m).expect("a residue is small")).collect();
            assert_eq!(combine(&moduli, &residues), number);
        }
    }

    #[test]
    fn doubling_modulo_agrees_with_doubling() {
        let modulo = Modulo { moduli: [coprimes(1)[0]; AT_ONCE] };
        for times in [0, 1, 63, 64, 65, 1000] {
            let mut value = [3; AT_ONCE];
            modulo.double(&mut value, times);
            let expected = (BigUint::from(3u8) << times) % modulo.moduli[0];
            assert_eq!(BigUint::from(value[0]), expected);
        }
    }
}
