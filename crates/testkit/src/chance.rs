//! Chances that a seed repeats.

/// Draws numbers from a seed (SplitMix64); the same seed draws the same numbers everywhere.
#[derive(Clone, Debug)]
pub struct Chance(u64);

impl Chance {
    /// The chances of a seed and of one of its parts, such as the number of a process.
    pub fn new(seed: u64, part: u64) -> Self {
        let mut chance = Self(seed);
        Self(chance.draw() ^ part.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    /// The next number.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    /// A number below `end`, which is above zero.
    pub fn below(&mut self, end: u64) -> u64 {
        self.draw() % end
    }

    /// Whether something that happens once in `n` times happens now.
    pub fn once_in(&mut self, n: u64) -> bool {
        self.below(n.max(1)) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::Chance;

    #[test]
    fn a_seed_repeats_and_its_parts_differ() {
        let drawn = |seed, part| {
            let mut chance = Chance::new(seed, part);
            [chance.draw(), chance.draw(), chance.draw()]
        };
        assert_eq!(drawn(1, 2), drawn(1, 2));
        assert_ne!(drawn(1, 2), drawn(1, 3));
        assert_ne!(drawn(1, 2), drawn(2, 2));
    }
}
