//! Days as tables write them.

/// In which order a day is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DateOrder {
    /// 2024-03-15
    Ymd,
    /// 15.03.2024
    Dmy,
    /// 03/15/2024
    Mdy,
}

impl DateOrder {
    pub(crate) const ALL: [DateOrder; 3] = [DateOrder::Ymd, DateOrder::Dmy, DateOrder::Mdy];

    pub(crate) fn name(self) -> &'static str {
        match self {
            DateOrder::Ymd => "ymd",
            DateOrder::Dmy => "dmy",
            DateOrder::Mdy => "mdy",
        }
    }

    pub(crate) fn named(name: &str) -> Option<DateOrder> {
        DateOrder::ALL.into_iter().find(|order| order.name() == name)
    }
}

/// A day, and the hour where there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Date {
    pub(crate) year: i64,
    pub(crate) month: u32,
    pub(crate) day: u32,
    pub(crate) hour: Option<u32>,
    /// The seconds since midnight, and how many of them its clock is ahead of UTC, where a number says so.
    seconds: u32,
    offset: Option<i32>,
    /// Whether its year was written with two digits, of which 69 to 99 are those of 1969 to 1999.
    pub(crate) has_short_year: bool,
}

const WEEKDAYS: [&str; 7] =
    ["weekday=Mon", "weekday=Tue", "weekday=Wed", "weekday=Thu", "weekday=Fri", "weekday=Sat", "weekday=Sun"];
const MONTHS: [&str; 12] = [
    "month=1", "month=2", "month=3", "month=4", "month=5", "month=6", "month=7", "month=8", "month=9", "month=10",
    "month=11", "month=12",
];
const HOURS: [&str; 24] = [
    "hour=0", "hour=1", "hour=2", "hour=3", "hour=4", "hour=5", "hour=6", "hour=7", "hour=8", "hour=9", "hour=10",
    "hour=11", "hour=12", "hour=13", "hour=14", "hour=15", "hour=16", "hour=17", "hour=18", "hour=19", "hour=20",
    "hour=21", "hour=22", "hour=23",
];

impl Date {
    /// The day that `text` is in this order: three numbers with the same sign of `-/.` between them, the year of four
    /// digits or two, and perhaps a time of day behind it. A month may be a name, in any order then; a year of four
    /// digits in front is one in any order; and eight digits are the year, the month and the day.
    pub(crate) fn parse(text: &[u8], order: DateOrder) -> Option<Date> {
        Date::of_ten_bytes(text, order).or_else(|| Date::of_text(text, order))
    }

    /// The same for what programs write: `2024-03-15` or `15.03.2024`, and perhaps ` 14:05` or `T14:05:09` behind it.
    fn of_ten_bytes(text: &[u8], order: DateOrder) -> Option<Date> {
        let (day, time) = text.split_first_chunk::<10>()?;
        let two = |pair: [u8; 2]| {
            let [tens, ones] = pair.map(|byte| u32::from(byte.wrapping_sub(b'0')));
            (tens < 10 && ones < 10).then_some(10 * tens + ones)
        };
        let (divider, year, month, day) = match (order, *day) {
            (_, [a, b, c, d, first, m, n, second, e, f]) if first == second && b"-/.".contains(&first) => {
                (first, 100 * two([a, b])? + two([c, d])?, two([m, n])?, two([e, f])?)
            }
            (DateOrder::Dmy, [e, f, first, m, n, second, a, b, c, d])
            | (DateOrder::Mdy, [m, n, first, e, f, second, a, b, c, d])
                if first == second && !(order == DateOrder::Mdy && first == b'.') =>
            {
                (first, 100 * two([a, b])? + two([c, d])?, two([m, n])?, two([e, f])?)
            }
            _ => return None,
        };
        let seconds = match *time {
            [] => 0,
            [b' ' | b'T', a, b, b':', c, d] => 3600 * two([a, b])? + 60 * two([c, d])?,
            [b' ' | b'T', a, b, b':', c, d, b':', e, f] => 3600 * two([a, b])? + 60 * two([c, d])? + two([e, f])?,
            _ => return None,
        };
        let is_time = time.is_empty() || time[4..].first_chunk().is_some_and(|minute| two(*minute) < Some(60));
        let is_second = time.get(7..9).is_none_or(|second| second < &b"60"[..]);
        let year = i64::from(year);
        let is_day = b"-/.".contains(&divider) && (1..=12).contains(&month) && day >= 1 && day <= days_of(year, month);
        let is_sound = is_day && is_time && is_second && seconds < 86_400;
        let hour = (seconds > 0).then_some(seconds / 3600);
        is_sound.then_some(Date { year, month, day, hour, seconds, offset: None, has_short_year: false })
    }

