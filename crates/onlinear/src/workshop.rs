//! What the other crates of this project and its tests use besides the public names: no promise is made about it, and
//! it changes with any version.

pub use crate::certificate::{ChargedTrials, Hindsight, LeaveOneOut, Log, MistakeBound, Risk, RunRecord, is_charged};
pub use crate::data::{
    About, Classifier, ColumnKind, ColumnTally, Dataset, Decimal, Entry, Frame, FrameColumn, LabelId, LabelRule,
    LabelTable, Leaving, LentNumbers, Meter, NO_LABEL, Order, Replacement, Stop, Table, Texts, UnseenFeatures,
    Vocabulary, day_text, destination, files, folder_of, is_stream, is_table, moment_text, sync_folder, synthetic,
    unpacked,
};
pub use crate::ensemble::{ClassRound, Learners};
pub use crate::error::{Cure, FileNames, Place, Request, Wording, counted};
pub use crate::evaluate::{
    Epoch, Feed, MOST_PASSES, Piece, Practice, Run, Split, Summary, TestPoints, fold, generators, permutation, risk,
    signed_rank, signed_rank_of,
};
pub use crate::learner::{ClassExample, ClassScores, Direct, Fact, Training};
pub use crate::memory::most_of_memory;
pub use crate::metrics::{Baseline, METRICS, ProbabilityBin, Reliability, Tally};
pub use crate::model::{Asking, PassCounts};
pub use crate::random::Random;
pub use crate::space::vector::{dot_behind, single_dot_behind, sparse_dot_behind};
pub use crate::space::{Kernel, Scratch, Symmetric, exp_of_negative, fetch};
pub use crate::spec::{AnyLearner, Kind, Learns, Parameter, Range, Settings, Value, did_you_mean};
pub use crate::stage::{Slot, StageChoices, Stages};
pub use crate::state::Tensor;

/// Work on several threads, the same bits on any number of them.
pub mod parallel {
    pub use crate::parallel::{map, threads, try_map};
}
