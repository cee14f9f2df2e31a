//! Runs the smaller examples as a user does, and compares their output with published counts and with plain
//! enumerations.

mod common;

use std::{
    collections::HashSet,
    fs::File,
    io::{self, Write},
    process::{Child, Stdio},
};

use common::program::{self, command, run};
use fastrand::Rng;
use tempfile::NamedTempFile;

/// The standard output of a run of the example `name`, which must succeed.
fn stdout(name: &str, arguments: &str) -> String {
    program::stdout(command(name, arguments))
}

/// The first number on the line of `text` that starts with `label`.
fn number(text: &str, label: &str) -> u64 {
    let line = text.lines().find_map(|line| line.strip_prefix(label)?.strip_prefix(": "));
    let word = line.and_then(|rest| rest.split(' ').next()?.parse().ok());
    word.unwrap_or_else(|| panic!("no {label:?} with a number in {text:?}"))
}

#[test]
fn tic_tac_toe_has_the_published_number_of_draws() {
    assert_eq!(number(&stdout("tic_tac_toe", "21"), "draws"), 136_288);
    assert_eq!(number(&stdout("tic_tac_toe", "0"), "draws"), 0, "a board of noughts alone is no draw");
}

#[test]
fn draws_are_the_same_with_crosses_for_noughts_and_within_a_smaller_budget() {
    let [crosses, noughts] = ["20", "44 --memory 16MiB"].map(|arguments| stdout("tic_tac_toe", arguments));
    assert_eq!(number(&crosses, "draws"), 304);
    for label in ["draws", "nodes", "largest diagram"] {
        assert_eq!(number(&crosses, label), number(&noughts, label), "{label}");
    }
    assert_eq!(number(&crosses, "temporary files"), 0);
    assert!(number(&noughts, "temporary files") > 0, "16 MiB do not hold the largest diagram twice");
}

#[test]
fn grids_have_the_published_numbers_of_hamiltonian_cycles() {
    for (n, cycles) in [(2, 1), (4, 6), (6, 1_072), (8, 4_638_576), (10, 467_260_456_608)] {
        assert_eq!(number(&stdout("hamiltonian", &n.to_string()), "cycles"), cycles, "n = {n}");
    }
}

#[test]
fn hamiltonian_cycles_are_as_many_as_an_exhaustive_walk_finds() {
    for n in 2..=6 {
        // The walk finds every cycle twice, once in each direction.
        let walks = walks(n, (0, 0), &mut vec![false; n * n], 1);
        assert_eq!(2 * number(&stdout("hamiltonian", &n.to_string()), "cycles"), walks, "n = {n}");
    }
}

/// The number of ways to extend a path of `length` squares that ends at `at`: to all squares that are not `visited`,
/// and back to square (0, 0).
fn walks(n: usize, at: (usize, usize), visited: &mut [bool], length: usize) -> u64 {
    visited[at.0 * n + at.1] = true;
    let mut found = 0;
    for (row, column) in
        [(at.0.wrapping_sub(1), at.1), (at.0, at.1.wrapping_sub(1)), (at.0 + 1, at.1), (at.0, at.1 + 1)]
    {
        if (row, column) == (0, 0) {
            found += u64::from(length == n * n);
        } else if row < n && column < n && !visited[row * n + column] {
            found += walks(n, (row, column), visited, length + 1);
        }
    }
    visited[at.0 * n + at.1] = false;
    found
}

#[test]
fn philosophers_reach_as_many_states_in_each_step_as_a_plain_search() {
    for n in 2..=8 {
        let text = stdout("reachability", &n.to_string());
        let steps = states_by_step(n);
        for (step, &(states, _)) in steps.iter().enumerate() {
            assert_eq!(number(&text, &format!("step {step}")), states, "N = {n}");
        }
        assert_eq!(text.lines().filter(|line| line.starts_with("step ")).count(), steps.len(), "N = {n}");
        assert_eq!(number(&text, "reachable"), steps.iter().map(|step| step.0).sum::<u64>(), "N = {n}");
        assert_eq!(number(&text, "deadlocks"), steps.iter().map(|step| step.1).sum::<u64>(), "N = {n}");
    }
}

/// Searches state by state. For each step, gives the number of new states, and of new states without a successor.
fn states_by_step(n: usize) -> Vec<(u64, u64)> {
    // Whether each philosopher has a fork in the left and in the right hand.
    let start = vec![(false, false); n];
    let mut reached = HashSet::from([start.clone()]);
    let (mut steps, mut new) = (Vec::new(), vec![start]);
    while !new.is_empty() {
        let (states, mut stuck, mut found) = (new.len() as u64, 0, Vec::new());
        for state in new {
            let successors = successors(&state);
            stuck += u64::from(successors.is_empty());
            found.extend(successors.into_iter().filter(|next| reached.insert(next.clone())));
        }
        steps.push((states, stuck));
        new = found;
    }
    steps
}

