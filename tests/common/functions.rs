//! Functions that tests work on: from truth tables, random trees and circuits, and the solutions of N queens.

use fastrand::Rng;
use strata_bdd::{Bdd, BinaryOp, BuilderNode, Result, Store};

/// The function that is `table[i]` where the values of `variables` are the bits of `i`, the first variable being the
/// highest bit; built bottom-up.
pub fn of_table(store: &Store, table: &[bool], variables: &[u32]) -> Result<Bdd> {
    assert_eq!(table.len(), 1 << variables.len());
    let mut builder = store.builder()?;
    let mut layer: Vec<BuilderNode> = table.iter().map(|&value| value.into()).collect();
    for &variable in variables.iter().rev() {
        layer = layer
            .chunks(2)
            .map(|children| builder.add_node(variable, children[0], children[1]))
            .collect::<Result<_>>()?;
    }
    builder.build()
}

/// A truth table over `variables` variables: the value at place i is bit i of `number`.
pub fn bits(number: u32, variables: u32) -> Vec<bool> {
    (0..1 << variables).map(|at| number >> at & 1 == 1).collect()
}

/// What computes with Boolean functions: the library, or something to compare the library with.
pub trait Algebra {
    type Function: Clone;

    /// The constant function `value`.
    fn value(&self, value: bool) -> Self::Function;
    /// The function that is `variable`.
    fn var(&self, variable: u32) -> Self::Function;
    /// `op` of two functions.
    fn op(&self, op: BinaryOp, a: &Self::Function, b: &Self::Function) -> Self::Function;
    fn not(&self, a: &Self::Function) -> Self::Function;
    /// If-then-else: `b` where `a` is true, `c` elsewhere.
    fn ite(&self, a: &Self::Function, b: &Self::Function, c: &Self::Function) -> Self::Function;
}

impl Algebra for Store {
    type Function = Bdd;

    fn value(&self, value: bool) -> Bdd {
        self.constant(value)
    }

    fn var(&self, variable: u32) -> Bdd {
        self.variable(variable).unwrap()
    }

    fn op(&self, op: BinaryOp, a: &Bdd, b: &Bdd) -> Bdd {
        a.apply(op, b).unwrap()
    }

    fn not(&self, a: &Bdd) -> Bdd {
        a.negated()
    }

    fn ite(&self, a: &Bdd, b: &Bdd, c: &Bdd) -> Bdd {
        a.ite(b, c).unwrap()
    }
}

/// The function of a random tree of `operators` operators over `variables` variables.
pub fn random_tree<A: Algebra>(algebra: &A, random: &mut Rng, variables: u32, operators: u32) -> A::Function {
    if operators == 0 {
        return if random.u32(..16) == 0 { algebra.value(random.bool()) } else { algebra.var(random.u32(..variables)) };
    }
    let left = operators - 1;
    match random.u32(..8) {
        0 => algebra.not(&random_tree(algebra, random, variables, left)),
        1 => {
            let [a, b, c] = [left / 3, left / 3, left - 2 * (left / 3)]
                .map(|operators| random_tree(algebra, random, variables, operators));
            algebra.ite(&a, &b, &c)
        }
        _ => {
            let table = random.u32(..);
            let op = BinaryOp::from_fn(|a, b| table >> (2 * u32::from(a) + u32::from(b)) & 1 == 1);
            let split = random.u32(..=left);
            let a = random_tree(algebra, random, variables, split);
            let b = random_tree(algebra, random, variables, left - split);
            algebra.op(op, &a, &b)
        }
    }
}

/// The bits of the product of two numbers of `bits` bits, the lowest bit first. Bit i of one number is variable 2i, bit
/// i of the other is variable 2i + 1.
pub fn product<A: Algebra>(algebra: &A, bits: u32) -> Vec<A::Function> {
    let and = |a: &A::Function, b: &A::Function| algebra.op(BinaryOp::AND, a, b);
    let xor = |a: &A::Function, b: &A::Function| algebra.op(BinaryOp::XOR, a, b);
    let mut sum = vec![algebra.value(false); 2 * bits as usize];
    for row in 0..bits {
        let mut carry = algebra.value(false);
        for column in 0..bits {
            let addend = and(&algebra.var(2 * row), &algebra.var(2 * column + 1));
            let at = (row + column) as usize;
            let half = xor(&sum[at], &addend);
            let next = algebra.ite(&half, &carry, &addend);
            sum[at] = xor(&half, &carry);
            carry = next;
        }
        sum[(row + bits) as usize] = carry;
    }
    sum
}

