//! A model as something that others run: an ONNX graph, an SQL statement, a C file, or JSON. All four are written from
//! one [`Blueprint`], the arithmetic from a row as it is read to its scores and class.

mod blueprint;
mod c;
mod columns;
mod json;
mod onnx;
mod protobuf;
mod sql;

use crate::error::Result;
use crate::model::Model;
use blueprint::Blueprint;

/// What a model can become.
#[derive(Clone, Debug)]
pub enum Export {
    /// An ONNX graph of plain operators in double precision: labels and scores.
    Onnx {
        /// Labels that are whole numbers, by class; else they are texts.
        numbers: Option<Vec<i64>>,
        /// In which order the scores of classes stand, where that is not the model's; of two classes with a score each
        /// it is then the second's less the first's.
        order: Option<Vec<usize>>,
    },
    /// A query that gives the rows of a table with their labels and scores.
    Sql {
        /// The table.
        table: String,
    },
    /// A C file (C99) with a function for labels and one for scores.
    C,
    /// All of it as JSON, for other writers.
    Json,
}

impl Model {
    /// The model as others run it: the same classes for the same rows, scores but for rounding. What has no such form
    /// is refused by name.
    pub fn export(&self, to: &Export) -> Result<Vec<u8>> {
        let blueprint = Blueprint::of(self)?;
        match to {
            Export::Onnx { numbers, order } => onnx::graph(&blueprint, numbers.as_deref(), order.as_deref()),
            Export::Sql { table } => sql::query(&blueprint, table).map(String::into_bytes),
            Export::C => c::file(&blueprint).map(String::into_bytes),
            Export::Json => Ok(json::object(&blueprint).to_string().into_bytes()),
        }
    }
}
