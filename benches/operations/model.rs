//! Transition systems as lists of guarded commands, and the states that they reach.
//!
//! The current variable of bit i is 2i, its next variable 2i+1. One command runs at a time, and bits that it does not
//! write keep their values.

use crate::Failure;

/// A transition system and its first state.
pub struct Model {
    /// What a row of the table is called.
    pub name: String,
    /// Bits of a state.
    pub bits: u32,
    /// The value of each bit in the first state.
    pub initial: Vec<bool>,
    /// The commands, any of which may run wherever its guard holds.
    pub commands: Vec<Command>,
}

/// Where `guard` holds, all `writes` may happen at once.
#[derive(Default)]
pub struct Command {
    /// Bits, and the values that they must have.
    pub guard: Vec<(u32, bool)>,
    /// Bits, and the sources of their new values.
    pub writes: Vec<(u32, Source)>,
}

/// The new value of a bit.
#[derive(Clone, Copy)]
pub enum Source {
    /// A constant.
    Value(bool),
    /// The current value of another bit.
    Bit(u32),
}

/// What a package must offer.
pub trait Package {
    /// A set of states, or of pairs of states.
    type Set: Clone + PartialEq;
    /// A relation, ready to take steps.
    type Ready;
    /// All in which `variable` has this value.
    fn literal(&self, variable: u32, value: bool) -> Result<Self::Set, Failure>;
    /// Everything or nothing.
    fn constant(&self, value: bool) -> Self::Set;
    /// The intersection.
    fn and(&self, a: &Self::Set, b: &Self::Set) -> Result<Self::Set, Failure>;
    /// The union.
    fn or(&self, a: &Self::Set, b: &Self::Set) -> Result<Self::Set, Failure>;
    /// The difference.
    fn without(&self, a: &Self::Set, b: &Self::Set) -> Result<Self::Set, Failure>;
    /// All that both sets have or both lack.
    fn equal(&self, a: &Self::Set, b: &Self::Set) -> Result<Self::Set, Failure>;
    /// Makes `relation` ready to take steps. It depends on current variables, and on the next variables of the bits
    /// `written`, in ascending order.
    fn ready(&self, relation: Self::Set, written: impl Iterator<Item = u32>) -> Result<Self::Ready, Failure>;
    /// The successors of `states`, renamed to current variables.
    fn successors(&self, states: &Self::Set, relation: &Self::Ready) -> Result<Self::Set, Failure>;
    /// The number of states in a set over current variables.
    fn states(&self, set: &Self::Set, bits: u32) -> Result<f64, Failure>;
    /// Whether a set is empty.
    fn is_empty(&self, set: &Self::Set) -> bool;
}

/// What a search found.
pub struct Reached<S> {
    /// All states that can be reached.
    pub states: S,
    /// The steps to the farthest state, or the rounds until a round found nothing new.
    pub steps: u32,
}

impl Model {
    /// The relation of all pairs (state, successor), built from the last bit up.
    pub fn relation<P: Package>(&self, package: &P) -> Result<P::Set, Failure> {
        let bits = self.bits as usize;
        // `still[bit]`: nothing changes from this bit on.
        let mut still = vec![package.constant(true); bits + 1];
        for bit in (0..self.bits).rev() {
            still[bit as usize] = package.and(&step(None, bit, package)?, &still[bit as usize + 1])?;
        }
        let mut relation = package.constant(false);
        for bit in (0..self.bits).rev() {
            relation = package.and(&step(None, bit, package)?, &relation)?;
            for command in self.commands.iter().filter(|command| command.first() == bit) {
                let last = command.last();
                let mut alone = still[last as usize + 1].clone();
                for bit in (bit..=last).rev() {
                    alone = package.and(&step(Some(command), bit, package)?, &alone)?;
                }
                relation = package.or(&relation, &alone)?;
            }
        }
        Ok(relation)
    }

    /// The relation of each command by itself.
    pub fn ready<P: Package>(&self, package: &P) -> Result<Vec<P::Ready>, Failure> {
        let ready = |command: &Command| {
            let mut written: Vec<u32> = command.writes.iter().map(|write| write.0).collect();
            written.sort_unstable();
            package.ready(command.relation(package)?, written.into_iter())
        };
        self.commands.iter().map(ready).collect()
    }

    /// The set of the first state alone.
    pub fn start<P: Package>(&self, package: &P) -> Result<P::Set, Failure> {
        let mut start = package.constant(true);
        for bit in (0..self.bits).rev() {
            start = package.and(&package.literal(2 * bit, self.initial[bit as usize])?, &start)?;
        }
        Ok(start)
    }
}

impl Command {
    fn bits(&self) -> impl Iterator<Item = u32> {
        self.guard.iter().map(|guard| guard.0).chain(self.writes.iter().map(|write| write.0))
    }

    fn first(&self) -> u32 {
        self.bits().min().unwrap_or(0)
    }

    fn last(&self) -> u32 {
        self.bits().max().unwrap_or(0)
    }

    /// The relation of the bits that the command reads now and those that it writes next, without those that it leaves.
    fn relation<P: Package>(&self, package: &P) -> Result<P::Set, Failure> {
        let mut relation = package.constant(true);
        for &(bit, value) in &self.guard {
            relation = package.and(&relation, &package.literal(2 * bit, value)?)?;
        }
        for &(bit, source) in &self.writes {
            relation = package.and(&relation, &becomes(bit, source, package)?)?;
        }
        Ok(relation)
    }
}