    fn of_text(text: &[u8], order: DateOrder) -> Option<Date> {
        let text = without_weekday(std::str::from_utf8(text).ok()?);
        if let Some((day, rest)) = split_named(text, order) {
            return Date::of(day, rest);
        }
        if order == DateOrder::Ymd && text.len() == 8 && text.bytes().all(|b| b.is_ascii_digit()) {
            return Date::of([&text[..4], &text[4..6], &text[6..]], None);
        }
        let (day, time) = text.split_once(['T', ' ']).map_or((text, None), |(day, time)| (day, Some(time.trim())));
        let divider = day.chars().find(|c| "-/.".contains(*c))?;
        let mut parts = day.split(divider);
        let parts = [parts.next()?, parts.next()?, parts.next()?, parts.next().unwrap_or_default()];
        let [first, second, third, ""] = parts else { return None };
        let [year, month, day] = match order {
            DateOrder::Ymd => [first, second, third],
            _ if first.len() == 4 => [first, second, third],
            // Who writes points writes the day first.
            DateOrder::Mdy if divider == '.' => return None,
            DateOrder::Dmy => [third, second, first],
            DateOrder::Mdy => [third, first, second],
        };
        Date::of([year, month, day], time)
    }

    /// The day of these numbers, at this time of day.
    fn of([year, month, day]: [&str; 3], time: Option<&str>) -> Option<Date> {
        let digits = |text: &str, lengths: std::ops::RangeInclusive<usize>| {
            let ok = lengths.contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
            if ok { text.parse::<u32>().ok() } else { None }
        };
        let (written, has_short_year) = (year, year.len() == 2);
        let year = match i64::from(digits(written, 2..=4).filter(|_| written.len() != 3)?) {
            year @ 0..69 if has_short_year => 2000 + year,
            year if has_short_year => 1900 + year,
            year => year,
        };
        let (month, day) = (digits(month, 1..=2)?, digits(day, 1..=2)?);
        let (seconds, offset) = time.map_or(Some((0.0, None)), seconds_of_day)?;
        let is_day = (1..=12).contains(&month) && day >= 1 && day <= days_of(year, month);
        // A day without a time is often written with that of midnight; a leap second belongs to the last hour.
        let hour = (seconds > 0.0).then_some(((seconds / 3600.0) as u32).min(23));
        is_day.then_some(Date { year, month, day, hour, seconds: seconds as u32, offset, has_short_year })
    }

    /// The same moment by the clock of UTC, where a number says how far its own is ahead.
    pub(crate) fn in_utc(self) -> Date {
        let Some(offset) = self.offset.filter(|offset| *offset != 0) else { return self };
        // A leap second belongs to the last minute.
        let seconds = i64::from(self.seconds.min(86_399)) - i64::from(offset);
        let (year, month, day) = day_of(self.number() + seconds.div_euclid(86_400));
        let seconds = seconds.rem_euclid(86_400) as u32;
        let hour = (seconds > 0).then_some(seconds / 3600);
        Date { year, month, day, hour, seconds, offset: Some(0), ..self }
    }

    /// Days since the first of 1970.
    pub(crate) fn number(self) -> i64 {
        // Years begin with March, so that a leap day is their last.
        let year = self.year - i64::from(self.month <= 2);
        let (era, month) = (year.div_euclid(400), i64::from((self.month + 9) % 12));
        let of_era = year.rem_euclid(400);
        let of_year = (153 * month + 2) / 5 + i64::from(self.day) - 1;
        era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
    }

