//! Labels as they are written, and the two classes they mean.

use std::cmp::Ordering;
use std::collections::HashMap;

use super::number::excerpt;
use crate::error::{Error, Result};
use crate::learner::Label;

/// A label as its reader numbers it, in the order of appearance.
pub type LabelId = u32;

/// The id of a row without a label.
pub const NO_LABEL: LabelId = LabelId::MAX;

/// More distinct labels than this are not classes. Lists of labels do not count: a set of few labels
/// has many of them.
const MOST_LABELS: usize = 10_000;

/// Every distinct label text met so far.
#[derive(Clone, Debug, Default)]
pub struct LabelTable {
    texts: Vec<Box<str>>,
    ids: HashMap<Box<[u8]>, LabelId>,
    last: LabelId,
    /// How many of the texts are one label, not a list.
    single: usize,
}

impl LabelTable {
    /// The id of a label text; new ones are added. `None` when there are too many to be classes.
    pub(crate) fn id(&mut self, text: &[u8]) -> Option<LabelId> {
        if let Some(last) = self.texts.get(self.last as usize)
            && last.as_bytes() == text
        {
            return Some(self.last);
        }
        self.last = match self.ids.get(text) {
            Some(&id) => id,
            None => {
                let is_single = !text.contains(&b',');
                let id = self.texts.len() as LabelId;
                if is_single && self.single == MOST_LABELS || id == NO_LABEL {
                    return None;
                }
                self.single += usize::from(is_single);
                self.texts.push(String::from_utf8_lossy(text).into());
                self.ids.insert(text.into(), id);
                id
            }
        };
        Some(self.last)
    }

    /// The same, saying why there is none.
    pub(crate) fn id_or_refuse(&mut self, text: &[u8]) -> std::result::Result<LabelId, String> {
        self.id(text).ok_or_else(|| format!("label '{}' is one too many to be a class", excerpt(text)))
    }

    /// The text of a label.
    pub fn text(&self, id: LabelId) -> &str {
        self.texts.get(id as usize).map_or("", |text| text)
    }

    /// How many distinct texts there are.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether no label was met.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Whether all labels are −1, 0 or +1, whose classes are known at once.
    pub fn decide_by_sign(&self) -> bool {
        self.texts().all(|text| sign(text).is_some())
    }

    /// All texts, in the order of appearance.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().map(AsRef::as_ref)
    }
}

/// A label's meaning: `1`, `+1` and `1.0` are the same number; words are themselves.
enum Meaning<'a> {
    Number(f64),
    Word(&'a str),
}

impl<'a> Meaning<'a> {
    fn of(text: &'a str) -> Meaning<'a> {
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Meaning::Number(number + 0.0),
            _ => Meaning::Word(text),
        }
    }

    /// Numbers in their order, then words in theirs.
    fn cmp(&self, other: &Meaning<'_>) -> Ordering {
        match (self, other) {
            (Meaning::Number(a), Meaning::Number(b)) => a.total_cmp(b),
            (Meaning::Number(_), Meaning::Word(_)) => Ordering::Less,
            (Meaning::Word(_), Meaning::Number(_)) => Ordering::Greater,
            (Meaning::Word(a), Meaning::Word(b)) => a.cmp(b),
        }
    }
}

fn order(a: &str, b: &str) -> Ordering {
    Meaning::of(a).cmp(&Meaning::of(b))
}

/// The rule that turns a label text into a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// −1 and 0 are negative, +1 is positive.
    Sign,
    /// The two names, and no others.
    Pair,
    /// The positive name (or a list that holds it) is positive, all others are negative.
    Positive,
}

impl Rule {
    /// Every rule with its name.
    pub const ALL: [(Rule, &str); 3] = [(Rule::Sign, "sign"), (Rule::Pair, "pair"), (Rule::Positive, "positive")];
}

/// What the user says of the labels.
#[derive(Clone, Debug, Default)]
pub struct LabelChoice {
    /// `--positive LABEL`: this one is +1, all others −1.
    pub positive: Option<String>,
    /// `--labels A,B`: these two and no others.
    pub labels: Option<(String, String)>,
}