/// The relation in which `source` is the next value of `bit`.
fn becomes<P: Package>(bit: u32, source: Source, package: &P) -> Result<P::Set, Failure> {
    match source {
        Source::Value(value) => package.literal(2 * bit + 1, value),
        Source::Bit(from) => package.equal(&package.literal(2 * bit + 1, true)?, &package.literal(2 * from, true)?),
    }
}

/// The relation of what `command` asks of `bit` now and of its next value; without a command, the value stays.
fn step<P: Package>(command: Option<&Command>, bit: u32, package: &P) -> Result<P::Set, Failure> {
    let write = command.and_then(|command| command.writes.iter().find(|write| write.0 == bit));
    let becomes = becomes(bit, write.map_or(Source::Bit(bit), |write| write.1), package)?;
    match command.and_then(|command| command.guard.iter().find(|guard| guard.0 == bit)) {
        Some(&(_, value)) => package.and(&becomes, &package.literal(2 * bit, value)?),
        None => Ok(becomes),
    }
}

/// Searches breadth first, each step from the states that the step before found new. `watch` sees every set on the way.
pub fn search<P: Package>(
    package: &P,
    start: &P::Set,
    relation: &P::Ready,
    mut watch: impl FnMut(&P::Set),
) -> Result<Reached<P::Set>, Failure> {
    let mut reached = Reached { states: start.clone(), steps: 0 };
    let mut frontier = start.clone();
    loop {
        let next = package.successors(&frontier, relation)?;
        frontier = package.without(&next, &reached.states)?;
        if package.is_empty(&frontier) {
            return Ok(reached);
        }
        reached.states = package.or(&reached.states, &frontier)?;
        reached.steps += 1;
        [&next, &frontier, &reached.states].into_iter().for_each(&mut watch);
    }
}

/// Applies each command to all states so far, in rounds until a round finds nothing new. `watch` sees the states after
/// every command.
pub fn chain<P: Package>(
    package: &P,
    start: &P::Set,
    commands: &[P::Ready],
    mut watch: impl FnMut(&P::Set),
) -> Result<Reached<P::Set>, Failure> {
    let mut reached = Reached { states: start.clone(), steps: 0 };
    loop {
        let before = reached.states.clone();
        for command in commands {
            let next = package.successors(&reached.states, command)?;
            reached.states = package.or(&reached.states, &next)?;
            watch(&reached.states);
        }
        reached.steps += 1;
        if reached.states == before {
            return Ok(reached);
        }
    }
}

/// The towers of Hanoi: 3^`disks` states, the farthest 2^`disks` − 1 moves away. Two bits say on which peg a disk is.
pub fn hanoi(disks: u32) -> Model {
    let on = |disk: u32, peg: u32| [(2 * disk, peg & 2 != 0), (2 * disk + 1, peg & 1 != 0)];
    let mut commands = Vec::new();
    for disk in 0..disks {
        for (from, to) in (0..9).map(|both| (both / 3, both % 3)).filter(|(from, to)| from != to) {
            // All smaller disks must be on the third peg.
            let guard = (0..disk).flat_map(|smaller| on(smaller, 3 - from - to)).chain(on(disk, from)).collect();
            let writes = on(disk, to).map(|(bit, value)| (bit, Source::Value(value))).into();
            commands.push(Command { guard, writes });
        }
    }
    Model { name: format!("Hanoi, {disks} disks"), bits: 2 * disks, initial: vec![false; 2 * disks as usize], commands }
}

/// Dining philosophers: each takes the left fork, then the right one, eats, and puts both down. Two bits say which of
/// the two forks a philosopher holds.
pub fn philosophers(count: u32) -> Model {
    let (left, right) = (|one: u32| 2 * (one % count), |one: u32| 2 * (one % count) + 1);
    let set = |bit, value| (bit, Source::Value(value));
    let mut commands = Vec::new();
    for one in 0..count {
        let (before, after) = (one + count - 1, one + 1);
        commands.push(Command {
            guard: vec![(left(one), false), (right(before), false)],
            writes: vec![set(left(one), true)],
        });
        commands.push(Command {
            guard: vec![(left(one), true), (right(one), false), (left(after), false)],
            writes: vec![set(right(one), true)],
        });
        commands.push(Command {
            guard: vec![(left(one), true), (right(one), true)],
            writes: vec![set(left(one), false), set(right(one), false)],
        });
    }
    let bits = 2 * count;
    Model { name: format!("{count} philosophers"), bits, initial: vec![false; bits as usize], commands }
}

/// Sliding tiles on a board with one free square: half of all arrangements can be reached. Four bits say which tile is
/// on a square, 0 for none.
pub fn tiles(rows: u32, columns: u32) -> Model {
    let squares = rows * columns;
    let bits_of = |square: u32| 4 * square..4 * square + 4;
    let mut commands = Vec::new();
    for (from, to) in (0..squares * squares).map(|both| (both / squares, both % squares)) {
        let down = (from / columns).abs_diff(to / columns);
        if down + (from % columns).abs_diff(to % columns) == 1 {
            let guard = bits_of(to).map(|bit| (bit, false)).collect();
            let moved = bits_of(to).zip(bits_of(from)).map(|(to, from)| (to, Source::Bit(from)));
            let freed = bits_of(from).map(|bit| (bit, Source::Value(false)));
            commands.push(Command { guard, writes: moved.chain(freed).collect() });
        }
    }
    let initial = (0..squares).flat_map(|tile| [8, 4, 2, 1].map(|bit| tile & bit != 0)).collect();
    Model { name: format!("sliding tiles {rows}×{columns}"), bits: 4 * squares, initial, commands }
}