fn successors(state: &[(bool, bool)]) -> Vec<Vec<(bool, bool)>> {
    let n = state.len();
    let hands = |i: usize| match state[i] {
        (false, false) => (!state[(i + n - 1) % n].1).then_some((true, false)),
        (true, false) => (!state[(i + 1) % n].0).then_some((true, true)),
        (_, true) => Some((false, false)),
    };
    let step = |i: usize| {
        let mut next = state.to_vec();
        next[i] = hands(i)?;
        Some(next)
    };
    (0..n).filter_map(step).collect()
}

#[test]
fn philosophers_reach_as_many_states_as_the_formula_says() {
    // (1 + √2)^N + (1 − √2)^N is 2 for N = 0 and N = 1. Every later value is twice the value before, plus the value
    // before that.
    let mut counts = vec![2, 2];
    for n in 2..=24 {
        counts.push(2 * counts[n - 1] + counts[n - 2]);
    }
    for n in [9, 16, 24] {
        let text = stdout("reachability", &n.to_string());
        assert_eq!(number(&text, "reachable"), counts[n], "N = {n}");
        assert_eq!(number(&text, "deadlocks"), 1, "N = {n}");
    }
}

/// A temporary file that holds `text`, a formula in DIMACS format.
fn formula(text: &str) -> NamedTempFile {
    let mut file = NamedTempFile::new().expect("a file");
    file.write_all(text.as_bytes()).expect("room for it");
    file
}

/// What the example `models` prints about the formula `text`.
fn models(text: &str) -> String {
    models_with("", text)
}

/// The same with more arguments.
fn models_with(arguments: &str, text: &str) -> String {
    let file = formula(text);
    stdout("models", &format!("{} {arguments}", file.path().to_str().expect("UTF-8")))
}

/// What it prints with the variables in the order of their numbers, and in that of its own.
fn models_in_both_orders(text: &str) -> [String; 2] {
    ["--order given", ""].map(|arguments| models_with(arguments, text))
}

/// The first model that the example has printed, if there is one.
fn first(text: &str) -> Option<&str> {
    text.lines().find_map(|line| line.strip_prefix("first:")).map(str::trim)
}

/// A formula of `variables` variables as a DIMACS file has it.
fn dimacs(variables: usize, clauses: &[Vec<i32>]) -> String {
    let words = |clause: &Vec<i32>| clause.iter().chain([&0]).map(i32::to_string).collect::<Vec<_>>().join(" ") + "\n";
    format!("p cnf {variables} {}\n{}", clauses.len(), clauses.iter().map(words).collect::<String>())
}

#[test]
fn clauses_for_n_queens_have_as_many_models_as_there_are_solutions() {
    for (n, solutions) in [(1, 1), (2, 0), (3, 0), (4, 2), (5, 10), (6, 4), (7, 40), (8, 92)] {
        let squares: Vec<(i32, i32)> = (0..n).flat_map(|row| (0..n).map(move |column| (row, column))).collect();
        let name = |(row, column): (i32, i32)| row * n + column + 1;
        // A literal a line: a clause may go on over several lines.
        let clause = |literals: Vec<i32>| literals.iter().map(i32::to_string).collect::<Vec<_>>().join("\n") + " 0\n";
        let row = |row| clause((0..n).map(|column| name((row, column))).collect());
        let mut clauses: Vec<_> = (0..n).map(row).collect();
        for &a in &squares {
            for &b in squares.iter().filter(|&&b| a < b) {
                let apart = ((b.0 - a.0).abs(), (b.1 - a.1).abs());
                if apart.0 == 0 || apart.1 == 0 || apart.0 == apart.1 {
                    clauses.push(clause(vec![-name(a), -name(b)]));
                }
            }
        }
        let text = models_with(
            "--order given",
            &format!("c queens\np cnf {} {}\n{}%\n0\n", n * n, clauses.len(), clauses.concat()),
        );
        assert_eq!(number(&text, "models"), solutions, "N = {n}");
        let first = first(&text);
        assert_eq!(first.is_some(), solutions > 0);
        if n == 4 {
            // The first model is the smallest in the order of squares, with false less than true: in the first row, the
            // queen stands as far right as in any solution.
            assert_eq!(first, Some("-1 -2 3 -4 5 -6 -7 -8 -9 -10 -11 12 -13 14 -15 -16"));
        }
    }
}

