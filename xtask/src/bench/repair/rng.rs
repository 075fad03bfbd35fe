//! A small random number generator (SplitMix64), so that a seed gives the same
//! cases on every machine and with every version of every crate.

/// A stream of numbers that depends on nothing but its seed.
#[derive(Debug, Clone)]
pub(crate) struct Rng(u64);

impl Rng {
    /// Returns the stream of `seed` that belongs to `label`.
    ///
    /// Each kind of damage draws from a stream of its own: running one kind
    /// alone gives the same cases as running all of them.
    pub(crate) fn new(seed: u64, label: &str) -> Rng {
        Rng(mix(seed) ^ hash(label.as_bytes()))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// Returns a number below `n`, or 0 when `n` is 0.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        // The high half of the product is uniform enough: `n` is tiny against 2^64.
        let wide = u128::from(self.next()) * (n as u128);
        (wide >> 64) as usize
    }

    /// Returns a number between `low` and `high`, both included.
    pub(crate) fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high.saturating_sub(low) + 1)
    }

    /// Returns true with a probability of `percent` in a hundred.
    pub(crate) fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// Returns one of `items`, or `None` when there are none.
    pub(crate) fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.below(items.len()))
    }

    /// Returns `n` different items, or `None` when there are fewer.
    pub(crate) fn sample<T: Copy>(&mut self, items: &[T], n: usize) -> Option<Vec<T>> {
        if items.len() < n {
            return None;
        }
        let mut rest = items.to_vec();
        Some((0..n).map(|_| rest.swap_remove(self.below(rest.len()))).collect())
    }
}

/// Returns a 64-bit fingerprint of `bytes` (FNV-1a, then mixed: its low bits are poor).
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    let fnv = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    mix(fnv)
}

fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_seed_same_stream_other_label_other_stream() {
        let draw = |seed, label| {
            let mut rng = Rng::new(seed, label);
            (0..8).map(|_| rng.below(1000)).collect::<Vec<_>>()
        };
        assert_eq!(draw(1, "M1"), draw(1, "M1"));
        assert_ne!(draw(1, "M1"), draw(1, "M2"));
        assert_ne!(draw(1, "M1"), draw(2, "M1"));
    }

    #[test]
    fn below_reaches_every_number_and_no_other() {
        let mut rng = Rng::new(7, "");
        let mut seen = [0; 5];
        for _ in 0..500 {
            seen[rng.below(5)] += 1;
        }
        assert!(seen.iter().all(|it| (60..140).contains(it)), "{seen:?}");
        assert_eq!(rng.below(0), 0);
    }

    #[test]
    fn sample_takes_different_items() {
        let mut rng = Rng::new(7, "");
        let mut all = rng.sample(&[1, 2, 3], 3).unwrap();
        all.sort_unstable();
        assert_eq!(all, [1, 2, 3]);
        assert_eq!(rng.sample(&[1, 2, 3], 4), None);
    }
}
