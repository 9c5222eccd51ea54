//! The classes that labels mean.

use std::cmp::Ordering;
use std::collections::HashMap;

use super::meaning::{order, sign};
use super::{LabelId, LabelTable, MOST_LABELS, NO_LABEL};
use crate::data::aliases::Aliases;
use crate::data::columns::is_missing;
use crate::error::{Cure, Error, Message, Request, Result};
use crate::spec::did_you_mean;

/// More classes than this are doubted where most of their labels are no whole numbers …
const FEW_CLASSES: usize = 20;
/// … in tables more than this where all of them are numbers …
const MANY_NUMBERS: usize = 100;
/// … and more than this whatever their labels are.
const MANY_CLASSES: usize = 1000;

/// A label is near another where they are more alike than this, of 1000.
const NEAR: u32 = 700;
/// A message names no more labels that could be read as others.
const MOST_ALIASES: usize = 5;

/// The rule that turns a label text into a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// −1 and 0 are negative, +1 is positive.
    Sign,
    /// The two names, and no others.
    Pair,
    /// The positive name (one of them, where it is a list, and any list of labels that holds it) is positive, all
    /// others are negative.
    Positive,
    /// Each name is a class of its own; there are more than two, and no others.
    Rest,
}

impl Rule {
    /// Every rule with its name.
    pub const ALL: [(Rule, &str); 4] =
        [(Rule::Sign, "sign"), (Rule::Pair, "pair"), (Rule::Positive, "positive"), (Rule::Rest, "one-versus-rest")];
}

/// What the user says of the labels.
#[derive(Clone, Debug, Default)]
pub struct LabelChoice {
    /// This one, or each of these with commas between them, is +1, all others −1.
    pub positive: Option<String>,
    /// These and no others.
    pub labels: Option<Vec<String>>,
}

impl LabelChoice {
    /// Whether the user has chosen.
    pub fn is_made(&self) -> bool {
        self.positive.is_some() || self.labels.is_some()
    }
}

/// The classes: which labels mean which, and what each is called. Of two, the negative one is number 0 and
/// the positive one number 1; more than two are numbered in sort order.
#[derive(Clone, Debug, PartialEq)]
pub struct Classes {
    rule: Rule,
    names: Vec<String>,
}

impl Classes {
    /// The classes that the labels met so far make, unless the user chose.
    pub fn decide(table: &LabelTable, choice: &LabelChoice, file: &str) -> Result<Classes> {
        if let Some(positive) = &choice.positive {
            let mut classes = Classes::two(Rule::Positive, format!("not-{positive}"), positive.clone());
            classes.take_names(table);
            return Ok(classes);
        }
        if let Some(labels) = &choice.labels {
            return Classes::chosen(labels);
        }
        if let Some(list) = table.texts().find(|text| text.contains(',')) {
            let message = Message::from(format!("has rows with several labels ('{list}')"));
            return Err(Error::data(file, message.and(Cure::NamePositive)));
        }
        if table.decide_by_sign() {
            if mixes_negatives(table) {
                let message = Message::from("has labels -1 and 0, which both count as negative");
                return Err(Error::data(file, message.and(Cure::NameEither)));
            }
            let mut classes = Classes::two(Rule::Sign, "-1".to_string(), "+1".to_string());
            classes.take_names(table);
            return Ok(classes);
        }
        let mut distinct: Vec<String> = table.texts().map(String::from).collect();
        distinct.sort_by(|a, b| order(a, b));
        distinct.dedup_by(|a, b| order(a, b) == Ordering::Equal);
        Ok(match &distinct[..] {
            [only] => Classes::two(Rule::Pair, format!("not-{only}"), only.clone()),
            [_, _] => Classes { rule: Rule::Pair, names: distinct },
            _ => Classes { rule: Rule::Rest, names: distinct },
        })
    }

    fn two(rule: Rule, negative: String, positive: String) -> Classes {
        Classes { rule, names: vec![negative, positive] }
    }

    /// The classes that the user names.
    fn chosen(labels: &[String]) -> Result<Classes> {
        let mut names = labels.to_vec();
        names.sort_by(|a, b| order(a, b));
        let refuse = |what: &str| {
            let why = format!(" {}: {what}", labels.join(","));
            Err(Error::usage(Message::from(Request::Labels).and(why)))
        };
        let doubled = names.windows(2).any(|pair| order(&pair[0], &pair[1]) == Ordering::Equal);
        match names.len() {
            2 if doubled => refuse("the two labels are the same"),
            _ if doubled => refuse("two of the labels are the same"),
            0 | 1 => refuse("expected two labels or more"),
            2 => Ok(Classes { rule: Rule::Pair, names }),
            3..=MOST_LABELS => Ok(Classes { rule: Rule::Rest, names }),
            _ => refuse("these are too many to be classes"),
        }
    }