#[test]
fn only_the_values_of_shown_variables_tell_models_apart() {
    let clauses = "p cnf 4 2\n-1 2 3 0 -2 -3 0\n";
    assert!(models(clauses).starts_with("models: 10\n") && models(clauses).contains("\nfirst: -1 -2 -3 -4\n"));
    // Every pair of values of the variables 1 and 4 can be extended to a model. The variables 2 and 3 cannot both be
    // true; each of the three other pairs of values can be extended.
    for (shown, count, first) in
        [("1 4", 4, "-1 -4"), ("2 3", 3, "-2 -3"), ("3 0\nc p show 2", 3, "-2 -3"), ("", 1, "")]
    {
        let text = models(&format!("{clauses}c p show {shown} 0\n"));
        assert_eq!(number(&text, "models"), count, "{shown}");
        assert_eq!(self::first(&text), Some(first));
    }
}

#[test]
fn models_are_those_of_the_formula_in_every_order_and_on_any_variables() {
    let mut random = Rng::with_seed(3);
    for _ in 0..40 {
        let mut literal = || if random.bool() { random.i32(1..=8) } else { -random.i32(1..=8) };
        let clauses: Vec<Vec<i32>> = (0..12).map(|_| (0..3).map(|_| literal()).collect()).collect();
        let bit = |literal: i32| 1 << (literal.abs() - 1);
        let holds = |point: u32, literal: i32| (point & bit(literal) > 0) == (literal > 0);
        let is_model = |point: &u32| clauses.iter().all(|clause| clause.iter().any(|&literal| holds(*point, literal)));
        let all: Vec<i32> = (1..=8).collect();
        let some: Vec<i32> = all.iter().copied().filter(|_| random.bool()).collect();
        for shown in [all, some] {
            let mask: u32 = shown.iter().copied().map(bit).sum();
            let right: HashSet<u32> = (0..1 << 8).filter(is_model).map(|point| point & mask).collect();
            let words = shown.iter().map(i32::to_string).collect::<Vec<_>>().join(" ");
            for text in models_in_both_orders(&format!("{}c p show {words} 0\n", dimacs(8, &clauses))) {
                assert_eq!(number(&text, "models"), right.len() as u64, "{clauses:?} on {words}");
                let point = first(&text).map(|first| {
                    let literals = first.split_whitespace().map(|word| word.parse().expect("a literal"));
                    let literals: Vec<i32> = literals.collect();
                    assert!(literals.iter().map(|literal| literal.abs()).eq(shown.iter().copied()));
                    literals.into_iter().filter(|literal| *literal > 0).map(bit).sum::<u32>()
                });
                let is_right = point.map_or(right.is_empty(), |point| right.contains(&point));
                assert!(is_right, "{clauses:?} on {words}");
            }
        }
    }
}

/// Each bucket has several last variables here, and some variables are in a later one, too.
#[test]
fn models_on_some_variables_are_those_that_a_count_without_them_tells() {
    let mut random = Rng::with_seed(8);
    for _ in 0..10 {
        // Each of the variables from 21 on is the conjunction of two others, so that it changes no count.
        let mut clauses: Vec<Vec<i32>> = (0..30)
            .map(|_| (0..3).map(|_| if random.bool() { random.i32(1..=20) } else { -random.i32(1..=20) }).collect())
            .collect();
        let alone = number(&models(&dimacs(20, &clauses)), "models");
        for both in 21..=50 {
            let [a, b] = [(); 2].map(|()| random.i32(1..both));
            clauses.extend([vec![-both, a], vec![-both, b], vec![both, -a, -b]]);
        }
        random.shuffle(&mut clauses);
        let shown = (1..=20).map(|variable| variable.to_string()).collect::<Vec<_>>().join(" ");
        for text in models_in_both_orders(&format!("{}c p show {shown} 0\n", dimacs(50, &clauses))) {
            assert_eq!(number(&text, "models"), alone, "{clauses:?}");
        }
    }
}

#[test]
fn long_clauses_take_no_square_of_their_length() {
    // Seconds if they do.
    let clause: Vec<i32> = (1..=20_000).collect();
    let negated = clause.iter().map(|literal| -literal).collect();
    let text = models(&format!("{}c p show 1 2 0\n", dimacs(20_000, &[clause, negated])));
    assert_eq!(number(&text, "models"), 4);
}

