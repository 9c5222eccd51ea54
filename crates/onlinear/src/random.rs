//! The one source of randomness.
//!
//! xoshiro256++ (Blackman and Vigna, "Scrambled linear pseudorandom number generators", 2021), its
//! state filled from a seed by splitmix64. Written out here rather than taken from a crate because
//! its state is saved in model files, and because a seed must mean the same stream for ever.

/// A generator of random numbers.
///
/// ```
/// use onlinear::workshop::Random;
/// let mut random = Random::new(7);
/// assert_eq!(random.next_u64(), 1021219803524665661);
/// assert!(random.index(3) < 3);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Random {
    s: [u64; 4],
}

impl Random {
    /// The generator of a seed: its state is the first four outputs of splitmix64.
    pub fn new(seed: u64) -> Random {
        let mut counter = seed;
        let s = std::array::from_fn(|_| {
            counter = counter.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let z = (counter ^ (counter >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ (z >> 31)
        });
        Random { s }
    }

    /// The generator that was in this state; `None` for all zeros, a state it never leaves.
    pub fn from_state(s: [u64; 4]) -> Option<Random> {
        (s != [0; 4]).then_some(Random { s })
    }

    /// Its state, for [`Random::from_state`].
    pub fn state(&self) -> [u64; 4] {
        self.s
    }

    /// The next 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        let s = &mut self.s;
        let bits = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        bits
    }

    /// A number in [0, 1): a multiple of 2⁻⁵³.
    pub fn uniform(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// A number in [−1, 1).
    pub fn symmetric(&mut self) -> f64 {
        2.0 * self.uniform() - 1.0
    }

    /// Whether an event of this probability happens.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.uniform() < probability
    }

    /// A number from 0 to n − 1 (0 when n is 0).
    pub fn index(&mut self, n: usize) -> usize {
        // Never n itself: uniform() ≤ 1 − 2⁻⁵³, and (1 − 2⁻⁵³)·n rounds below any n < 2⁵³.
        (self.uniform() * n as f64) as usize
    }

    /// A standard normal number, from two draws.
    pub fn gauss(&mut self) -> f64 {
        let (u1, u2) = (self.uniform(), self.uniform());
        (-2.0 * libm::log(1.0 - u1)).sqrt() * libm::cos(2.0 * std::f64::consts::PI * u2)
    }

    /// A place drawn with probability proportional to its weight; `None` unless the weights are
    /// non-negative and add up to a positive, finite number. Takes one draw, O(weights).
    pub fn weighted(&mut self, weights: &[f64]) -> Option<usize> {
        let uniform = self.uniform();
        let total: f64 = weights.iter().sum();
        if !(total > 0.0 && total.is_finite() && weights.iter().all(|&weight| weight >= 0.0)) {
            return None;
        }
        let mut cumulative = 0.0;
        let found = weights.iter().position(|weight| {
            cumulative += weight;
            uniform * total < cumulative
        });
        // A total so small that uniform·total rounds up to it.
        found.or_else(|| weights.iter().rposition(|&weight| weight > 0.0))
    }

    /// Shuffles `items`: Fisher and Yates, from the end.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.index(i + 1));
        }
    }
}

/// Weights to draw from again and again: each draw is that of [`Random::weighted`], in O(log n).
#[derive(Clone, Debug)]
pub(crate) struct Wheel {
    /// Where the share of each place ends.
    ends: Vec<f64>,
    /// The last place that has weight.
    last: usize,
}

impl Wheel {
    /// `None` unless the weights are non-negative and add up to a positive, finite number.
    pub(crate) fn new(weights: &[f64]) -> Option<Wheel> {
        let mut total = 0.0;
        let add = |weight: &f64| {
            total += weight;
            total
        };
        let ends: Vec<f64> = weights.iter().map(add).collect();
        let last = weights.iter().rposition(|&weight| weight > 0.0)?;
        (total.is_finite() && weights.iter().all(|&weight| weight >= 0.0)).then_some(Wheel { ends, last })
    }

