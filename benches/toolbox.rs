//! What single parts cost: sorting and queueing per record, and operations on the smallest diagrams.

use std::{hint::black_box, sync::Arc};

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use fastrand::Rng;
use strata_bdd::{
    Bdd, Config, Result, Store,
    testing::{LevelQueue, Limits, Os, Pool, Scratch, Share, Sorter, Space, Spool},
};

/// A space with the limits of a budget of 1 GiB.
fn space() -> Space {
    let limits = Limits::of(1 << 30);
    let pool = Pool::new(&limits);
    let scratch = Scratch::new(pool.largest(), Arc::new(Os::new(std::env::temp_dir())), Arc::default());
    Space::new(pool, Arc::new(limits), scratch)
}

/// Requests as a sweep has them: two ids from the ranges of some levels, and a slot.
fn requests(count: u32) -> impl Iterator<Item = [u32; 3]> {
    let mut random = Rng::with_seed(1);
    (0..count).map(move |slot| [1_000_000 + random.u32(..count), 5_000 + random.u32(..1000), 4_000_000 + slot])
}

fn sorting(criterion: &mut Criterion) {
    let space = space();
    let mut sorter = Sorter::default();
    let mut group = criterion.benchmark_group("push and sort a level of requests");
    for count in [100, 10_000, 1_000_000] {
        group.throughput(Throughput::Elements(u64::from(count)));
        group.bench_with_input(BenchmarkId::from_parameter(count), &count, |bencher, &count| {
            bencher.iter(|| -> Result<()> {
                let mut spool = Spool::new(Share::Queue);
                requests(count).try_for_each(|request| spool.append(request, &space))?;
                sorter.sort(&mut spool, 2, &space, &mut |batch| {
                    black_box(batch);
                    Ok(())
                })
            });
        });
    }
    group.finish();
}

fn queueing(criterion: &mut Criterion) {
    let space = space();
    let mut group = criterion.benchmark_group("push to the levels of a queue");
    for levels in [10usize, 100, 1000] {
        const COUNT: u32 = 1_000_000;
        group.throughput(Throughput::Elements(u64::from(COUNT)));
        group.bench_with_input(BenchmarkId::from_parameter(levels), &levels, |bencher, &levels| {
            bencher.iter_batched(
                || LevelQueue::new(levels, &space).expect("the share is free"),
                |mut queue| {
                    requests(COUNT)
                        .try_for_each(|request| queue.push(request[1] as usize % levels, request, &space))
                        .map(|()| queue)
                },
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

/// The parity of `count` variables from `first` up, a diagram of 2 · `count` − 1 nodes.
fn parity(store: &Store, first: u32, count: u32) -> Result<Bdd> {
    (first + 1..first + count)
        .try_fold(store.variable(first)?, |parity, variable| parity.xor(&store.variable(variable)?))
}

fn small_diagrams(criterion: &mut Criterion) {
    let store = Store::new(Config::default()).expect("the scratch folder is there");
    let (x, y) = (store.variable(0).expect("in range"), store.variable(1).expect("in range"));
    criterion.bench_function("and of two single nodes", |bencher| bencher.iter(|| x.and(&y)));
    let (f, g) = (parity(&store, 0, 5).expect("small"), parity(&store, 3, 5).expect("small"));
    assert_eq!((f.node_count(), g.node_count()), (9, 9));
    criterion.bench_function("and of two diagrams of 9 nodes", |bencher| bencher.iter(|| f.and(&g)));
    criterion.bench_function("a chain of 10 nodes by the builder", |bencher| {
        bencher.iter(|| -> Result<Bdd> {
            let mut builder = store.builder()?;
            let mut below = true.into();
            for variable in (0..10).rev() {
                below = builder.add_node(variable, false, below)?;
            }
            builder.build()
        });
    });
    criterion.bench_function("satcount of a diagram of 9 nodes", |bencher| bencher.iter(|| f.sat_count(5)));
}

criterion_group!(benches, sorting, queueing, small_diagrams);
criterion_main!(benches);
