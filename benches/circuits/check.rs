//! Whether diagrams of a circuit's outputs are right.

use num_bigint::BigUint;

use super::{arithmetic::Circuit, netlist::Function};
use crate::Failure;

/// Inputs that outputs are evaluated at.
const INPUTS: usize = 1000;

/// Numbers without a pattern (`SplitMix64`).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn bits(&mut self, count: usize) -> Vec<bool> {
        (0..count).map(|_| self.next() & 1 == 1).collect()
    }
}

fn number(bits: &[bool]) -> BigUint {
    bits.iter().rev().fold(BigUint::ZERO, |number, &bit| number * 2u8 + u8::from(bit))
}

/// Compares `outputs` with what integer arithmetic makes of 1000 random pairs of operands. Of every other pair, one operand is the
/// complement of the other in all but one bit, so that carries ripple far.
pub fn check<F: Function>(circuit: &Circuit, outputs: &[F]) -> Result<(), Failure> {
    let mut random = Random(1);
    let bits = circuit.operands[0].len();
    for input in 0..INPUTS {
        let a = random.bits(bits);
        let mut b = random.bits(bits);
        if input % 2 == 1 {
            b = a.iter().map(|bit| !bit).collect();
            let at = random.next() as usize % bits;
            b[at] = a[at];
        }
        let mut assignment = vec![false; 2 * bits];
        for (variables, values) in circuit.operands.iter().zip([&a, &b]) {
            variables.iter().zip(values).for_each(|(&variable, &value)| assignment[variable as usize] = value);
        }
        let [a, b] = [number(&a), number(&b)];
        let result = (circuit.result)(&a, &b);
        for (bit, output) in outputs.iter().enumerate() {
            if output.eval(&assignment)? != result.bit(bit as u64) {
                return Err(format!("WRONG: bit {bit} of the result for {a} and {b}").into());
            }
        }
    }
    Ok(())
}
