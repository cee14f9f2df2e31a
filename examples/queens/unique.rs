//! `queens unique`: the number of solutions up to rotation and reflection, by counting symmetric solutions.

use num_bigint::BigUint;
use serde_json::json;
use strata_bdd::Bdd;

use crate::{
    Failure,
    options::UniqueOptions,
    output::Output,
    recipe::{Order, board},
};

/// Counts the solutions, and the classes of solutions that are images of each other.
pub fn unique(options: &UniqueOptions) -> Result<(), Failure> {
    let n = options.board.n;
    let output = Output::new(&options.output, n);
    let store = options.board.store.open(output.callback())?;
    let all = board(n, Order::Linear, &store, |row, nodes| output.row(row, nodes))?.bdd;
    let half = invariant(&all, n, |row, column| (n - 1 - row, n - 1 - column))?;
    let quarter = invariant(&half, n, |row, column| (column, n - 1 - row))?;
    let [total, half, quarter] = [all.sat_count(n * n)?, half.sat_count(n * n)?, quarter.sat_count(n * n)?];
    // The one queen of N = 1 is alone in her class. For larger N, no solution is its own mirror image. A solution that
    // a quarter turn leaves unchanged is in a class of two, with its mirror image. One that only a half turn leaves
    // unchanged is in a class of four, any other in a class of eight.
    let [of_one, of_two, of_four, of_eight] = if n == 1 {
        [1u8, 0, 0, 0].map(BigUint::from)
    } else {
        [BigUint::ZERO, &quarter / 2u8, (&half - &quarter) / 4u8, (&total - &half) / 8u8]
    };
    let unique = &of_one + &of_two + &of_four + &of_eight;
    if options.output.json {
        return output.result(json!({
            "n": n,
            "solutions": total.to_string(),
            "unique": unique.to_string(),
            "classes_of_1": of_one.to_string(),
            "classes_of_2": of_two.to_string(),
            "classes_of_4": of_four.to_string(),
            "classes_of_8": of_eight.to_string(),
        }));
    }
    output.result(format_args!(
        "solutions: {total}\nunique: {unique}\nclasses of 1: {of_one}\nclasses of 2: {of_two}\nclasses of 4: {of_four}\n\
         classes of 8: {of_eight}"
    ))
}

/// The solutions that `image`, a map of squares, leaves unchanged.
fn invariant(solutions: &Bdd, n: u32, image: impl Fn(u32, u32) -> (u32, u32)) -> Result<Bdd, Failure> {
    let store = solutions.store();
    let mut rest = solutions.clone();
    for square in 0..n * n {
        let (row, column) = image(square / n, square % n);
        let other = n * row + column;
        if square != other {
            rest = (rest & store.variable(square)?.xnor(&store.variable(other)?)?)?;
        }
    }
    Ok(rest)
}
