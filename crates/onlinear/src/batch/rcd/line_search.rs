//! The step along a direction that leaves the least training error.
//!
//! With δᵢ = ⟨d,xᵢ⟩, row i is right for w + αd when yᵢ sgn(δᵢ)(⟨w,xᵢ⟩/δᵢ + α) > 0: a decision stump
//! on the keys ⟨w,xᵢ⟩/δᵢ with threshold −α. Passing a key upwards with the threshold adds its signed
//! weight φ y sgn(δ) to the error, so the best interval is the first least prefix sum over the keys in
//! order. Sorting them all is not needed: keys are counted into buckets, and only a bucket in which the
//! sum can get as low as at some border between buckets is sorted. Weights are whole units, so sums do
//! not depend on the order.

use crate::space::for_all_vectors;
use crate::spec::choice;

choice! {
    /// Which stumps are tried.
    pub(crate) enum Stump {
        /// sgn(x′ + α) alone (Algorithm 4).
        Positive = "positive",
        /// Its negative as well (Algorithm 3).
        Both = "both",
    }
}

/// The best step: w ← w + αd, then w ← −w where the stump is negative.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Best {
    pub(crate) alpha: f64,
    pub(crate) is_negative: bool,
}

/// Octaves of |key| that have buckets of their own, around the mean |⟨w,x⟩| over the mean |⟨d,x⟩|.
const OCTAVES: u32 = 16;
/// Rows for which one sort is as fast as buckets.
const FEW: usize = 48;

/// Memory that searches use again and again.
#[derive(Default)]
pub(crate) struct LineSearch {
    /// ⟨w,xᵢ⟩/δᵢ; NaN for a row that is left out.
    keys: Vec<f64>,
    /// φᵢ yᵢ sgn(δᵢ) in units.
    signed: Vec<i64>,
    bucket_of: Vec<u16>,
    buckets: Vec<Bucket>,
    sorted: Vec<SortEntry>,
}

/// The keys of a stretch.
#[derive(Clone, Copy, Default)]
struct Bucket {
    /// The weight that counts upwards, and the weight that counts downwards.
    weight: [i64; 2],
    /// The sum before its first key.
    before: i64,
    use_: Use,
}

/// What a search does with a bucket.
#[derive(Clone, Copy, Default, PartialEq)]
enum Use {
    /// Nothing.
    #[default]
    None,
    /// Its least key ends an interval.
    Bound,
    /// The least sum may be within it or at its end.
    Search,
}

#[derive(Clone, Copy)]
struct SortEntry {
    key: f64,
    signed: i64,
    bucket: u16,
}

/// What is known of the rows.
#[derive(Clone, Copy)]
pub(crate) struct Line<'a> {
    /// ⟨w,xᵢ⟩.
    pub(crate) wx: &'a [f64],
    /// δᵢ = ⟨d,xᵢ⟩.
    pub(crate) dx: &'a [f64],
    /// yᵢ.
    pub(crate) y: &'a [f64],
    /// φᵢ in whole units.
    pub(crate) units: &'a [i64],
}

impl LineSearch {
    /// The best step; `None` where no step changes anything.
    pub(crate) fn best(&mut self, line: Line<'_>, stump: Stump) -> Option<Best> {
        let octave_bits = self.fill(line);
        self.count(octave_bits);
        let up: i64 = self.buckets.iter().map(|bucket| bucket.weight[0]).sum();
        let down: i64 = self.buckets.iter().map(|bucket| bucket.weight[1]).sum();
        let positive = self.lowest(0);
        if stump == Stump::Positive {
            return positive.map(|(_, threshold)| Best { alpha: -threshold, is_negative: false });
        }
        let (wrong, right) = unmoved(line);
        // The error is `down` + the sum, with the negative stump `up` − the sum.
        let positive = positive.map(|(sum, threshold)| (down + sum + wrong, threshold));
        let negative = self.lowest(1).map(|(sum, threshold)| (up + sum + right, threshold));
        match (positive, negative) {
            (Some((error, _)), Some((less, threshold))) if less < error => {
                Some(Best { alpha: -threshold, is_negative: true })
            }
            (None, Some((_, threshold))) => Some(Best { alpha: -threshold, is_negative: true }),
            (positive, _) => positive.map(|(_, threshold)| Best { alpha: -threshold, is_negative: false }),
        }
    }

