//! Files of kinds that cannot be read here, each with a line that makes one that can.

use crate::error::{Cure, Message};

/// A kind of file: what it is called, how it begins, and the command that converts it; `FILE` stands for its name.
struct ForeignKind {
    name: &'static str,
    is: fn(&[u8]) -> bool,
    conversion: &'static str,
}

/// A kind that some builds read.
const PARQUET: &str = "a Parquet file";

/// Every kind that is told; of those that begin alike the first that fits.
const KINDS: [ForeignKind; 23] = [
    ForeignKind {
        name: "an Excel workbook",
        is: |start| is_zip(start) && (holds(start, b"[Content_Types].xml") || holds(start, b"xl/")),
        conversion: "python -c \"import pandas; pandas.read_excel('FILE').to_csv('FILE.csv', index=False)\"",
    },
    ForeignKind {
        name: "an OpenDocument spreadsheet",
        is: |start| is_zip(start) && holds(start, b"opendocument.spreadsheet"),
        conversion: "python -c \"import pandas; pandas.read_excel('FILE').to_csv('FILE.csv', index=False)\"",
    },
    ForeignKind {
        name: "NumPy arrays",
        is: |start| start.starts_with(b"\x93NUMPY") || is_zip(start) && holds(start, b".npy"),
        conversion: "python -c \"import numpy, pandas; \
                     pandas.DataFrame(numpy.load('FILE')).to_csv('FILE.csv', index=False)\"",
    },
    ForeignKind { name: "a zip archive", is: is_zip, conversion: "unzip -p FILE > FILE.csv" },
    ForeignKind {
        name: "an old Excel workbook",
        is: |start| start.starts_with(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
        conversion: "python -c \"import pandas; pandas.read_excel('FILE').to_csv('FILE.csv', index=False)\"",
    },
    ForeignKind {
        name: PARQUET,
        is: |start| start.starts_with(b"PAR1"),
        conversion: "python -c \"import pandas; pandas.read_parquet('FILE').to_csv('FILE.csv', index=False)\"",
    },
    ForeignKind {
        name: "an Arrow or Feather file",
        is: |start| start.starts_with(b"ARROW1") || start.starts_with(b"FEA1"),
        conversion: "python -c \"import pandas; pandas.read_feather('FILE').to_csv('FILE.csv', index=False)\"",
    },
    ForeignKind {
        name: "an Arrow stream",
        is: |start| start.starts_with(b"\xff\xff\xff\xff"),
        conversion: "python -c \"import pyarrow as a; \
                     a.ipc.open_stream('FILE').read_pandas().to_csv('FILE.csv', index=False)\"",
    },
    ForeignKind {
        name: "an ORC file",
        is: |start| start.starts_with(b"ORC") && holds(start, b"\0"),
        conversion: "python -c \"import pandas; pandas.read_orc('FILE').to_csv('FILE.csv', index=False)\"",
    },
    ForeignKind {
        name: "an Avro file",
        is: |start| start.starts_with(b"Obj\x01"),
        conversion: "python -c \"import polars; polars.read_avro('FILE').write_csv('FILE.csv')\"",
    },
    ForeignKind {
        name: "a SQLite database",
        is: |start| start.starts_with(b"SQLite format 3\0"),
        conversion: "sqlite3 -header -csv FILE 'select * from TABLE' > FILE.csv",
    },
    ForeignKind {
        name: "a Python pickle",
        is: |start| matches!(start, [0x80, 2..=5, b'c' | b'}' | b']' | b'(' | 0x95, ..]),
        conversion: "python -c \"import pandas; pandas.read_pickle('FILE').to_csv('FILE.csv', index=False)\"",
    },
    ForeignKind {
        name: "an HDF5 file",
        is: |start| start.starts_with(b"\x89HDF\r\n\x1a\n"),
        conversion: "python -c \"import pandas; pandas.read_hdf('FILE').to_csv('FILE.csv', index=False)\"",
    },
    ForeignKind {
        name: "an R data file",
        is: |start| start.starts_with(b"RDX2\n") || start.starts_with(b"RDX3\n"),
        conversion: "Rscript -e \"write.csv(get(load('FILE')), 'FILE.csv', row.names=FALSE)\"",
    },
    ForeignKind {
        name: "a Stata file",
        is: |start| start.starts_with(b"<stata_dta>"),
        conversion: "python -c \"import pandas; pandas.read_stata('FILE').to_csv('FILE.csv', index=False)\"",
    },
    ForeignKind {
        name: "an SPSS file",
        is: |start| start.starts_with(b"$FL2") || start.starts_with(b"$FL3"),
        conversion: "python -c \"import pandas; pandas.read_spss('FILE').to_csv('FILE.csv', index=False)\"",
    },
    ForeignKind {
        name: "an ARFF file",
        is: |start| begins_with(first_behind(start, b'%'), &["@relation"]),
        conversion: "sed '1,/^@[Dd][Aa][Tt][Aa]/d' FILE > FILE.csv, a table without a header",
    },
    ForeignKind {
        name: "an HTML page",
        is: |start| begins_with(start, &["<!doctype html", "<html", "<table"]),
        conversion: "python -c \"import pandas; pandas.read_html('FILE')[0].to_csv('FILE.csv', index=False)\"",
    },
    ForeignKind {
        name: "XML",
        is: |start| begins_with(start, &["<?xml"]),
        conversion: "python -c \"import pandas; pandas.read_xml('FILE').to_csv('FILE.csv', index=False)\"",
    },
    ForeignKind { name: "packed by bzip2", is: |start| start.starts_with(b"BZh"), conversion: "bunzip2 FILE" },
    ForeignKind { name: "packed by xz", is: |start| start.starts_with(b"\xfd7zXZ\0"), conversion: "unxz FILE" },
    ForeignKind {
        name: "packed by 7-Zip",
        is: |start| start.starts_with(b"7z\xbc\xaf\x27\x1c"),
        conversion: "7z x -so FILE > FILE.csv",
    },
    ForeignKind {
        name: "a PDF",
        is: |start| start.starts_with(b"%PDF-"),
        conversion: "python -c \"import tabula; tabula.convert_into('FILE', 'FILE.csv')\"",
    },
];

fn is_zip(start: &[u8]) -> bool {
    start.starts_with(b"PK\x03\x04")
}

/// Whether a text begins with one of these words, in any case.
fn begins_with(start: &[u8], words: &[&str]) -> bool {
    let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start).trim_ascii_start();
    words.iter().any(|word| start.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word.as_bytes())))
}

