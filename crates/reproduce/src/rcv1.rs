//! RCV1-v2 as Lewis, Yang, Rose and Li publish it (2004): vectors by document, and topics in a file of their own.

use std::collections::HashMap;

use anyhow::Context;

/// The set, and the files of its vectors and topics.
pub const SET: &str = "lyrl2004_vectors_train";
pub const VECTORS: &str = "lyrl2004_vectors_train.dat";
pub const TOPICS: &str = "rcv1-v2.topics.qrels";

/// The documents as LIBSVM text, the codes of their topics in place of the document's number. `vectors` has lines
/// `document index:value …`, `topics` lines `code document 1`.
pub fn labelled(vectors: &str, topics: &str) -> anyhow::Result<Vec<u8>> {
    let mut codes: HashMap<&str, Vec<&str>> = HashMap::new();
    for (number, line) in topics.lines().enumerate() {
        let mut words = line.split_whitespace();
        let (code, document) = words.next().zip(words.next()).with_context(|| {
            format!("{TOPICS}, line {}: expected a topic, a document and 1, found '{line}'", number + 1)
        })?;
        codes.entry(document).or_default().push(code);
    }
    let mut text = String::with_capacity(vectors.len());
    for (number, line) in vectors.lines().enumerate() {
        let place = || format!("{VECTORS}, line {}", number + 1);
        let (document, row) = line.split_once(' ').with_context(|| format!("{}: no document's number", place()))?;
        let codes = codes.get(document);
        let codes = codes.with_context(|| format!("{}: document {document} is not in {TOPICS}", place()))?;
        text.push_str(&codes.join(","));
        text.push(' ');
        text.push_str(row.trim_start());
        text.push('\n');
    }
    Ok(text.into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_have_their_topics() {
        let topics = "E11 2286 1\nECAT 2286 1\nCCAT 2287 1\n";
        let text = labelled("2286  864:0.05 1523:0.04\n2287  1:1\n", topics).expect("documents");
        assert_eq!(String::from_utf8(text).expect("text"), "E11,ECAT 864:0.05 1523:0.04\nCCAT 1:1\n");
        let lost = labelled("2288  1:1\n", topics).expect_err("no topics").to_string();
        assert!(lost.contains("line 1: document 2288 is not in"), "{lost}");
        assert!(labelled("2286  1:1\n", "E11\n").is_err());
    }
}
