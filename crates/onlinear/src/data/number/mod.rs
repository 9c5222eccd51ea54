//! Decimal text to f64, correctly rounded.
//!
//! Digits are read eight at a time. Clinger's fast path takes most numbers of data files: those whose digits as an
//! integer are at most 2⁵³, with at most 22 behind the point. Both the integer and the power of ten are then exact, and
//! one division rounds once. Other numbers of up to 19 digits take a product with a power of five ([`rounding`]), and
//! the standard library does the rest.

mod rounding;

/// Why a text is not a number of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotANumber {
    /// No number at all.
    Malformed,
    /// `nan`, `inf` and their kin.
    NotFinite,
    /// A number beyond the largest f64.
    Overflow,
}

impl NotANumber {
    /// What is wrong with `text`.
    pub(crate) fn explain(self, text: &[u8]) -> String {
        let text = excerpt(text);
        match self {
            NotANumber::Malformed => format!("'{text}' is not a number"),
            NotANumber::NotFinite => format!("'{text}' is not a finite number"),
            NotANumber::Overflow => format!("'{text}' is beyond the largest number"),
        }
    }
}

/// A text for a message: short and printable.
pub(crate) fn excerpt(text: &[u8]) -> String {
    const LONGEST: usize = 40;
    let cut = &text[..text.len().min(LONGEST)];
    let mut shown: String = String::from_utf8_lossy(cut).escape_debug().collect();
    if cut.len() < text.len() {
        shown.push('…');
    }
    shown
}

const EXACT_INTEGER: u64 = 1 << 53;
/// So many digits fit in 64 bits.
const MOST_DIGITS: usize = 19;
const POWERS_OF_TEN: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];
const SMALL_POWERS_OF_TEN: [u64; 9] = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// Reads the number that starts at `start` and gives it with the place behind it, where a byte stands that cannot
/// belong to one, or that makes it none: the caller checks that it is a separator, or the end.
#[inline(always)]
pub(crate) fn number_at(bytes: &[u8], start: usize) -> Result<(f64, usize), NotANumber> {
    let negative = bytes.get(start) == Some(&b'-');
    let first = start + usize::from(negative);
    let mut at = first;
    let mut mantissa = 0u64;
    while let Some(digit) = digit_at(bytes, at) {
        mantissa = mantissa.wrapping_mul(10).wrapping_add(digit);
        at += 1;
    }
    let whole = at - first;
    let mut fraction = 0;
    if bytes.get(at) == Some(&b'.') {
        let (digits, count) = leading_digits(eight_bytes_at(bytes, at + 1));
        mantissa = mantissa.wrapping_mul(SMALL_POWERS_OF_TEN[count]).wrapping_add(digits);
        (fraction, at) = (count, at + 1 + count);
    }
    // At most 15 digits, so far below 2⁵³; anything else takes a longer way.
    if whole.wrapping_sub(1) >= 8 || fraction >= 8 || has_more(bytes, at) {
        return match fraction == 8 && whole <= 3 {
            true => longer_fraction_at(bytes, start, at, mantissa),
            false => longer_number_at(bytes, start),
        };
    }
    Ok((exact(negative, mantissa, fraction), at))
}

/// The number at `start`, of which `mantissa` is what was read up to `at`: at most three digits before the point and
/// eight behind it.
#[inline(never)]
fn longer_fraction_at(bytes: &[u8], start: usize, at: usize, mantissa: u64) -> Result<(f64, usize), NotANumber> {
    let negative = bytes[start] == b'-';
    let (mut mantissa, mut end) = (mantissa, at);
    for _ in 0..2 {
        let (digits, count) = leading_digits(eight_bytes_at(bytes, end));
        mantissa = mantissa.wrapping_mul(SMALL_POWERS_OF_TEN[count]).wrapping_add(digits);
        end += count;
        if digit_at(bytes, end).is_none() {
            break;
        }
    }
    let digits = end - start - 1 - usize::from(negative);
    let is_all = digits <= MOST_DIGITS && !has_more(bytes, end) && digit_at(bytes, end).is_none();
    match is_all.then(|| rounded(negative, mantissa, -8 - (end - at) as i32)).flatten() {
        Some(value) => Ok((value, end)),
        None => longer_number_at(bytes, start),
    }
}

/// ±mantissa / 10^fraction, rounded once: mantissa ≤ 2⁵³ and fraction ≤ 22.
#[inline(always)]
fn exact(negative: bool, mantissa: u64, fraction: usize) -> f64 {
    // The cast through i64 is one instruction, the one from u64 several.
    let value = mantissa as i64 as f64 / POWERS_OF_TEN[fraction];
    if negative { -value } else { value }
}

/// The digit at `at`, if one is there.
#[inline(always)]
fn digit_at(bytes: &[u8], at: usize) -> Option<u64> {
    let digit = bytes.get(at)?.wrapping_sub(b'0');
    (digit <= 9).then_some(u64::from(digit))
}

/// Whether a letter stands at `at`, such as that of an exponent.
#[inline(always)]
fn has_more(bytes: &[u8], at: usize) -> bool {
    bytes.get(at).is_some_and(u8::is_ascii_alphabetic)
}