    /// The classes of these labels: of two, the first is negative and the second positive; more are put in sort order.
    pub fn of(labels: &[String]) -> Result<Classes> {
        let classes = Classes::chosen(labels)?;
        Ok(if classes.len() == 2 { Classes { names: labels.to_vec(), ..classes } } else { classes })
    }

    /// Classes from a model file, unless they cannot be.
    pub(crate) fn from_parts(rule: Rule, names: Vec<String>) -> Option<Classes> {
        let rising = || names.windows(2).all(|pair| order(&pair[0], &pair[1]) == Ordering::Less);
        let fits = match rule {
            Rule::Rest => (3..=MOST_LABELS).contains(&names.len()) && rising(),
            Rule::Sign | Rule::Pair | Rule::Positive => {
                matches!(&names[..], [negative, positive] if order(negative, positive) != Ordering::Equal)
            }
        };
        fits.then_some(Classes { rule, names })
    }

    /// The rule.
    pub(crate) fn rule(&self) -> Rule {
        self.rule
    }

    /// How many there are.
    #[allow(clippy::len_without_is_empty)] // there are always two or more
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// The class of a label text by number; `None` if the classes do not know it.
    pub fn class_of(&self, text: &str) -> Option<usize> {
        let is = |class: usize| order(text, &self.names[class]) == Ordering::Equal;
        match self.rule {
            Rule::Positive => {
                let is_positive = |one: &str| self.names[1].split(',').any(|name| order(one, name) == Ordering::Equal);
                Some(usize::from(text.split(',').any(is_positive)))
            }
            Rule::Sign => sign(text).map(usize::from),
            Rule::Pair => [1, 0].into_iter().find(|&class| is(class)),
            Rule::Rest => self.names.binary_search_by(|name| order(name, text)).ok(),
        }
    }

    /// What to say of a label that is none of them, and of others in its table that are not.
    pub(crate) fn unknown(&self, text: &str, table: &LabelTable) -> Message {
        Message::from(self.none_of_them(text)).and(self.nearest(text, table))
    }

    /// What label a text that is none of them may mean, and how it and its like are read so; nothing where none is
    /// near.
    pub fn nearest(&self, text: &str, table: &LabelTable) -> Message {
        let nearest = |text: &str| {
            let likeness = |name: &&String| (1000.0 * strsim::jaro_winkler(text, name)) as u32;
            let near = self.names.iter().max_by_key(likeness).filter(|name| likeness(name) > NEAR);
            near.map(|name| (text.to_string(), name.clone()))
        };
        let Some(pair) = nearest(text) else { return Message::from("") };
        let is_other = |other: &&str| *other != text && self.class_of(other).is_none();
        let others = table.texts().filter(is_other).filter_map(nearest).take(MOST_ALIASES);
        let near = format!("; the nearest is '{}': ", pair.1);
        let aliases: Aliases = std::iter::once(pair).chain(others).collect();
        Message::from(near).and(Request::Alias).and(format!(" '{aliases}' reads it so"))
    }

    fn none_of_them(&self, text: &str) -> String {
        match self.names() {
            [negative, positive] => {
                format!("label '{text}' is neither '{negative}' nor '{positive}', the classes of this model")
            }
            names => format!("label '{text}' is none of the {} classes of this model ({})", names.len(), self.shown()),
        }
    }

    /// Refuses a positive label that a user has named and no row has.
    pub(crate) fn require_positive(&self, table: &LabelTable, file: &str) -> Result<()> {
        let is_met = || table.texts().any(|text| self.class_of(text) == Some(1));
        if self.rule != Rule::Positive || table.is_empty() || is_met() {
            return Ok(());
        }
        const SHOWN: usize = 5;
        let texts: Vec<&str> = table.texts().collect();
        let more = if texts.len() > SHOWN { ", …" } else { "" };
        let (positive, near) = (self.name(1usize), did_you_mean(self.name(1usize), &texts));
        let shown = texts[..texts.len().min(SHOWN)].join(", ");
        Err(Error::data(file, format!("no row has the positive label '{positive}'; there are {shown}{more}{near}")))
    }

    /// Whether they are more numbers than there are names of things, most often.
    pub(crate) fn are_many_numbers(&self) -> bool {
        self.len() > MANY_NUMBERS && self.names.iter().all(|name| name.parse::<f64>().is_ok())
    }

