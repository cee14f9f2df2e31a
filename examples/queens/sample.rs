//! `queens sample`: solutions drawn at random, each as likely as any other.

use crate::{
    Failure,
    drawing::{Drawing, line},
    options::SampleOptions,
    output::{Output, print},
    recipe::{Order, board},
};

/// Prints as many solutions as are asked for, a line each.
pub fn sample(options: &SampleOptions) -> Result<(), Failure> {
    let n = options.board.n;
    let output = Output::new(&options.lines.output(), n);
    let store = options.board.store.open(output.callback())?;
    let solutions = board(n, Order::Linear, &store, |row, nodes| output.row(row, nodes))?.bdd;
    drop(output);
    let drawn = solutions.sample(options.count, options.seed, 0..n * n)?;
    if drawn.is_empty() && options.count > 0 {
        return Err(Failure::NoSolution { n });
    }
    for squares in drawn {
        let queen_in = |column: u32| (0..n).find(|row| squares[(n * row + column) as usize]);
        let rows: Vec<u32> = (0..n).filter_map(queen_in).collect();
        print(line(&rows))?;
        if options.lines.draw {
            print(format_args!("{}\n", Drawing(&rows)))?;
        }
    }
    Ok(())
}
