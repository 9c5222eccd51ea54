//! Labels that are written in another way, mended when they are read.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Message, Request};

/// Which label is read as which; typed and printed as `OLD=NEW,OLD=NEW`.
///
/// Labels may have a `=` too. Of several in a pair the one divides it that leaves the two sides most alike, the first
/// of those if there are more.
///
/// ```
/// use onlinear::Aliases;
///
/// let aliases: Aliases = "<=50K.=<=50K,>50K.=>50K".parse()?;
/// assert_eq!(aliases.label("<=50K."), Some("<=50K"));
/// assert_eq!(aliases.label("<=50K"), None);
/// # Ok::<(), onlinear::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Aliases(Vec<(String, String)>);

impl Aliases {
    /// What is read in the place of a label, if that is another one.
    pub fn label(&self, text: &str) -> Option<&str> {
        self.0.iter().find(|(old, _)| old == text).map(|(_, new)| new.as_str())
    }
}

impl FromIterator<(String, String)> for Aliases {
    fn from_iter<T: IntoIterator<Item = (String, String)>>(pairs: T) -> Aliases {
        Aliases(pairs.into_iter().collect())
    }
}

impl FromStr for Aliases {
    type Err = Error;

    fn from_str(text: &str) -> Result<Aliases, Error> {
        let pair = |pair: &str| {
            let halves = pair.match_indices('=').map(|(at, _)| (&pair[..at], &pair[at + 1..]));
            let whole = halves.filter(|(old, new)| !old.is_empty() && !new.is_empty());
            let nearest = whole.min_by_key(|(old, new)| strsim::levenshtein(old, new));
            nearest.map(|(old, new)| (old.to_string(), new.to_string())).ok_or_else(|| {
                let why = format!(": expected OLD=NEW, found '{pair}'");
                Error::usage(Message::from(Request::Alias).and(why))
            })
        };
        text.split(',').map(pair).collect()
    }
}

impl fmt::Display for Aliases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pairs: Vec<String> = self.0.iter().map(|(old, new)| format!("{old}={new}")).collect();
        f.write_str(&pairs.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_divided_where_their_sides_are_alike() {
        for (text, pairs) in [
            ("no.=no,yes.=yes", vec![("no.", "no"), ("yes.", "yes")]),
            ("<=50K.=<=50K,>50K.=>50K", vec![("<=50K.", "<=50K"), (">50K.", ">50K")]),
            ("a==a", vec![("a", "=a")]),
            ("0=no", vec![("0", "no")]),
        ] {
            let aliases: Aliases = text.parse().expect(text);
            let owned = pairs.into_iter().map(|(old, new)| (old.to_string(), new.to_string()));
            assert_eq!((aliases.to_string().as_str(), aliases), (text, owned.collect()));
        }
        for text in ["", "a", "=a", "a=", "a=b,,c=d"] {
            assert!(text.parse::<Aliases>().expect_err(text).is_usage(), "{text}");
        }
    }
}
