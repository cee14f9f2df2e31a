//! Circuits that compute a number from two others.

use num_bigint::BigUint;

use super::netlist::{Gate, Netlist, Signal};

/// A circuit and what it should compute.
pub struct Circuit {
    /// What a row of the table is called.
    pub name: String,
    /// The gates. The outputs are the bits of the result, the least significant first.
    pub netlist: Netlist,
    /// The variables of the bits of both operands, the least significant first.
    pub operands: [Vec<u32>; 2],
    /// The result for two operands.
    pub result: fn(&BigUint, &BigUint) -> BigUint,
    /// How often a process builds it.
    pub times: u32,
}

/// Which bits of an adder are on top.
#[derive(Clone, Copy, PartialEq, clap::ValueEnum)]
pub enum Top {
    /// The least significant: the carry comes from above.
    Least,
    /// The most significant: the carry comes from below, and the outputs share it.
    Most,
}

/// Adds the inputs of an operand.
fn inputs(netlist: &mut Netlist, variables: &[u32]) -> Vec<Signal> {
    variables.iter().map(|&variable| netlist.add(Gate::Input(variable))).collect()
}

/// The sum of two numbers of `bits` bits, the carry rippling through. The variables of both are interleaved, which
/// keeps the diagram of every output linear in the number of bits, whichever bits are on top.
pub fn adder(bits: u32, top: Top) -> Circuit {
    let mut netlist = Netlist::default();
    let operands = [0, 1].map(|operand| {
        let level = |bit| if top == Top::Least { bit } else { bits - 1 - bit };
        (0..bits).map(|bit| 2 * level(bit) + operand).collect::<Vec<_>>()
    });
    let [a, b] = operands.each_ref().map(|variables| inputs(&mut netlist, variables));
    let [mut sum, mut carry] = netlist.half_adder(a[0], b[0]);
    netlist.outputs.push(sum);
    for (&a, &b) in a.iter().zip(&b).skip(1) {
        [sum, carry] = netlist.full_adder(a, b, carry);
        netlist.outputs.push(sum);
    }
    netlist.outputs.push(carry);
    let on_top = if top == Top::Least { "least" } else { "most" };
    let name = format!("{bits}-bit adder, {on_top} significant on top");
    Circuit { name, netlist, operands, result: |a, b| a + b, times: 5 }
}

/// The product of two numbers of `bits` bits: the partial products of each row are added to the sum of the rows before,
/// the carry rippling through. One operand lies above the other, both with the least significant bits on top. Of the
/// orders that take each operand up or down, one after the other or interleaved, none is much better at 8 and 10 bits.
pub fn multiplier(bits: u32) -> Circuit {
    let mut netlist = Netlist::default();
    let operands = [0, bits].map(|first| (first..first + bits).collect::<Vec<_>>());
    let [a, b] = operands.each_ref().map(|variables| inputs(&mut netlist, variables));
    let row = |netlist: &mut Netlist, b| -> Vec<Signal> { a.iter().map(|&a| netlist.add(Gate::And(a, b))).collect() };
    // The bits of the sum so far that later rows can still change.
    let mut sum = row(&mut netlist, b[0]);
    for &b in &b[1..] {
        netlist.outputs.push(sum.remove(0));
        let products = row(&mut netlist, b);
        let [bit, mut carry] = netlist.half_adder(products[0], sum[0]);
        let mut next = vec![bit];
        for (at, &product) in products.iter().enumerate().skip(1) {
            let bit;
            [bit, carry] = match sum.get(at) {
                Some(&other) => netlist.full_adder(product, other, carry),
                None => netlist.half_adder(product, carry),
            };
            next.push(bit);
        }
        next.push(carry);
        sum = next;
    }
    netlist.outputs.append(&mut sum);
    Circuit { name: format!("{bits}-bit multiplier"), netlist, operands, result: |a, b| a * b, times: 1 }
}
