//! Formulas in conjunctive normal form, as DIMACS files have them.

use std::{collections::BTreeSet, error::Error};

/// Literals: variables, counted from 0, and the values that make them true.
pub type Clause = Vec<(u32, bool)>;

/// A formula, and what is asked of it.
pub struct Formula {
    pub variables: u32,
    pub clauses: Vec<Clause>,
    /// The variables whose values tell models apart.
    pub shown: BTreeSet<u32>,
}

/// Reads a formula.
pub fn parse(text: &str) -> Result<Formula, Box<dyn Error>> {
    // Files of SATLIB end like this.
    let text = text.trim_end().strip_suffix('0').and_then(|text| text.trim_end().strip_suffix("\n%")).unwrap_or(text);
    let lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let header = lines.clone().find_map(|words| match words[..] {
        ["p", "cnf", variables, clauses] => Some((variables.parse().ok()?, clauses.parse::<usize>().ok()?)),
        _ => None,
    });
    let header = header.filter(|&(variables, _)| variables <= 1 << 24);
    let (variables, announced) = header.ok_or("no line \"p cnf VARIABLES CLAUSES\" with up to 2^24 variables")?;
    let (mut clauses, mut clause, mut shown) = (Vec::new(), Vec::new(), None::<BTreeSet<_>>);
    for (words, number) in lines.zip(1..) {
        let literal = |word| literal(word, variables).map_err(|what| format!("line {number}: {what}"));
        let literals = |words: &[_]| words.iter().map(|&word| literal(word)).collect::<Result<Vec<_>, _>>();
        match words[..] {
            ["c", "p", "show", ref words @ ..] => {
                shown.get_or_insert_default().extend(literals(words)?.iter().flatten().map(|literal| literal.0));
            }
            [word, ..] if word.starts_with(['c', 'p']) => {}
            ref words => literals(words)?.into_iter().for_each(|literal| match literal {
                Some(literal) => clause.push(literal),
                None => clauses.push(std::mem::take(&mut clause)),
            }),
        }
    }
    if clauses.len() != announced || !clause.is_empty() {
        return Err(format!("{} clauses end with 0, of the {announced} announced", clauses.len()).into());
    }
    Ok(Formula { variables, clauses, shown: shown.unwrap_or_else(|| (0..variables).collect()) })
}

/// The variable, counted from 0, and the value that make the literal `word` true; `None` for the 0 that ends a clause.
fn literal(word: &str, variables: u32) -> Result<Option<(u32, bool)>, String> {
    let number: i32 = word.parse().map_err(|_| format!("{word:?} is no literal"))?;
    match number.unsigned_abs() {
        variable if variable > variables => Err(format!("variable {variable} of {variables}")),
        variable => Ok(variable.checked_sub(1).map(|variable| (variable, number > 0))),
    }
}
