//! The library's messages in the words of the program: by its flags.

use onlinear::Error;
use onlinear::workshop::{Cure, Request, Wording};

/// Calls what messages name by the program's flags.
pub struct Flags;

impl Wording for Flags {
    fn request(&self, request: Request) -> Option<&'static str> {
        Some(match request {
            Request::MaxMemory => "--max-memory",
            Request::Scale => "--scale",
            Request::Normalize => "--normalize",
            Request::NormalizeLp => "--normalize lp",
            Request::Map => "--map",
            Request::Bias => "--bias",
            Request::Stages => "--stage",
            Request::Passes => "--passes",
            Request::UntilSeparated => "--until-separated",
            Request::EarlyStop => "--early-stop",
            Request::Shuffle => "--shuffle",
            Request::Calibrate => "--calibrate",
            Request::Resume => "--resume",
            Request::TrainError => "--train-error",
            Request::Holdout => "--holdout",
            Request::ClassWeights => "--class-weight",
            Request::Certificate => "--certificate",
            Request::Cache => "--cache",
            Request::Limit => "--limit",
            Request::Labels => "--labels",
            Request::Alias => "--alias",
            Request::ZeroBased => "--zero-based",
            Request::LabelColumn => "--label",
            Request::WeightColumn => "--weight",
            Request::Keep => "--keep",
            Request::Header => "--header",
            Request::Ignore => "--ignore",
            Request::Only => "--only",
            Request::Column => "--column",
            Request::Interaction => "--interact",
            Request::Decimal => "--decimal",
            Request::Missing => "--missing",
            _ => return None,
        })
    }

    fn cure(&self, cure: Cure) -> Option<&'static str> {
        Some(match cure {
            Cure::RaiseMemory => "; raise --max-memory",
            Cure::CacheRows => "; keep them on disk with --cache, or raise --max-memory",
            Cure::HashFeatures => "; hash them into fewer with --hash BITS",
            Cure::NameLabels => "; name all labels with --labels A,B,…",
            Cure::NameFeatures => "; say how many there are with --features N",
            Cure::NamePositive => ": say which one is positive with --positive LABEL",
            Cure::NameEither => "; say which is meant with --labels A,B or --positive LABEL",
            Cure::OneAgainstRest => "; certify one against the rest with --positive LABEL",
            Cure::StartTogether => {
                "; let each go on from one model (learn --resume FIRST DATA --model PART), and name it by --base FIRST"
            }
            Cure::LeaveUnscaled => "; learn each with --scale none",
            Cure::NameLabelColumn => "; say which column holds the labels with --label COLUMN",
            Cure::NameEncoding => "; name its encoding with --encoding latin1 or another",
            Cure::NameCsv => "; --format csv reads cells divided by | as a table",
            Cure::NameUtf16 => "; --encoding utf16 reads it",
            Cure::CountFromZero => "; --zero-based reads those that count from 0",
            Cure::FillMissing => "; --missing indicator fills it in",
            Cure::NameKind => "; --column NAME:KIND says what it holds",
            Cure::MendSlip => {
                "; --skip-bad-rows with --column NAME:number leaves out such rows, --column NAME:category takes all \
                 cells as they are written"
            }
            Cure::TakeElse => {
                "; --skip-bad-rows leaves out such rows, --column NAME:category takes all cells as they are written"
            }
            Cure::TakeNumbers => {
                "; --column NAME:number takes them all as numbers of one kind, --column NAME:category as they are \
                 written"
            }
            Cure::TakeAsWritten => {
                "; --column NAME:category takes its cells as they are written, --ignore NAME leaves it out"
            }
            Cure::KeepColumn => "; --column NAME:category keeps it, or NAME:number where all its cells are numbers",
            Cure::IgnoreColumn => "; --ignore NAME leaves it out",
            Cure::NameHeader => "; --header yes says that the first line names the columns",
            Cure::NameHeadless => "; --header no says that the first line is a row, and columns go by position",
            Cure::NameOrder => "; say so with --column NAME:date=dmy or NAME:date=mdy",
            Cure::NameShortYears => {
                "; --column NAME:date=dmy (or mdy, ymd) reads 69 to 99 as 1969 to 1999, others as of the 2000s"
            }
            Cure::NameDecimal => "; say so with --decimal point or --decimal comma",
            Cure::SkipBadRows => "; --skip-bad-rows leaves out such rows",
            Cure::LeaveOut => "; cast it, or leave it out with --ignore NAME",
            Cure::BuildWithParquet => "; one that does: cargo install --path crates/cli --features parquet",
            Cure::NormalizeL2 => "; use --normalize l2",
            Cure::NormalizeLp => "; use --normalize lp",
            _ => return None,
        })
    }

    fn name(&self, name: &str) -> String {
        let is_plain = |c: char| c.is_alphanumeric() || "_-./%+@".contains(c);
        match !name.is_empty() && name.chars().all(is_plain) {
            true => name.to_string(),
            false => format!("'{}'", name.replace('\'', r"'\''")), // as a shell takes it
        }
    }
}

/// The program's words for rows that are being left out: nobody is told to do what is done.
pub struct FlagsWhileSkipping;

impl Wording for FlagsWhileSkipping {
    fn request(&self, request: Request) -> Option<&'static str> {
        Flags.request(request)
    }

    fn cure(&self, cure: Cure) -> Option<&'static str> {
        match cure {
            Cure::SkipBadRows => Some(""),
            Cure::TakeElse => Some("; --column NAME:category takes all cells as they are written"),
            _ => Flags.cure(cure),
        }
    }

    fn name(&self, name: &str) -> String {
        Flags.name(name)
    }
}

/// An error with all that led to it, in one line.
pub fn line(error: &anyhow::Error) -> String {
    let worded = |cause: &(dyn std::error::Error + 'static)| match cause.downcast_ref::<Error>() {
        Some(error) => error.worded(&Flags),
        None => cause.to_string(),
    };
    error.chain().map(worded).collect::<Vec<_>>().join(": ")
}
