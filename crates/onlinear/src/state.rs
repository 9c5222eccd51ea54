//! What a learner is made of, as named arrays: written to a model file and read back.
//!
//! A learner names each of its fields once, in [`crate::Learner::state`]; the same walk saves them and loads them, so
//! the two cannot come apart. What a learner has gained since older files were written is [`State::optional`], what it
//! has lost is [`State::retired`]. `merging` loads one out of several by the same walk. Every learner needs this
//! module; it needs none of them, nor the file.

mod merging;

pub use merging::Mean;
pub(crate) use merging::{Apart, PartState};

use std::collections::BTreeMap;

use crate::error::{Error, Result};
use crate::random::Random;

/// One array of a model file.
#[derive(Clone, Debug, PartialEq)]
pub enum Tensor {
    /// 64-bit floats, all finite.
    F64(Vec<f64>),
    /// 64-bit counts.
    U64(Vec<u64>),
    /// 32-bit indices.
    U32(Vec<u32>),
    /// Bytes.
    U8(Vec<u8>),
}

impl Tensor {
    /// Number of elements.
    pub fn len(&self) -> usize {
        match self {
            Tensor::F64(v) => v.len(),
            Tensor::U64(v) => v.len(),
            Tensor::U32(v) => v.len(),
            Tensor::U8(v) => v.len(),
        }
    }

    /// Bytes of an element.
    pub(crate) fn width(&self) -> usize {
        match self {
            Tensor::F64(_) | Tensor::U64(_) => 8,
            Tensor::U32(_) => 4,
            Tensor::U8(_) => 1,
        }
    }

    /// The type of its elements, as safetensors calls it.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Tensor::F64(_) => "F64",
            Tensor::U64(_) => "U64",
            Tensor::U32(_) => "U32",
            Tensor::U8(_) => "U8",
        }
    }

    /// Whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Named arrays, either being filled (saving) or being taken from (loading).
#[derive(Debug, Default)]
pub struct State {
    tensors: BTreeMap<String, Tensor>,
    loading: bool,
    prefix: String,
    /// Rows with more components than this are refused while loading.
    most_features: Option<usize>,
    /// Nothing is copied, but counts beyond this are refused.
    most_counted: Option<u64>,
    /// Where fields are taken from, if that is several states.
    merging: Option<merging::Parts>,
    /// Where each component of the rows loaded is to be, if not where it is.
    places: Option<Vec<u32>>,
}

/// No run counts further: whole numbers up to here are exact as floats too.
pub(crate) const MOST_COUNTED: u64 = 1 << 53;

