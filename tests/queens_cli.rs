//! Runs the example `queens` as a user does: a process with arguments, two output streams and an exit code.

mod common;

use std::{
    collections::HashSet,
    ffi::OsStr,
    fs,
    io::{self, BufRead, BufReader},
    path::Path,
    process::{Command, Output, Stdio},
};

use common::program::{self, executable, run, stdout, text};
use serde_json::Value;

/// The command that runs `queens` with `arguments`, a list separated by blanks.
fn command(arguments: &str) -> Command {
    program::command("queens", arguments)
}

/// The JSON object that a run with `--json` prints. The run must succeed and print nothing but this one line.
fn json(command: Command) -> Value {
    let stdout = stdout(command);
    assert!(stdout.ends_with('\n') && stdout.lines().count() == 1, "{stdout:?} is not one line");
    serde_json::from_str(&stdout).expect("the line is JSON")
}

/// The standard error of a run that must fail with exit code `code` and print no result.
fn failure(command: Command, code: i32) -> String {
    let shown = format!("{command:?}");
    let Output { status, stdout, stderr } = run(command);
    let stderr = text(&stderr).to_owned();
    assert_eq!(status.code(), Some(code), "{shown}: {stderr}");
    assert!(stderr.starts_with("error: "), "{shown}: {stderr}");
    assert!(!text(&stdout).contains("solutions"), "{shown} prints a result all the same");
    stderr
}

/// The numbers I and M of a line `row I: M nodes`.
fn row(line: &str) -> Option<(u64, u64)> {
    let (row, nodes) = line.strip_prefix("row ")?.strip_suffix(" nodes")?.split_once(": ")?;
    Some((row.parse().ok()?, nodes.parse().ok()?))
}

fn temp_dir() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder for temporary files")
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).expect("the folder is still there").next().is_none()
}

/// The arguments of a short run that spills under the smallest budget.
fn spilling() -> String {
    let runs = (9..=11).map(|n| format!("count {n} --memory 16MiB"));
    let mut runs = runs.filter(|arguments| json(command(&format!("{arguments} --json")))["spilled_bytes"] != 0);
    runs.next().expect("eleven queens outgrow 16 MiB")
}

#[test]
fn temporary_files_go_to_a_disk_unless_somebody_names_a_folder() {
    let help = |set: &dyn Fn(&mut Command) -> &mut Command| {
        let mut command = command("count --help");
        set(&mut command);
        stdout(command)
    };
    let unset = help(&|command| command.env_remove("TMPDIR"));
    let large = if tempfile::tempfile_in("/var/tmp").is_ok() { "/var/tmp" } else { "/tmp" };
    assert!(unset.contains(&format!("[default: {large}]")), "{unset}");
    assert_eq!(help(&|command| command.env("TMPDIR", "")), unset);
    let named = help(&|command| command.env("TMPDIR", "/a/folder"));
    assert!(named.contains("[default: /a/folder]"), "{named}");
}

#[test]
fn solutions_and_nodes_are_the_published_numbers() {
    // N, its solutions, the nodes of the diagram of all solutions, and the nodes of the largest diagram on the way,
    // where that number is published.
    let facts = [
        (1, "1", 1, None),
        (2, "0", 0, None),
        (3, "0", 0, None),
        (4, "2", 29, Some(109)),
        (5, "10", 167, Some(368)),
        (6, "4", 129, Some(1_143)),
        (7, "40", 1_099, Some(3_270)),
        (8, "92", 2_451, None),
        (9, "352", 9_557, Some(44_110)),
        (10, "724", 25_945, Some(212_596)),
    ];
    for (n, solutions, nodes, largest) in facts {
        let result = json(command(&format!("count {n} --json")));
        assert_eq!(result["n"], n);
        assert_eq!(result["solutions"], solutions, "N = {n}");
        assert_eq!(result["nodes"], nodes, "N = {n}");
        if let Some(largest) = largest {
            assert_eq!(result["largest_nodes"], largest, "N = {n}");
        }
    }
}