    /// What to say of labels, perhaps those of a table, that seem to be measurements, to be the same but for their
    /// case, or to be missing.
    pub fn doubts(&self, are_of_table: bool) -> Vec<Message> {
        let count = self.len();
        let fractions =
            self.names.iter().filter(|name| name.parse::<f64>().is_ok_and(|number| number.fract() != 0.0)).count();
        let are_many = count > FEW_CLASSES && 2 * fractions > count
            || are_of_table && self.are_many_numbers()
            || count > MANY_CLASSES;
        let many = are_many.then(|| {
            format!(
                "{count} different labels make {count} classes, each with a learner of its own; are they measurements?"
            )
            .into()
        });
        many.into_iter().chain(self.doubt_of_case()).chain(self.doubt_of_missing()).collect()
    }

    fn doubt_of_case(&self) -> Option<Message> {
        let mut first: HashMap<String, &String> = HashMap::new();
        let alike = self.names.iter().filter_map(|name| {
            let before = *first.entry(name.to_lowercase()).or_insert(name);
            (before != name).then(|| (before.clone(), name.clone()))
        });
        let alike: Vec<(String, String)> = alike.take(MOST_ALIASES).collect();
        let (one, other) = alike.first()?;
        let message = format!("labels '{one}' and '{other}' differ in case alone, and are two classes; ");
        let aliases: Aliases = alike.iter().map(|(one, other)| (other.clone(), one.clone())).collect();
        Some(Message::from(message).and(Request::Alias).and(format!(" '{aliases}' reads them as one")))
    }

    fn doubt_of_missing(&self) -> Option<Message> {
        let (blank, others): (Vec<&String>, Vec<&String>) =
            self.names.iter().partition(|name| is_missing(name.as_bytes()));
        let name = blank.first().filter(|_| self.rule == Rule::Rest && others.len() > 1)?;
        let message =
            format!("label '{name}' is a class of its own; if it says that there is none, name the others by ");
        let others: Vec<&str> = others.into_iter().map(String::as_str).collect();
        let message = Message::from(message).and(Request::Labels).and(format!(" '{}'", others.join(",")));
        Some(message.and(Cure::SkipBadRows))
    }

    /// What a class is called.
    pub fn name(&self, class: impl Into<usize>) -> &str {
        &self.names[class.into()]
    }

    /// What all classes are called, in their order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Calls each class as the data call it, where all of its rows are called alike.
    pub fn take_names(&mut self, table: &LabelTable) {
        // For each class the text that all its rows have, once one was met and until there is another.
        let mut texts: Vec<Option<Option<&str>>> = vec![None; self.len()];
        for text in table.texts() {
            let Some(class) = self.class_of(text) else { continue };
            match texts[class] {
                None => texts[class] = Some((!text.contains(',')).then_some(text)),
                Some(Some(first)) if order(text, first) != Ordering::Equal => texts[class] = Some(None),
                Some(_) => {}
            }
        }
        for (name, text) in self.names.iter_mut().zip(texts) {
            // A list of names says which labels are meant.
            if let Some(text) = text.flatten().filter(|_| !name.contains(',')) {
                *name = text.to_string();
            }
        }
    }

    /// The first few names, for a message.
    pub fn shown(&self) -> String {
        const SHOWN: usize = 5;
        let more = if self.len() > SHOWN { ", …" } else { "" };
        format!("{}{more}", self.names[..self.len().min(SHOWN)].join(", "))
    }
}

fn mixes_negatives(table: &LabelTable) -> bool {
    let has = |wanted: &str| table.texts().any(|text| order(text, wanted) == Ordering::Equal);
    has("-1") && has("0")
}

/// Classes with a memory of the labels already looked up.
#[derive(Clone, Debug)]
pub struct Classifier {
    classes: Classes,
    known: Vec<Option<u32>>,
}

impl Classifier {
    /// Looks labels up in `classes`.
    pub fn new(classes: Classes) -> Classifier {
        Classifier { classes, known: Vec::new() }
    }

