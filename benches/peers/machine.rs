//! The machine and the command behind a table.

use std::{env, error::Error, fs, iter, thread};

/// The machine, the versions of `packages`, and the command of this run of `bench`.
pub fn heading(bench: &str, packages: &[&str]) -> Result<String, Box<dyn Error>> {
    let cpuinfo = fs::read_to_string("/proc/cpuinfo")?;
    let model = cpuinfo.lines().find(|line| line.starts_with("model name")).and_then(|line| line.split(": ").nth(1));
    let version = |name: &&str| {
        let entry = include_str!("../../Cargo.lock").split_once(&format!("name = \"{name}\"\nversion = \""));
        let version = entry.and_then(|(_, entry)| entry.split('"').next());
        version.map(|version| format!("{name} {version}")).ok_or_else(|| format!("{name} is not in Cargo.lock"))
    };
    let versions = packages.iter().map(version).collect::<Result<Vec<_>, _>>()?;
    let versions = if versions.is_empty() { String::new() } else { format!("; {}", versions.join(", ")) };
    let flags = env::args().skip(1).filter(|arg| arg != "--bench");
    let command: Vec<String> = iter::once(format!("cargo bench --bench {bench} --")).chain(flags).collect();
    Ok(format!(
        "{} cores, {}{versions}; `{}`",
        thread::available_parallelism()?,
        model.unwrap_or("unknown CPU"),
        command.join(" "),
    ))
}
