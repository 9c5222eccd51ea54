//! What is told to a user, for the program and Python to say each in words of their own.

use std::fmt;

/// A text in which what the user asked for, and what can be done, stand as what they are: the program calls them by
/// its flags, Python by its parameters, and `Display` by neither.
///
/// ```
/// use onlinear::Message;
/// use onlinear::workshop::{Cure, Request, Wording};
///
/// struct Menu;
/// impl Wording for Menu {
///     fn request(&self, request: Request) -> Option<&'static str> {
///         (request == Request::MaxMemory).then_some("‘Settings > Memory’")
///     }
/// }
///
/// let message = Message::beyond_memory("7 names need 56 bytes").and(Cure::HashFeatures);
/// assert_eq!(message.to_string(), "7 names need 56 bytes, more than the memory limit allows; hash them into fewer");
/// let worded = "7 names need 56 bytes, more than ‘Settings > Memory’ allows; hash them into fewer";
/// assert_eq!(message.worded(&Menu), worded);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message(Vec<Term>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Term {
    Text(String),
    Request(Request),
    Cure(Cure),
    /// What can be done about the column of this name.
    CureOf(Cure, String),
}

/// What stands for a name in the words for a cure; where the name is known it takes that place.
const NAME: &str = "NAME";

/// What users of the program, of Python or of something else call the things that messages name. `None` stands for the
/// library's own words, an empty text leaves the thing out.
pub trait Wording {
    /// What was asked for, as a noun.
    fn request(&self, _request: Request) -> Option<&'static str> {
        None
    }

    /// What can be done, as the end of a sentence with the mark that divides it from what goes before.
    fn cure(&self, _cure: Cure) -> Option<&'static str> {
        None
    }

    /// The name of a column as it is typed, in words that have a place for it.
    fn name(&self, name: &str) -> String {
        name.to_string()
    }
}

/// The library's own words.
impl Wording for () {}

/// Declares things that messages name, each with the library's own words for it.
macro_rules! named {
    ($(#[$about:meta])* $name:ident: $($(#[$doc:meta])* $variant:ident = $words:literal;)+) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$doc])* $variant,)+
        }

        impl $name {
            const ALL: &[$name] = &[$($name::$variant,)+];

            const fn words(self) -> &'static str {
                match self {
                    $($name::$variant => $words,)+
                }
            }
        }

        impl From<$name> for Message {
            fn from(thing: $name) -> Message {
                Message(vec![Term::$name(thing)])
            }
        }
    };
}

named! {
    /// What a user may ask for, beside the learner.
    Request:
    /// No more memory than this.
    MaxMemory = "the memory limit";
    /// Features of one scale.
    Scale = "scaling";
    /// Rows of one length.
    Normalize = "normalizing";
    /// Rows of length 1 in the learner's own norm.
    NormalizeLp = "normalizing in the learner's own norm";
    /// Rows mapped into the space of a kernel.
    Map = "a map";
    /// A constant feature.
    Bias = "a constant feature";
    /// All stages, in order.
    Stages = "a list of stages";
    /// A number of passes.
    Passes = "more than one pass";
    /// Passes until one has no mistake.
    UntilSeparated = "passing until there is no mistake";
    /// As many passes as are best for rows held out.
    EarlyStop = "early stopping";
    /// Rows in random order.
    Shuffle = "shuffling";
    /// Probabilities by the last trials.
    Calibrate = "calibration";
    /// To go on with a model.
    Resume = "going on with a model";
    /// The errors of the final model on its training rows.
    TrainError = "the training error";
    /// Rows held out to measure the model on.
    Holdout = "holding out";
    /// What the rows of each class weigh.
    ClassWeights = "weights of classes";
    /// A mistake bound, measured on the run.
    Certificate = "a certificate";
    /// Rows kept in a file beside the data.
    Cache = "a cache";
    /// No more rows than this.
    Limit = "a limit of rows";
    /// These labels and no others.
    Labels = "the labels";
    /// Labels that are read as others.
    Alias = "an alias";
    /// Indices that count from 0.
    ZeroBased = "indices from 0";
    /// Tables: the column of the labels.
    LabelColumn = "the labels";
    /// Tables: the column of the sample weights.
    WeightColumn = "the weights";
    /// Tables: columns to be handed on.
    Keep = "keeping";
    /// Tables: whether the first line names the columns.
    Header = "a header";
    /// Tables: columns that are left out.
    Ignore = "a column to leave out";
    /// Tables: the only columns that are read.
    Only = "the only columns";
    /// Tables: what a column holds.
    Column = "what a column holds";
    /// Tables: columns whose features are multiplied.
    Interaction = "an interaction";
    /// Tables: what stands before the fraction of a number.
    Decimal = "how numbers are written";
    /// Tables: what becomes of cells without a value.
    Missing = "what becomes of missing values";
}