    /// What features it has beside its column, in the order of their names.
    pub(crate) fn parts(self) -> [Option<(&'static str, f64)>; 5] {
        let day = self.number();
        // The first of 1970 was a Thursday.
        let weekday = WEEKDAYS[(day + 3).rem_euclid(7) as usize];
        [
            Some(("day", day as f64)),
            self.hour.map(|hour| (HOURS[hour as usize], 1.0)),
            Some((MONTHS[self.month as usize - 1], 1.0)),
            Some((weekday, 1.0)),
            Some(("year", self.year as f64)),
        ]
    }
}

const MONTH_NAMES: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// What stands behind the name of a weekday, or its first three letters: `Fri, 15 Mar 2024`.
fn without_weekday(text: &str) -> &str {
    const NAMES: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
    let end = text.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(0);
    let (word, rest) = text.split_at(end);
    let is_called = |name: &str| word.eq_ignore_ascii_case(name) || word.eq_ignore_ascii_case(&name[..3]);
    let rest = rest.strip_prefix(',').unwrap_or(rest);
    if NAMES.iter().any(|name| is_called(name)) { rest.trim_start() } else { text }
}

/// Year, month and day of a text in which the month is a name, or its first three letters, and what stands behind:
/// `15-Mar-2024`, `15Mar2024`, `March 15, 2024 14:05`. A year of two digits comes first only where the order says so.
fn split_named(text: &str, order: DateOrder) -> Option<([&str; 3], Option<&str>)> {
    let (mut parts, mut month, mut rest) = ([""; 2], None, text);
    let mut numbers = 0;
    for _ in 0..3 {
        let is_name = rest.starts_with(|c: char| c.is_ascii_alphabetic());
        let is_other = |c: char| !c.is_ascii_alphanumeric() || c.is_ascii_alphabetic() != is_name;
        let (part, behind) = rest.split_at(rest.find(is_other).unwrap_or(rest.len()));
        rest = behind.trim_start_matches([' ', '-', '/', '.', ',']);
        match is_name {
            true if month.is_none() => month = Some(month_number(part)?),
            false if numbers < 2 => {
                parts[numbers] = part;
                numbers += 1;
            }
            _ => return None,
        }
    }
    let is_year_first = parts[0].len() == 4 || order == DateOrder::Ymd && parts[1].len() != 4;
    let (year, day) = if is_year_first { (parts[0], parts[1]) } else { (parts[1], parts[0]) };
    Some(([year, month?, day], Some(rest).filter(|rest| !rest.is_empty())))
}

/// The number of a month by its name, as a text.
fn month_number(name: &str) -> Option<&'static str> {
    const NUMBERS: [&str; 12] = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"];
    let is_called = |month: &&str| {
        let start = month.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
        start && (name.len() == 3 || name.len() == month.len())
    };
    MONTH_NAMES.iter().position(is_called).map(|place| NUMBERS[place])
}

fn days_of(year: i64, month: u32) -> u32 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The seconds since midnight of a time of day such as `14:05`, `14:05:09.5Z`, `2:05 PM` or `2:05:00 PM GMT+2`, and how
/// many of them its clock is ahead of UTC, where a number or UTC itself says so.
fn seconds_of_day(text: &str) -> Option<(f64, Option<i32>)> {
    let (time, zone) = match text.rsplit_once(' ').filter(|(_, word)| is_zone(word)) {
        Some((time, zone)) => (time, Some(zone)),
        None => (text, None),
    };
    let time = &time.to_ascii_uppercase()[..];
    let (time, half) = match (time.strip_suffix("PM"), time.strip_suffix("AM")) {
        (Some(time), _) => (time.trim_end(), Some(12)),
        (_, Some(time)) => (time.trim_end(), Some(0)),
        _ => (time, None),
    };
    let (time, behind) = time.split_at(time.find(['Z', '+', '-']).unwrap_or(time.len()));
    let mut parts = time.trim_end().split(':');
    let number = |text: &str, below: u32| text.parse::<u32>().ok().filter(|number| *number < below);
    let (hour, minute) = (number(parts.next()?, 24)?, number(parts.next()?, 60)?);
    let second: f64 = parts.next().map_or(Some(0.0), |text| text.parse().ok())?;
    let hour = half.map_or(hour, |half| hour % 12 + half);
    let is_time = parts.next().is_none() && (0.0..61.0).contains(&second);
    is_time.then_some((f64::from(hour * 3600 + minute * 60) + second, offset_of(zone.unwrap_or(behind))))
}

/// By how many seconds clocks of a zone such as `Z`, `+03:00`, `UTC` or `GMT+2` are ahead of UTC; none for one that
/// has a name alone.
fn offset_of(zone: &str) -> Option<i32> {
    let at = zone.find(['+', '-']);
    let Some(at) = at else { return ["Z", "UTC", "GMT"].contains(&zone).then_some(0) };
    let digits: String = zone[at + 1..].chars().filter(|c| *c != ':').collect();
    let is_offset = (1..=4).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
    let (hours, minutes) = if digits.len() > 2 { digits.split_at(digits.len() - 2) } else { (&digits[..], "0") };
    let seconds = 3600 * hours.parse::<i32>().ok().filter(|_| is_offset)? + 60 * minutes.parse::<i32>().ok()?;
    Some(if zone[at..].starts_with('-') { -seconds } else { seconds })
}

/// Whether a word is the name of a time zone, such as `UTC`, `CEST` or `GMT+2`.
fn is_zone(word: &str) -> bool {
    let name = word.split(['+', '-']).next().unwrap_or_default();
    (3..=5).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_uppercase())
}

