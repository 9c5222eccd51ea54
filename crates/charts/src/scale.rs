//! Which part of an axis is shown, where a value lies on it, and where its ticks stand.

use crate::number;

/// What is farther from 0 than this is not drawn.
const LARGEST: f64 = 1e100;
/// An axis is cut into no more parts than this.
const PARTS: f64 = 8.0;

/// Whether a value has a place in a chart.
pub fn is_drawable(value: f64, log: bool) -> bool {
    value.abs() < LARGEST && (!log || value > 1.0 / LARGEST)
}

/// The part of an axis that is shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    pub low: f64,
    pub high: f64,
    pub log: bool,
}

impl Limits {
    /// From the smallest to the largest value, and some more where these are one or none.
    pub fn of(values: impl Iterator<Item = f64>, log: bool) -> Limits {
        let drawable = values.filter(|&value| is_drawable(value, log));
        let (low, high) =
            drawable.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), value| (a.min(value), b.max(value)));
        let (low, high) = match (low <= high, log) {
            (false, true) => (1.0, 10.0),
            (false, false) => (0.0, 1.0),
            (true, true) if high < low * 1.001 => (low / 2.0, high * 2.0),
            (true, false) if high - low <= 1e-9 * high.abs().max(low.abs()) => (low - around(low), high + around(high)),
            (true, _) => (low, high),
        };
        Limits { low, high, log }
    }

    /// Starts at 0 unless the values are so far from it that more than this share of the axis would be empty.
    pub fn starting_at_zero(self, share: f64) -> Limits {
        let near = !self.log && self.low > 0.0 && self.low < share * self.high;
        Limits { low: if near { 0.0 } else { self.low }, ..self }
    }

    /// With this share of the range more on both sides, but not beyond 0.
    pub fn widened(self, share: f64) -> Limits {
        if self.log {
            let factor = (self.high / self.low).powf(share);
            return Limits { low: self.low / factor, high: self.high * factor, ..self };
        }
        let room = share * (self.high - self.low);
        let low = if self.low >= 0.0 { (self.low - room).max(0.0) } else { self.low - room };
        Limits { low, high: self.high + room, ..self }
    }

    /// Widened to whole ticks, but not beyond `most`.
    pub fn to_whole_ticks(self, most: f64) -> Limits {
        if self.log {
            return self;
        }
        let widened = |limits: Limits| {
            let step = step(limits.high - limits.low, PARTS);
            let high = (limits.high / step - 1e-6).ceil() * step;
            let high = if limits.high <= most { high.min(most) } else { high };
            Limits { low: (limits.low / step + 1e-6).floor() * step, high, ..limits }
        };
        // The wider range may have larger steps.
        widened(widened(self))
    }
}

/// How far the limits are put from a value that is alone.
fn around(value: f64) -> f64 {
    if value == 0.0 { 1.0 } else { value.abs() / 2.0 }
}

/// The least of 1, 2 and 5 times a power of ten that cuts a range into no more than so many parts.
fn step(range: f64, parts: f64) -> f64 {
    let least = range / parts.max(1.0);
    let power = 10f64.powf(least.log10().floor());
    let factor = [1.0, 2.0, 5.0].into_iter().find(|factor| factor * power >= least * (1.0 - 1e-9));
    factor.unwrap_or(10.0) * power
}

/// A value that is marked on an axis.
#[derive(Debug, PartialEq)]
pub struct Tick {
    pub value: f64,
    pub label: String,
}

/// Limits with the places in the drawing that they are drawn at.
#[derive(Clone, Copy)]
pub struct Scale {
    pub limits: Limits,
    pub from: f64,
    pub to: f64,
}

impl Scale {
    /// Where a value is drawn.
    pub fn at(&self, value: f64) -> f64 {
        let Limits { low, high, log } = self.limits;
        let part = if log { (value / low).ln() / (high / low).ln() } else { (value - low) / (high - low) };
        self.from + part * (self.to - self.from)
    }

    /// Whether a value lies within the limits.
    pub fn shows(&self, value: f64) -> bool {
        let slack = 1e-9 * (self.limits.high - self.limits.low);
        (self.limits.low - slack..=self.limits.high + slack).contains(&value)
    }

    /// Ticks whose labels have room; `room` tells how much a label takes along the axis.
    pub fn ticks(&self, room: impl Fn(&str) -> f64) -> Vec<Tick> {
        let length = (self.to - self.from).abs();
        let fits = |ticks: &Vec<Tick>| {
            let apart = |pair: &[Tick]| (self.at(pair[1].value) - self.at(pair[0].value)).abs();
            ticks.windows(2).all(|pair| apart(pair) >= (room(&pair[0].label) + room(&pair[1].label)) / 2.0)
        };
        if self.limits.log {
            let candidates = [&[1.0, 2.0, 5.0][..], &[1.0]].into_iter().map(|factors| self.log_ticks(factors, 1));
            let sparser = (2..100).map(|every| self.log_ticks(&[1.0], every));
            let decades = (self.limits.high / self.limits.low).log10();
            if decades >= 1.0
                && let Some(ticks) = candidates.chain(sparser).find(fits)
            {
                return ticks;
            }
        }
        let most = (length / room("0").max(1.0)).clamp(1.0, PARTS) as usize;
        (1..=most).rev().map(|parts| self.linear_ticks(parts as f64)).find(fits).unwrap_or_default()
    }

    fn linear_ticks(&self, parts: f64) -> Vec<Tick> {
        let Limits { low, high, .. } = self.limits;
        let step = step(high - low, parts);
        let first = (low / step - 1e-6).ceil();
        let values: Vec<f64> =
            (0..).map(|i| (first + f64::from(i)) * step).take_while(|v| *v <= high + 1e-6 * step).collect();
        let labels = number::labels(&values, step);
        values.into_iter().zip(labels).map(|(value, label)| Tick { value, label }).collect()
    }

    /// These multiples of every so many powers of ten.
    fn log_ticks(&self, factors: &[f64], every: i32) -> Vec<Tick> {
        let Limits { low, high, .. } = self.limits;
        let decades = low.log10().floor() as i32..=high.log10().ceil() as i32;
        let powers = decades.filter(|decade| decade % every == 0).map(|decade| 10f64.powi(decade));
        let values = powers.flat_map(|power| factors.iter().map(move |factor| factor * power));
        let shown = values.filter(|&value| value >= low * (1.0 - 1e-9) && value <= high * (1.0 + 1e-9));
        shown.map(|value| Tick { value, label: number::compact(value) }).collect()
    }
}
