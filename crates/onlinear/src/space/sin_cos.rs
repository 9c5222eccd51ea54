//! Sine and cosine of many angles, the same to the bit on every machine.
//!
//! x = n π/2 + r with |r| ≤ π/4. Up to [`LIMIT`] that is Cody and Waite's subtraction of n times π/2 in three parts,
//! the first two of which are so short that their products are exact; beyond it, Payne and Hanek's product with as many
//! digits of 2/π as matter. Then the Taylor series of sin r and cos r; n says which of them is the sine, and its sign.
//! No fused multiply-add and no table, so the compiler may do several at once without changing a bit. The error is
//! below one unit in the last place (tested).

use std::f64::consts::FRAC_2_PI;

use super::cpu::for_all_vectors;

/// Up to here n times each part of π/2 has no more digits than a number can have.
const LIMIT: f64 = 1_048_576.0;
/// π/2: 33 digits, 33 digits, and the rest.
const PARTS: [f64; 3] = [1.570_796_326_734_125_6, 6.077_100_506_303_966e-11, 2.022_266_248_795_950_6e-21];
/// π/2 in units of 2⁻⁶³.
const HALF_PI: u128 = 0xc90f_daa2_2168_c234;
/// Adding 1.5 · 2⁵² rounds to a whole number, which then stands in the low bits.
const ROUNDER: f64 = 6_755_399_441_055_744.0;
/// −1/3!, 1/5!, … 1/17!
const SINE: [f64; 8] = [
    -1.0 / 6.0,
    1.0 / 120.0,
    -1.0 / 5_040.0,
    1.0 / 362_880.0,
    -1.0 / 39_916_800.0,
    1.0 / 6_227_020_800.0,
    -1.0 / 1_307_674_368_000.0,
    1.0 / 355_687_428_096_000.0,
];
/// 1/4!, −1/6!, … 1/16!
const COSINE: [f64; 7] = [
    1.0 / 24.0,
    -1.0 / 720.0,
    1.0 / 40_320.0,
    -1.0 / 3_628_800.0,
    1.0 / 479_001_600.0,
    -1.0 / 87_178_291_200.0,
    1.0 / 20_922_789_888_000.0,
];
/// The digits of 2/π behind the point.
const TWO_OVER_PI: [u64; 20] = [
    0xa2f9_836e_4e44_1529,
    0xfc27_57d1_f534_ddc0,
    0xdb62_9599_3c43_9041,
    0xfe51_63ab_debb_c561,
    0xb724_6e3a_424d_d2e0,
    0x0649_2eea_09d1_921c,
    0xfe1d_eb1c_b129_a73e,
    0xe882_35f5_2ebb_4484,
    0xe99c_7026_b45f_7e41,
    0x3991_d639_8353_39f4,
    0x9c84_5f8b_bdf9_283b,
    0x1ff8_97ff_de05_980f,
    0xef2f_118b_5a0a_6d1f,
    0x6d36_7ecf_27cb_09b7,
    0x4f46_3f66_9e5f_ea2d,
    0x7527_bac7_ebe5_f17b,
    0x3d07_39f7_8a52_92ea,
    0x6bfb_5fb1_1f8d_5d08,
    0x5603_3046_fc7b_6bab,
    0xf0cf_bc20_9af4_361d,
];

/// factor · cos x in the place of each angle x, and factor · sin x in `sines`, as long.
pub(crate) fn sin_cos(angles: &mut [f64], sines: &mut [f64], factor: f64) {
    if near_all(angles, sines, factor) {
        return;
    }
    for (x, sine) in angles.iter_mut().zip(sines) {
        let (r, n) = if x.abs() <= LIMIT { near(*x) } else { far(*x) };
        (*sine, *x) = of_part(r, n, factor);
    }
}

/// Sines and cosines of angles none of which is beyond the limit; false, and nothing done, where one is.
#[inline(always)]
fn near_each(angles: &mut [f64], sines: &mut [f64], factor: f64) -> bool {
    if !angles.iter().fold(true, |near, x| near & (x.abs() <= LIMIT)) {
        return false;
    }
    for (x, sine) in angles.iter_mut().zip(sines) {
        let (r, n) = near(*x);
        (*sine, *x) = of_part(r, n, factor);
    }
    true
}

for_all_vectors!(fn near_all(angles: &mut [f64], sines: &mut [f64], factor: f64) -> bool = near_each);

