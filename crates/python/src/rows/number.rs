//! The numbers that arrays are made of.

use onlinear::workshop::{dot_behind, single_dot_behind};

use super::Gaps;

/// A float, which may not be finite.
pub trait Float: Copy + Into<f64> + Send + Sync {
    /// What NumPy calls its type.
    const NAME: &str;

    /// It, as a double.
    fn wide(self) -> f64;

    /// Some of them as doubles, behind a constant where there is to be one; put into `room` unless they lie so.
    fn widened<'a>(floats: &'a [Self], constant: Option<f64>, room: &'a mut Vec<f64>) -> &'a [f64];

    /// w·x of a row of them behind a constant; `w` is long enough.
    fn dot_behind(w: &[f64], constant: f64, floats: &[Self]) -> f64;

    /// Whether it is neither infinite nor NaN, told from its bits so that many are looked at together.
    fn is_usual(self) -> bool;
}

impl Float for f64 {
    const NAME: &str = "float64";

    fn wide(self) -> f64 {
        self
    }

    #[inline]
    fn widened<'a>(floats: &'a [f64], constant: Option<f64>, room: &'a mut Vec<f64>) -> &'a [f64] {
        let Some(constant) = constant else { return floats };
        room.clear();
        room.push(constant);
        room.extend_from_slice(floats);
        room
    }

    #[inline]
    fn dot_behind(w: &[f64], constant: f64, floats: &[f64]) -> f64 {
        dot_behind(w, constant, floats)
    }

    fn is_usual(self) -> bool {
        self.to_bits() << 1 < f64::INFINITY.to_bits() << 1
    }
}

impl Float for f32 {
    const NAME: &str = "float32";

    fn wide(self) -> f64 {
        f64::from(self)
    }

    #[inline]
    fn widened<'a>(floats: &'a [f32], constant: Option<f64>, room: &'a mut Vec<f64>) -> &'a [f64] {
        room.clear();
        room.extend(constant);
        room.extend(floats.iter().map(|&float| f64::from(float)));
        room
    }

    #[inline]
    fn dot_behind(w: &[f64], constant: f64, floats: &[f32]) -> f64 {
        single_dot_behind(w, constant, floats)
    }

    fn is_usual(self) -> bool {
        self.to_bits() << 1 < f32::INFINITY.to_bits() << 1
    }
}

/// Refuses values that are not finite, in scikit-learn's words.
pub fn finite<'a, T: Float + 'a>(mut values: impl Iterator<Item = &'a T>, gaps: Gaps) -> Result<(), String> {
    let is_filled = |value: &T| gaps == Gaps::Filled && value.wide().is_nan();
    match values.find(|value| !value.is_usual() && !is_filled(value)) {
        None => Ok(()),
        Some(value) if value.wide().is_nan() => Err("Input X contains NaN.".to_string()),
        Some(_) => Err(format!("Input X contains infinity or a value too large for dtype('{}').", T::NAME)),
    }
}

/// Refuses values that are not finite where they lie side by side, which takes less than half the time.
pub fn finite_slice<T: Float>(values: &[T], gaps: Gaps) -> Result<(), String> {
    let is_odd = |part: &&[T]| !part.iter().fold(true, |usual, value| usual & value.is_usual());
    values.chunks(256).filter(is_odd).try_for_each(|part| finite(part.iter(), gaps))
}

/// The place of a component, which may be anything.
pub trait Index: Copy + Send + Sync {
    /// It as a place; far too large where it is none.
    fn place(self) -> u32;
}

impl Index for i32 {
    #[inline]
    fn place(self) -> u32 {
        self as u32
    }
}

impl Index for i64 {
    #[inline]
    fn place(self) -> u32 {
        u32::try_from(self).unwrap_or(u32::MAX)
    }
}

impl Index for u32 {
    #[inline]
    fn place(self) -> u32 {
        self
    }
}

/// Whether places rise to less than `end`. Below 2³¹ that is told from signs, so that many are looked at together: that
/// of b − a − 1 says whether a < b.
#[inline]
pub fn rise<I: Index>(indices: &[I], end: usize) -> bool {
    let Some((last, before)) = indices.split_last() else { return true };
    let pairs = before.iter().zip(&indices[1..]).map(|(a, b)| (a.place(), b.place()));
    let signs = pairs.fold(last.place(), |signs, (a, b)| signs | a | b.wrapping_sub(a).wrapping_sub(1));
    (signs >> 31 == 0 || indices.is_sorted_by(|a, b| a.place() < b.place())) && (last.place() as usize) < end
}