/// Hidden weighted bit: where k variables are true, the value of variable k − 1; false where no variable is true.
pub fn hidden_weighted_bit<A: Algebra>(algebra: &A, variables: u32) -> A::Function {
    // weight[k]: exactly k of the variables so far are true.
    let mut weight = vec![algebra.value(true)];
    for variable in (0..variables).rev() {
        let x = algebra.var(variable);
        weight.push(algebra.value(false));
        for k in (0..weight.len()).rev() {
            let lower = if k == 0 { algebra.value(false) } else { weight[k - 1].clone() };
            weight[k] = algebra.ite(&x, &lower, &weight[k]);
        }
    }
    (1..=variables).fold(algebra.value(false), |sum, k| {
        let term = algebra.op(BinaryOp::AND, &weight[k as usize], &algebra.var(k - 1));
        algebra.op(BinaryOp::OR, &sum, &term)
    })
}

/// A random function of `variables` variables, built from a truth table that `seed` decides. The diagram is nearly as
/// large as that of any function of so many variables.
pub fn random_function(store: &Store, seed: u64, variables: u32) -> Bdd {
    let mut random = Rng::with_seed(seed);
    let table: Vec<bool> = (0..1 << variables).map(|_| random.bool()).collect();
    of_table(store, &table, &(0..variables).collect::<Vec<_>>()).unwrap()
}

/// The conjunction of x(3i) ∨ x(3i + 1) for all i below `steps`. The function does not depend on x(3i + 2).
pub fn chain(store: &Store, steps: u32) -> Result<Bdd> {
    let mut builder = store.builder()?;
    let mut below = BuilderNode::from(true);
    for step in (0..steps).rev() {
        let second = builder.add_node(3 * step + 1, false, below)?;
        below = builder.add_node(3 * step, second, below)?;
    }
    builder.build()
}

/// The parity of `variables`, which ascend: true where an odd number of variables is true. Every level has two nodes,
/// the top level one.
pub fn parity(store: &Store, variables: impl DoubleEndedIterator<Item = u32>) -> Result<Bdd> {
    let mut builder = store.builder()?;
    let [mut even, mut odd]: [BuilderNode; 2] = [false.into(), true.into()];
    let mut variables = variables.rev().peekable();
    while let Some(variable) = variables.next() {
        let next = builder.add_node(variable, even, odd)?;
        if variables.peek().is_some() {
            odd = builder.add_node(variable, odd, even)?;
        }
        even = next;
    }
    builder.build()
}

/// The diagram of all solutions of `n` queens, and the nodes of the largest diagram on the way there. Square (row,
/// column) is variable n · row + column.
pub fn queens(store: &Store, n: u32) -> Result<(Bdd, u64)> {
    let mut largest = 0;
    let mut board = store.constant(true);
    for row in 0..n {
        let some_queen = queen_in(store, n, row)?;
        board = board.and(&some_queen)?;
        largest = largest.max(some_queen.node_count()).max(board.node_count());
    }
    Ok((board, largest))
}

/// A queen somewhere in `row`, and none on the squares that this queen attacks.
pub fn queen_in(store: &Store, n: u32, row: u32) -> Result<Bdd> {
    (0..n).try_fold(store.constant(false), |some, column| some.or(&queen_at(store, n, row, column)?))
}

/// A queen on one square, and none on the squares that this queen attacks.
fn queen_at(store: &Store, n: u32, row: u32, column: u32) -> Result<Bdd> {
    let mut builder = store.builder()?;
    let mut chain = BuilderNode::from(true);
    for square in (0..n * n).rev() {
        let (r, c) = (square / n, square % n);
        if (r, c) == (row, column) {
            chain = builder.add_node(square, false, chain)?;
        } else if r == row || c == column || r.abs_diff(row) == c.abs_diff(column) {
            chain = builder.add_node(square, chain, false)?;
        }
    }
    builder.build()
}
