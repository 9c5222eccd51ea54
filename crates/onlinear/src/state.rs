//! What a learner is made of, as named arrays: written to a model file and read back.
//!
//! A learner names each of its fields once, in [`crate::learner::Learner::state`]; the same walk
//! saves them and loads them, so the two cannot come apart.

use std::collections::BTreeMap;

use crate::space::Rows;

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
}

/// No run counts further: whole numbers up to here are exact as floats too.
pub(crate) const MOST_COUNTED: u64 = 1 << 53;

macro_rules! array {
    ($(#[$doc:meta])* $name:ident, $element:ty, $case:ident) => {
        $(#[$doc])*
        pub fn $name(&mut self, name: &str, field: &mut Vec<$element>) -> crate::Result<()> {
            let key = format!("{}{name}", self.prefix);
            if !self.loading {
                self.tensors.insert(key, Tensor::$case(field.clone()));
                return Ok(());
            }
            match self.tensors.remove(&key) {
                Some(Tensor::$case(values)) => *field = values,
                Some(_) => return Err(self.refuse(format!("tensor '{key}' has the wrong type"))),
                None => return Err(self.refuse(format!("tensor '{key}' is missing"))),
            }
            Ok(())
        }
    };
}

macro_rules! scalar {
    ($(#[$doc:meta])* $name:ident, $type:ty, $array:ident) => {
        $(#[$doc])*
        pub fn $name(&mut self, name: &str, field: &mut $type) -> crate::Result<()> {
            let mut values = vec![*field];
            self.$array(name, &mut values)?;
            match values[..] {
                [value] => *field = value,
                _ => return Err(self.refuse(format!("tensor '{}{name}' should hold one number, not {}", self.prefix, values.len()))),
            }
            Ok(())
        }
    };
}

impl State {
    /// An empty state to save into.
    pub fn saving() -> State {
        State::default()
    }

    /// A state to load from.
    pub fn loading(tensors: BTreeMap<String, Tensor>) -> State {
        State { tensors, loading: true, ..State::default() }
    }

    /// Rows that are loaded from now on may have so many components.
    pub(crate) fn limit_features(&mut self, most: usize) {
        self.most_features = Some(most);
    }

    /// Whether fields are being filled from the state.
    pub fn is_loading(&self) -> bool {
        self.loading
    }

    /// The arrays collected, or not yet taken.
    pub fn into_tensors(self) -> BTreeMap<String, Tensor> {
        self.tensors
    }

    /// Walks `part` with `name.` in front of every name.
    pub fn within<T>(&mut self, name: &str, part: impl FnOnce(&mut State) -> crate::Result<T>) -> crate::Result<T> {
        let outer = self.prefix.len();
        self.prefix.push_str(name);
        self.prefix.push('.');
        let result = part(self);
        self.prefix.truncate(outer);
        result
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
    pub fn u64(&mut self, name: &str, field: &mut u64) -> crate::Result<()> {
        self.whole(name, field)?;
        self.require(*field <= MOST_COUNTED, &format!("{name} is larger than any count"))
    }

    /// Counts.
    pub fn counts(&mut self, name: &str, field: &mut Vec<u64>) -> crate::Result<()> {
        self.u64s(name, field)?;
        self.require(field.iter().all(|&count| count <= MOST_COUNTED), &format!("{name} holds more than any count"))
    }

    /// A set of rows.
    pub fn rows(&mut self, name: &str, rows: &mut Rows) -> crate::Result<()> {
        self.within(name, |state| {
            let (mut starts, mut indices, mut values) = (rows.starts_u64(), Vec::new(), Vec::new());
            if !state.loading {
                (indices, values) = (rows.indices().to_vec(), rows.values().to_vec());
            }
            state.u64s("starts", &mut starts)?;
            state.u32s("indices", &mut indices)?;
            state.f64s("values", &mut values)?;
            if state.loading {
                *rows = Rows::from_parts(&starts, indices, values)
                    .ok_or_else(|| state.refuse("its stored rows do not fit together".to_string()))?;
            }
            let most = state.most_features.unwrap_or(usize::MAX);
            state.require(rows.dimension() <= most, "indices go beyond the features there are")
        })
    }

    /// While loading, refuses a state in which `holds` is false.
    pub fn require(&self, holds: bool, what: &str) -> crate::Result<()> {
        if self.loading && !holds {
            return Err(self.refuse(format!("{}{what}", self.prefix)));
        }
        Ok(())
    }

    fn refuse(&self, reason: String) -> crate::Error {
        // The model loader puts its file's name in.
        crate::Error::Model { file: String::new(), reason }
    }
}