    /// Keys, signed weights and buckets; gives how finely an octave is divided.
    fn fill(&mut self, line: Line<'_>) -> u32 {
        let n = line.wx.len();
        self.keys.resize(n, 0.0);
        self.signed.resize(n, 0);
        self.bucket_of.resize(n, 0);
        let octave_bits = if n <= FEW { 0 } else { n.ilog2().saturating_sub(6).clamp(1, 8) };
        let scale = sum_of_sizes(line.wx) / sum_of_sizes(line.dx);
        let middle = if scale.is_normal() { scale } else { 1.0 };
        // The upper half of the bits of the least |key| that has a bucket of its own.
        let least = (((middle.to_bits() >> 32) as i32) & !0xf_ffff) - ((OCTAVES as i32 / 2) << 20);
        let window = Window { least, shift: 20 - octave_bits, half: (OCTAVES << octave_bits) as i32 };
        fill(line, window, (&mut self.keys, &mut self.signed, &mut self.bucket_of));
        octave_bits
    }

    fn count(&mut self, octave_bits: u32) {
        self.buckets.clear();
        self.buckets.resize(2 * (OCTAVES << octave_bits) as usize, Bucket::default());
        for (&bucket, &signed) in self.bucket_of.iter().zip(&self.signed) {
            self.buckets[bucket as usize].weight[usize::from(signed < 0)] += signed.abs();
        }
    }

    /// The first least sum and a threshold in its interval; with `flip` 1 all signs are turned.
    fn lowest(&mut self, flip: usize) -> Option<(i64, f64)> {
        let least = self.mark(flip);
        match self.search(flip, least) {
            Some(found) if found.0 <= least => Some(found),
            // The interval at a border had no room for a threshold: look everywhere.
            _ => {
                self.buckets.iter_mut().for_each(|bucket| bucket.use_ = Use::Search);
                self.search(flip, 0)
            }
        }
    }

    /// Sums before each bucket, and which of them are to be searched; gives the least sum at a border.
    fn mark(&mut self, flip: usize) -> i64 {
        let (mut sum, mut least) = (0, 0);
        for bucket in &mut self.buckets {
            bucket.before = sum;
            sum += bucket.weight[flip] - bucket.weight[1 - flip];
            least = least.min(sum);
        }
        // The key behind a searched bucket ends its last interval. So does the first key of all end
        // the interval below it, where no threshold among the keys does better.
        let mut is_bound = least == 0;
        for bucket in &mut self.buckets {
            let is_empty = bucket.weight == [0, 0];
            bucket.use_ = match () {
                () if is_empty => Use::None,
                () if bucket.before - bucket.weight[1 - flip] <= least => Use::Search,
                () if is_bound => Use::Bound,
                () => Use::None,
            };
            if !is_empty {
                is_bound = bucket.use_ == Use::Search;
            }
        }
        least
    }