macro_rules! array {
    ($(#[$doc:meta])* $name:ident, $element:ty, $case:ident) => {
        $(#[$doc])*
        pub fn $name(&mut self, name: &str, field: &mut Vec<$element>) -> Result<()> {
            let key = format!("{}{name}", self.prefix);
            if self.most_counted.is_some() {
                return Ok(());
            }
            if !self.loading {
                self.tensors.insert(key, Tensor::$case(field.clone()));
                return Ok(());
            }
            self.refuse_merging(&format!("nothing is said of how '{name}' of several models becomes one"))?;
            match self.tensors.remove(&key) {
                Some(Tensor::$case(values)) => *field = values,
                Some(_) => return Err(refusal(format!("tensor '{key}' has the wrong type"))),
                None => return Err(refusal(format!("tensor '{key}' is missing"))),
            }
            Ok(())
        }
    };
}

macro_rules! scalar {
    ($(#[$doc:meta])* $name:ident, $type:ty, $array:ident) => {
        $(#[$doc])*
        pub fn $name(&mut self, name: &str, field: &mut $type) -> Result<()> {
            let mut values = vec![*field];
            self.$array(name, &mut values)?;
            let [value] = values[..] else {
                let (prefix, count) = (&self.prefix, values.len());
                return Err(refusal(format!("tensor '{prefix}{name}' should hold one number, not {count}")));
            };
            *field = value;
            Ok(())
        }
    };
}

impl State {
    /// An empty state to save into.
    pub fn saving() -> State {
        State::default()
    }

    /// A state to find counts in that are beyond `most`.
    pub(crate) fn counting(most: u64) -> State {
        State { most_counted: Some(most), ..State::default() }
    }

    /// A state to load from.
    pub fn loading(tensors: BTreeMap<String, Tensor>) -> State {
        State { tensors, loading: true, ..State::default() }
    }

    /// Rows that are loaded from now on may have so many components.
    pub(crate) fn limit_features(&mut self, most: usize) {
        self.most_features = Some(most);
    }

    /// How many components rows may have.
    pub(crate) fn most_features(&self) -> usize {
        self.most_features.unwrap_or(usize::MAX)
    }

    /// Whether fields are being filled from the state.
    pub fn is_loading(&self) -> bool {
        self.loading
    }

    /// The arrays collected, or not yet taken.
    pub fn into_tensors(self) -> BTreeMap<String, Tensor> {
        self.tensors
    }

    /// Calls arrays whose names begin with `old` by names that begin with `new`: what an older version called them.
    pub(crate) fn rename(&mut self, old: &str, new: &str) {
        let names: Vec<String> = self.tensors.keys().filter(|name| name.starts_with(old)).cloned().collect();
        for name in names {
            if let Some(tensor) = self.tensors.remove(&name) {
                self.tensors.insert(format!("{new}{}", &name[old.len()..]), tensor);
            }
        }
    }

    /// Walks `part` with `name.` in front of every name.
    pub fn within<T>(&mut self, name: &str, part: impl FnOnce(&mut State) -> Result<T>) -> Result<T> {
        let outer = self.prefix.len();
        self.prefix.push_str(name);
        self.prefix.push('.');
        let result = part(self);
        self.prefix.truncate(outer);
        result
    }

    /// Walks a part that files of older versions lack. Its arrays are called `name`, or `name.…`; where a file has
    /// none of them, its fields stay as they are in a fresh learner, which is their declared default.
    ///
    /// ```
    /// use onlinear::State;
    /// let mut spread = 1.0;
    /// let mut state = State::loading([].into());
    /// state.optional("spread", |state| state.f64("spread", &mut spread))?;
    /// assert_eq!(spread, 1.0);
    /// # Ok::<(), onlinear::Error>(())
    /// ```
    pub fn optional(&mut self, name: &str, part: impl FnOnce(&mut State) -> Result<()>) -> Result<()> {
        let is_there = || self.tensors.keys().any(|key| self.is_of(key, name));
        if self.loading && !self.is_merging() && !is_there() { Ok(()) } else { part(self) }
    }

    /// A generator of random numbers; several models go on with that of the first.
    pub(crate) fn generator(&mut self, name: &str, random: &mut Random) -> Result<()> {
        let load = |state: &mut State| {
            let mut random = Random::new(0);
            state.generator(name, &mut random).map(|()| random)
        };
        if let Some(all) = self.apart(load)? {
            *random = all.parts.into_iter().next().map_or(all.base, |(_, first)| first);
            return Ok(());
        }
        let mut words = random.state().to_vec();
        self.u64s(name, &mut words)?;
        let read = words.try_into().ok().and_then(Random::from_state);
        self.require(read.is_some(), "the generator is not one")?;
        *random = read.unwrap_or_else(|| random.clone());
        Ok(())
    }

    /// Drops what files of older versions hold and no learner needs any more: the array `name`, or `name.…`.
    pub fn retired(&mut self, name: &str) {
        if self.loading {
            let mut tensors = std::mem::take(&mut self.tensors);
            tensors.retain(|key, _| !self.is_of(key, name));
            self.tensors = tensors;
        }
    }

    array!(
        /// An array of floats.
        f64s, f64, F64
    );
    array!(
        /// An array of counts.
        u64s, u64, U64
    );
    array!(
        /// An array of indices.
        u32s, u32, U32
    );
    array!(
        /// An array of bytes.
        u8s, u8, U8
    );
    scalar!(
        /// One float.
        f64, f64, f64s
    );
    scalar!(
        /// One whole number.
        whole, u64, u64s
    );

    /// One count.
    pub fn u64(&mut self, name: &str, field: &mut u64) -> Result<()> {
        self.whole(name, field)?;
        self.require(*field <= self.most_counted(), &format!("{name} is larger than any count"))
    }

    /// Counts.
    pub fn counts(&mut self, name: &str, field: &mut Vec<u64>) -> Result<()> {
        self.u64s(name, field)?;
        let most = self.most_counted();
        self.require(field.iter().all(|&count| count <= most), &format!("{name} holds more than any count"))
    }

    fn most_counted(&self) -> u64 {
        self.most_counted.unwrap_or(MOST_COUNTED)
    }

    /// While loading, refuses a state in which `holds` is false.
    pub fn require(&self, holds: bool, what: &str) -> Result<()> {
        if (self.loading || self.most_counted.is_some()) && !holds {
            return Err(refusal(format!("{}{what}", self.prefix)));
        }
        Ok(())
    }

    /// Whether `key` is the array `name` here, or one within it.
    fn is_of(&self, key: &str, name: &str) -> bool {
        let rest = key.strip_prefix(self.prefix.as_str()).and_then(|rest| rest.strip_prefix(name));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }
}

/// Why a model cannot be used; whoever reads a file puts its name in.
pub(crate) fn refusal(reason: impl Into<String>) -> Error {
    Error::Model { file: String::new(), reason: reason.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A learner of a version that keeps the weights and, since then, a spread and a part of two arrays.
    #[derive(Clone, Debug, PartialEq)]
    struct Grown {
        weights: Vec<f64>,
        spread: f64,
        part: (Vec<u64>, Vec<u64>),
    }

    impl Grown {
        fn fresh() -> Grown {
            Grown { weights: Vec::new(), spread: 1.0, part: (vec![7], Vec::new()) }
        }

        fn state(&mut self, state: &mut State) -> Result<()> {
            state.within("learner", |state| {
                state.f64s("weights", &mut self.weights)?;
                state.optional("spread", |state| state.f64("spread", &mut self.spread))?;
                state.optional("part", |state| {
                    state.within("part", |state| {
                        state.u64s("first", &mut self.part.0)?;
                        state.u64s("second", &mut self.part.1)
                    })
                })?;
                state.retired("trials");
                Ok(())
            })
        }
    }

    fn loaded(tensors: &[(&str, Tensor)]) -> Result<(Grown, Vec<String>)> {
        let tensors = tensors.iter().map(|(name, tensor)| (name.to_string(), tensor.clone()));
        let (mut grown, mut state) = (Grown::fresh(), State::loading(tensors.collect()));
        grown.state(&mut state)?;
        Ok((grown, state.into_tensors().into_keys().collect()))
    }

    #[test]
    fn what_an_older_file_lacks_stays_as_in_a_fresh_learner() {
        let weights = ("learner.weights", Tensor::F64(vec![2.0]));
        let old = Grown { weights: vec![2.0], ..Grown::fresh() };
        assert_eq!(loaded(std::slice::from_ref(&weights)).unwrap(), (old.clone(), vec![]));
        let spread = ("learner.spread", Tensor::F64(vec![3.0]));
        assert_eq!(loaded(&[weights.clone(), spread]).unwrap().0, Grown { spread: 3.0, ..old });
        assert!(loaded(&[]).is_err_and(|error| error.to_string().contains("'learner.weights' is missing")));
        // What is there is verified as ever, and a part is there or not as a whole.
        for (name, tensor, reason) in [
            ("learner.spread", Tensor::F64(vec![]), "'learner.spread' should hold one number, not 0"),
            ("learner.spread", Tensor::U64(vec![1]), "'learner.spread' has the wrong type"),
            ("learner.part.second", Tensor::U64(vec![1]), "'learner.part.first' is missing"),
        ] {
            let error = loaded(&[weights.clone(), (name, tensor)]).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
    }

    #[test]
    fn what_is_retired_is_dropped_and_nothing_else() {
        let tensor = Tensor::F64(vec![2.0]);
        let names = ["learner.weights", "learner.trials", "learner.trials.sum", "learner.trials-more", "trials"];
        let (grown, left) = loaded(&names.map(|name| (name, tensor.clone()))).unwrap();
        assert_eq!((grown.weights, left), (vec![2.0], vec!["learner.trials-more".to_string(), "trials".to_string()]));
    }

    #[test]
    fn all_that_a_learner_has_is_written() {
        let (mut grown, mut state) = (Grown { weights: vec![1.0], ..Grown::fresh() }, State::saving());
        grown.state(&mut state).unwrap();
        let tensors = state.into_tensors();
        let names = ["learner.part.first", "learner.part.second", "learner.spread", "learner.weights"];
        assert!(tensors.keys().eq(&names), "{:?}", tensors.keys());
        let mut again = Grown::fresh();
        again.state(&mut State::loading(tensors)).unwrap();
        assert_eq!(again, grown);
    }
}