/// ±mantissa · 10^power, rounded once; none where that takes more than a product.
#[inline(always)]
fn rounded(negative: bool, mantissa: u64, power: i32) -> Option<f64> {
    if mantissa <= EXACT_INTEGER && (-22..=0).contains(&power) {
        return Some(exact(negative, mantissa, power.unsigned_abs() as usize));
    }
    let value = rounding::nearest(mantissa, power)?;
    Some(if negative { -value } else { value })
}

/// Eight bytes from `at` on; zeros stand for those behind the end.
#[inline(always)]
fn eight_bytes_at(bytes: &[u8], at: usize) -> u64 {
    match bytes.get(at..at + 8).and_then(|eight| eight.first_chunk::<8>()) {
        Some(&eight) => u64::from_le_bytes(eight),
        None => last_bytes(bytes.get(at..).unwrap_or_default()),
    }
}

/// Up to seven bytes, with zeros behind them: two loads that overlap where there are four or more.
#[inline(always)]
fn last_bytes(rest: &[u8]) -> u64 {
    match (rest.first_chunk::<4>(), rest.last_chunk::<4>()) {
        (Some(&first), Some(&last)) => {
            let (first, last) = (u32::from_le_bytes(first), u32::from_le_bytes(last));
            u64::from(first) | u64::from(last) << (8 * (rest.len() - 4))
        }
        _ => rest.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)),
    }
}

/// The number that the leading digits of eight bytes make, the first of which is the lowest, and how many they are.
#[inline(always)]
fn leading_digits(eight: u64) -> (u64, usize) {
    // A digit becomes its value, 0 to 9; adding 0x76 carries into the top bit of every other byte. (A carry beyond it
    // only reaches bytes behind the first of those.)
    let values = eight ^ 0x3030_3030_3030_3030;
    let others = (values.wrapping_add(0x7676_7676_7676_7676) | values) & 0x8080_8080_8080_8080;
    let count = (others.trailing_zeros() / 8) as usize;
    // Move the digits to the top; the zero bytes shifted in below are leading zeros.
    let digits = values.checked_shl(64 - 8 * count as u32).unwrap_or(0);
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8); // in bytes 0, 2, 4, 6
    let high = (pairs & 0x0000_00FF_0000_00FF).wrapping_mul(100 + (1_000_000 << 32));
    let low = ((pairs >> 16) & 0x0000_00FF_0000_00FF).wrapping_mul(1 + (10_000 << 32));
    ((high.wrapping_add(low)) >> 32, count)
}

/// The number at `start` and where it ends, for numbers of many digits, with a sign or an exponent, or that are none.
#[inline(never)]
fn longer_number_at(bytes: &[u8], start: usize) -> Result<(f64, usize), NotANumber> {
    let sign = bytes.get(start);
    let first = start + usize::from(matches!(sign, Some(b'-' | b'+')));
    let (mut mantissa, mut at) = digits_at(bytes, first, 0);
    let (mut digits, mut power) = (at - first, 0);
    if bytes.get(at) == Some(&b'.') {
        let point = at + 1;
        (mantissa, at) = digits_at(bytes, point, mantissa);
        power = -((at - point) as i64);
        digits += at - point;
    }
    if digits > MOST_DIGITS {
        let leading = bytes[first..at].iter().take_while(|b| matches!(b, b'0' | b'.'));
        digits -= leading.filter(|b| **b == b'0').count();
    }
    if let Some(b'e' | b'E') = bytes.get(at).filter(|_| digits > 0) {
        let is_negative = bytes.get(at + 1) == Some(&b'-');
        let from = at + 1 + usize::from(matches!(bytes.get(at + 1), Some(b'-' | b'+')));
        let (exponent, end) = digits_at(bytes, from, 0);
        // One of more digits than this is beyond all doubles.
        if (1..=MOST_EXPONENT_DIGITS).contains(&(end - from)) {
            power += if is_negative { -(exponent as i64) } else { exponent as i64 };
            at = end;
        }
    }
    let is_number = (1..=MOST_DIGITS).contains(&digits) && !has_more(bytes, at);
    let power = i32::try_from(power).ok().filter(|_| is_number);
    match power.and_then(|power| rounded(sign == Some(&b'-'), mantissa, power)) {
        Some(value) => Ok((value, at)),
        None => slow_number_at(bytes, start),
    }
}

/// An exponent has at most this many digits.
const MOST_EXPONENT_DIGITS: usize = 8;

/// Appends the digits at `at` to `mantissa`.
#[inline(always)]
fn digits_at(bytes: &[u8], mut at: usize, mut mantissa: u64) -> (u64, usize) {
    loop {
        let (digits, count) = leading_digits(eight_bytes_at(bytes, at));
        mantissa = mantissa.wrapping_mul(SMALL_POWERS_OF_TEN[count]).wrapping_add(digits);
        at += count;
        if count < 8 {
            return (mantissa, at);
        }
    }
}

