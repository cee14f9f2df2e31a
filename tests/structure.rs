//! The layout that the library's documentation promises.

use std::{fs, path::Path};

/// Every source file of the library with its path below `src`.
fn sources() -> Vec<(String, String)> {
    fn walk(folder: &Path, found: &mut Vec<(String, String)>) {
        for entry in fs::read_dir(folder).expect("src is there").map(|entry| entry.expect("readable").path()) {
            if entry.is_dir() {
                walk(&entry, found);
            } else {
                let text = fs::read_to_string(&entry).expect("sources are text");
                let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
                let name = entry.strip_prefix(root).expect("below src").display().to_string();
                found.push((name, text));
            }
        }
    }
    let mut found = Vec::new();
    walk(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
    assert!(found.len() > 20);
    found
}

/// The files whose code holds `word`.
fn files_with(word: &str) -> Vec<String> {
    let holds = |text: &str| text.lines().any(|line| !line.trim_start().starts_with("//") && line.contains(word));
    sources().into_iter().filter(|(_, text)| holds(text)).map(|(name, _)| name).collect()
}

#[test]
fn nothing_is_unsafe() {
    assert!(files_with("unsafe").is_empty());
}

#[test]
fn each_mandated_crate_stands_where_it_belongs() {
    assert_eq!(files_with("extsort"), ["disk/external.rs"]);
    assert_eq!(files_with("memmap2"), ["disk/pages.rs"]);
    assert!(files_with("clap").is_empty());
}

/// The modules at the top of the crate to which paths from there lead in the code of the file `name`, without white space.
fn reached(name: &str, code: &str) -> Vec<String> {
    let levels = name.trim_end_matches("/mod.rs").split('/').count();
    let code = code.replace(&"super::".repeat(levels), "crate::");
    let mut reached = Vec::new();
    for path in code.split("crate::").skip(1) {
        let pieces = if path.starts_with('{') { usize::MAX } else { 1 };
        let mut depth = 0;
        for piece in path.split_inclusive(['{', ',', '}']).take(pieces) {
            if depth < 2 {
                let name = piece.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next();
                reached.extend(name.map(str::to_owned));
            }
            depth += i32::from(piece.ends_with('{')) - i32::from(piece.ends_with('}'));
            if depth == 0 {
                break;
            }
        }
    }
    reached.retain(|name| !name.is_empty());
    reached
}

#[test]
fn every_form_of_import_is_seen() {
    for (name, code, modules) in [
        ("disk/a.rs", "usecrate::bdd::Bdd;usesuper::b::B;", vec!["bdd"]),
        ("disk/a.rs", "usecrate::{bdd,error::{Error,Result},model};f({text,1})", vec!["bdd", "error", "model"]),
        ("disk/a.rs", "usecrate::{error::Error,file::{self,a::{A,store}},sweep::B,};x", vec!["error", "file", "sweep"]),
        ("disk/a.rs", "usesuper::super::{model::op,text};usesuper::super::bdd;", vec!["model", "text", "bdd"]),
        ("disk/a/b.rs", "usesuper::super::bdd;usesuper::super::super::text;", vec!["text"]),
        ("disk/mod.rs", "usesuper::bdd;crate::store::Store::new()", vec!["bdd", "store"]),
        ("error.rs", "usesuper::bdd::Bdd;", vec!["bdd"]),
    ] {
        assert_eq!(reached(name, code), modules, "{code} in {name}");
    }
}

#[test]
fn imports_flow_one_way() {
    // Each floor may use those after it.
    let floors = ["constraint", "builder", "bdd", "store", "text", "sweep", "file", "disk", "model", "error"];
    for (name, text) in sources() {
        let is_of = |floor: &&str| name == format!("{floor}.rs") || name.starts_with(&format!("{floor}/"));
        let Some(floor) = floors.iter().position(is_of) else {
            assert_eq!(name, "lib.rs", "a file of no floor");
            continue;
        };
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        let code = code.lines().filter(|line| !line.trim_start().starts_with("//"));
        let code: String = code.flat_map(str::split_whitespace).collect();
        // The toolbox and the plain values know nothing of each other.
        let strangers: &[&str] = if name.starts_with("disk/") { &["model"] } else { &[] };
        for other in reached(&name, &code) {
            let is_below = floors[floor..].contains(&&*other) && !strangers.contains(&&*other);
            assert!(is_below, "src/{name} uses {other}");
        }
    }
}