/// r in two parts, and the last digits of n, for |x| up to the limit.
#[inline(always)]
fn near(x: f64) -> ([f64; 2], u64) {
    let shifted = x * FRAC_2_PI + ROUNDER;
    let n = shifted - ROUNDER;
    let (first, second) = (x - n * PARTS[0], n * PARTS[1]); // both exact
    let difference = first - second;
    let taken = difference - first;
    let rounded = (first - (difference - taken)) - (second + taken); // what the difference was rounded by
    let rest = rounded - n * PARTS[2];
    let r = difference + rest;
    ([r, (difference - r) + rest], shifted.to_bits())
}

/// r in two parts, and the last digits of n, for any larger x. Of the digits of 2/π, those whose product with x is a
/// multiple of 4 are left out; the next 192 leave 128 behind the point of the product, of which no more than 62 are
/// zeros at the start, whatever x.
#[cold]
fn far(x: f64) -> ([f64; 2], u64) {
    if !x.is_finite() {
        return ([f64::NAN; 2], 0);
    }
    let (bits, digits) = (x.abs().to_bits(), |k: i64| usize::try_from(k).map_or(0, |k| TWO_OVER_PI[k]));
    let (first, mantissa) = ((bits >> 52) as i64 - 1077, u128::from(bits & ((1 << 52) - 1) | 1 << 52));
    let word = |k: i64| {
        let (place, shift) = ((first + 64 * k).div_euclid(64), (first + 64 * k).rem_euclid(64));
        let both = u128::from(digits(place)) << 64 | u128::from(digits(place + 1));
        both << shift >> 64
    };
    let low = mantissa * word(2);
    let middle = mantissa * word(1) + (low >> 64);
    let high = (mantissa * word(0) + (middle >> 64)) << 64 | (middle & u128::from(u64::MAX));
    let part = (high << 2 | (low >> 62) & 3) as i128; // from −½ up to ½, in units of 2⁻¹²⁸
    let n = (high >> 126) as u64 + u64::from(part < 0);
    let (size, zeros) = (part.unsigned_abs(), part.unsigned_abs().leading_zeros());
    let product = (size.checked_shl(zeros).unwrap_or(0) >> 64) * HALF_PI;
    let unit = 2f64.powi(-127 - zeros as i32).copysign(if part < 0 { -x } else { x });
    let whole = product as f64;
    let rest = product.wrapping_sub(whole as u128) as i128 as f64;
    ([whole * unit, rest * unit], if x < 0.0 { n.wrapping_neg() } else { n })
}

/// Σ cₖ zᵏ.
#[inline(always)]
fn series(z: f64, coefficients: &[f64]) -> f64 {
    let (last, rest) = coefficients.split_last().unwrap_or((&0.0, &[]));
    rest.iter().rev().fold(*last, |sum, c| sum * z + c)
}

