//! Whether diagrams of a circuit's outputs are right.

use fastrand::Rng;
use num_bigint::BigUint;

use super::{arithmetic::Circuit, netlist::Function};
use crate::Failure;

/// The number of inputs at which outputs are evaluated.
const INPUTS: usize = 1000;

fn number(bits: &[bool]) -> BigUint {
    bits.iter().rev().fold(BigUint::ZERO, |number, &bit| number * 2u8 + u8::from(bit))
}

/// Compares `outputs` with integer arithmetic for 1000 random pairs of operands. In every other pair, one operand is
/// the complement of the other in all but one bit, so that carries ripple far.
pub fn check<F: Function>(circuit: &Circuit, outputs: &[F]) -> Result<(), Failure> {
    let mut random = Rng::with_seed(1);
    let bits = circuit.operands[0].len();
    for input in 0..INPUTS {
        let a: Vec<bool> = (0..bits).map(|_| random.bool()).collect();
        let mut b: Vec<bool> = (0..bits).map(|_| random.bool()).collect();
        if input % 2 == 1 {
            b = a.iter().map(|bit| !bit).collect();
            let at = random.usize(..bits);
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
