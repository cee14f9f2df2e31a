//! Checks the layout of `src` that the library's documentation promises: which module may use which, and where some
//! crates are used.

use std::{fs, path::Path};

/// Every source file of the library: its path below `src`, and its text.
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

/// The source files that hold `word` outside of comment lines.
fn files_with(word: &str) -> Vec<String> {
    let holds = |text: &str| text.lines().any(|line| !line.trim_start().starts_with("//") && line.contains(word));
    sources().into_iter().filter(|(_, text)| holds(text)).map(|(name, _)| name).collect()
}

#[test]
fn no_code_is_unsafe() {
    assert!(files_with("unsafe").is_empty());
}

#[test]
fn extsort_and_memmap2_are_used_in_one_file_each_and_clap_in_none() {
    assert_eq!(files_with("extsort"), ["disk/external.rs"]);
    assert_eq!(files_with("memmap2"), ["disk/pages.rs"]);
    assert!(files_with("clap").is_empty());
}

/// The paths that `code` names, each from the root of the crate, such as `sweep::run::Run`. `code` is the code of the
/// file `name`, without white space.
fn paths(name: &str, code: &str) -> Vec<String> {
    let own: Vec<&str> = name.trim_end_matches("/mod.rs").trim_end_matches(".rs").split('/').collect();
    let mut code = code.to_owned();
    for up in (1..=own.len()).rev() {
        let parents = [&["crate"], &own[..own.len() - up], &[""]].concat().join("::");
        code = code.replace(&"super::".repeat(up), &parents);
    }
    let mut found = Vec::new();
    for tree in code.split("crate::").skip(1) {
        read_tree(tree, "", &mut found);
    }
    found
}

/// Adds to `found` all paths of the import tree at the start of `text`, each below `path`. Returns the text after the
/// tree.
fn read_tree<'a>(text: &'a str, path: &str, found: &mut Vec<String>) -> &'a str {
    let end = text.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let path = if path.is_empty() || name.is_empty() { format!("{path}{name}") } else { format!("{path}::{name}") };
    let rest = rest.strip_prefix("::").unwrap_or(rest);
    let Some(mut inner) = rest.strip_prefix('{') else {
        if text.len() > end + 2 && text[end..].starts_with("::") && !name.is_empty() {
            return read_tree(rest, &path, found);
        }
        found.push(path);
        return rest;
    };
    while !inner.is_empty() && !inner.starts_with('}') {
        inner = read_tree(inner, &path, found);
        inner = inner.strip_prefix(',').unwrap_or(inner);
    }
    inner.strip_prefix('}').unwrap_or(inner)
}

#[test]
fn paths_are_found_in_every_form_of_import() {
    for (name, code, found) in [
        ("disk/a.rs", "usecrate::bdd::Bdd;usesuper::b::B;", vec!["bdd::Bdd", "disk::b::B"]),
        (
            "disk/a.rs",
            "usecrate::{bdd,error::{Error,Result},model};f({text,1})",
            vec!["bdd", "error::Error", "error::Result", "model"],
        ),
        (
            "disk/a.rs",
            "usecrate::{error::Error,file::{self,a::{A,store}},sweep::B,};x",
            vec!["error::Error", "file::self", "file::a::A", "file::a::store", "sweep::B"],
        ),
        ("disk/a.rs", "usesuper::super::{model::op,text};usesuper::super::bdd;", vec!["model::op", "text", "bdd"]),
        ("disk/a/b.rs", "usesuper::super::bdd;usesuper::super::super::text;", vec!["disk::bdd", "text"]),
        ("disk/mod.rs", "usesuper::bdd;crate::store::Store::new()", vec!["bdd", "store::Store::new"]),
        ("error.rs", "usesuper::bdd::Bdd;", vec!["bdd::Bdd"]),
    ] {
        assert_eq!(paths(name, code), found, "{code} in {name}");
    }
}

/// Checks that every file below the folder `of` uses only its own module and the modules after its own in `floors`.
fn check_floors(of: &str, floors: &str) {
    let floors: Vec<_> = floors.split_whitespace().collect();
    let mut seen = 0;
    for (name, text) in sources() {
        let Some(below) = name.strip_prefix(of).filter(|below| !["lib.rs", "mod.rs"].contains(below)) else { continue };
        let own = below.split(['/', '.']).next().unwrap_or_default();
        let floor = floors.iter().position(|floor| *floor == own);
        let floor = floor.unwrap_or_else(|| panic!("src/{name} is of no module in the list"));
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        let code = code.lines().filter(|line| !line.trim_start().starts_with("//"));
        let code: String = code.flat_map(str::split_whitespace).collect();
        let inside = of.replace('/', "::");
        for path in paths(&name, &code) {
            let Some(other) = path.strip_prefix(&inside).and_then(|path| path.split("::").next()) else { continue };
            assert!(floors[floor..].contains(&other), "src/{name} must not use {path}");
            seen += 1;
        }
    }
    assert!(seen > 20);
}

#[test]
fn imports_flow_one_way() {
    check_floors("", "constraint builder bdd store text sweep file disk model error progress");
    check_floors(
        "sweep/",
        "ops validate essential search build nest lift small down compact up fold marks identity spec run desk team lateness division table",
    );
    check_floors(
        "disk/",
        "queue gather dense array external sorter insertion parted stack spool part source stretch packet packed ascending cells \
         words checked space scratch meter clock charge buffer pool room pages limits lane backend named",
    );
    check_floors("file/", "saved check walk unreduced writer reader node_file labels level_map levels");
}

#[test]
fn the_disk_toolbox_does_not_use_the_model() {
    for (name, text) in sources().into_iter().filter(|(name, _)| name.starts_with("disk/")) {
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        let code: String = code.split_whitespace().collect();
        assert!(!paths(&name, &code).iter().any(|path| path.starts_with("model")), "src/{name} must not use the model");
    }
}
