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
        let code: String = code.split_whitespace().collect();
        // The toolbox and the plain values know nothing of each other.
        let strangers: &[&str] = if name.starts_with("disk/") { &["model"] } else { &[] };
        for other in floors[..floor].iter().chain(strangers) {
            for form in [format!("crate::{other}"), format!("crate::{{{other}"), format!(",{other}::")] {
                assert!(!code.contains(&form), "src/{name} uses {other}");
            }
        }
    }
}
