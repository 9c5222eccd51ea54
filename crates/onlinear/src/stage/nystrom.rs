//! The map of Williams and Seeger ("Using the Nyström method to speed up kernel machines", 2001), grown row by row: a
//! kernel for every linear learner.
//!
//! z = L⁻¹ k(x), with k(x) the kernel values of x and the landmarks and L Lᵀ their Gram matrix, so that
//! z·z′ = k(x)ᵀ K⁻¹ k(x′). Landmarks are training rows: one that is met while there is room for it becomes one unless
//! it depends on those before it. L then gains a row and z a component, and no component that was there changes: a row
//! mapped earlier lacks the components that came later, which count as 0.

use super::{Arithmetic, MOST_COMPONENTS, Slot, Stage, StageKind};
use crate::error::{Message, Result, size};
use crate::space::{Cholesky, CoordinatesAhead, Row, Rows, Scratch, SupportSet, Symmetric, vector};
use crate::spec::{Parameters, parameters, whole};
use crate::state::State;

parameters! {
    struct NystromParameters {
        landmarks: u64 = whole("landmarks", 500, 1, MOST_COMPONENTS, "how many training rows it is built on, at most");
        kernel
    }
}

/// The declaration.
pub(super) static STAGE: StageKind = StageKind {
    name: "nystrom",
    summary: "Maps rows so that their inner products are the kernel, as far as some training rows tell.",
    parameters: NystromParameters::TABLE,
    slot: Slot::Map,
    reads_all: false,
    unit_ranges: false,
    new: |settings| {
        let NystromParameters { landmarks, kernel } = Parameters::read(settings);
        let (most, landmarks) = (landmarks as usize, SupportSet::new(kernel));
        Ok(Box::new(Nystrom { most, landmarks, factor: Cholesky::default(), ahead: CoordinatesAhead::default() }))
    },
};

/// A row depends on the landmarks when they leave no larger share of K(x,x) unexplained.
const FLOOR: f64 = 1e-6;

#[derive(Clone)]
struct Nystrom {
    /// How many landmarks there may be.
    most: usize,
    landmarks: SupportSet,
    /// L.
    factor: Cholesky,
    /// The components of the rows announced.
    ahead: CoordinatesAhead,
}

impl Nystrom {
    fn held(&self) -> u64 {
        self.landmarks.bytes() + Symmetric::bytes(self.factor.order()) + self.ahead.bytes()
    }
}

impl Stage for Nystrom {
    fn features_after(&self, _features: usize) -> usize {
        self.most
    }

    fn apply(&self, x: Row<'_>, out: &mut Scratch) {
        self.landmarks.column(x, |column| out.values.extend(column));
        self.factor.forward(&mut out.values);
    }

    fn block(&self) -> usize {
        SupportSet::MOST_AHEAD
    }

    fn apply_all(&self, rows: &Rows, out: &mut Rows) {
        self.landmarks.columns(rows, |columns| {
            let (width, z) = (columns.width(), columns.into_values());
            self.factor.forward_all(z, width, 0);
            for lane in 0..rows.len() {
                out.push_dense(z.chunks_exact(width).map(|z| z[lane]));
            }
        });
    }

    fn look_ahead(&mut self, rows: &Rows) {
        self.landmarks.look_ahead(rows.iter());
    }

    fn end_look_ahead(&mut self) {
        self.landmarks.end_look_ahead();
    }

    fn grows(&self) -> bool {
        self.landmarks.len() < self.most
    }

    fn growth(&self, rows: usize) -> u64 {
        Symmetric::bytes(self.most.min(rows))
    }

    fn meet(
        &mut self,
        x: Row<'_>,
        lane: Option<usize>,
        memory: u64,
        out: &mut Scratch,
    ) -> std::result::Result<(), Message> {
        let known = self.ahead.z(&self.landmarks, &self.factor, lane).map(|z| out.values.extend(z));
        if known.is_none() {
            self.apply(x, out);
        }
        if self.grows() {
            let whole = self.landmarks.with_itself(x);
            let left = whole - vector::dot(&out.values, &out.values);
            if whole > 0.0 && left > FLOOR * whole {
                self.landmarks.push(x, None);
                self.factor.push(&out.values, left.sqrt());
                out.values.push(left.sqrt());
            }
        }
        match self.held() {
            held if held > memory => {
                let need = format!("nystrom: {} landmarks take {}", self.landmarks.len(), size(held));
                Err(Message::beyond_memory(need))
            }
            _ => Ok(()),
        }
    }

    fn landmarks(&self) -> Option<usize> {
        Some(self.landmarks.len())
    }

    fn arithmetic(&self, _features: usize) -> Option<Arithmetic<'_>> {
        Some(Arithmetic::Landmarks(&self.landmarks, &self.factor))
    }

    fn pull_back(&self, _weights: &mut Vec<f64>) -> Option<f64> {
        None
    }

    fn state(&mut self, state: &mut State) -> Result<()> {
        self.landmarks.state(state)?;
        state.require(self.landmarks.len() <= self.most, "there are more landmarks than there may be")?;
        self.factor.state("factor", state)?;
        state.require(self.factor.order() == self.landmarks.len(), "factor and landmarks differ in size")?;
        let fits = !state.is_loading()
            || self.factor.least_pivot().is_none_or(|pivot| pivot > 0.0) && self.factor.is_of(&self.landmarks, |_| 0.0);
        state.require(fits, "factor is not that of the landmarks")
    }
}