    /// The first least sum after any key of the buckets to be searched, or before all keys where
    /// `below` is 0.
    fn search(&mut self, flip: usize, below: i64) -> Option<(i64, f64)> {
        self.sorted.clear();
        for ((&key, &signed), &bucket) in self.keys.iter().zip(&self.signed).zip(&self.bucket_of) {
            if self.buckets[bucket as usize].use_ != Use::None && !key.is_nan() {
                self.sorted.push(SortEntry { key, signed, bucket });
            }
        }
        self.sorted.sort_unstable_by(|a, b| a.key.total_cmp(&b.key));
        let mut best: Option<(i64, f64)> = None;
        let mut take = |sum: i64, threshold: Option<f64>| {
            if let Some(threshold) = threshold.filter(|_| best.is_none_or(|(least, _)| sum < least)) {
                best = Some((sum, threshold));
            }
        };
        if let (0, Some(first)) = (below, self.sorted.first()) {
            take(0, beyond(first.key, -1.0));
        }
        let (mut sum, mut bucket) = (0, None);
        for (i, entry) in self.sorted.iter().enumerate() {
            if bucket != Some(entry.bucket) {
                (sum, bucket) = (self.buckets[entry.bucket as usize].before, Some(entry.bucket));
            }
            sum += if flip == 0 { entry.signed } else { -entry.signed };
            let next = self.sorted.get(i + 1).map(|next| next.key);
            if self.buckets[entry.bucket as usize].use_ != Use::Search || next == Some(entry.key) {
                continue;
            }
            take(sum, next.map_or(beyond(entry.key, 1.0), |next| between(entry.key, next)));
        }
        best
    }
}

/// The weight of rows that no step moves, if wrong and if right; sgn 0 = −1 here.
fn unmoved(line: Line<'_>) -> (i64, i64) {
    let mut weight = (0, 0);
    for i in 0..line.dx.len() {
        if line.dx[i] == 0.0 {
            let sign = if line.wx[i] > 0.0 { 1.0 } else { -1.0 };
            if line.y[i] * sign < 0.0 { weight.0 += line.units[i] } else { weight.1 += line.units[i] }
        }
    }
    weight
}

/// The middle of an interval, if that is strictly inside.
fn between(low: f64, high: f64) -> Option<f64> {
    let middle = (low + high) / 2.0;
    (low < middle && middle < high).then_some(middle)
}

/// A threshold beyond the extreme key.
fn beyond(key: f64, side: f64) -> Option<f64> {
    let threshold = key + side * (1e-9 * key.abs()).max(1.0);
    (threshold.is_finite() && threshold != key).then_some(threshold)
}

/// Where the buckets are.
#[derive(Clone, Copy)]
struct Window {
    least: i32,
    shift: u32,
    /// Buckets for keys of one sign.
    half: i32,
}

type Filled<'a> = (&'a mut [f64], &'a mut [i64], &'a mut [u16]);

#[inline(always)]
fn fill_all(line: Line<'_>, window: Window, (keys, signed, bucket_of): Filled<'_>) {
    let n = keys.len();
    let Line { wx, dx, y, units } = line;
    let (wx, dx, y, units) = (&wx[..n], &dx[..n], &y[..n], &units[..n]);
    let (signed, bucket_of) = (&mut signed[..n], &mut bucket_of[..n]);
    for i in 0..n {
        let is_moved = (dx[i] != 0.0) & (units[i] != 0);
        let key = wx[i] / dx[i] + 0.0; // −0 is 0
        keys[i] = if is_moved { key } else { f64::NAN };
        let is_up = (y[i] < 0.0) == (dx[i] < 0.0);
        let weight = if is_moved { units[i] } else { 0 };
        signed[i] = if is_up { weight } else { -weight };
        // The order of buckets is the order of keys: by sign, then by the upper bits of |key|.
        let bits = key.to_bits();
        let size = ((bits >> 32) & 0x7fff_ffff) as i32;
        let step = (size.saturating_sub(window.least).max(0) >> window.shift).min(window.half - 1);
        let bucket = if (bits as i64) < 0 { window.half - 1 - step } else { window.half + step };
        bucket_of[i] = bucket as u16;
    }
}

for_all_vectors!(fn fill(line: Line<'_>, window: Window, filled: Filled<'_>) = fill_all);

