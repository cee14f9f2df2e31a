//! The programs that are measured side by side.

use clap::ValueEnum;

/// This library, and two packages that keep everything in RAM.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub enum Program {
    Ours,
    Oxidd,
    LibBdd,
}

impl Program {
    /// The name in the table; `memory` is the budget of ours.
    pub fn title(self, memory: &str) -> String {
        match self {
            Program::Ours => format!("ours, {memory}"),
            Program::Oxidd => "OxiDD".into(),
            Program::LibBdd => "lib-bdd".into(),
        }
    }
}

/// The name of `value` on the command line.
#[allow(dead_code, reason = "one bench spells its command lines out")]
pub fn name_of(value: &impl ValueEnum) -> String {
    value.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}
