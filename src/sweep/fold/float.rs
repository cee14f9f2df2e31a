//! The parts of an `f64`.

/// 2 to the power of `exponent`, from −1074 to 1023.
pub fn power_of_two(exponent: i32) -> f64 {
    debug_assert!((-1074..=1023).contains(&exponent));
    let bits =
        if exponent < -1022 { 1 << (exponent + 1074) } else { u64::from((exponent + 1023).cast_unsigned()) << 52 };
    f64::from_bits(bits)
}

/// An odd number, or zero, and an exponent: the magnitude of the finite `number` is the odd number times 2 to that power.
pub fn parts(number: f64) -> (u64, i32) {
    let bits = number.to_bits();
    let fraction = bits & ((1 << 52) - 1) | u64::from(number.is_normal()) << 52;
    let exponent = ((bits >> 52 & 0x7ff) as i32).max(1) - 1075;
    if fraction == 0 {
        (0, 0)
    } else {
        (fraction >> fraction.trailing_zeros(), exponent + fraction.trailing_zeros().cast_signed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_two_are_those_of_the_machine() {
        for (exponent, expected) in [
            (-1, 0.5),
            (0, 1.0),
            (1, 2.0),
            (1023, 2f64.powi(1023)),
            (-1022, f64::MIN_POSITIVE),
            (-1074, f64::from_bits(1)),
        ] {
            assert_eq!(power_of_two(exponent).to_bits(), expected.to_bits());
        }
    }
}
