//! temp
use strata_bdd::*;
fn main() -> Result<()> {
    let n: u32 = std::env::args().nth(1).unwrap().parse().unwrap();
    let mem: usize = std::env::args().nth(2).unwrap_or("4096".into()).parse::<usize>().unwrap() << 20;
    let store = Store::new(Config { memory: mem, ..Config::default() })?;
    let s = |i: u32, j: u32| -> Result<Bdd> {
        let mut b = store.builder()?;
        let mut below: BuilderNode = true.into();
        for r in (0..n).rev() {
            for c in (0..n).rev() {
                let v = r * n + c;
                if (r, c) == (i, j) {
                    below = b.add_node(v, false, below)?;
                } else if r == i || c == j || r.abs_diff(i) == c.abs_diff(j) {
                    below = b.add_node(v, below, false)?;
                }
            }
        }
        b.build()
    };
    let mut all: Option<Bdd> = None;
    let mut largest = 0;
    for i in 0..n {
        let mut row = s(i, 0)?;
        for j in 1..n {
            row = row.or(&s(i, j)?)?;
        }
        all = Some(match all {
            None => row,
            Some(b) => b.and(&row)?,
        });
        let b = all.as_ref().unwrap();
        largest = largest.max(b.node_count());
        println!("row {i}: {} nodes", b.node_count());
    }
    let b = all.unwrap();
    println!("{} solutions, {} nodes, largest {largest}", b.sat_count(n * n)?, b.node_count());
    let st = store.stats();
    println!("{st:?}");
    let hwm = std::fs::read_to_string("/proc/self/status").unwrap();
    println!("{}", hwm.lines().find(|l| l.starts_with("VmHWM")).unwrap());
    Ok(())
}
