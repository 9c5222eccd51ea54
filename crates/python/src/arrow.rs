//! Arrow's C stream interface, read by hand: the few types that columns of a table have.
//!
//! <https://arrow.apache.org/docs/format/CStreamInterface.html>; `docs/adr` has why no crate does this. Columns of
//! doubles that lie in one batch are lent by their producer; all other cells are copied, and their batch given back.
#![allow(unsafe_code)] // the interface is pointers, whose lengths and lifetimes the producer vouches for

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::sync::Arc;

use onlinear::workshop::{FrameColumn, LentNumbers, Texts, day_text, moment_text};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

#[repr(C)]
struct ArrowSchema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *mut *mut ArrowSchema,
    dictionary: *mut ArrowSchema,
    release: Option<unsafe extern "C" fn(*mut ArrowSchema)>,
    private_data: *mut c_void,
}

#[repr(C)]
struct ArrowArray {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *mut *const c_void,
    children: *mut *mut ArrowArray,
    dictionary: *mut ArrowArray,
    release: Option<unsafe extern "C" fn(*mut ArrowArray)>,
    private_data: *mut c_void,
}

#[repr(C)]
struct ArrowArrayStream {
    get_schema: Option<unsafe extern "C" fn(*mut ArrowArrayStream, *mut ArrowSchema) -> c_int>,
    get_next: Option<unsafe extern "C" fn(*mut ArrowArrayStream, *mut ArrowArray) -> c_int>,
    get_last_error: Option<unsafe extern "C" fn(*mut ArrowArrayStream) -> *const c_char>,
    release: Option<unsafe extern "C" fn(*mut ArrowArrayStream)>,
    private_data: *mut c_void,
}

macro_rules! released {
    ($($kind:ident),*) => {$(
        impl Drop for $kind {
            fn drop(&mut self) {
                if let Some(release) = self.release {
                    // SAFETY: it was filled in by its producer and not released yet, or `release` would be none.
                    unsafe { release(self) }
                }
            }
        }
    )*};
}
released!(ArrowSchema, ArrowArray, ArrowArrayStream);

/// How cells lie in memory.
#[derive(Clone, Debug, PartialEq)]
enum Layout {
    Nothing,
    Bits,
    Whole {
        bytes: u8,
        is_signed: bool,
    },
    Half,
    Single,
    Double,
    /// A whole number, to be divided by 10 to this power.
    Decimal(u32),
    /// Texts with ends of this many bytes.
    Text(u8),
    View,
    /// Days since 1970 in 32 bits.
    Days,
    /// So many of these a second since 1970, in 64 bits.
    Ticks(i64),
    /// Places among values of another layout.
    Dictionary(Box<Layout>, Box<Layout>),
}

impl Layout {
    fn of(schema: &ArrowSchema) -> Result<Layout, String> {
        let format = text(schema.format);
        if !schema.dictionary.is_null() {
            // SAFETY: a dictionary that is there is a schema, which lives as long as this one.
            let values = Layout::of(unsafe { &*schema.dictionary })?;
            return Ok(Layout::Dictionary(Box::new(Layout::plain(&format)?), Box::new(values)));
        }
        Layout::plain(&format)
    }

    fn plain(format: &str) -> Result<Layout, String> {
        let whole = |bytes, is_signed| Ok(Layout::Whole { bytes, is_signed });
        match format {
            "n" => Ok(Layout::Nothing),
            "b" => Ok(Layout::Bits),
            "c" => whole(1, true),
            "C" => whole(1, false),
            "s" => whole(2, true),
            "S" => whole(2, false),
            "i" => whole(4, true),
            "I" => whole(4, false),
            "l" => whole(8, true),
            "L" => whole(8, false),
            "e" => Ok(Layout::Half),
            "f" => Ok(Layout::Single),
            "g" => Ok(Layout::Double),
            "u" => Ok(Layout::Text(4)),
            "U" => Ok(Layout::Text(8)),
            "vu" => Ok(Layout::View),
            "tdD" => Ok(Layout::Days),
            "tdm" => Ok(Layout::Ticks(1000)),
            _ => {
                let ticks = [("tss:", 1), ("tsm:", 1000), ("tsu:", 1_000_000), ("tsn:", 1_000_000_000)];
                if let Some((_, ticks)) = ticks.into_iter().find(|(start, _)| format.starts_with(start)) {
                    return Ok(Layout::Ticks(ticks));
                }
                let decimal = format.strip_prefix("d:").map(|rest| rest.split(',').collect::<Vec<_>>());
                match decimal.as_deref() {
                    Some([_, scale] | [_, scale, "128"]) => match scale.parse() {
                        Ok(scale) => Ok(Layout::Decimal(scale)),
                        Err(_) => Err(format!("Arrow's type '{format}'")),
                    },
                    _ => Err(format!("Arrow's type '{format}'")),
                }
            }
        }
    }

