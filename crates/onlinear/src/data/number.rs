//! Decimal text to f64, correctly rounded.
//!
//! Clinger's fast path takes nearly every number of a data file: up to 19 digits whose value as an
//! integer is at most 2⁵³, and at most 22 behind the point. Both the integer and the power of ten
//! are then exact, and one division rounds once. The standard library does the rest.

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
const MOST_DIGITS: usize = 19;
const POWERS_OF_TEN: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];
const SMALL_POWERS_OF_TEN: [u64; 9] = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// Reads the number that starts at `start` and gives it with the place behind it.
///
/// `bytes` must go on for at least nine bytes after the number, and the number must end there at a
/// byte that cannot belong to one (the caller checks that it is a separator).
#[inline(always)]
pub(crate) fn number_at(bytes: &[u8], start: usize) -> Result<(f64, usize), NotANumber> {
    let negative = bytes[start] == b'-';
    let first = start + usize::from(negative);
    let mut at = first;
    let mut mantissa = 0u64;
    loop {
        let digit = bytes[at].wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        mantissa = mantissa.wrapping_mul(10).wrapping_add(u64::from(digit));
        at += 1;
    }
    let whole = at - first;
    let mut fraction = 0;
    if bytes[at] == b'.'
        && let Some(&eight) = bytes[at + 1..].first_chunk::<8>()
    {
        let (digits, count) = leading_digits(eight);
        fraction = count;
        mantissa = mantissa.wrapping_mul(SMALL_POWERS_OF_TEN[count]).wrapping_add(digits);
        at += 1 + count;
    }
    // At most 15 digits, so far below 2⁵³; anything else takes the longer way.
    if whole.wrapping_sub(1) >= 8 || fraction >= 8 || (bytes[at] != b' ' && bytes[at] != b'\n') {
        return longer_number_at(bytes, start);
    }
    Ok((exact(negative, mantissa, fraction), at))
}

/// ±mantissa / 10^fraction, rounded once: mantissa ≤ 2⁵³ and fraction ≤ 22.
#[inline(always)]
fn exact(negative: bool, mantissa: u64, fraction: usize) -> f64 {
    // The cast through i64 is one instruction, the one from u64 several.
    let value = mantissa as i64 as f64 / POWERS_OF_TEN[fraction];
    if negative { -value } else { value }
}

/// The number that the leading digits of eight bytes make, and how many they are.
#[inline(always)]
fn leading_digits(eight: [u8; 8]) -> (u64, usize) {
    // The first byte is the lowest. A digit becomes its value, 0 to 9; adding 0x76 carries into the
    // top bit of every other byte. (A carry beyond it only reaches bytes behind the first of those.)
    let values = u64::from_le_bytes(eight) ^ 0x3030_3030_3030_3030;
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
    let sign = bytes[start];
    let first = start + usize::from(sign == b'-' || sign == b'+');
    let (mut mantissa, mut at) = digits_at(bytes, first, 0);
    let mut digits = at - first;
    let mut fraction = 0;
    if bytes.get(at) == Some(&b'.') {
        let point = at + 1;
        (mantissa, at) = digits_at(bytes, point, mantissa);
        fraction = at - point;
        digits += fraction;
    }
    let goes_on = bytes.get(at).is_some_and(u8::is_ascii_alphabetic);
    if digits == 0 || digits > MOST_DIGITS || mantissa > EXACT_INTEGER || goes_on {
        return slow_number_at(bytes, start);
    }
    Ok((exact(sign == b'-', mantissa, fraction), at))
}

/// Appends the digits at `at` to `mantissa`.
#[inline(always)]
fn digits_at(bytes: &[u8], mut at: usize, mut mantissa: u64) -> (u64, usize) {
    while let Some(&eight) = bytes.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        let (digits, count) = leading_digits(eight);
        mantissa = mantissa.wrapping_mul(SMALL_POWERS_OF_TEN[count]).wrapping_add(digits);
        at += count;
        if count < 8 {
            return (mantissa, at);
        }
    }
    digits_at_end(bytes, at, mantissa)
}

/// Appends the digits at `at`, near the end of the bytes, to `mantissa` one at a time.
#[cold]
fn digits_at_end(bytes: &[u8], mut at: usize, mut mantissa: u64) -> (u64, usize) {
    while let Some(digit) = bytes.get(at).map(|b| b.wrapping_sub(b'0')).filter(|&d| d <= 9) {
        mantissa = mantissa.wrapping_mul(10).wrapping_add(u64::from(digit));
        at += 1;
    }
    (mantissa, at)
}

#[cold]
#[inline(never)]
fn slow_number_at(bytes: &[u8], start: usize) -> Result<(f64, usize), NotANumber> {
    let belongs = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.');
    let length = bytes[start..].iter().take_while(|&&b| belongs(b)).count();
    let text = &bytes[start..start + length];
    Ok((parse(text)?, start + length))
}

/// The number that `text` is from its first byte to its last.
pub(crate) fn parse(text: &[u8]) -> Result<f64, NotANumber> {
    let value: f64 = std::str::from_utf8(text).ok().and_then(|t| t.parse().ok()).ok_or(NotANumber::Malformed)?;
    if value.is_finite() {
        Ok(value)
    } else if text.iter().any(u8::is_ascii_digit) {
        Err(NotANumber::Overflow)
    } else {
        Err(NotANumber::NotFinite)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