named! {
    /// What a user can do about what a message tells.
    Cure:
    /// Allow more memory.
    RaiseMemory = "; allow more memory";
    /// Keep the rows in a file beside the data, or allow more memory.
    CacheRows = "; keep them in a cache, or allow more memory";
    /// Hash features into fewer places.
    HashFeatures = "; hash them into fewer";
    /// Name all labels before the first row is read.
    NameLabels = "; name all labels beforehand";
    /// Say how many features there are before the first row is read.
    NameFeatures = "; say how many there are";
    /// Name the positive label of rows that have several.
    NamePositive = ": say which one is positive";
    /// Name the two labels, or the positive one, where they can be read in two ways.
    NameEither = "; name both labels or the positive one";
    /// Learn one class against all others.
    OneAgainstRest = "; certify one against the rest";
    /// Merging: let all models go on from one, which has their features and stages, and say which.
    StartTogether = "; let each go on from one model, which is their base";
    /// Merging: learn each model from rows that are left as they are.
    LeaveUnscaled = "; learn each without scaling";
    /// Tables: name the column of the labels.
    NameLabelColumn = "; say which column holds the labels";
    /// Say how the characters of a text are encoded.
    NameEncoding = "; name its encoding";
    /// Say that the text is UTF-16.
    NameUtf16 = "; read it as UTF-16";
    /// Say that cells divided by bars are a table.
    NameCsv = "; it can be read as CSV";
    /// Say that indices count from 0.
    CountFromZero = "; they can be read as counting from 0";
    /// Tables: fill in what is missing.
    FillMissing = "; it can be filled in";
    /// Tables: say what a column holds.
    NameKind = "; say what the column holds";
    /// Tables: say what a column of numbers holds among which something is none, or leave those rows out.
    MendSlip = "; such rows can be left out, or all cells be taken as they are written";
    /// Tables: take all cells of a column as they are written, or leave out those rows that are not as was asked for.
    TakeElse = "; such rows can be left out, or all cells be taken as they are written";
    /// Tables: take the numbers of a column as they stand, or as they are written.
    TakeNumbers = "; say that it holds numbers, whatever stands beside them, or a category";
    /// Tables: take the cells of a column as they are written, or leave it out.
    TakeAsWritten = "; it can be left out, or its cells be taken as they are written";
    /// Tables: keep a column that was left out.
    KeepColumn = "; say what it holds to keep it";
    /// Tables: leave a column out that cannot be read.
    IgnoreColumn = "; leave it out";
    /// Tables: say that the first line names the columns.
    NameHeader = "; say that the first line names the columns";
    /// Tables: say that the first line is a row.
    NameHeadless = "; say that the first line is a row, and columns go by position";
    /// Tables: say in which order days are written.
    NameOrder = "; say in which order they are written";
    /// Tables: say in which order days are written, of whose years there are but two digits.
    NameShortYears = "; say in which order they are written, and 69 to 99 are those of 1969 to 1999";
    /// Tables: say what stands before the fraction of a number.
    NameDecimal = "; say what stands before the fraction";
    /// Leave out rows that are wrong.
    SkipBadRows = "; such rows can be left out";
    /// Tables: leave a column out.
    LeaveOut = "; leave it out";
    /// Take a build that reads Parquet files.
    BuildWithParquet = "; build it with the feature parquet";
    /// Bring rows to length 1.
    NormalizeL2 = "; use rows of length 1";
    /// Bring rows to length 1 in the learner's own norm.
    NormalizeLp = "; use rows of length 1 in the learner's own norm";
}

