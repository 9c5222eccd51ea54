//! What stands beside numbers: units, and the signs of currencies and of percent.

/// Signs that stand before or behind an amount.
pub(super) const CURRENCIES: [char; 6] = ['$', '€', '£', '¥', '₹', '₩'];

/// Words that stand before an amount, or behind it.
const CURRENCY_WORDS: [&str; 37] = [
    "USD", "EUR", "GBP", "CHF", "JPY", "CNY", "INR", "AUD", "CAD", "NZD", "SEK", "NOK", "DKK", "PLN", "CZK", "HUF",
    "BRL", "MXN", "ZAR", "RUB", "TRY", "KRW", "SGD", "HKD", "THB", "ILS", "AED", "SAR", "RON", "Rs", "Rs.", "R$",
    "US$", "A$", "C$", "kr", "zł",
];

/// Words behind a number that measure something wherever they stand.
const UNITS: [&str; 76] = [
    "kg", "g", "mg", "µg", "lb", "lbs", "oz", "t", "km", "m", "cm", "mm", "mi", "mile", "miles", "ft", "in", "inch",
    "yd", "km2", "m2", "cm2", "m3", "km²", "m²", "m³", "ha", "l", "L", "ml", "mL", "gal", "°C", "°F", "℃", "℉", "K",
    "k", "M", "Mio", "mn", "bn", "B", "%", "‰", "ms", "s", "sec", "secs", "min", "mins", "h", "hr", "hrs", "hour",
    "hours", "day", "days", "week", "weeks", "month", "months", "year", "years", "yrs", "mph", "km/h", "kmh", "W",
    "kW", "kWh", "GB", "MB", "KB", "TB", "Hz",
];

/// No unit is longer.
const LONGEST_UNIT: usize = 16;

fn is_space(c: char) -> bool {
    c == ' ' || c == '\u{a0}' || c == '\u{202f}'
}

/// A number and the unit beside it, such as those of `57,6 °C` and, of currencies, `USD 12.50`; which of the two a
/// sign belongs to is for others to say.
pub(super) fn split_unit(text: &[u8]) -> Option<(&[u8], &str)> {
    let text = std::str::from_utf8(text).ok()?;
    if text.starts_with(char::is_alphabetic) {
        return split_currency(text);
    }
    let at = text.find(|c: char| !(c.is_ascii_digit() || "+-−.,'".contains(c) || is_space(c)))?;
    let (number, unit) = (text[..at].trim_end_matches(is_space), &text[at..]);
    let is_word = unit.len() <= LONGEST_UNIT && !unit.contains(is_space);
    let is_unit = is_word && unit.starts_with(|c: char| c.is_alphabetic() || "°‰℃℉".contains(c));
    // A list numbers its words `1. White`; and digits that nobody is to see are crossed out, `940xx`.
    let is_number = number.ends_with(|c: char| c.is_ascii_digit());
    let is_mask = unit.len() > 1 && unit.bytes().all(|b| b.eq_ignore_ascii_case(&b'x'));
    (is_unit && is_number && !is_mask).then_some((number.as_bytes(), unit))
}

/// The amount behind the word of a currency.
fn split_currency(text: &str) -> Option<(&[u8], &str)> {
    let at = text.find(|c: char| c.is_ascii_digit() || "+-,".contains(c) || is_space(c))?;
    let (currency, amount) = (&text[..at], text[at..].trim_start_matches(is_space));
    (CURRENCY_WORDS.contains(&currency) && !amount.is_empty()).then_some((amount.as_bytes(), currency))
}

/// Whether a word beside a number is a unit and not part of a code such as `32A`.
pub(super) fn is_known(unit: &str) -> bool {
    UNITS.contains(&unit) || CURRENCY_WORDS.contains(&unit)
}

/// The sign of a currency or of percent beside a number.
pub(super) fn sign_of(text: &[u8]) -> Option<char> {
    let text = std::str::from_utf8(text).ok()?;
    text.chars().find(|c| CURRENCIES.contains(c) || *c == '%')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_stand_behind_numbers_and_currencies_before_them_too() {
        for (text, told) in [
            ("57,6 °C", Some(("57,6", "°C"))),
            ("-3\u{a0}kg", Some(("-3", "kg"))),
            ("1 200 m2", Some(("1 200", "m2"))),
            ("80km/h", Some(("80", "km/h"))),
            ("12", None),
            ("kg", None),
            ("12 (about)", None),
            ("12 High Street", None),
            ("12 inhabitants/km2/year", None),
            ("USD 1299.61", Some(("1299.61", "USD"))),
            ("1299.61 USD", Some(("1299.61", "USD"))),
            ("Rs. 500", Some(("500", "Rs."))),
            ("EUR-3", Some(("-3", "EUR"))),
            ("USD ", None),
            ("PC 17599", None),
            ("V57", None),
            ("1. White", None),
            ("1- low", None),
            ("940xx", None),
            ("2x", Some(("2", "x"))),
            ("−5 °C", Some(("−5", "°C"))),
        ] {
            let told = told.map(|(number, unit)| (number.as_bytes(), unit));
            assert_eq!(split_unit(text.as_bytes()), told, "{text}");
        }
    }
}
