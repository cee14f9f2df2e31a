//! What a table was measured on.

use std::{env, error::Error, fs, iter, thread};

/// Machine, versions of the peers and the command of this run of `bench`.
pub fn heading(bench: &str) -> Result<String, Box<dyn Error>> {
    let cpuinfo = fs::read_to_string("/proc/cpuinfo")?;
    let model = cpuinfo.lines().find(|line| line.starts_with("model name")).and_then(|line| line.split(": ").nth(1));
    let version = |name: &str| {
        let (_, entry) = include_str!("../../Cargo.lock").split_once(&format!("name = \"{name}\"\nversion = \""))?;
        entry.split('"').next()
    };
    let flags = env::args().skip(1).filter(|arg| arg != "--bench");
    let command: Vec<String> = iter::once(format!("cargo bench --bench {bench} --")).chain(flags).collect();
    Ok(format!(
        "{} cores, {}; oxidd {}, biodivine-lib-bdd {}; `{}`",
        thread::available_parallelism()?,
        model.unwrap_or("unknown CPU"),
        version("oxidd").ok_or("oxidd is not in Cargo.lock")?,
        version("biodivine-lib-bdd").ok_or("biodivine-lib-bdd is not in Cargo.lock")?,
        command.join(" "),
    ))
}