impl From<String> for Message {
    fn from(text: String) -> Message {
        Message(vec![Term::Text(text)])
    }
}

/// What can be done about the column of a name.
impl From<(Cure, &str)> for Message {
    fn from((cure, name): (Cure, &str)) -> Message {
        let is_plain = !name.contains(char::is_control);
        Message(vec![if is_plain { Term::CureOf(cure, name.to_string()) } else { Term::Cure(cure) }])
    }
}

impl From<&str> for Message {
    fn from(text: &str) -> Message {
        text.to_string().into()
    }
}

impl Message {
    /// The message that goes on with `more`.
    #[must_use]
    pub fn and(mut self, more: impl Into<Message>) -> Message {
        self.0.append(&mut more.into().0);
        self
    }

    /// That something, as `need` says, takes more memory than there may be.
    pub fn beyond_memory(need: impl Into<Message>) -> Message {
        need.into().and(", more than ").and(Request::MaxMemory).and(" allows")
    }

    /// Whether it advises this.
    pub fn advises(&self, cure: Cure) -> bool {
        self.0.iter().any(|term| matches!(term, Term::Cure(known) | Term::CureOf(known, _) if *known == cure))
    }

    /// The message in the words of `wording`.
    pub fn worded(&self, wording: &dyn Wording) -> String {
        let word = |term: &Term| match term {
            Term::Text(text) => text.clone(),
            Term::Request(request) => wording.request(*request).unwrap_or(request.words()).to_string(),
            Term::Cure(cure) => wording.cure(*cure).unwrap_or(cure.words()).to_string(),
            Term::CureOf(cure, name) => wording.cure(*cure).unwrap_or(cure.words()).replace(NAME, &wording.name(name)),
        };
        self.0.iter().map(word).collect()
    }

    /// The message as lines of a file, each with a letter in front that says what it is.
    pub(crate) fn to_lines(&self) -> Vec<String> {
        let line = |term: &Term| match term {
            Term::Text(text) => format!("t{text}"),
            Term::Request(request) => format!("r{request:?}"),
            Term::Cure(cure) => format!("c{cure:?}"),
            Term::CureOf(cure, name) => format!("n{cure:?} {name}"),
        };
        self.0.iter().map(line).collect()
    }

    /// The counterpart of [`Message::to_lines`].
    pub(crate) fn from_lines<'a>(lines: impl Iterator<Item = &'a str>) -> Option<Message> {
        fn find<T: Copy + fmt::Debug>(all: &[T], name: &str) -> Option<T> {
            all.iter().copied().find(|thing| format!("{thing:?}") == name)
        }
        let term = |line: &str| match line.split_at_checked(1)? {
            ("t", text) => Some(Term::Text(text.to_string())),
            ("r", name) => find(Request::ALL, name).map(Term::Request),
            ("c", name) => find(Cure::ALL, name).map(Term::Cure),
            ("n", cure_of) => {
                let (cure, name) = cure_of.split_once(' ')?;
                find(Cure::ALL, cure).map(|cure| Term::CureOf(cure, name.to_string()))
            }
            _ => None,
        };
        lines.map(term).collect::<Option<_>>().map(Message)
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.worded(&()))
    }
}

/// So that it can travel inside a [`std::io::Error`].
impl std::error::Error for Message {}