    /// The class of a label of `table` by number; `None` if the classes do not cover it.
    #[inline]
    pub fn class_of(&mut self, id: LabelId, table: &LabelTable) -> Option<usize> {
        match self.known.get(id as usize) {
            Some(&class) => class.map(|class| class as usize),
            None if id == NO_LABEL => None,
            None => {
                let mixed = self.classes.rule == Rule::Sign && mixes_negatives(table);
                for text in table.texts().skip(self.known.len()) {
                    self.known.push(if mixed { None } else { self.classes.class_of(text).map(|class| class as u32) });
                }
                self.known.get(id as usize).copied().flatten().map(|class| class as usize)
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
            table.id(text.as_bytes()).expect("few");
        }
        Classes::decide(&table, &choice, "data")
    }

    fn names(texts: &[&str]) -> (String, String) {
        let classes = decide(texts, LabelChoice::default()).expect("two classes");
        (classes.names[0].clone(), classes.names[1].clone())
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
    fn numbers_are_compared_to_the_last_digit() {
        for group in [
            &["1", "+1", "1.0", "1e0", "01", "10e-1", "0.1E1", "1."][..],
            &["0", "-0", "0.0", "+0e7", ".0"],
            &["-12.5", "-1.25e1", "-0012.500", "-125E-1"],
            &["9007199254740993", "9007199254740993.0", "9.007199254740993e15"],
        ] {
            assert!(group.iter().all(|text| order(text, group[0]) == Ordering::Equal), "{group:?}");
        }
        let rising = ["-9007199254740993", "-9007199254740992", "-1.5", "-1", "-0.5", "-1e-400", "0", "1e-400", "0.1"];
        let more =
            ["0.10000000000000000001", "0.5", "1", "9", "10", "9007199254740992", "9007199254740993", "1e400", "a"];
        let all: Vec<&str> = rising.into_iter().chain(more).collect();
        for (i, a) in all.iter().enumerate() {
            assert!(all.iter().enumerate().all(|(j, b)| order(a, b) == i.cmp(&j)), "{a}");
        }
        assert_eq!(names(&["9007199254740993", "9007199254740992"]), pair("9007199254740992", "9007199254740993"));
    }

    #[test]
    fn signs_decide_at_once_but_minus_one_and_zero_do_not_mix() {
        let classes = decide(&["1"], LabelChoice::default()).expect("by sign");
        assert_eq!(classes.class_of("0"), Some(0));
        assert_eq!(classes.class_of("-1.0"), Some(0));
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
        assert_eq!(classes.class_of("3,17"), Some(1));
        assert_eq!(classes.class_of("117"), Some(0));
        assert_eq!(classes.name(0usize), "not-17");
        assert!(decide(&["3,17", "4"], LabelChoice::default()).is_err());
    }

    #[test]
    fn several_labels_can_be_positive() {
        let choice = LabelChoice { positive: Some("17,4".to_string()), labels: None };
        let classes = decide(&["3,17", "4", "3"], choice).expect("chosen");
        assert_eq!(
            ["3,17", "4.0", "3", "5,6"].map(|text| classes.class_of(text)),
            [Some(1), Some(1), Some(0), Some(0)]
        );
        let choice = LabelChoice { positive: Some("17,4".to_string()), labels: None };
        let classes = decide(&["4", "3"], choice).expect("chosen");
        assert_eq!((classes.name(1usize), classes.class_of("17")), ("17,4", Some(1)));
    }

    #[test]
    fn more_than_two_labels_are_classes_in_their_sort_order() {
        let classes = decide(&["10", "b", "9", "a", "9.0"], LabelChoice::default()).expect("four");
        assert_eq!((classes.rule, classes.names()), (Rule::Rest, &["9", "10", "a", "b"].map(String::from)[..]));
        assert_eq!(
            ["9", "10.0", "a", "b", "c"].map(|text| classes.class_of(text)),
            [Some(0), Some(1), Some(2), Some(3), None]
        );
        let choose = |labels: &[&str]| {
            decide(&[], LabelChoice { positive: None, labels: Some(labels.iter().map(|l| l.to_string()).collect()) })
        };
        let mut chosen = choose(&["3", "01", "2"]).expect("three");
        assert_eq!((chosen.names().join(" "), chosen.shown()), ("01 2 3".to_string(), "01, 2, 3".to_string()));
        let mut table = LabelTable::default();
        for text in ["1", "2"] {
            table.id(text.as_bytes()).expect("few");
        }
        chosen.take_names(&table);
        assert_eq!(chosen.names().join(" "), "1 2 3");
        let two = Classes::of(&["b", "a"].map(String::from)).expect("two");
        assert_eq!((two.names().join(" "), two.class_of("a")), ("b a".to_string(), Some(1)));
        let message = choose(&["1", "2", "1.0"]).expect_err("the same").to_string();
        assert_eq!(message, "the labels 1,2,1.0: two of the labels are the same");
    }

    #[test]
    fn classes_of_a_file_must_make_sense() {
        let parts =
            |rule, names: &[&str]| Classes::from_parts(rule, names.iter().map(|name| name.to_string()).collect());
        assert!(parts(Rule::Pair, &["b", "a"]).is_some() && parts(Rule::Rest, &["1", "2", "a"]).is_some());
        for (rule, names) in [(Rule::Sign, &["a"][..]), (Rule::Pair, &["a", "b", "c"]), (Rule::Rest, &["a", "b"])] {
            assert!(parts(rule, names).is_none(), "{names:?}");
        }
        assert!(parts(Rule::Rest, &["1", "3", "2"]).is_none() && parts(Rule::Rest, &["1", "1.0", "2"]).is_none());
    }
}
