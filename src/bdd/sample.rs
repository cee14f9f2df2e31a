//! Drawing assignments at random, by a fold.

use super::{Bdd, domain::Domain};
use crate::{
    error::{Error, Result},
    sweep::fold::sample::draw,
};

impl Bdd {
    /// `count` assignments to the variables of `domain` for which the function is true, drawn independently of each other, each
    /// of all such assignments being equally likely; the values stand in the order of the domain. For false, which is true for
    /// none, the answer is empty. `domain.zip(values)` are the literals of one, for [`Store::cube`](crate::Store::cube).
    ///
    /// A sample depends on the diagram, the seed, its own number and nothing else: every budget draws the same, a larger `count`
    /// begins with the samples of a smaller one, and a larger domain gives more values to the same samples. The choices are those
    /// of exact arithmetic, however large the counts; the random digits they are made with are those of `SplitMix64` (Steele,
    /// Lea, Flood, 2014), one stream for each sample and variable.
    ///
    /// One top-down sweep that counts, and one back, on which all samples go together: O(sort(f) + sort(`count` · levels))
    /// transfers. (Where a random number comes closer to the border between two choices than the 64 or 128 bits of the counts
    /// can tell, both are done once more with longer ones.) The samples themselves take a byte for each value and 24 for each
    /// sample, outside the budget.
    ///
    /// # Errors
    /// [`Error::DomainOrder`] when the domain does not ascend, [`Error::OutsideDomain`] when the function depends on a variable
    /// that is not in it, [`Error::VariableOutOfRange`], [`Error::TooManySamples`] when the system has no memory for the samples,
    /// and those of the disk and the budget.
    ///
    /// After: D. E. Knuth, *The Art of Computer Programming*, volume 4A, section 7.1.4.
    ///
    /// [`Error::DomainOrder`]: crate::Error::DomainOrder
    /// [`Error::OutsideDomain`]: crate::Error::OutsideDomain
    /// [`Error::VariableOutOfRange`]: crate::Error::VariableOutOfRange
    /// [`Error::TooManySamples`]: crate::Error::TooManySamples
    ///
    /// ```
    /// # use strata_bdd::{Config, Store};
    /// let store = Store::new(Config::default())?;
    /// let f = store.variable(3)?.or(&store.variable(5)?)?;
    /// let samples = f.sample(100, 1, [3, 4, 5])?;
    /// assert_eq!(samples.len(), 100);
    /// assert!(samples.iter().all(|sample| sample[0] || sample[2]));
    /// assert_eq!(samples[..7], f.sample(7, 1, [3, 4, 5])?);
    /// assert_eq!(store.constant(false).sample(100, 1, [3, 4, 5])?.len(), 0);
    /// # Ok::<(), strata_bdd::Error>(())
    /// ```
    pub fn sample(&self, count: usize, seed: u64, domain: impl IntoIterator<Item = u32>) -> Result<Vec<Vec<bool>>> {
        let domain = Domain::of(self, domain)?;
        if self.is_false() {
            return Ok(Vec::new());
        }
        let random = |sample, variable, digit| digit_of(seed, sample, variable, digit);
        // Levels that a path skips, and variables without a level, get the value of a coin.
        let coin = |sample, variable| random(sample, Some(variable), 0) >> 63 == 1;
        let mut samples: Vec<Vec<bool>> = Vec::new();
        let too_many = |_| Error::TooManySamples { count };
        samples.try_reserve_exact(count).map_err(too_many)?;
        for sample in 0..count as u64 {
            let mut values = Vec::new();
            values.try_reserve_exact(domain.variables.len()).map_err(too_many)?;
            values.extend(domain.variables.iter().map(|&variable| coin(sample, variable)));
            samples.push(values);
        }
        if !self.is_constant() {
            let step = |sample: u64, rank, value| samples[sample as usize][domain.place(rank)] = value;
            self.store.run("sample", |run| draw(&self.file, !self.complement, count as u64, random, step, run))?;
        }
        Ok(samples)
    }
}

/// A random digit in base 2^64; its stream comes from mixing in `seed`, `sample` and `variable`, one after another.
fn digit_of(seed: u64, sample: u64, variable: Option<u32>, digit: u64) -> u64 {
    let variable = variable.map_or(u64::MAX, u64::from);
    split_mix(split_mix(split_mix(split_mix(seed, 1) ^ sample, 1) ^ variable, 1), 1 + digit)
}