/// What stands behind the blank lines and remarks, which begin with a sign, that a text begins with.
fn first_behind(start: &[u8], sign: u8) -> &[u8] {
    let mut rest = start.trim_ascii_start();
    while rest.first() == Some(&sign) {
        let end = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
        rest = rest[end..].trim_ascii_start();
    }
    rest
}

fn holds(start: &[u8], mark: &[u8]) -> bool {
    start.windows(mark.len()).any(|window| window == mark)
}

/// Why a file that begins so cannot be read, if it is of a kind that is known or no text.
pub(super) fn refusal(start: &[u8], first_line: &[u8], file: &str) -> Option<Message> {
    if let Some(kind) = KINDS.iter().find(|kind| (kind.is)(start)) {
        let line = kind.conversion.replace("FILE", file);
        let is_optional = kind.name == PARQUET && cfg!(not(feature = "parquet"));
        let [why, cure] = match is_optional {
            true => {
                [Message::from(", which this build does not read"), Message::from(Cure::BuildWithParquet).and("; or")]
            }
            false => [", which is not read here".into(), ";".into()],
        };
        return Some(Message::from(format!("is {}", kind.name)).and(why).and(cure).and(format!(" convert it: {line}")));
    }
    if !start.contains(&b'\n') && first_line.trim_ascii().contains(&b'\r') {
        let line = format!("tr '\\r' '\\n' < {file} > {file}.csv");
        return Some(format!("ends its lines as old Macs did, by a carriage return alone; convert it: {line}").into());
    }
    if !first_line.contains(&0) {
        return None;
    }
    // Latin letters have a byte 0 in two.
    let zeros = |odd: usize| first_line.iter().skip(odd).step_by(2).filter(|&&byte| byte == 0).count();
    let [even, odd] = [zeros(0), zeros(1)];
    let is_utf16 = first_line.len() >= 4 && 3 * even.max(odd) > first_line.len() && even.min(odd) == 0;
    Some(match is_utf16 {
        true => Message::from("looks like UTF-16 without a byte-order mark").and(Cure::NameUtf16),
        false => "is neither text nor idx: its first line holds a byte 0".into(),
    })
}