/// Year, month and day of a day that is counted from the first of 1970.
fn day_of(days: i64) -> (i64, u32, u32) {
    // Years begin with March, so that a leap day is their last.
    let days = days.saturating_add(719_468);
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * of_year + 2) / 153;
    let (day, month) = (of_year - (153 * from_march + 2) / 5 + 1, (from_march + 2) % 12 + 1);
    (year_of_era + era * 400 + i64::from(month <= 2), month as u32, day as u32)
}

/// A day, counted from the first of 1970, as a table has it.
pub fn day_text(days: i64) -> String {
    let (year, month, day) = day_of(days);
    format!("{year:04}-{month:02}-{day:02}")
}

/// A moment, counted from the first of 1970 in ticks of which so many are a second, as a table has it: a day, and the
/// time where it is not midnight.
pub fn moment_text(ticks: i64, per_second: i64) -> String {
    let of_day = 86_400 * per_second;
    let date = day_text(ticks.div_euclid(of_day));
    let seconds = ticks.rem_euclid(of_day) as f64 / per_second as f64;
    if seconds == 0.0 {
        return date;
    }
    let (whole, fraction) = (seconds as i64, format!("{:.6}", seconds.fract()));
    let fraction = fraction.trim_start_matches('0').trim_end_matches('0');
    let fraction = if fraction == "." { "" } else { fraction };
    format!("{date} {:02}:{:02}:{:02}{fraction}", whole / 3600, whole / 60 % 60, whole % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_read_in_their_order() {
        let date = |text: &str, order| Date::parse(text.as_bytes(), order).map(|d| (d.year, d.month, d.day, d.hour));
        assert_eq!(date("2024-03-15", DateOrder::Ymd), Some((2024, 3, 15, None)));
        assert_eq!(date("2024/3/5 14:05", DateOrder::Ymd), Some((2024, 3, 5, Some(14))));
        assert_eq!(date("2024-02-29T00:00:00Z", DateOrder::Ymd), Some((2024, 2, 29, None)));
        assert_eq!(date("15.03.2024", DateOrder::Dmy), Some((2024, 3, 15, None)));
        assert_eq!(date("3/15/2024 2:05 PM", DateOrder::Mdy), Some((2024, 3, 15, Some(14))));
        assert_eq!(date("15.03.2024", DateOrder::Mdy), None);
        for text in ["15-Mar-2024", "15 march 2024", "March 15, 2024", "Mar 15 2024", "2024-MAR-15"] {
            assert_eq!(date(text, DateOrder::Ymd), Some((2024, 3, 15, None)), "{text}");
            assert_eq!(date(text, DateOrder::Mdy), Some((2024, 3, 15, None)), "{text}");
        }
        assert_eq!(date("15-Mar-2024 14:05", DateOrder::Dmy), Some((2024, 3, 15, Some(14))));
        assert_eq!(date("20240315", DateOrder::Ymd), Some((2024, 3, 15, None)));
        for time in ["23:59:60", "23:59:60.5", "23:59:59", "23:59", "11:59:59 pm", "23:00"] {
            assert_eq!(date(&format!("2024-03-15 {time}"), DateOrder::Ymd), Some((2024, 3, 15, Some(23))), "{time}");
        }
        for time in ["08:30:00 PM GMT+2", "20:30 UTC", "20:30:59 +0100", "20:30:59.123456 CEST", "8:30 pm EST"] {
            assert_eq!(date(&format!("2024/03/15 {time}"), DateOrder::Ymd), Some((2024, 3, 15, Some(20))), "{time}");
        }
        for text in [
            "Marc 15 2024",
            "15 2024 31",
            "Mar May 2024",
            "March",
            "2024031",
            "a b c",
            "May 5",
            "2024-03-15 20:30 call",
        ] {
            assert_eq!(date(text, DateOrder::Ymd), None, "{text}");
        }
        for text in
            ["2023-02-29", "2024-13-01", "124-01-02", "4-01-02", "2024-01", "2024-01-02 25:00", "1-2-3-4", "x", ""]
        {
            assert_eq!(date(text, DateOrder::Ymd), None, "{text}");
        }
    }

    #[test]
    fn a_year_in_front_is_one_in_any_order() {
        for order in DateOrder::ALL {
            let date = |text: &str| Date::parse(text.as_bytes(), order).map(|d| (d.year, d.month, d.day, d.hour));
            assert_eq!(date("2024-03-15"), Some((2024, 3, 15, None)), "{order:?}");
            assert_eq!(date("2024-3-5 14:05"), Some((2024, 3, 5, Some(14))), "{order:?}");
            assert_eq!(date("2012-12-15T00:00:00+01:00"), Some((2012, 12, 15, None)), "{order:?}");
            assert_eq!(date("2024-15-03"), None, "{order:?}");
        }
    }

    #[test]
    fn one_moment_is_the_same_in_every_zone() {
        let date = |text: &str| Date::parse(text.as_bytes(), DateOrder::Ymd).expect(text);
        let moment = |text: &str| {
            let date = date(text).in_utc();
            (date.number(), date.hour)
        };
        for same in [
            "2024-03-02T01:30:00+03:00",
            "2024-03-01T22:30:00Z",
            "2024-03-01 22:30",
            "2024-03-01 22:30 UTC",
            "2024-03-02 00:30:59.5+0200",
            "2024-03-01 17:30 GMT-5",
            "2024-03-01T17:30-05",
            "2024-03-02T04:00+05:30",
        ] {
            assert_eq!(moment(same), (19_783, Some(22)), "{same}");
        }
        assert_eq!(moment("2024-03-02T01:00+01:00"), (19_784, None), "midnight");
        assert_eq!(moment("2024-03-02 01:30 CEST"), (19_784, Some(1)), "nobody knows how far that is ahead");
        assert_eq!(date("2024-03-02T01:30+03:00").hour, Some(1), "as it is written");
    }

    #[test]
    fn years_of_two_digits_are_of_one_hundred_years() {
        let date = |text: &str, order| Date::parse(text.as_bytes(), order).map(|d| (d.year, d.month, d.day));
        assert_eq!(date("03/04/21", DateOrder::Dmy), Some((2021, 4, 3)));
        assert_eq!(date("03/04/21", DateOrder::Mdy), Some((2021, 3, 4)));
        assert_eq!(date("03/04/21", DateOrder::Ymd), Some((2003, 4, 21)));
        assert_eq!(date("31.12.68 10:00", DateOrder::Dmy), Some((2068, 12, 31)));
        assert_eq!(date("31.12.69", DateOrder::Dmy), Some((1969, 12, 31)));
        assert_eq!(date("15-Mar-24", DateOrder::Dmy), Some((2024, 3, 15)));
        assert_eq!(date("24-Mar-15", DateOrder::Ymd), Some((2024, 3, 15)));
        let is_short = |text: &str| Date::parse(text.as_bytes(), DateOrder::Dmy).map(|date| date.has_short_year);
        assert_eq!((is_short("1/2/03"), is_short("1/2/2003"), is_short("1/2/203")), (Some(true), Some(false), None));
    }

    #[test]
    fn the_quick_way_finds_what_the_other_finds() {
        let (days, times) = (
            ["2024-03-15", "2024.03/15", "2023-02-29", "31.01.2024", "01/31/2024", "1x.01.2024"],
            ["", " 00:00", "T23:59:59", " 24:00", " 12:60", " 12:00:60", " 1:05", "x12:00", " 12:00:0x", "Z"],
        );
        for (day, time) in days.iter().flat_map(|day| times.iter().map(move |time| (day, time))) {
            let text = format!("{day}{time}").into_bytes();
            for order in DateOrder::ALL {
                let (quick, other) = (Date::of_ten_bytes(&text, order), Date::of_text(&text, order));
                assert!(quick.is_none() || quick == other, "{day}{time} {order:?}: {quick:?} {other:?}");
            }
        }
    }

    #[test]
    fn days_are_counted_from_1970() {
        let date = |text: &str| Date::parse(text.as_bytes(), DateOrder::Ymd).expect(text);
        let day = |text: &str| (date(text).number(), date(text).parts()[3].map(|(weekday, _)| weekday));
        assert_eq!(day("1970-01-01"), (0, Some("weekday=Thu")));
        assert_eq!(day("2024-03-15"), (19_797, Some("weekday=Fri")));
        assert_eq!(day("1969-12-31"), (-1, Some("weekday=Wed")));
        assert_eq!(date("2000-03-01").number() - date("2000-02-28").number(), 2);
    }

    #[test]
    fn days_and_moments_are_written_as_they_are_read() {
        for days in [-719_162, -1, 0, 58, 59, 60, 11_016, 19_797, 2_932_896] {
            let date = Date::parse(day_text(days).as_bytes(), DateOrder::Ymd).expect("a day");
            assert_eq!((date.number(), date.hour), (days, None));
        }
        assert_eq!(moment_text(0, 1000), "1970-01-01");
        assert_eq!(moment_text(-1, 1), "1969-12-31 23:59:59");
        assert_eq!(moment_text(1_710_509_430_250, 1000), "2024-03-15 13:30:30.25");
        assert_eq!(moment_text(i64::MIN, 1_000_000_000), "1677-09-21 00:12:43.145224");
    }
}