    /// A column of such cells without any.
    fn column(&self) -> FrameColumn {
        let is_number = |layout: &Layout| {
            matches!(layout, Layout::Whole { .. } | Layout::Half | Layout::Single | Layout::Double | Layout::Decimal(_))
        };
        match self {
            Layout::Dictionary(_, values) if is_number(values) => FrameColumn::Numbers(Vec::new()),
            layout if is_number(layout) => FrameColumn::Numbers(Vec::new()),
            _ => FrameColumn::Texts(Texts::default()),
        }
    }
}

/// A text of the producer's; empty where there is none.
fn text(pointer: *const c_char) -> String {
    if pointer.is_null() {
        return String::new();
    }
    // SAFETY: names and formats end with a zero byte.
    unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned()
}

/// The cells of one column of a batch.
struct CellArray<'a> {
    array: &'a ArrowArray,
    /// Where the first cell is.
    start: usize,
    layout: &'a Layout,
}

impl CellArray<'_> {
    fn buffer(&self, i: usize) -> *const u8 {
        if i as i64 >= self.array.n_buffers {
            return ptr::null();
        }
        // SAFETY: there are so many buffers.
        unsafe { (*self.array.buffers.add(i)).cast() }
    }

    /// The number at place `i` of a buffer.
    fn get<T: Copy>(&self, buffer: usize, i: usize) -> T {
        // SAFETY: the buffer of an array with a cell at place `i` has a value there; a read need not be aligned.
        unsafe { self.buffer(buffer).cast::<T>().add(i).read_unaligned() }
    }

    fn bit(&self, buffer: usize, i: usize) -> bool {
        self.get::<u8>(buffer, i / 8) >> (i % 8) & 1 == 1
    }

    fn is_there(&self, i: usize) -> bool {
        *self.layout != Layout::Nothing && (self.buffer(0).is_null() || self.bit(0, i))
    }

    fn whole(&self, i: usize, bytes: u8, is_signed: bool) -> i128 {
        match (bytes, is_signed) {
            (1, true) => self.get::<i8>(1, i).into(),
            (1, false) => self.get::<u8>(1, i).into(),
            (2, true) => self.get::<i16>(1, i).into(),
            (2, false) => self.get::<u16>(1, i).into(),
            (4, true) => self.get::<i32>(1, i).into(),
            (4, false) => self.get::<u32>(1, i).into(),
            (_, true) => self.get::<i64>(1, i).into(),
            (_, false) => self.get::<u64>(1, i).into(),
        }
    }

    /// The number of the cell at place `i` of the buffers.
    fn number(&self, i: usize) -> f64 {
        match *self.layout {
            _ if !self.is_there(i) => f64::NAN,
            Layout::Double => self.get(1, i),
            Layout::Single => self.get::<f32>(1, i).into(),
            Layout::Half => half(self.get(1, i)),
            Layout::Whole { bytes, is_signed } => self.whole(i, bytes, is_signed) as f64,
            // As it would be written, and read again.
            Layout::Decimal(scale) => format!("{}e-{scale}", self.get::<i128>(1, i)).parse().unwrap_or(f64::NAN),
            _ => f64::NAN,
        }
    }

    /// Appends the text of the cell at place `i` of the buffers.
    fn push_text(&self, i: usize, texts: &mut Texts) {
        match self.layout {
            _ if !self.is_there(i) => texts.push(b""),
            Layout::Bits => texts.push(if self.bit(1, i) { b"True" } else { b"False" }),
            Layout::Text(4) => {
                self.push_bytes(2, self.get::<i32>(1, i) as usize, self.get::<i32>(1, i + 1) as usize, texts)
            }
            Layout::Text(_) => {
                self.push_bytes(2, self.get::<i64>(1, i) as usize, self.get::<i64>(1, i + 1) as usize, texts)
            }
            Layout::View => {
                let [length, _, buffer, offset] = self.get::<[u32; 4]>(1, i).map(|number| number as usize);
                match length {
                    0..=12 => self.push_bytes(1, 16 * i + 4, 16 * i + 4 + length, texts),
                    _ => self.push_bytes(2 + buffer, offset, offset + length, texts),
                }
            }
            Layout::Days => texts.push(day_text(self.get::<i32>(1, i).into()).as_bytes()),
            Layout::Ticks(ticks) => texts.push(moment_text(self.get(1, i), *ticks).as_bytes()),
            _ => texts.push(b""),
        }
    }

    fn push_bytes(&self, buffer: usize, start: usize, end: usize, texts: &mut Texts) {
        let length = end.saturating_sub(start);
        if length == 0 {
            return texts.push(b""); // of no bytes there may be no buffer
        }
        // SAFETY: the ends of a text are within its buffer.
        texts.push(unsafe { std::slice::from_raw_parts(self.buffer(buffer).add(start), length) });
    }

    /// Appends `length` cells to a column.
    fn append(&self, length: usize, column: &mut FrameColumn) {
        let all = self.start..self.start + length;
        if let Layout::Dictionary(places, values) = self.layout {
            let (Layout::Whole { bytes, is_signed }, false) = (&**places, self.array.dictionary.is_null()) else {
                return;
            };
            // SAFETY: the dictionary is an array, which lives as long as this one.
            let dictionary = unsafe { &*self.array.dictionary };
            let values = CellArray { array: dictionary, start: dictionary.offset as usize, layout: values };
            for i in all {
                // A place beyond the values is none of theirs.
                let place = self.is_there(i).then(|| self.whole(i, *bytes, *is_signed));
                let place = place.filter(|place| (0..i128::from(dictionary.length)).contains(place));
                let place = place.map(|place| values.start + place as usize);
                match (&mut *column, place) {
                    (FrameColumn::Numbers(numbers), Some(place)) => numbers.push(values.number(place)),
                    (FrameColumn::Numbers(numbers), None) => numbers.push(f64::NAN),
                    (FrameColumn::Texts(texts), Some(place)) => values.push_text(place, texts),
                    (FrameColumn::Texts(texts), None) => texts.push(b""),
                    (FrameColumn::Choices(..) | FrameColumn::Lent(_), _) => {}
                }
            }
            return;
        }
        match (column, self.doubles(length)) {
            // SAFETY: the batch is there.
            (FrameColumn::Numbers(numbers), Some(doubles)) => numbers.extend_from_slice(unsafe { doubles.get() }),
            (FrameColumn::Numbers(numbers), None) => numbers.extend(all.map(|i| self.number(i))),
            (FrameColumn::Texts(texts), _) => all.for_each(|i| self.push_text(i, texts)),
            (FrameColumn::Choices(..) | FrameColumn::Lent(_), _) => {}
        }
    }

    /// So many cells, where they lie in memory as a slice does.
    fn doubles(&self, length: usize) -> Option<Doubles> {
        let first = self.buffer(1).cast::<f64>();
        let is_slice = *self.layout == Layout::Double && self.buffer(0).is_null() && first.is_aligned() && length > 0;
        // SAFETY: the buffer has a double for each cell.
        is_slice.then(|| Doubles { first: unsafe { first.add(self.start) }, length })
    }
}

