//! e^x, the same to the bit on every machine.
//!
//! x = n ln 2 + r with |r| ≤ ln 2 / 2; e^r = 1 + (r + r² q(r)) with q the Taylor series up to r¹³;
//! the result is scaled by 2ⁿ in its exponent bits. No fused multiply-add and no table, so the
//! compiler may do several at once without changing a bit. Relative error below 4e-16 (tested);
//! x < −708, where the result would be subnormal, gives 0; x > 709.78, where it would overflow, ∞.

const LOG2_E: f64 = std::f64::consts::LOG2_E;
/// ln 2 in two parts: the first has so few digits that n times it is exact.
const LN_2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;
/// Adding 1.5 · 2⁵² rounds to a whole number, which then stands in the low bits.
const ROUNDER: f64 = 6_755_399_441_055_744.0;
const LEAST: f64 = -708.0;
const MOST: f64 = 709.78;
/// 1/2!, 1/3!, … 1/13!
const COEFFICIENTS: [f64; 12] = [
    0.5,
    1.0 / 6.0,
    1.0 / 24.0,
    1.0 / 120.0,
    1.0 / 720.0,
    1.0 / 5_040.0,
    1.0 / 40_320.0,
    1.0 / 362_880.0,
    1.0 / 3_628_800.0,
    1.0 / 39_916_800.0,
    1.0 / 479_001_600.0,
    1.0 / 6_227_020_800.0,
];

/// e^x.
#[inline]
pub(crate) fn exp(x: f64) -> f64 {
    if x > MOST { f64::INFINITY } else { exp_of_negative(x) }
}

/// e^x for x ≤ 0, for loops over many: without the comparison that larger x need.
#[inline(always)]
pub fn exp_of_negative(x: f64) -> f64 {
    let clamped = if x < LEAST { LEAST } else { x }; // keeps a NaN
    let shifted = clamped * LOG2_E + ROUNDER;
    let n = shifted - ROUNDER;
    let r = (clamped - n * LN_2_HIGH) - n * LN_2_LOW;
    // Estrin's scheme: pairs, then pairs of pairs, so that no product waits long for another.
    let c = &COEFFICIENTS;
    let (r2, pair) = (r * r, |k: usize| c[k] + c[k + 1] * r);
    let (r4, four) = (r2 * r2, |k: usize| pair(k) + pair(k + 2) * r2);
    let q = (four(0) + four(4) * r4) + four(8) * (r4 * r4);
    let near_one = 1.0 + (r + r2 * q);
    let scaled = f64::from_bits(near_one.to_bits().wrapping_add(shifted.to_bits() << 52));
    if x < LEAST { 0.0 } else { scaled }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_the_standard_library() {
        let mut worst: f64 = 0.0;
        for i in 0..2_000_000 {
            let x = -708.0 * f64::from(i) / 2_000_000.0;
            for x in [x, x / 100.0, x * 1e-5, -x, -x / 100.0] {
                let exact = x.exp();
                worst = worst.max((exp(x) - exact).abs() / exact);
            }
        }
        assert!(worst < 4e-16, "{worst}");
        assert_eq!(exp(710.0), f64::INFINITY);
        assert!((exp(709.78) / 709.78f64.exp() - 1.0).abs() < 4e-16);
        assert_eq!(exp_of_negative(0.0), 1.0);
        assert_eq!(exp_of_negative(-0.0), 1.0);
        assert_eq!(exp_of_negative(-709.0), 0.0);
        assert_eq!(exp_of_negative(f64::NEG_INFINITY), 0.0);
        assert!(exp_of_negative(f64::NAN).is_nan());
    }
}