    /// A place drawn with probability proportional to its weight.
    pub(crate) fn draw(&self, random: &mut Random) -> usize {
        let mark = random.uniform() * self.ends[self.ends.len() - 1];
        self.ends.partition_point(|&end| end <= mark).min(self.last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_outputs_come_out() {
        // Those of xoshiro256plusplus.c by its authors.
        let mut random = Random::from_state([1, 2, 3, 4]).unwrap();
        let published: [u64; 10] = [
            41943041,
            58720359,
            3588806011781223,
            3591011842654386,
            9228616714210784205,
            9973669472204895162,
            14011001112246962877,
            12406186145184390807,
            15849039046786891736,
            10450023813501588000,
        ];
        assert_eq!(published.map(|_| random.next_u64()), published);
    }

    #[test]
    fn seeds_go_through_splitmix64() {
        // Those of splitmix64.c by its author.
        let zero = [0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4, 0x06c45d188009454f, 0xf88bb8a8724c81ec];
        assert_eq!(Random::new(0).state(), zero);
        let other = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431];
        assert_eq!(Random::new(1234567).state(), other);
    }

    #[test]
    fn what_is_made_of_the_bits_agrees_with_another_implementation() {
        // From a program in another language whose draws replay the golden traces of
        // averaged-sampled (orders permuted and random) exactly.
        let mut random = Random::new(7);
        let mut items: Vec<u32> = (0..10).collect();
        random.shuffle(&mut items);
        assert_eq!(items, [3, 8, 9, 4, 6, 7, 2, 5, 1, 0]);
        random.shuffle(&mut items);
        assert_eq!(items, [5, 6, 4, 2, 9, 0, 7, 1, 8, 3]);

        let mut random = Random::new(7);
        (0..3).for_each(|_| _ = random.next_u64());
        for expected in [1.0282849176760833, -0.18274106190368677, 0.8891801282666946] {
            assert!((random.gauss() - expected).abs() < 1e-14);
        }
    }

    #[test]
    fn a_saved_state_goes_on_with_the_same_stream() {
        let mut random = Random::new(3);
        random.gauss();
        let mut again = Random::from_state(random.state()).unwrap();
        assert_eq!([0; 9].map(|_| random.next_u64()), [0; 9].map(|_| again.next_u64()));
        assert_eq!(Random::from_state([0; 4]), None);
    }

    #[test]
    fn draws_stay_in_their_ranges() {
        let mut random = Random::new(1);
        let mut counts = [0u32; 7];
        for _ in 0..70_000 {
            assert!((0.0..1.0).contains(&random.uniform()));
            assert!((-1.0..1.0).contains(&random.symmetric()));
            assert!(random.gauss().is_finite());
            counts[random.index(7)] += 1;
        }
        assert!(counts.iter().all(|count| (9_500..10_500).contains(count)), "{counts:?}");
        assert_eq!((random.index(0), random.index(1)), (0, 0));
        assert!(!random.chance(0.0) && random.chance(1.0));
        let (largest, n) = (1.0 - f64::EPSILON / 2.0, (1u64 << 53) - 1);
        assert!([1, 2, 3, 1000, u64::from(u32::MAX), n].iter().all(|&n| ((largest * n as f64) as u64) < n));
    }

    #[test]
    fn gauss_is_standard_normal() {
        let mut random = Random::new(5);
        let draws: Vec<f64> = (0..200_000).map(|_| random.gauss()).collect();
        let moment = |k| draws.iter().map(|g| g.powi(k)).sum::<f64>() / draws.len() as f64;
        for (k, expected, tolerance) in [(1, 0.0, 0.01), (2, 1.0, 0.015), (3, 0.0, 0.04), (4, 3.0, 0.1)] {
            assert!((moment(k) - expected).abs() < tolerance, "moment {k} is {}", moment(k));
        }
    }

    #[test]
    fn weights_are_probabilities() {
        let mut random = Random::new(2);
        let mut counts = [0u32; 5];
        for _ in 0..80_000 {
            counts[random.weighted(&[0.0, 1.0, 2.0, 0.0, 5.0]).unwrap()] += 1;
        }
        assert_eq!((counts[0], counts[3]), (0, 0));
        for (place, share) in [(1, 10_000), (2, 20_000), (4, 50_000)] {
            assert!(counts[place].abs_diff(share) < 600, "{counts:?}");
        }
        for useless in [&[][..], &[0.0, 0.0], &[f64::NAN], &[f64::INFINITY, 1.0], &[-1.0, 2.0]] {
            assert_eq!(random.weighted(useless), None);
        }
        assert_eq!(random.weighted(&[0.0, f64::from_bits(1), 0.0]), Some(1));
    }

    #[test]
    fn a_wheel_draws_what_a_single_draw_gives() {
        let tiny = f64::from_bits(1);
        let many: Vec<f64> = (0..1000).map(|i| if i % 3 == 0 { 0.0 } else { 0.1 / f64::from(i) }).collect();
        for weights in
            [&[1.0][..], &[0.0, 2.0, 0.0, 1.0, 0.0], &[tiny, 0.0], &[0.0, tiny, tiny, 0.0], &[0.1; 77], &many]
        {
            let wheel = Wheel::new(weights).unwrap();
            let (mut one, mut other) = (Random::new(6), Random::new(6));
            for _ in 0..2000 {
                assert_eq!(Some(wheel.draw(&mut one)), other.weighted(weights));
            }
        }
        for useless in [&[][..], &[0.0, 0.0], &[f64::NAN], &[1.0, f64::NAN], &[f64::INFINITY, 1.0], &[-1.0, 2.0]] {
            assert!(Wheel::new(useless).is_none());
        }
    }

    #[test]
    fn every_permutation_is_equally_likely() {
        let mut random = Random::new(4);
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..24_000 {
            let mut items = [0, 1, 2, 3];
            random.shuffle(&mut items);
            *counts.entry(items).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 24);
        assert!(counts.values().all(|count| (850..1150).contains(count)), "{counts:?}");
    }
}
