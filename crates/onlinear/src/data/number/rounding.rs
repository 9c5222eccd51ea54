//! The double nearest to w · 10^q, by one product with a power of five of 128 bits.
//!
//! After Lemire, "Number Parsing at a Gigabyte per Second" (2021), the method of Eisel and Lemire. The power is cut
//! off, never rounded, so that the product lies at most two units of its last place below the truth. Where both ends of
//! that stretch round to the same double, that is the one; where they do not, which is next to never so unless w · 10^q
//! is half-way between two doubles, nothing is said.

/// The powers of ten that a product can take: beyond them all is 0 or too large.
const LEAST: i32 = -342;
const MOST: i32 = 308;
const COUNT: usize = (MOST - LEAST + 1) as usize;

/// The first 128 bits of 5^q, the highest of them 1, from [`LEAST`] on.
static POWERS_OF_FIVE: [u128; COUNT] = powers_of_five();

/// A large number: 64 bits each, the lowest first.
type Large = [u64; 16];

/// The 128 bits from the highest one of `number` on.
const fn highest_bits(number: &Large) -> u128 {
    let mut top = number.len() - 1;
    while number[top] == 0 {
        top -= 1;
    }
    let high = number[top];
    let middle = if top > 0 { number[top - 1] } else { 0 };
    let low = if top > 1 { number[top - 2] } else { 0 };
    let both = ((high as u128) << 64) | middle as u128;
    match high.leading_zeros() {
        0 => both,
        zeros => (both << zeros) | (low >> (64 - zeros)) as u128,
    }
}

/// Worked out while compiling: up from 1, and down from 2¹⁰²³, of which 5³⁴² leaves more than 128 bits.
const fn powers_of_five() -> [u128; COUNT] {
    let mut powers = [0; COUNT];
    let mut number: Large = [0; 16];
    number[0] = 1;
    let mut q = 0;
    while q <= MOST {
        powers[(q - LEAST) as usize] = highest_bits(&number);
        let (mut carry, mut i) = (0, 0);
        while i < number.len() {
            let product = number[i] as u128 * 5 + carry;
            number[i] = product as u64;
            carry = product >> 64;
            i += 1;
        }
        q += 1;
    }
    number = [0; 16];
    number[15] = 1 << 63;
    q = 0;
    while q > LEAST {
        let (mut rest, mut i) = (0, number.len());
        while i > 0 {
            i -= 1;
            let part = (rest << 64) | number[i] as u128;
            number[i] = (part / 5) as u64;
            rest = part % 5;
        }
        q -= 1;
        powers[(q - LEAST) as usize] = highest_bits(&number);
    }
    powers
}

/// ⌊log₂ 5^q⌋ for all q of the table.
const fn floor_log2_of_power(q: i32) -> i32 {
    (q * 152_170) >> 16
}

/// The double nearest to w · 10^q; none where that is 0 or next to it, too large, or too close to call.
#[inline]
pub(super) fn nearest(w: u64, q: i32) -> Option<f64> {
    const FRACTION: u32 = f64::MANTISSA_DIGITS - 1;
    if w == 0 || !(LEAST..=MOST).contains(&q) {
        return None;
    }
    let zeros = w.leading_zeros();
    let (w, power) = (u128::from(w << zeros), POWERS_OF_FIVE[(q - LEAST) as usize]);
    // The upper 128 of the 192 bits of w · power; what is below them is less than 1 of their units, and so is what
    // the power lacks.
    let product = w * (power >> 64) + ((w * (power & u128::from(u64::MAX))) >> 64);
    let shift = 128 - f64::MANTISSA_DIGITS - product.leading_zeros();
    let (rest, half) = (product & ((1 << shift) - 1), 1 << (shift - 1));
    if rest <= half && rest + 2 >= half {
        return None;
    }
    let mantissa = (product >> shift) as u64 + u64::from(rest > half);
    // 5^q is power · 2^(⌊log₂ 5^q⌋ − 127).
    let exponent = shift as i32 + 64 + floor_log2_of_power(q) - 127 + q - zeros as i32;
    let biased = exponent + FRACTION as i32 + f64::MAX_EXP - 1;
    // A mantissa rounded up to 2⁵³ carries into the exponent, as it should.
    let is_normal = (1..2 * f64::MAX_EXP - 2).contains(&biased);
    is_normal.then(|| f64::from_bits(((biased as u64) << FRACTION) + mantissa - (1 << FRACTION)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_the_first_bits_of_each_power() {
        // 5^q ≤ 2¹²⁸ is exact up to q = 55.
        for q in 0..=55u32 {
            let exact = 5u128.pow(q);
            assert_eq!(POWERS_OF_FIVE[(q as i32 - LEAST) as usize], exact << exact.leading_zeros(), "{q}");
            assert_eq!(floor_log2_of_power(q as i32), exact.ilog2() as i32, "{q}");
        }
        for q in LEAST..=MOST {
            let power = POWERS_OF_FIVE[(q - LEAST) as usize] as f64;
            // 5^q = 10^q / 2^q, as far as doubles of both go.
            let log2 = power.log2() - 127.0 + f64::from(floor_log2_of_power(q));
            assert!((log2 - f64::from(q) * 5f64.log2()).abs() < 1e-9, "{q}: {log2}");
        }
    }
}