#[test]
fn the_json_of_a_count_has_every_field() {
    let result = json(command("count 6 --json --memory 20MB --threads 2"));
    let integers =
        ["n", "nodes", "largest_nodes", "widest_level", "processed_requests", "spilled_bytes", "peak_temp_bytes"];
    assert!(integers.iter().all(|&field| result[field].is_u64()), "{result}");
    assert!(["build_seconds", "count_seconds"].iter().all(|&field| result[field].is_f64()), "{result}");
    assert_eq!(result["solutions"], "4");
    assert_eq!(result["memory_budget"], 20_000_000);
    assert_eq!(result["threads"], 2);
    assert_eq!(result["content_hash"].as_str().map(str::len), Some(32), "{result}");
    assert_eq!(result.as_object().map(serde_json::Map::len), Some(13), "{result}");
}

#[test]
fn rows_joined_in_either_order_give_the_same_diagram() {
    let [linear, balanced] =
        ["linear", "balanced"].map(|order| json(command(&format!("count 7 --json --order {order}"))));
    assert_eq!(linear["content_hash"], balanced["content_hash"]);
    assert!(linear["largest_nodes"].as_u64() < balanced["largest_nodes"].as_u64());
    assert_eq!(json(command("count 1 --json --order balanced"))["solutions"], "1");
}

#[test]
fn times_are_shown_when_asked_for() {
    let times = json(command("count 10 --json --times"))["times"].take();
    let seconds = |name: &str| times[name].as_f64().unwrap_or_else(|| panic!("{name} in {times}"));
    assert!(seconds("expand") > 0.0 && seconds("reduce") > 0.0 && seconds("count") > 0.0);
    assert!(seconds("sort") > 0.0 && seconds("sort") < seconds("expand") + seconds("reduce"));
    assert!(seconds("wait for disk") <= 0.0);
    let folder = temp_dir();
    let spilling =
        json(command(&format!("count 11 --memory 16MiB --json --times --temp-dir {}", folder.path().display())));
    assert!(spilling["times"]["wait for disk"].as_f64() > Some(0.0), "{spilling}");
    let stdout = stdout(command("count 6 --times"));
    let last = stdout.lines().last().expect("lines");
    assert!(last.starts_with("expand ") && last.contains("; in them sort "), "{last}");
    assert!(json(command("count 6 --json"))["times"].is_null());
}

#[test]
fn sizes_are_read_in_binary_and_in_decimal_units() {
    for (size, bytes) in [
        ("16777217", 16_777_217_u64),
        ("16777217B", 16_777_217),
        ("20000KiB", 20_480_000),
        ("20000kb", 20_000_000),
        ("16MiB", 16 << 20),
        ("16m", 16 << 20),
        ("4GiB", 4 << 30),
        ("4GB", 4_000_000_000),
    ] {
        assert_eq!(json(command(&format!("count 2 --json --memory {size}")))["memory_budget"], bytes, "{size}");
    }
    assert_eq!(json(command("count 2 --json"))["memory_budget"], 1 << 30, "the default");
}