/// Sets of squares of a long board, no two of them side by side, where the squares are numbered at random.
#[test]
fn an_order_in_which_clauses_are_short_makes_small_diagrams() {
    let board = |columns: usize| {
        let mut name: Vec<i32> = (1..).take(2 * columns).collect();
        Rng::with_seed(1).shuffle(&mut name);
        let apart = |a: usize, b: usize| vec![-name[a], -name[b]];
        let beside = (0..columns).map(|column| apart(2 * column, 2 * column + 1));
        let clauses: Vec<_> = beside.chain((0..2 * columns - 2).map(|square| apart(square, square + 2))).collect();
        dimacs(2 * columns, &clauses)
    };
    let (mut before, mut sets) = (1, 3);
    for _ in 1..30 {
        (before, sets) = (sets, 2 * sets + before);
    }
    let both = models_in_both_orders(&board(30));
    assert_eq!(both.each_ref().map(|text| number(text, "models")), [sets; 2]);
    let [given, own] = both.map(|text| number(&text, "requests"));
    assert!(100 * own < given, "{own} requests, {given} in the order of the numbers");
    // A hundred times as long, and hardly more for each column.
    let long = number(&models(&board(3000)), "requests");
    assert!(long < 1000 * own, "{long} requests, {own} for a hundredth");
}

#[test]
fn formulas_without_clauses_and_with_odd_clauses_are_counted_right() {
    for (text, count) in [
        ("p cnf 0 0\n", 1),
        ("p cnf 3 0\n", 8),
        ("p cnf 3 1\n0\n", 0),
        ("c--- none \u{fc}\r\np cnf 3 2\r\n1 -1 0\r\n2 2 0\r\n", 4),
        ("p cnf 1 1\r\n1 0\r\n%\r\n0\r\n\r\n", 1),
    ] {
        assert_eq!(number(&models(text), "models"), count, "{text:?}");
    }
}

#[test]
fn a_fault_in_a_formula_is_reported_with_its_file() {
    for (text, what) in [
        ("1 0\n", "p cnf VARIABLES CLAUSES"),
        ("p cnf 2 1\n1 -3 0\n", "line 2: variable 3 of 2"),
        ("p cnf 2 1\n\n1 x 0\n", "line 3: \"x\""),
        ("p cnf 2 1\n1 2\n", "0 clauses"),
        ("p cnf 2 2\n1 2 0\n", "1 clauses"),
        ("p cnf 2 1\n1 2 0\n%\nc p show 1 0\n", "line 3: \"%\""),
        ("p cnf 16777217 1\n1 0\n", "up to 2^24 variables"),
        ("p cnf 2 1\n-2147483648 0\n", "variable 2147483648 of 2"),
    ] {
        let file = formula(text);
        let path = file.path().to_str().expect("UTF-8");
        let output = run(command("models", path));
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{text:?}: {message}");
        assert!(message.contains(path) && message.contains(what) && output.stdout.is_empty(), "{text:?}: {message}");
    }
    let output = run(command("models", "no/such/file"));
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("error: no/such/file: "));
}

#[test]
fn a_closed_output_pipe_is_no_error() {
    for (name, n) in [("tic_tac_toe", "20"), ("hamiltonian", "4"), ("reachability", "3")] {
        let (reader, writer) = io::pipe().expect("a pipe");
        drop(reader);
        let mut example = command(name, n);
        example.stdout(writer).stderr(Stdio::piped());
        let output = example.spawn().and_then(Child::wait_with_output).expect("the example runs");
        assert_eq!((output.status.code(), &*output.stderr), (Some(0), &[][..]), "{name}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_result_that_cannot_be_written_is_an_error() {
    for (name, n) in [("tic_tac_toe", "20"), ("hamiltonian", "4"), ("reachability", "3")] {
        let full = File::options().write(true).open("/dev/full").expect("Linux has /dev/full");
        let output = command(name, n).stdout(full).output().expect("the example runs");
        assert_eq!(output.status.code(), Some(1), "{name}");
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(message.starts_with("error: cannot write to standard output"), "{name}: {message}");
    }
}

#[test]
fn a_bad_argument_is_named_and_exits_with_2() {
    for (name, values) in [("tic_tac_toe", ["65", "x"]), ("hamiltonian", ["1", "13"]), ("reachability", ["1", "101"])] {
        for value in values {
            let output = run(command(name, value));
            let message = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(2), "{name} {value}: {message}");
            assert!(message.contains(&format!("'{value}'")), "{message}");
        }
        let output = run(command(name, "4 --memory 1MiB"));
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains("16777216 bytes"), "the smallest budget is named");
        assert!(output.stdout.is_empty());
    }
}
