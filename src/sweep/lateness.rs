//! Lateness: whether the threads of a team come in time.
//!
//! Where other programs want the processors, a thread comes only when there is one for it, and to do alone what is at hand is mostly
//! faster than to wait for that.

use std::time::{Duration, Instant};

/// What the caller's part of a step takes at least if the others might have begun meanwhile, though they slept.
const WAKING: Duration = Duration::from_micros(100);

/// For so long the caller goes on alone at first.
const FIRST: Duration = Duration::from_millis(1);

/// Whether the others come in time.
#[derive(Debug, Default)]
pub struct Lateness {
    /// How often in a row nobody had begun when the caller was done.
    in_a_row: u32,
    /// Until then the caller does everything alone.
    alone_until: Option<Instant>,
}

impl Lateness {
    /// Whether to do alone what is at hand.
    pub fn avoids_sharing(&self, now: Instant) -> bool {
        self.alone_until.is_some_and(|end| now < end)
    }

    /// Learns that the caller was done `now`, after its `own` part, and whether anybody else `had_begun`: from the second time in a
    /// row that nobody had, the caller goes on alone, each time twice as long, but no longer than `most`. Whoever sleeps while it does
    /// may well be late for a short part, so that the first two times must be long ones.
    pub fn learn(&mut self, now: Instant, own: Duration, had_begun: bool, most: Duration) {
        if had_begun {
            *self = Self::default();
        } else if own >= WAKING || self.in_a_row > 1 {
            self.in_a_row += 1;
            let doublings = self.in_a_row.saturating_sub(2).min(16);
            self.alone_until = (self.in_a_row > 1).then(|| now + most.min(FIRST * (1 << doublings)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_waits_in_vain_goes_on_alone_and_then_tries_again() {
        let (mut lateness, mut now, most) = (Lateness::default(), Instant::now(), Duration::from_millis(64));
        let mut late = |own, had_begun| {
            now += own;
            lateness.learn(now, own, had_begun, most);
            let end = lateness.alone_until.map_or(now, |end| end.max(now));
            assert!(!lateness.avoids_sharing(end) && (end == now || lateness.avoids_sharing(now)));
            let alone = end - now;
            now = end;
            alone.as_millis()
        };
        let times: Vec<_> = (0..10).map(|_| late(WAKING, false)).collect();
        assert_eq!(times, [0, 1, 2, 4, 8, 16, 32, 64, 64, 64]);
        // All is well when somebody had begun, and at first a part in which nobody could have woken up tells nothing.
        assert_eq!([late(WAKING / 2, false), late(WAKING / 2, true)], [64, 0]);
        let times = [WAKING, WAKING / 2, WAKING, WAKING / 2].map(|own| late(own, false));
        assert_eq!(times, [0, 0, 1, 2]);
    }
}
