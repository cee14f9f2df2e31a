//! Numbers that travel: in 64 bits as long as they fit ([`Plain`]), as residues modulo several numbers ([`super::residues`]), or
//! in floating point with a bounded error ([`super::scaled`], [`super::real`]).

use super::Arc;

/// Arithmetic on the lanes of a value; all zeroes is zero. Each operation answers whether the result can be used.
pub trait Arithmetic {
    /// Whether results may be rounded; sums then depend on the order of their terms.
    const ROUNDED: bool = false;

    /// Sets `a` to 1.
    fn one(&self, a: &mut [u64]) {
        a.fill(1);
    }

    /// Adds `b` to `a`.
    fn add(&self, a: &mut [u64], b: &[u64]) -> bool;

    /// Takes `a` along `arc`: a number of ways doubles for each level that the arc skips, a weight is multiplied by the arc's.
    fn along(&self, a: &mut [u64], arc: Arc) -> bool;
}

/// Arithmetic that multiplies, too.
pub trait Multiply: Arithmetic {
    /// Multiplies `a` by `b`.
    fn multiply(&self, a: &mut [u64], b: &[u64]) -> bool;
}

/// Arithmetic of whole numbers, which never rounds.
pub trait Exact: Multiply {
    /// Sets `a` to `number`.
    fn whole(&self, a: &mut [u64], number: i64) -> bool;
}

/// One 64-bit number.
pub struct Plain;

impl Arithmetic for Plain {
    fn add(&self, a: &mut [u64], b: &[u64]) -> bool {
        a.iter_mut().zip(b).all(|(a, &b)| a.checked_add(b).map(|sum| *a = sum).is_some())
    }

    fn along(&self, a: &mut [u64], arc: Arc) -> bool {
        a.iter_mut().all(|a| {
            let fits = *a == 0 || arc.skipped() <= a.leading_zeros();
            *a = a.checked_shl(arc.skipped()).unwrap_or(0);
            fits
        })
    }
}

impl Multiply for Plain {
    fn multiply(&self, a: &mut [u64], b: &[u64]) -> bool {
        a.iter_mut().zip(b).all(|(a, &b)| a.checked_mul(b).map(|product| *a = product).is_some())
    }
}

impl Exact for Plain {
    fn whole(&self, a: &mut [u64], number: i64) -> bool {
        a.fill(number.unsigned_abs());
        number >= 0
    }
}