#[test]
fn a_count_without_json_prints_a_line_for_each_row_and_then_the_result() {
    let text = stdout(command("count 5"));
    let rows: Vec<_> = text.lines().map_while(row).collect();
    assert_eq!(rows.iter().map(|&(row, _)| row).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
    assert_eq!(rows[4].1, 167);
    let rest: Vec<_> = text.lines().skip(5).collect();
    let result = ["solutions: 10", "nodes: 167", "largest diagram: 368 nodes", "widest level: 29 nodes"];
    assert_eq!(rest[..4], result);
    assert!(rest.iter().all(|line| row(line).is_none()), "{text}");
    assert!(!text.contains("temporary files"), "nothing was spilled: {text}");
}

#[test]
fn a_row_is_printed_as_soon_as_it_is_done() {
    let mut child = command("count 20").stdout(Stdio::piped()).spawn().expect("the example starts");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("the pipe can be read");
    // The run would go on for long after row 0; nobody waits for its end.
    child.kill().expect("the example still runs");
    child.wait().expect("the example ends");
    assert_eq!(row(line.trim_end()).map(|(row, _)| row), Some(0), "{line:?}");
}

#[test]
fn progress_without_a_terminal_is_one_line_for_each_row() {
    let output = run(command("count 5 --progress --json"));
    assert_eq!(text(&output.stdout).lines().count(), 1);
    let rows: Option<Vec<_>> = text(&output.stderr).lines().map(row).collect();
    assert_eq!(rows.expect("only rows are on standard error").len(), 5);

    let output = run(command("count 5 --progress"));
    assert_eq!(text(&output.stdout).lines().filter_map(row).count(), 5);
    assert_eq!(text(&output.stderr), "");

    let output = run(command("count 5 --json"));
    assert_eq!(text(&output.stderr), "");
}

#[test]
fn a_bad_argument_is_named_and_exits_with_2() {
    for n in ["0", "-3", "-- -3", "65", "1.5", "eight", "4294967297", "99999999999999999999"] {
        let message = failure(command(&format!("count {n}")), 2);
        let given = n.trim_start_matches("-- ");
        assert!(message.contains(&format!("'{given}'")) && message.contains("from 1 to 64"), "{message}");
    }
    for size in ["x", "", "-1", "MiB", "1.5GiB", "16MiBs", "1 MiB 2", "99999999TiB", "99999999999999999999"] {
        let mut queens = command("count 4 --memory");
        queens.arg(size);
        let message = failure(queens, 2);
        assert!(message.contains("--memory"), "{message}");
    }
    for arguments in
        ["count", "count 4 5", "count 4 --threads 0", "count 4 --threads -1", "count 4 --memroy 1GiB", "cuont"]
    {
        failure(command(arguments), 2);
    }
}

#[test]
fn a_budget_below_the_minimum_is_a_bad_argument() {
    for size in ["1MiB", "0", "16777215"] {
        let message = failure(command(&format!("count 4 --memory {size}")), 2);
        assert!(message.contains("16777216 bytes"), "{message}");
    }
}

#[test]
fn a_temporary_folder_that_takes_no_files_is_named() {
    let folder = temp_dir();
    let file = folder.path().join("file");
    fs::write(&file, "").expect("the folder takes files");
    for path in [folder.path().join("missing"), file] {
        let mut queens = command("count 4 --json --temp-dir");
        queens.arg(&path);
        let message = failure(queens, 1);
        assert!(message.contains(&path.display().to_string()), "{message}");
    }
}

#[test]
fn a_run_that_spills_says_so_and_leaves_nothing_behind() {
    let folder = temp_dir();
    let mut queens = command(&spilling());
    queens.arg("--temp-dir").arg(folder.path());
    let text = stdout(queens);
    assert!(text.contains("temporary files: "), "{text}");
    assert!(is_empty(folder.path()));
}

/// A limit on the size of files stands in for a full disk: a write in the middle of the work fails.
#[cfg(unix)]
#[test]
fn a_full_disk_is_an_error_and_leaves_nothing_behind() {
    let folder = temp_dir();
    let mut shell = Command::new("sh");
    shell.args(["-c", r#"ulimit -f 64; trap "" XFSZ; exec "$0" "$@""#]).arg(executable("queens"));
    shell.args(spilling().split_whitespace()).args([OsStr::new("--temp-dir"), folder.path().as_os_str()]);
    let message = failure(shell, 1);
    assert!(message.contains(&folder.path().display().to_string()), "{message}");
    assert!(is_empty(folder.path()));
}

#[test]
fn a_closed_output_pipe_is_no_error() {
    let (reader, writer) = io::pipe().expect("a pipe");
    drop(reader);
    let mut queens = command("count 6");
    queens.stdout(writer).stderr(Stdio::piped());
    let output = queens.spawn().and_then(std::process::Child::wait_with_output).expect("the example runs");
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
}

#[cfg(target_os = "linux")]
#[test]
fn a_result_that_cannot_be_written_is_an_error() {
    let full = fs::File::options().write(true).open("/dev/full").expect("Linux has /dev/full");
    let mut queens = command("count 4 --json");
    queens.stdout(full).stderr(Stdio::piped());
    let output = queens.spawn().and_then(std::process::Child::wait_with_output).expect("the example runs");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).starts_with("error: cannot write to standard output"));
}

/// The row of the queen in each column, read from a printed line. The line must be a solution: no queen attacks
/// another.
fn solution(line: &str) -> Vec<i64> {
    let rows: Vec<i64> = line.split(' ').map(|word| word.parse().expect("a row is a number")).collect();
    let n = i64::try_from(rows.len()).expect("the number of columns fits an i64");
    let lines: [fn((i64, i64)) -> i64; 3] =
        [|(_, row)| row, |(column, row)| column + row, |(column, row)| column - row];
    for line in lines {
        let taken: HashSet<_> = (0..).zip(rows.iter().copied()).map(line).collect();
        assert_eq!(taken.len(), rows.len(), "{rows:?}");
    }
    assert!(rows.iter().all(|row| (0..n).contains(row)), "{rows:?}");
    rows
}

#[test]
fn one_prints_a_solution_as_a_line_of_rows() {
    for n in [1, 4, 5, 6, 7, 8, 9, 10, 15, 31, 64, 100, 1_000, 20_000] {
        let text = stdout(command(&format!("one {n}")));
        let line = text.strip_suffix('\n').expect("a line ends");
        assert_eq!(solution(line).len(), n, "N = {n}");
    }
}

#[test]
fn equal_seeds_find_the_same_solution_and_different_seeds_different_solutions() {
    let line = |seed: &str| stdout(command(&format!("one 50 {seed}")));
    assert_eq!(line("--seed 0"), line(""));
    assert_eq!(line("--seed 18446744073709551615"), line("--seed 18446744073709551615"));
    let lines: HashSet<_> = (0..20).map(|seed| line(&format!("--seed {seed}"))).collect();
    assert_eq!(lines.len(), 20);
    for line in lines {
        solution(line.trim_end());
    }
}

#[test]
fn the_line_the_board_and_the_json_show_the_same_rows() {
    let text = stdout(command("one 12 --board --seed 5"));
    let (line, board) = text.split_once('\n').expect("the rows, then the board");
    let rows = solution(line);
    let board: Vec<_> = board.lines().collect();
    assert_eq!(board.len(), 12);
    for (row, line) in (0..).zip(board) {
        let drawn: String = rows.iter().map(|&queen| if queen == row { 'Q' } else { '.' }).collect();
        assert_eq!(line, drawn);
    }
    let result = json(command("one 12 --json --seed 5"));
    assert_eq!(result["rows"], serde_json::json!(rows));
    assert_eq!((&result["n"], &result["seed"]), (&12.into(), &5.into()));
    assert!(
        ["swaps", "restarts"].iter().all(|&field| result[field].is_u64()) && result["seconds"].is_f64(),
        "{result}"
    );
    assert_eq!(result.as_object().map(serde_json::Map::len), Some(6), "{result}");
}

#[test]
fn a_board_without_a_solution_is_an_error_that_names_the_board() {
    for n in [2, 3] {
        for option in ["", "--json", "--board"] {
            let message = failure(command(&format!("one {n} {option}")), 1);
            assert!(message.contains(&format!("{n}×{n}")), "{message}");
        }
    }
}

#[test]
fn a_bad_argument_of_one_is_named_and_exits_with_2() {
    for n in ["0", "-3", "1000001", "1.5", "eight", "4294967297"] {
        let message = failure(command(&format!("one {n}")), 2);
        assert!(message.contains(&format!("'{n}'")) && message.contains("from 1 to 1000000"), "{message}");
    }
    for arguments in ["one", "one 4 --seed -1", "one 4 --seed x", "one 4 --json --board", "one 4 --memory 1GiB"] {
        failure(command(arguments), 2);
    }
}

#[test]
fn the_baseline_counts_the_published_solutions_with_and_without_symmetry() {
    let facts = [1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2_680, 14_200];
    for (n, solutions) in (1..).zip(facts) {
        for symmetry in [false, true] {
            let result = json(command(&format!("baseline {n} --json {}", if symmetry { "--symmetry" } else { "" })));
            assert_eq!(result["solutions"], solutions.to_string(), "N = {n}");
            assert_eq!((&result["n"], &result["symmetry"]), (&n.into(), &symmetry.into()));
            assert!(result["seconds"].is_f64(), "{result}");
            assert_eq!(result.as_object().map(serde_json::Map::len), Some(4), "{result}");
        }
    }
}

#[test]
fn a_baseline_without_json_prints_two_lines() {
    let text = stdout(command("baseline 8 --symmetry"));
    let lines: Vec<_> = text.lines().collect();
    assert_eq!((lines.len(), lines[0]), (2, "solutions: 92"));
    assert!(lines[1].starts_with("time: "), "{text}");
}

#[test]
fn a_bad_argument_of_baseline_is_named_and_exits_with_2() {
    for n in ["0", "-3", "21", "1.5", "eight", "4294967297"] {
        let message = failure(command(&format!("baseline {n}")), 2);
        assert!(message.contains(&format!("'{n}'")) && message.contains("from 1 to 20"), "{message}");
    }
    for arguments in ["baseline", "baseline 4 5", "baseline 4 --seed 1"] {
        failure(command(arguments), 2);
    }
}

#[test]
fn both_ways_of_listing_print_every_solution_in_lexicographic_order() {
    for (n, count) in [(1, 1), (2, 0), (3, 0), (4, 2), (5, 10), (6, 4), (7, 40), (8, 92), (9, 352)] {
        let listed = stdout(command(&format!("list {n}")));
        let lines: Vec<Vec<i64>> = listed.lines().map(solution).collect();
        assert_eq!(lines.len(), count);
        assert!(lines.is_sorted_by(|a, b| a < b) && lines.iter().all(|rows| rows.len() == n));
        assert_eq!(stdout(command(&format!("list {n} --via iterate --memory 16MiB"))), listed);
    }
}

#[test]
fn a_list_can_be_limited_and_drawn() {
    let all = stdout(command("list 6"));
    for (limit, way) in [(0, "restrict"), (3, "restrict"), (3, "iterate"), (100, "iterate")] {
        let listed = stdout(command(&format!("list 6 --limit {limit} --via {way}")));
        assert_eq!(listed.lines().collect::<Vec<_>>(), all.lines().take(limit).collect::<Vec<_>>());
    }
    let drawn = stdout(command("list 4 --board --limit 1"));
    assert_eq!(drawn, "1 3 0 2\n..Q.\nQ...\n...Q\n.Q..\n\n");
    assert!(failure(command("list 4 --limit x"), 2).contains("limit"));
    assert!(failure(command("list 0"), 2).contains("whole number"));
}

#[test]
fn unique_solutions_are_the_published_numbers() {
    for (n, unique) in [(1, 1), (2, 0), (4, 1), (5, 2), (6, 1), (7, 6), (8, 12), (9, 46), (10, 92), (11, 341)] {
        let found = json(command(&format!("unique {n} --json")));
        assert_eq!(found["unique"], unique.to_string(), "N = {n}");
        let classes = |size: u64| found[format!("classes_of_{size}")].as_str().and_then(|n| n.parse::<u64>().ok());
        let solutions: u64 = [1, 2, 4, 8].map(|size| size * classes(size).expect("a number")).iter().sum();
        assert_eq!(found["solutions"], solutions.to_string(), "N = {n}");
    }
    assert!(
        stdout(command("unique 8"))
            .ends_with("unique: 12\nclasses of 1: 0\nclasses of 2: 0\nclasses of 4: 1\nclasses of 8: 11\n")
    );
}

#[test]
fn samples_are_solutions_and_depend_on_the_seed_but_not_on_the_budget() {
    let drawn = stdout(command("sample 6 --count 300 --seed 5"));
    assert_eq!(drawn.lines().count(), 300);
    let different: HashSet<Vec<i64>> = drawn.lines().map(solution).collect();
    assert_eq!(different.len(), 4, "all four solutions come up");
    assert_eq!(stdout(command("sample 6 --count 300 --seed 5 --memory 16MiB")), drawn);
    assert_ne!(stdout(command("sample 6 --count 300 --seed 6")), drawn);
    assert_eq!(stdout(command("sample 6 --count 0")), "");
    failure(command("sample 3"), 1);
    assert!(stdout(command("sample 1 --board")).starts_with("0\nQ\n"));
}