/// The `n`-th number, from 1, of `SplitMix64` that starts at `seed`.
fn split_mix(seed: u64, n: u64) -> u64 {
    let mixed = seed.wrapping_add(n.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::store::{Config, Store};

    #[test]
    fn the_generator_gives_the_published_numbers() {
        let published = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!([1, 2, 3].map(|n| split_mix(1_234_567, n)), published);
    }

    /// The paths that walkers take with these digits: the values of the three variables, where a walker has met them.
    fn paths(f: &Bdd, walkers: u64, digits: impl Fn(u64, Option<u32>, u64) -> u64) -> Vec<[Option<bool>; 3]> {
        let mut paths = vec![[None; 3]; walkers as usize];
        let step = |walker: u64, rank, value| {
            let variable = f.file.variable(rank) as usize;
            let before = paths[walker as usize][variable].replace(value);
            assert!(before.is_none_or(|before| before == value), "a second try goes another way");
        };
        f.store.run("sample", |run| draw(&f.file, !f.complement, walkers, digits, step, run)).expect("room");
        paths
    }

    /// Every function of three variables that is no constant, with the number of the points where it is true.
    fn functions(store: &Store) -> impl Iterator<Item = (Bdd, u64)> {
        (1..255u32).map(|table| {
            let mut builder = store.builder().expect("a builder");
            let mut layer: Vec<_> = (0..8).map(|at| (table >> at & 1 == 1).into()).collect();
            for variable in (0..3).rev() {
                let add = |pair: &[_]| builder.add_node(variable, pair[0], pair[1]).expect("room");
                layer = layer.chunks(2).map(add).collect();
            }
            (builder.build().expect("a diagram"), table.count_ones().into())
        })
    }

    #[test]
    fn every_path_takes_exactly_its_share_of_all_points() {
        // Enough evenly spread points for every share at the level to be a whole number of them.
        const SPREAD: [u64; 3] = [2, 12, 840];
        let walkers = SPREAD.iter().product();
        let store = Store::new(Config::default()).expect("a store");
        let digits = |walker, variable: Option<u32>, digit| {
            let (number, of) = match variable {
                Some(1) => (walker % SPREAD[0], SPREAD[0]),
                Some(2) => (walker / SPREAD[0] % SPREAD[1], SPREAD[1]),
                None => (walker / SPREAD[0] / SPREAD[1], SPREAD[2]),
                Some(_) => (0, 1),
            };
            // In the middle between two borders.
            if digit > 0 { 0 } else { ((u128::from(2 * number + 1) << 64) / u128::from(2 * of)) as u64 }
        };
        for (f, count) in functions(&store) {
            let mut shares: HashMap<_, u64> = HashMap::new();
            for path in paths(&f, walkers, digits) {
                *shares.entry(path).or_default() += 1;
            }
            assert_eq!(shares.len() as u64, u64::try_from(f.path_count().expect("room")).expect("few"));
            for (path, share) in shares {
                let value = |variable: u32| path[variable as usize] == Some(true);
                assert!(f.eval(value).expect("room"));
                let skipped = path.iter().filter(|value| value.is_none()).count();
                assert_eq!(share * count, walkers << skipped, "{path:?}");
            }
        }
    }

    #[test]
    fn a_point_close_to_a_border_is_on_the_right_side_of_it() {
        let store = Store::new(Config::default()).expect("a store");
        // Half of all points lie below the high arc.
        let f = store.variable(1).and_then(|y| store.variable(0)?.xor(&y)).expect("room");
        let [first, second] = [1, 0].map(|top| paths(&f, 1, |_, _, _| if top == 1 { u64::MAX } else { 0 })[0]);
        assert_ne!(first, second);
        for digit in 1..8 {
            let above = |_, _, at| if at == 0 { 1 << 63 } else { u64::from(at == digit) << 32 };
            assert_eq!(paths(&f, 1, above)[0], first, "{digit}");
            let below = |_, _, at| {
                if at == 0 { (1 << 63) - 1 } else { u64::MAX - (u64::from(at == digit) << 32) }
            };
            assert_eq!(paths(&f, 1, below)[0], second, "{digit}");
        }
    }
}