impl LabelChoice {
    /// Whether the user has chosen.
    pub fn is_made(&self) -> bool {
        self.positive.is_some() || self.labels.is_some()
    }
}

/// The two classes: which labels mean which, and what each is called.
#[derive(Clone, Debug, PartialEq)]
pub struct Classes {
    pub(crate) rule: Rule,
    pub(crate) negative: String,
    pub(crate) positive: String,
}

impl Classes {
    /// The classes that the labels met so far make, unless the user chose.
    pub fn decide(table: &LabelTable, choice: &LabelChoice, file: &str) -> Result<Classes> {
        if let Some(positive) = &choice.positive {
            let mut classes = Classes { rule: Rule::Positive, negative: format!("not-{positive}"), positive: positive.clone() };
            classes.take_names(table);
            return Ok(classes);
        }
        if let Some((a, b)) = &choice.labels {
            return Classes::pair(a, b);
        }
        if let Some(list) = table.texts().find(|text| text.contains(',')) {
            let message = format!("has rows with several labels ('{list}'): say which one is positive with --positive LABEL");
            return Err(Error::data(file, message));
        }
        let mut distinct: Vec<&str> = table.texts().collect();
        distinct.sort_by(|a, b| order(a, b));
        distinct.dedup_by(|a, b| order(a, b) == Ordering::Equal);
        if table.decide_by_sign() {
            if mixes_negatives(table) {
                let message =
                    "has labels -1 and 0, which both count as negative; say which is meant with --labels A,B or --positive LABEL";
                return Err(Error::data(file, message));
            }
            let mut classes = Classes { rule: Rule::Sign, negative: "-1".to_string(), positive: "+1".to_string() };
            classes.take_names(table);
            return Ok(classes);
        }
        match distinct[..] {
            [only] => Ok(Classes { rule: Rule::Pair, negative: format!("not-{only}"), positive: only.to_string() }),
            [a, b] => Classes::pair(a, b),
            _ => {
                let shown = distinct.iter().take(5).copied().collect::<Vec<_>>().join(", ");
                let more = if distinct.len() > 5 { ", …" } else { "" };
                let message = format!(
                    "has {} labels ({shown}{more}): more than two classes are not supported yet; pick one with --positive LABEL",
                    distinct.len()
                );
                Err(Error::data(file, message))
            }
        }
    }

    fn pair(a: &str, b: &str) -> Result<Classes> {
        let (negative, positive) = match order(a, b) {
            Ordering::Less => (a, b),
            Ordering::Greater => (b, a),
            Ordering::Equal => return Err(Error::usage(format!("--labels {a},{b}: the two labels are the same"))),
        };
        Ok(Classes { rule: Rule::Pair, negative: negative.to_string(), positive: positive.to_string() })
    }

    /// The class of a label text; `None` if the classes do not know it.
    pub fn class_of(&self, text: &str) -> Option<Label> {
        let class = |positive: bool| Some(if positive { Label::Positive } else { Label::Negative });
        match self.rule {
            Rule::Positive => class(text.split(',').any(|one| order(one, &self.positive) == Ordering::Equal)),
            Rule::Sign => sign(text),
            Rule::Pair if order(text, &self.positive) == Ordering::Equal => class(true),
            Rule::Pair if order(text, &self.negative) == Ordering::Equal => class(false),
            Rule::Pair => None,
        }
    }

    /// What a class is called.
    pub fn name(&self, label: Label) -> &str {
        match label {
            Label::Negative => &self.negative,
            Label::Positive => &self.positive,
        }
    }

    /// Calls each class as the data call it, where all of its rows are called alike.
    pub fn take_names(&mut self, table: &LabelTable) {
        for label in [Label::Negative, Label::Positive] {
            let mut texts = table.texts().filter(|text| self.class_of(text) == Some(label));
            let Some(first) = texts.next() else { continue };
            if !first.contains(',') && texts.all(|text| order(text, first) == Ordering::Equal) {
                let name = first.to_string();
                match label {
                    Label::Negative => self.negative = name,
                    Label::Positive => self.positive = name,
                }
            }
        }
    }
}

