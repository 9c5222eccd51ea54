//! The library's errors as Python's exceptions, in Python's words.

use onlinear::Error;
use onlinear::workshop::{Cure, Place, Request, Wording};
use pyo3::PyErr;
use pyo3::exceptions::{PyKeyboardInterrupt, PyMemoryError, PyOSError, PyValueError};

/// What messages call the rows.
pub const NAME: &str = "X";

/// Calls what messages name by the package's parameters.
pub struct Keywords;

impl Wording for Keywords {
    fn request(&self, request: Request) -> Option<&'static str> {
        Some(match request {
            Request::MaxMemory => "this machine's memory",
            Request::Scale => "scale",
            Request::Normalize => "normalize",
            Request::NormalizeLp => "normalize='lp'",
            Request::Map => "map",
            Request::Bias => "fit_intercept",
            Request::Stages => "stages",
            Request::Calibrate => "calibrate",
            Request::ClassWeights => "class_weight",
            Request::Labels => "classes",
            Request::Alias => "alias=",
            Request::ZeroBased => "zero_based=",
            Request::LabelColumn => "label=",
            Request::WeightColumn => "weight=",
            Request::Header => "header=",
            _ => return None,
        })
    }

    fn cure(&self, cure: Cure) -> Option<&'static str> {
        Some(match cure {
            Cure::RaiseMemory => "", // the limit is the machine's
            Cure::HashFeatures => "; read(…, hash=BITS) can hash them into fewer",
            Cure::OneAgainstRest => "; certify one against the rest by fitting to y == label",
            Cure::StartTogether => "; let all go on from one model that has learned from some rows, their base",
            Cure::LeaveUnscaled => "; scale the rows beforehand, and learn with scale=None",
            Cure::NameLabelColumn => "; say which column holds the labels with label=",
            Cure::NameEncoding => "; name its encoding, such as encoding='latin1'",
            Cure::NameCsv => "; format='csv' reads cells divided by | as a table",
            Cure::NameUtf16 => "; encoding='utf16' reads it",
            Cure::CountFromZero => "; zero_based=True reads those that count from 0",
            Cure::FillMissing => "; missing='indicator' fills it in",
            Cure::NameKind => "; kinds={NAME: kind} says what it holds",
            Cure::MendSlip | Cure::TakeElse | Cure::TakeAsWritten | Cure::KeepColumn => {
                "; kinds={NAME: 'category'} takes its cells as they are written"
            }
            Cure::TakeNumbers => "; kinds={NAME: 'number'} takes them all as numbers of one kind",
            Cure::IgnoreColumn => "; leave it out with ignore=[NAME]",
            Cure::NameHeader => "; header=True says that the first line names the columns",
            Cure::NameHeadless => "; header=False says that the first line is a row",
            Cure::NameOrder => "; say so with kinds={NAME: 'date=dmy'} or 'date=mdy'",
            Cure::NameShortYears => {
                "; kinds={NAME: 'date=dmy'} (or 'date=mdy', 'date=ymd') reads 69 to 99 as 1969 to 1999, others as of \
                 the 2000s"
            }
            Cure::NameDecimal => "; say so with decimal='point' or decimal='comma'",
            Cure::SkipBadRows => "",
            Cure::LeaveOut => "; cast it, or leave it out with ignore=[NAME]",
            Cure::BuildWithParquet => "; the program can be built with its feature parquet",
            Cure::NormalizeL2 => "; use normalize='l2'",
            Cure::NormalizeLp => "; use normalize='lp'",
            _ => return None,
        })
    }

    fn name(&self, name: &str) -> String {
        format!("'{}'", name.replace('\\', r"\\").replace('\'', r"\'"))
    }
}

/// The exception for an error.
pub fn raised(error: Error) -> PyErr {
    match &error {
        Error::Io { file, reason } => match reason.raw_os_error() {
            Some(number) => PyOSError::new_err((number, reason.kind().to_string(), file.clone())),
            None => PyOSError::new_err(error.to_string()),
        },
        Error::Memory(message) => PyMemoryError::new_err(message.worded(&Keywords)),
        Error::Interrupted => PyKeyboardInterrupt::new_err(()),
        // Rows of an array have no lines and columns.
        Error::Row { place: Place { file, line, .. }, message } if **file == *NAME => {
            let row = line.saturating_sub(1);
            PyValueError::new_err(format!("row {row} of {file}: {}", message.worded(&Keywords)))
        }
        error => PyValueError::new_err(error.worded(&Keywords)),
    }
}