#[cold]
#[inline(never)]
fn slow_number_at(bytes: &[u8], start: usize) -> Result<(f64, usize), NotANumber> {
    let belongs = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.');
    let length = bytes[start..].iter().take_while(|&&b| belongs(b)).count();
    let text = &bytes[start..start + length];
    let value: f64 = std::str::from_utf8(text).ok().and_then(|t| t.parse().ok()).ok_or(NotANumber::Malformed)?;
    if value.is_finite() {
        Ok((value, start + length))
    } else if text.iter().any(u8::is_ascii_digit) {
        Err(NotANumber::Overflow)
    } else {
        Err(NotANumber::NotFinite)
    }
}

/// The number that `text` is from its first byte to its last.
#[inline]
pub(crate) fn parse(text: &[u8]) -> Result<f64, NotANumber> {
    match number_at(text, 0)? {
        (value, end) if end == text.len() => Ok(value),
        _ => Err(NotANumber::Malformed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use proptest::prelude::*;

    fn read(text: &str) -> Result<(f64, usize), NotANumber> {
        let mut padded = text.as_bytes().to_vec();
        padded.extend_from_slice(b" 12345678");
        number_at(&padded, 0)
    }

    fn same_as_the_standard_library(text: &str) {
        let (value, end) = read(text).expect(text);
        assert_eq!(end, text.len(), "{text}");
        assert_eq!(value.to_bits(), text.parse::<f64>().expect(text).to_bits(), "{text}");
    }

    #[test]
    fn reads_what_the_standard_library_reads() {
        for text in [
            "0",
            "-0",
            "1",
            "+1",
            "0.5",
            ".5",
            "5.",
            "-1.25",
            "1e5",
            "1E-5",
            "1.5e+3",
            "9007199254740993",
            "0.1234567890123456789",
            "123456789012345678901234567890",
            "1e-400",
            "2.2250738585072011e-308",
            "1.7976931348623157e308",
            "0.000000000000000000001",
            "00000000000000000000000.5",
            "12345678.12345678",
            "0.12345678",
            "0.123456789",
            "8.988465674311579e307",
        ] {
            same_as_the_standard_library(text);
        }
    }

    #[test]
    fn refuses_what_is_not_a_finite_number() {
        for (text, reason) in [
            ("", NotANumber::Malformed),
            ("-", NotANumber::Malformed),
            (".", NotANumber::Malformed),
            ("abc", NotANumber::Malformed),
            ("1e", NotANumber::Malformed),
            ("1x", NotANumber::Malformed),
            ("0x10", NotANumber::Malformed),
            ("nan", NotANumber::NotFinite),
            ("-inf", NotANumber::NotFinite),
            ("Infinity", NotANumber::NotFinite),
            ("1e309", NotANumber::Overflow),
            ("-1e999", NotANumber::Overflow),
        ] {
            assert_eq!(read(text), Err(reason), "{text}");
        }
    }

    /// Millions of numbers: any digits with any exponent, any double in as many digits as tell it from others, and
    /// those half-way between two doubles with their neighbours.
    #[test]
    fn random_numbers_are_rounded_as_the_standard_library_rounds_them() {
        let mut random = Random::new(18);
        let mut bits =
            |count: u32| ((random.index(1 << 32) as u64) << 32 | random.index(1 << 32) as u64) >> (64 - count);
        for _ in 0..400_000 {
            let digits = bits(64) % 10u64.pow(1 + (bits(32) % 19) as u32);
            let exponent = bits(32) as i64 % 700 - 360;
            let text = format!("{digits}e{exponent}");
            if text.parse::<f64>().expect("a number").is_finite() {
                same_as_the_standard_library(&text);
            }
            same_as_the_standard_library(&format!("0.{digits}"));
            same_as_the_standard_library(&format!("-0.000{digits:019}"));
            let value = f64::from_bits(bits(64));
            if value.is_finite() {
                same_as_the_standard_library(&format!("{value:e}"));
            }
            // An odd number of 54 bits lies half-way between two of 53.
            let half_way = bits(54) | 1 << 53 | 1;
            for tie in [half_way, half_way << (bits(32) % 10), half_way / 1000 * 1000] {
                (tie - 1..=tie + 1).for_each(|number| same_as_the_standard_library(&number.to_string()));
            }
            let quarter = u128::from(half_way) * 25;
            (quarter - 1..=quarter + 1).for_each(|number| same_as_the_standard_library(&format!("{number}e-2")));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn random_bit_patterns_round_trip(bits in any::<u64>()) {
            let value = f64::from_bits(bits);
            prop_assume!(value.is_finite());
            for text in [format!("{value}"), format!("{value:e}"), format!("{value:.6}"), format!("{value:.17e}")] {
                same_as_the_standard_library(&text);
            }
        }

        #[test]
        fn everyday_numbers_round_trip(
            digits in 0u64..10_000_000_000_000_000_000,
            places in 0usize..22,
            negative in any::<bool>(),
        ) {
            let mut text = format!("{digits:0>width$}", width = places + 1);
            text.insert(text.len() - places, '.');
            if negative {
                text.insert(0, '-');
            }
            same_as_the_standard_library(&text);
        }
    }
}