#[cfg(test)]
mod tests {
    use crate::data::format::testing::read_files;
    use crate::data::{Encoding, ReadOptions};

    #[test]
    fn files_of_other_kinds_are_named_with_a_conversion() {
        for (name, bytes, kind, conversion) in [
            ("x.xlsx", &b"PK\x03\x04\x14\0\0\0[Content_Types].xml \xa2"[..], "an Excel workbook", "pandas.read_excel("),
            ("x.ods", b"PK\x03\x04mimetypeapplication/vnd.oasis.opendocument.spreadsheetPK", "an OpenD", "read_excel("),
            ("x.zip", b"PK\x03\x04\x14\0data.csv\n1,2", "a zip archive", "unzip -p FILE > FILE.csv"),
            ("x.csv", b"ARROW1\0\0\xff\xff", "an Arrow or Feather file", "pandas.read_feather("),
            ("x", b"ORC\x0a\x03\0\0", "an ORC file", "pandas.read_orc("),
            ("x.db", b"SQLite format 3\0\x10", "a SQLite database", "sqlite3 -header -csv FILE"),
            ("x.pkl", b"\x80\x04\x95\x10\0\0\0", "a Python pickle", "pandas.read_pickle("),
            ("x.h5", b"\x89HDF\r\n\x1a\n\0", "an HDF5 file", "pandas.read_hdf("),
            ("x.pdf", b"%PDF-1.7\n%\xe2", "a PDF", "tabula"),
            ("x.sav", b"$FL2@(#) SPSS", "an SPSS file", "read_spss("),
            ("x.arff", b"% iris\n\n%\n@RELATION iris\n@ATTRIBUTE a NUMERIC\n", "an ARFF file", "sed '1,/^@"),
            ("x.htm", b"\n<!DOCTYPE HTML>\n<html>", "an HTML page", "read_html("),
            ("x.csv", b"\xef\xbb\xbf<?xml version=\"1.0\"?>", "XML", "read_xml("),
            ("x.svm.bz2", b"BZh91AY&SY", "packed by bzip2", "bunzip2 FILE"),
            ("x.svm.xz", b"\xfd7zXZ\0\0", "packed by xz", "unxz FILE"),
        ] {
            let error = read_files(&[(name, bytes)], &ReadOptions::default()).error.expect(name);
            assert!(error.starts_with(&format!("FILE: is {kind}")), "{name}: {error}");
            assert!(error.contains(conversion), "{name}: {error}");
        }
    }

    #[test]
    fn lines_that_end_without_a_newline_are_told() {
        let error = read_files(&[("a.csv", b"a,y\r1,no\r2,yes\r")], &ReadOptions::default()).error.expect("a refusal");
        assert!(error.ends_with("convert it: tr '\\r' '\\n' < FILE > FILE.csv"), "{error}");
        assert_eq!(read_files(&[("a.csv", b"a,y\r\n1,no\r")], &ReadOptions::default()).error, None);
    }

    #[test]
    fn utf16_without_a_mark_is_told() {
        for bytes in [u16::to_le_bytes, u16::to_be_bytes] {
            let text: Vec<u8> = "größe,class\n1,a\n2,b\n".encode_utf16().flat_map(bytes).collect();
            let error = read_files(&[("a.csv", &text)], &ReadOptions::default()).error;
            let why = "looks like UTF-16 without a byte-order mark; read it as UTF-16";
            assert_eq!(error, Some(format!("FILE: {why}")));
            let told = ReadOptions { encoding: Some(Encoding::Utf16), ..Default::default() };
            assert_eq!(read_files(&[("a.csv", &text)], &told).short(), ["a: größe=1", "b: größe=2"]);
        }
    }
}
