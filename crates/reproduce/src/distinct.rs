//! Things in the order in which they come first.

/// Each of some things once, in the order in which they come first.
pub fn distinct<T: PartialEq>(things: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut distinct = Vec::new();
    for thing in things {
        if !distinct.contains(&thing) {
            distinct.push(thing);
        }
    }
    distinct
}