/// The class of −1, 0 or +1.
fn sign(text: &str) -> Option<Label> {
    match Meaning::of(text) {
        Meaning::Number(1.0) => Some(Label::Positive),
        Meaning::Number(0.0 | -1.0) => Some(Label::Negative),
        _ => None,
    }
}

fn mixes_negatives(table: &LabelTable) -> bool {
    let has = |wanted: f64| table.texts().any(|text| matches!(Meaning::of(text), Meaning::Number(n) if n == wanted));
    has(-1.0) && has(0.0)
}

/// Classes with a memory of the labels already looked up.
#[derive(Clone, Debug)]
pub struct Classifier {
    classes: Classes,
    known: Vec<Option<Label>>,
}

impl Classifier {
    /// Looks labels up in `classes`.
    pub fn new(classes: Classes) -> Classifier {
        Classifier { classes, known: Vec::new() }
    }

    /// The class of a label of `table`; `None` if the classes do not cover it.
    #[inline]
    pub fn class_of(&mut self, id: LabelId, table: &LabelTable) -> Option<Label> {
        match self.known.get(id as usize) {
            Some(&class) => class,
            None if id == NO_LABEL => None,
            None => {
                let mixed = self.classes.rule == Rule::Sign && mixes_negatives(table);
                for text in table.texts().skip(self.known.len()) {
                    self.known.push(if mixed { None } else { self.classes.class_of(text) });
                }
                self.known.get(id as usize).copied().flatten()
            }
        }
    }

    /// The classes.
    pub fn classes(&self) -> &Classes {
        &self.classes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decide(texts: &[&str], choice: LabelChoice) -> Result<Classes> {
        let mut table = LabelTable::default();
        for text in texts {
            table.id(text.as_bytes());
        }
        Classes::decide(&table, &choice, "data")
    }

    fn names(texts: &[&str]) -> (String, String) {
        let classes = decide(texts, LabelChoice::default()).expect("two classes");
        (classes.negative, classes.positive)
    }

    fn pair(a: &str, b: &str) -> (String, String) {
        (a.to_string(), b.to_string())
    }

    #[test]
    fn the_larger_label_is_positive_and_numbers_come_before_words() {
        assert_eq!(names(&["+1", "-1", "1"]), pair("-1", "+1"));
        assert_eq!(names(&["1", "0"]), pair("0", "1"));
        assert_eq!(names(&["10", "9"]), pair("9", "10"));
        assert_eq!(names(&["spam", "ham"]), pair("ham", "spam"));
        assert_eq!(names(&["spam", "7"]), pair("7", "spam"));
        assert_eq!(names(&["1"]), pair("-1", "1"));
        assert_eq!(names(&["2"]), pair("not-2", "2"));
    }

    #[test]
    fn signs_decide_at_once_but_minus_one_and_zero_do_not_mix() {
        let classes = decide(&["1"], LabelChoice::default()).expect("by sign");
        assert_eq!(classes.class_of("0"), Some(Label::Negative));
        assert_eq!(classes.class_of("-1.0"), Some(Label::Negative));
        assert_eq!(classes.class_of("2"), None);
        assert!(decide(&["-1", "0", "1"], LabelChoice::default()).is_err());
        let mut table = LabelTable::default();
        let mut classifier = Classifier::new(classes);
        let ids: Vec<_> = ["1", "0", "-1"].iter().map(|t| table.id(t.as_bytes()).expect("few")).collect();
        assert_eq!(classifier.class_of(ids[2], &table), None);
    }

    #[test]
    fn one_label_of_a_list_can_be_positive() {
        let choice = LabelChoice { positive: Some("17".to_string()), labels: None };
        let classes = decide(&["3,17", "4", "3"], choice).expect("chosen");
        assert_eq!(classes.class_of("3,17"), Some(Label::Positive));
        assert_eq!(classes.class_of("117"), Some(Label::Negative));
        assert_eq!(classes.negative, "not-17");
        assert!(decide(&["3,17", "4"], LabelChoice::default()).is_err());
    }

    #[test]
    fn more_than_two_classes_are_refused_by_name() {
        let message = decide(&["1", "2", "3"], LabelChoice::default()).expect_err("three").to_string();
        assert!(message.contains("3 labels (1, 2, 3)") && message.contains("--positive"), "{message}");
    }
}