/// Σ |vᵢ|, roughly: it only places the buckets. One fixed order, so that runs repeat.
fn sum_of_sizes(v: &[f64]) -> f64 {
    let (chunks, rest) = v.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for chunk in chunks {
        (0..8).for_each(|lane| sums[lane] += chunk[lane].abs());
    }
    sums.iter().sum::<f64>() + rest.iter().map(|v| v.abs()).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Numerator and denominator.
    type Fraction = (i64, i64);

    /// Small whole numbers, so that keys are exact fractions.
    struct Whole {
        wx: Vec<i64>,
        dx: Vec<i64>,
        y: Vec<i64>,
        units: Vec<i64>,
    }

    impl Whole {
        fn random(random: &mut Random, n: usize, span: usize) -> Whole {
            let mut number = |span: usize| random.index(2 * span + 1) as i64 - span as i64;
            let (wx, dx) = ((0..n).map(|_| number(span)).collect(), (0..n).map(|_| number(span)).collect());
            let y = (0..n).map(|_| if number(1) < 0 { -1 } else { 1 }).collect();
            let units = (0..n).map(|_| number(2).max(0)).collect();
            Whole { wx, dx, y, units }
        }

        fn search(&self, stump: Stump) -> Option<Best> {
            let floats = |v: &[i64]| v.iter().map(|&v| v as f64).collect::<Vec<_>>();
            let (wx, dx, y) = (floats(&self.wx), floats(&self.dx), floats(&self.y));
            LineSearch::default().best(Line { wx: &wx, dx: &dx, y: &y, units: &self.units }, stump)
        }

        /// The error of threshold p/q, q > 0, with the positive stump or the negative one, as the
        /// paper's Algorithms 3 and 4 count it.
        fn error(&self, (p, q): Fraction, is_negative: bool) -> i64 {
            let turn = if is_negative { -1 } else { 1 };
            let wrong = |i: usize| {
                let (wx, dx) = (self.wx[i], self.dx[i]);
                let sign = match dx {
                    0 if wx > 0 => 1,
                    0 => -1,
                    _ => (dx * (wx * q * dx.signum() - p * dx.abs())).signum(), // sgn(δ)·sgn(key − threshold)
                };
                self.y[i] * turn * sign <= 0
            };
            (0..self.wx.len()).filter(|&i| wrong(i)).map(|i| self.units[i]).sum()
        }

        /// All keys, in order, as fractions with a positive denominator, each once.
        fn keys(&self) -> Vec<Fraction> {
            let moved = (0..self.wx.len()).filter(|&i| self.dx[i] != 0 && self.units[i] != 0);
            let mut keys: Vec<_> = moved.map(|i| (self.wx[i] * self.dx[i].signum(), self.dx[i].abs())).collect();
            keys.sort_by(|a, b| (a.0 * b.1).cmp(&(b.0 * a.1)));
            keys.dedup_by(|a, b| a.0 * b.1 == b.0 * a.1);
            keys
        }

        /// The first best of all intervals by brute force: the threshold as a fraction, the polarity.
        fn brute_force(&self, stump: Stump) -> Option<(Fraction, bool)> {
            let keys = self.keys();
            let (&first, &last) = (keys.first()?, keys.last()?);
            let mut thresholds = vec![(first.0 - first.1, first.1)];
            thresholds.extend(keys.windows(2).map(|pair| {
                let [(p, q), (r, s)] = [pair[0], pair[1]];
                (p * s + r * q, 2 * q * s)
            }));
            thresholds.push((last.0 + last.1, last.1));
            let polarities: &[bool] = if stump == Stump::Both { &[false, true] } else { &[false] };
            let all = polarities.iter().flat_map(|&negative| thresholds.iter().map(move |&t| (t, negative)));
            all.min_by_key(|&(threshold, negative)| self.error(threshold, negative)) // of equal ones the first
        }
    }

    #[test]
    fn the_step_found_is_the_first_best_of_all_intervals() {
        let mut random = Random::new(1);
        let mut negatives = 0;
        for round in 0..4000 {
            let n = 1 + random.index(if round % 10 == 0 { 300 } else { 12 });
            let span = 1 + random.index(if round % 3 == 0 { 2 } else { 40 });
            let whole = Whole::random(&mut random, n, span);
            for stump in [Stump::Positive, Stump::Both] {
                let (found, expected) = (whole.search(stump), whole.brute_force(stump));
                match (found, expected) {
                    (None, None) => {}
                    (Some(found), Some(((p, q), is_negative))) => {
                        assert_eq!(found.is_negative, is_negative, "{stump:?}");
                        let theirs = -(p as f64) / q as f64;
                        assert!(
                            (found.alpha - theirs).abs() <= 1e-12 * theirs.abs().max(1.0),
                            "{} {theirs}",
                            found.alpha
                        );
                        negatives += u32::from(is_negative);
                    }
                    other => panic!("{other:?}"),
                }
            }
        }
        assert!(negatives > 100, "only {negatives} negative stumps were tried");
    }

    /// Sorts all keys and scans them.
    fn plain(line: Line<'_>) -> Option<f64> {
        let moved = (0..line.wx.len()).filter(|&i| line.dx[i] != 0.0 && line.units[i] != 0);
        let mut keys: Vec<(f64, i64)> = moved
            .map(|i| (line.wx[i] / line.dx[i] + 0.0, line.units[i] * (line.y[i] * line.dx[i].signum()) as i64))
            .collect();
        keys.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (mut sum, mut least) = (0, 0);
        let mut best = beyond(keys.first()?.0, -1.0)?;
        for i in 0..keys.len() {
            sum += keys[i].1;
            let threshold = match keys.get(i + 1) {
                Some(next) => between(keys[i].0, next.0),
                None => beyond(keys[i].0, 1.0),
            };
            if let Some(threshold) = threshold.filter(|_| sum < least) {
                (best, least) = (threshold, sum);
            }
        }
        Some(-best)
    }

    #[test]
    fn buckets_find_what_a_full_sort_finds() {
        let mut random = Random::new(2);
        let mut search = LineSearch::default();
        for round in 0..600 {
            let n = 1 + random.index(3000);
            let scale = 10f64.powi(random.index(600) as i32 - 300);
            let wx: Vec<f64> = (0..n).map(|_| scale * random.gauss()).collect();
            let dx: Vec<f64> = (0..n).map(|_| if random.chance(0.1) { 0.0 } else { random.symmetric() }).collect();
            let y: Vec<f64> = (0..n).map(|i| if (wx[i] > 0.0) == random.chance(0.8) { 1.0 } else { -1.0 }).collect();
            let units: Vec<i64> =
                (0..n).map(|_| if round % 2 == 0 { 1 } else { (random.next_u64() >> 16) as i64 }).collect();
            let line = Line { wx: &wx, dx: &dx, y: &y, units: &units };
            let found = search.best(line, Stump::Positive);
            assert_eq!(
                found.map(|best| best.alpha.to_bits()),
                plain(line).map(f64::to_bits),
                "round {round}, {n} rows"
            );
        }
    }

    #[test]
    fn intervals_without_room_are_passed_over() {
        // Between 1 and the next number there is no threshold; the one below both is worse.
        let next = 1.0f64.next_up();
        let line = |y: &'static [f64]| {
            LineSearch::default().best(Line { wx: &[1.0, next], dx: &[1.0, 1.0], y, units: &[1, 1] }, Stump::Positive)
        };
        assert_eq!(line(&[-1.0, 1.0]), Some(Best { alpha: -0.0, is_negative: false })); // 1 error either way: the first
        assert_eq!(line(&[-1.0, -1.0]).map(|best| best.alpha), Some(-(next + 1.0)));
        // A key that is not finite leaves no interval beyond it.
        let far = LineSearch::default()
            .best(Line { wx: &[1.0, -1.0], dx: &[5e-324, 1.0], y: &[1.0, 1.0], units: &[1, 1] }, Stump::Positive);
        assert_eq!(far.map(|best| best.alpha), Some(2.0));
        assert_eq!(
            LineSearch::default().best(Line { wx: &[1.0], dx: &[0.0], y: &[1.0], units: &[1] }, Stump::Both),
            None
        );
    }
}
