//! Circuits as lists of gates, and their evaluation in any package.

use crate::{Failure, operations::queens::Board};

/// A signal: the position of the gate whose output it is.
pub type Signal = usize;

/// Where a signal comes from.
#[derive(Clone, Copy)]
pub enum Gate {
    /// A variable.
    Input(u32),
    /// True where both of two earlier signals are.
    And(Signal, Signal),
    /// True where at least one of two earlier signals is.
    Or(Signal, Signal),
    /// True where exactly one of two earlier signals is.
    Xor(Signal, Signal),
}

impl Gate {
    fn operands(self) -> impl Iterator<Item = Signal> {
        let (a, b) = match self {
            Gate::Input(_) => (None, None),
            Gate::And(a, b) | Gate::Or(a, b) | Gate::Xor(a, b) => (Some(a), Some(b)),
        };
        a.into_iter().chain(b)
    }
}

/// Gates in an order in which they can be evaluated.
#[derive(Default)]
pub struct Netlist {
    gates: Vec<Gate>,
    /// The signals that are wanted.
    pub outputs: Vec<Signal>,
}

/// A diagram of a function, in any package.
pub trait Function: Board {
    /// The conjunction.
    fn and(&self, other: &Self) -> Result<Self, Failure>;
    /// The disjunction.
    fn or(&self, other: &Self) -> Result<Self, Failure>;
    /// The exclusive disjunction.
    fn xor(&self, other: &Self) -> Result<Self, Failure>;
    /// The value where variable i has the value `assignment[i]`.
    fn eval(&self, assignment: &[bool]) -> Result<bool, Failure>;
}

impl Netlist {
    pub fn add(&mut self, gate: Gate) -> Signal {
        self.gates.push(gate);
        self.gates.len() - 1
    }

    /// The sum and the carry of two signals.
    pub fn half_adder(&mut self, a: Signal, b: Signal) -> [Signal; 2] {
        [self.add(Gate::Xor(a, b)), self.add(Gate::And(a, b))]
    }

    /// The sum and the carry of three signals: five gates.
    pub fn full_adder(&mut self, a: Signal, b: Signal, carry: Signal) -> [Signal; 2] {
        let [half, both] = self.half_adder(a, b);
        let [sum, passed] = self.half_adder(half, carry);
        [sum, self.add(Gate::Or(both, passed))]
    }

    /// The number of gates that are no inputs.
    pub fn size(&self) -> usize {
        self.gates.iter().filter(|gate| !matches!(gate, Gate::Input(_))).count()
    }

    /// For each signal, the last gate that uses it, or its own if none does; for an output, the number of gates.
    fn last_uses(&self) -> Vec<usize> {
        let mut last: Vec<usize> = (0..self.gates.len()).collect();
        for (at, gate) in self.gates.iter().enumerate() {
            gate.operands().for_each(|operand| last[operand] = at);
        }
        self.outputs.iter().for_each(|&output| last[output] = self.gates.len());
        last
    }

    /// The diagrams of the outputs, gate by gate. Every other diagram is dropped after its last use.
    pub fn evaluate<F: Function>(&self, variable: impl Fn(u32) -> Result<F, Failure>) -> Result<Vec<F>, Failure> {
        let last = self.last_uses();
        let mut values: Vec<Option<F>> = Vec::with_capacity(self.gates.len());
        for (at, &gate) in self.gates.iter().enumerate() {
            let of = |signal: Signal| values[signal].as_ref().ok_or("a signal was dropped before its last use");
            let value = match gate {
                Gate::Input(number) => variable(number)?,
                Gate::And(a, b) => of(a)?.and(of(b)?)?,
                Gate::Or(a, b) => of(a)?.or(of(b)?)?,
                Gate::Xor(a, b) => of(a)?.xor(of(b)?)?,
            };
            values.push(Some(value));
            for signal in gate.operands().chain([at]).filter(|&signal| last[signal] == at) {
                values[signal] = None;
            }
        }
        let outputs = self.outputs.iter().map(|&output| values[output].take().ok_or("an output came twice".into()));
        outputs.collect()
    }
}