/// factor · sin(n π/2 + r) and factor · cos(n π/2 + r), r in two parts.
#[inline(always)]
fn of_part([r, rest]: [f64; 2], n: u64, factor: f64) -> (f64, f64) {
    let z = r * r;
    let half = 0.5 * z;
    let whole = 1.0 - half;
    let sine = r + (r * z * series(z, &SINE) + rest * whole);
    // With what 1 − r²/2 was rounded by.
    let cosine = whole + (((1.0 - whole) - half) + (z * z * series(z, &COSINE) - r * rest));
    let (sine, cosine, swaps) = (sine.to_bits(), cosine.to_bits(), (n & 1).wrapping_neg());
    let [first, second] = [sine & !swaps | cosine & swaps, cosine & !swaps | sine & swaps];
    let signed = |value: u64, n: u64| f64::from_bits(value ^ (n & 2) << 62) * factor;
    (signed(first, n), signed(second, n.wrapping_add(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(x: f64) -> (f64, f64) {
        let (mut cosine, mut sine) = ([x], [0.0]);
        sin_cos(&mut cosine, &mut sine, 1.0);
        (sine[0], cosine[0])
    }

    /// Angles with their sine and cosine.
    #[allow(clippy::approx_constant)]
    const EXACT: [(f64, f64, f64); 33] = [
        (1e-09, 1e-09, 1.0),
        (0.1, 0.09983341664682815, 0.9950041652780258),
        (0.5, 0.479425538604203, 0.8775825618903728),
        (0.7853981633974483, 0.7071067811865475, 0.7071067811865476),
        (0.9, 0.7833269096274834, 0.6216099682706644),
        (1.0, 0.8414709848078965, 0.5403023058681398),
        (1.5707963267948966, 1.0, 6.123233995736766e-17),
        (2.0, 0.9092974268256817, -0.4161468365471424),
        (3.0, 0.1411200080598672, -0.9899924966004454),
        (3.141592653589793, 1.2246467991473532e-16, -1.0),
        (4.0, -0.7568024953079282, -0.6536436208636119),
        (5.5, -0.7055403255703919, 0.70866977429126),
        (6.283185307179586, -2.4492935982947064e-16, 1.0),
        (10.0, -0.5440211108893698, -0.8390715290764524),
        (22.0, -0.008851309290403876, -0.9999608263946371),
        (355.0, -3.014435335948845e-05, -0.999999999545659),
        (1000.0, 0.8268795405320025, 0.5623790762907029),
        (103993.0, -1.9129335778423752e-05, 0.9999999998170342),
        (1048575.9, 0.2346184343169496, 0.9720875424974148),
        (1048576.0, 0.3304931400217347, 0.943808393901312),
        (1048577.0, 0.9727535843134413, 0.23184146351624124),
        (3141592.653589793, -2.231912181360871e-10, 1.0),
        (5000000.0, -0.9765424686570829, -0.21532488687824783),
        (1000000000.0, 0.5458434494486996, 0.8378871813639024),
        (491701844.0, -1.2236130766002233e-08, 0.9999999999999999),
        (5.319372648326541e255, 1.0, -4.687165924254628e-19),
        (1e22, -0.8522008497671888, 0.523214785395139),
        (1e100, -0.3806377310050287, 0.9247242387519338),
        (1.7976931348623157e308, 0.004961954789184062, -0.9999876894265599),
        (10.995574287564276, -1.0, -4.286263797015736e-16),
        (1572.3671231216915, 1.0, -4.43163076048424e-15),
        (942479.3668732648, 1.0, -1.1970015686433716e-11),
        (19392545.654192563, 2.5579657371750637e-09, -1.0),
    ];

    /// How far apart two numbers are, in units in the last place of the second.
    fn units(found: f64, exact: f64) -> f64 {
        (found - exact).abs() / (f64::from_bits(exact.abs().to_bits() + 1) - exact.abs())
    }

    #[test]
    fn they_are_those_of_a_computation_with_900_digits() {
        for (x, sine, cosine) in EXACT {
            let (s, c) = of(x);
            assert!(units(s, sine) <= 1.0 && units(c, cosine) <= 1.0, "{x:e}: {s:e} {c:e}");
            assert_eq!((of(-x).0, of(-x).1), (-s, c));
        }
    }

    #[test]
    fn they_follow_the_standard_library() {
        let mut random = crate::random::Random::new(1);
        for scale in [1e-300, 1e-9, 1.0, 10.0, 1e3, 1e6, 1e7, 1e12, 1e100, 1e308] {
            let mut angles: Vec<f64> = (0..20_000).map(|_| scale * random.symmetric()).collect();
            let (exact, mut sines) = (angles.clone(), vec![0.0; angles.len()]);
            sin_cos(&mut angles, &mut sines, 1.0);
            for (x, (s, c)) in exact.iter().zip(sines.iter().zip(&angles)) {
                let (sine, cosine) = x.sin_cos();
                assert!(units(*s, sine) <= 1.5 && units(*c, cosine) <= 1.5, "{x:e}: {s:e} {c:e}");
            }
        }
    }

    #[test]
    fn one_far_angle_changes_no_bit_of_the_others() {
        let angles: Vec<f64> = (0..37).map(|i| f64::from(i * i) - 300.3).collect();
        let (mut alone, mut sines) = (angles.clone(), vec![0.0; 38]);
        sin_cos(&mut alone, &mut sines[..37], 0.1);
        let (mut all, mut other) = ([&angles[..], &[1e9]].concat(), vec![0.0; 38]);
        sin_cos(&mut all, &mut other, 0.1);
        assert_eq!((&all[..37], &other[..37]), (&alone[..], &sines[..37]));
        assert!([f64::NAN, f64::INFINITY, f64::NEG_INFINITY].iter().all(|x| of(*x).0.is_nan() && of(*x).1.is_nan()));
        assert_eq!(of(0.0), (0.0, 1.0));
    }
}