/// Doubles of a batch.
struct Doubles {
    first: *const f64,
    length: usize,
}

// SAFETY: they are only read, and nobody changes them.
unsafe impl Send for Doubles {}
// SAFETY: the same.
unsafe impl Sync for Doubles {}

impl Doubles {
    /// # Safety
    /// The batch they are of must outlive the slice.
    unsafe fn get<'a>(&self) -> &'a [f64] {
        // SAFETY: the producer vouches for them, and that nobody changes them.
        unsafe { std::slice::from_raw_parts(self.first, self.length) }
    }
}

/// Doubles with the batch that holds them.
struct HeldDoubles {
    doubles: Doubles,
    _batch: Arc<Batch>,
}

impl AsRef<[f64]> for HeldDoubles {
    fn as_ref(&self) -> &[f64] {
        // SAFETY: the batch is held.
        unsafe { self.doubles.get() }
    }
}

/// Some rows of a stream.
struct Batch(ArrowArray);

// SAFETY: nobody changes the cells of a batch, and any thread may give it back, once.
unsafe impl Send for Batch {}
// SAFETY: the same.
unsafe impl Sync for Batch {}

impl Batch {
    /// The cells of a column.
    fn cells<'a>(&'a self, i: usize, layout: &'a Layout) -> CellArray<'a> {
        // SAFETY: there are so many children, each as long as the batch.
        let array = unsafe { &**self.0.children.add(i) };
        CellArray { array, start: (self.0.offset + array.offset) as usize, layout }
    }

    fn len(&self) -> usize {
        self.0.length as usize
    }
}

/// A half as a double.
fn half(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    let size = match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + fraction) * 2f64.powi(exponent - 25),
    };
    if bits >> 15 == 1 { -size } else { size }
}

/// Batches of columns.
pub struct ArrowStream {
    stream: Box<ArrowArrayStream>,
    names: Vec<String>,
    layouts: Vec<Layout>,
}

