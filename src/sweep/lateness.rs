//! Lateness: whether the threads of a team start their work in time.
//!
//! Where other programs use the processors, a thread starts only when one is free, and for the caller to do all work alone is
//! mostly faster than to wait.

use std::time::{Duration, Instant};

/// A step in which the caller worked for less says nothing of the others: they may still have been waking up.
const WAKING: Duration = Duration::from_micros(100);

/// How long the caller goes on alone at first.
const FIRST: Duration = Duration::from_millis(1);

/// Whether the other threads start in time.
#[derive(Debug, Default)]
pub struct Lateness {
    /// Steps in a row in which no other thread had begun when the caller was done.
    in_a_row: u32,
    /// Until when the caller does everything alone.
    alone_until: Option<Instant>,
}

impl Lateness {
    /// Whether the caller should do the next step alone.
    pub fn avoids_sharing(&self, now: Instant) -> bool {
        self.alone_until.is_some_and(|end| now < end)
    }

    /// Learns that the caller finished its own part at `now`, after the time `own`, and whether any other thread `had_begun`. From
    /// the second step in a row in which none had, the caller goes on alone, each time twice as long, but no longer than `most`.
    /// Threads that sleep may well be late for a short step, so the first two must be long ones.
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
        // One step in which another thread had begun resets it, and at first a step too short to wake a thread tells nothing.
        assert_eq!([late(WAKING / 2, false), late(WAKING / 2, true)], [64, 0]);
        let times = [WAKING, WAKING / 2, WAKING, WAKING / 2].map(|own| late(own, false));
        assert_eq!(times, [0, 0, 1, 2]);
    }
}
