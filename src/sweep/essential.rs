//! The literals that all solutions have, by one pass over the nodes.
//!
//! A variable has the same value in all solutions where no path to true skips its level, and where all arcs of the level that do not
//! lead to false are low ones, or all are high ones. Paths skip a level where some arc from above it leads below it; to see that, it
//! takes no more than the lowest node that any arc has led to so far.

use crate::{
    error::Result,
    file::{node_file::NodeFile, reader::LevelReader},
    model::{Cube, TERMINALS},
    progress::Sweep,
    sweep::run::Run,
};

/// The literals that all solutions of the function have whose diagram is `file`, or, if `complement`, the negation of that; it is
/// not false.
pub fn essential(file: &NodeFile, complement: bool, run: &mut Run<'_>) -> Result<Cube> {
    let _sweep = run.begin(Sweep::Search);
    let (levels, mut reader) = (file.levels(), LevelReader::in_order(file));
    // The id of the terminal that is false.
    let nowhere = u64::from(complement);
    let (mut literals, mut lowest) = (Cube::new(), levels.end() - 1);
    for rank in (1..levels.ranks()).rev() {
        // A path that leads to true already skips all levels that are left.
        if lowest < TERMINALS {
            break;
        }
        let is_skipped = lowest < levels.first(rank);
        let mut leads = [false; 2];
        reader.enter(rank);
        reader.each(|nodes: &[[u64; 2]]| {
            for (arc, &child) in nodes.iter().flat_map(|children| children.iter().enumerate()) {
                if child != nowhere {
                    leads[arc] = true;
                    lowest = lowest.min(child);
                }
            }
            Ok(())
        })?;
        let variable = file.variable(rank);
        if !is_skipped && leads[0] != leads[1] {
            literals.push((variable, leads[1]));
        }
        run.report(Sweep::Search, variable, 0)?;
    }
    Ok(literals)
}