impl ArrowStream {
    /// The stream in a capsule, which is empty afterwards.
    pub fn new(capsule: &Bound<'_, PyAny>) -> PyResult<ArrowStream> {
        let name = c"arrow_array_stream";
        let capsule = capsule.cast::<PyCapsule>()?;
        let pointer = capsule.pointer_checked(Some(name))?.as_ptr().cast::<ArrowArrayStream>();
        let empty = ArrowArrayStream {
            get_schema: None,
            get_next: None,
            get_last_error: None,
            release: None,
            private_data: ptr::null_mut(),
        };
        // SAFETY: a capsule of this name holds a stream, which is moved out by leaving one that is released behind.
        let mut stream = Box::new(unsafe { ptr::replace(pointer, empty) });
        let mut schema = ArrowSchema {
            format: ptr::null(),
            name: ptr::null(),
            metadata: ptr::null(),
            flags: 0,
            n_children: 0,
            children: ptr::null_mut(),
            dictionary: ptr::null_mut(),
            release: None,
            private_data: ptr::null_mut(),
        };
        let Some(get_schema) = stream.get_schema else {
            return Err(PyValueError::new_err("the Arrow stream was read before"));
        };
        // SAFETY: the stream is not released, and the schema is there to be filled in.
        let code = unsafe { get_schema(&mut *stream, &mut schema) };
        if code != 0 {
            return Err(PyValueError::new_err(failure(&mut stream)));
        }
        if text(schema.format) != "+s" {
            return Err(PyTypeError::new_err("the Arrow stream is one of arrays; expected one of record batches"));
        }
        let (mut names, mut layouts) = (Vec::new(), Vec::new());
        for i in 0..schema.n_children as usize {
            // SAFETY: there are so many children.
            let child = unsafe { &**schema.children.add(i) };
            let name = text(child.name);
            let cure = "is not a number, a text, a date or a boolean; cast it, or leave it out";
            let refused = |what| PyTypeError::new_err(format!("column '{name}': {what} {cure}"));
            layouts.push(Layout::of(child).map_err(refused)?);
            names.push(name);
        }
        Ok(ArrowStream { stream, names, layouts })
    }

    /// The names of the columns.
    pub fn names(&self) -> Vec<String> {
        self.names.clone()
    }

    /// The columns of the next batch; none at the end.
    pub fn next_columns(&mut self) -> PyResult<Option<Vec<FrameColumn>>> {
        Ok(self.next_batch()?.map(|batch| self.lent(batch)))
    }

    /// The columns of all batches that are left.
    pub fn all_columns(&mut self) -> PyResult<Vec<FrameColumn>> {
        let mut columns: Vec<_> = self.layouts.iter().map(Layout::column).collect();
        let Some(mut batch) = self.next_batch()? else { return Ok(columns) };
        let mut is_only = true;
        while let Some(next) = self.next_batch()? {
            self.append(&batch, &mut columns);
            (batch, is_only) = (next, false);
        }
        if is_only {
            return Ok(self.lent(batch));
        }
        self.append(&batch, &mut columns);
        Ok(columns)
    }

    fn append(&self, batch: &Batch, columns: &mut [FrameColumn]) {
        for (i, (column, layout)) in columns.iter_mut().zip(&self.layouts).enumerate() {
            batch.cells(i, layout).append(batch.len(), column);
        }
    }

    /// The columns of a batch, which stays where it is where they can be had there.
    fn lent(&self, batch: Batch) -> Vec<FrameColumn> {
        let batch = Arc::new(batch);
        let column = |(i, layout): (usize, &Layout)| {
            let cells = batch.cells(i, layout);
            if let Some(doubles) = cells.doubles(batch.len()) {
                return FrameColumn::Lent(LentNumbers(Arc::new(HeldDoubles { doubles, _batch: batch.clone() })));
            }
            let mut column = layout.column();
            cells.append(batch.len(), &mut column);
            column
        };
        self.layouts.iter().enumerate().map(column).collect()
    }

    fn next_batch(&mut self) -> PyResult<Option<Batch>> {
        let mut batch = ArrowArray {
            length: 0,
            null_count: 0,
            offset: 0,
            n_buffers: 0,
            n_children: 0,
            buffers: ptr::null_mut(),
            children: ptr::null_mut(),
            dictionary: ptr::null_mut(),
            release: None,
            private_data: ptr::null_mut(),
        };
        let Some(get_next) = self.stream.get_next else { return Ok(None) };
        // SAFETY: the stream is not released, and the array is there to be filled in.
        let code = unsafe { get_next(&mut *self.stream, &mut batch) };
        if code != 0 {
            return Err(PyValueError::new_err(failure(&mut self.stream)));
        }
        if batch.release.is_none() {
            return Ok(None);
        }
        if batch.n_children as usize != self.layouts.len() {
            return Err(PyValueError::new_err("a batch of the Arrow stream has other columns than the stream"));
        }
        Ok(Some(Batch(batch)))
    }
}

fn failure(stream: &mut ArrowArrayStream) -> String {
    // SAFETY: the stream is not released; its last error is a text or none.
    let said = stream.get_last_error.map_or(ptr::null(), |said| unsafe { said(stream) });
    let said = text(said);
    format!("the Arrow stream cannot be read on: {}", if said.is_empty() { "no reason is given" } else { &said })
}
