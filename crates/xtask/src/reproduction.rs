//! The papers' experiments, run by the program and kept in `docs/`.

use std::fmt::Write;
use std::fs;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde_json::{Value as Json, json};

/// Where results and pictures are kept.
const FOLDER: &str = "docs/reproduction";
/// The results of the last run.
const RESULTS: &str = "docs/reproduction/results.json";
/// So many numbers behind a claim are shown.
const SHOWN: usize = 8;

/// Runs all experiments and writes what came out; `options` go to the program.
pub fn run(options: &[&str]) -> Result<()> {
    let built = Command::new("cargo").args(["build", "--release", "--package", "onlinear-cli"]).status()?;
    ensure!(built.success(), "the program could not be built");
    fs::create_dir_all(FOLDER)?;
    for old in fs::read_dir(FOLDER)?
        .filter_map(|entry| entry.ok())
        .filter(|entry| entry.path().extension() == Some("svg".as_ref()))
    {
        fs::remove_file(old.path())?;
    }
    let start = Instant::now();
    let output = Command::new("target/release/onlinear")
        .args(["reproduce", "all", "--json", "--svg", FOLDER])
        .args(options)
        .stderr(std::process::Stdio::inherit())
        .output()?;
    ensure!(output.status.success(), "the experiments failed");
    // Where the data are is nobody's business.
    let folder = std::env::var("ONLINEAR_DATA").unwrap_or_default();
    let text = String::from_utf8(output.stdout)?;
    let text = if folder.is_empty() { text } else { text.replace(&folder, "the data folder") };
    let mut results: Json = serde_json::from_str(&text)?;
    results["about"] = json!({
        "commit": git(&["log", "-1", "--format=%h"])?,
        "date": git(&["log", "-1", "--format=%cs"])?,
        "machine": format!("{} {}, {} cores", std::env::consts::OS, std::env::consts::ARCH, std::thread::available_parallelism()?),
        // What was finished before took no time now.
        "minutes": (!options.contains(&"--resume")).then(|| (start.elapsed().as_secs_f64() / 6.0).round() / 10.0),
        "options": options.iter().filter(|option| option.starts_with("--full") || option.starts_with("--repeats")).collect::<Vec<_>>(),
    });
    // A line for each cell, curve and claim, so that changes can be read.
    fs::write(RESULTS, results.to_string().replace("},{\"", "},\n{\"") + "\n")?;
    fs::write("docs/reproduction.md", page()?)?;
    println!("wrote {RESULTS} and docs/reproduction.md");
    Ok(())
}

fn git(arguments: &[&str]) -> Result<String> {
    let output = Command::new("git").args(arguments).output()?;
    ensure!(output.status.success(), "git {} failed", arguments.join(" "));
    Ok(String::from_utf8(output.stdout)?.trim().to_string())
}

/// The page of the last run.
pub fn page() -> Result<String> {
    let results: Json = serde_json::from_str(&fs::read_to_string(RESULTS).context(RESULTS)?)?;
    let mut page = String::from(
        "<!-- Made by `cargo xtask reproduce`; do not edit. -->\n\n# The papers' tables and figures, ours beside theirs\n\n",
    );
    let about = &results["about"];
    let text = |json: &Json| json.as_str().map_or_else(|| json.to_string(), str::to_string);
    let _ = writeln!(
        page,
        "Every table and figure of the five papers, run by `onlinear reproduce all` (version {}, commit {}, {}; {}{}; repeat r \
         has seed r). A cell agrees when it is no further from the printed figure than three combined standard errors and half a \
         unit of the last printed digit; [experiments/README.md](../experiments/README.md) has the rule in full, and the notes of \
         each paper say what differs and why. Verdicts are computed, and a test computes them again from the values of each \
         repeat in [results.json](reproduction/results.json).\n",
        text(&results["version"]),
        text(&about["commit"]),
        text(&about["date"]),
        text(&about["machine"]),
        about["minutes"].as_f64().map_or(String::new(), |minutes| format!("; {minutes} minutes")),
    );
    let tables = results["tables"].as_array().context("no tables")?;
    summary(&mut page, tables, &results["summary"]);
    differing(&mut page, tables);
    tables.iter().try_for_each(|table| section(&mut page, table))?;
    Ok(page)
}

/// How many cells and claims of each experiment have which verdict.
fn summary(page: &mut String, tables: &[Json], total: &Json) {
    page.push_str("| experiment | agree | differ | skipped | only shown | claims hold | fail | not run |\n");
    page.push_str("| --- | --: | --: | --: | --: | --: | --: | --: |\n");
    let mut line = |name: &str, counts: &Json| {
        let keys = ["agree", "differ", "skipped", "shown", "claims_hold", "claims_fail", "claims_not_run"];
        let numbers: Vec<String> = keys.iter().map(|key| counts[key].to_string()).collect();
        let _ = writeln!(page, "| {name} | {} |", numbers.join(" | "));
    };
    for table in tables {
        let name = string(&table["name"]);
        line(&format!("[{name}](#{name})"), &table["summary"]);
    }
    line("**all**", total);
    page.push_str(
        "\nSkipped: the data are not at hand. Only shown: the paper prints no figure, or not for these data.\n",
    );
}

/// The cells that differ and the claims that fail, of all experiments.
fn differing(page: &mut String, tables: &[Json]) {
    page.push_str("\n## What does not agree\n\n");
    for table in tables {
        let differs = |cell: &&Json| cell["verdict"] == "differs";
        let cell = |cell: &Json| {
            let (row, column, measure) = (string(&cell["row"]), string(&cell["column"]), string(&cell["measure"]));
            format!("{row}, {column}, {measure}: {} ({})", ours(cell), paper(cell))
        };
        let cells: Vec<String> = list(&table["cells"]).filter(differs).map(cell).collect();
        let fails = list(&table["claims"]).filter(|claim| claim["verdict"] == "fails");
        let claims: Vec<String> =
            fails.map(|claim| format!("{}: {}", verdict(claim), string(&claim["text"]))).collect();
        if !cells.is_empty() || !claims.is_empty() {
            let (name, notes) = (string(&table["name"]), string(&table["notes"]));
            let _ = writeln!(page, "**{name}** ([why](../{notes}))\n");
            cells.iter().chain(&claims).for_each(|one| page.push_str(&format!("- {one}\n")));
            page.push('\n');
        }
    }
}

/// An experiment: its figures, its tables and its claims.
fn section(page: &mut String, table: &Json) -> Result<()> {
    let name = string(&table["name"]);
    let [title, paper, source, notes] = ["title", "paper", "source", "notes"].map(|key| string(&table[key]));
    let _ = writeln!(page, "## {name}\n\n{title}. {paper}, {source}. [Notes](../{notes}).\n");
    let mut pictures: Vec<String> =
        fs::read_dir(FOLDER)?.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    pictures.sort();
    for picture in pictures.iter().filter(|file| file.starts_with(&format!("{name}-")) && file.ends_with(".svg")) {
        let _ = writeln!(page, "![{}](reproduction/{picture})\n", picture.trim_end_matches(".svg").replace('-', " "));
    }
    let mut measures: Vec<String> = Vec::new();
    for cell in list(&table["cells"]) {
        let measure = string(&cell["measure"]);
        if !measures.contains(&measure) {
            measures.push(measure);
        }
    }
    measures.iter().for_each(|measure| grid(page, table, measure));
    for skipped in list(&table["skipped"]) {
        let columns: Vec<String> = list(&skipped["columns"]).map(string).collect();
        let _ = writeln!(page, "Skipped: {}.\n", columns.join(", "));
    }
    let claims: Vec<String> =
        list(&table["claims"]).map(|claim| format!("- *{}*: {}", verdict(claim), said(claim))).collect();
    if !claims.is_empty() {
        let _ = writeln!(page, "{}\n", claims.join("\n"));
    }
    Ok(())
}

/// One measure of all learners on all columns that were run.
fn grid(page: &mut String, table: &Json, measure: &str) {
    let cells: Vec<&Json> =
        list(&table["cells"]).filter(|cell| cell["measure"] == measure && cell["verdict"] != "skipped").collect();
    let (mut rows, mut columns): (Vec<&Json>, Vec<&Json>) = (Vec::new(), Vec::new());
    for cell in &cells {
        if !rows.contains(&&cell["row"]) {
            rows.push(&cell["row"]);
        }
        if !columns.contains(&&cell["column"]) {
            columns.push(&cell["column"]);
        }
    }
    if cells.is_empty() {
        return;
    }
    let heads: Vec<String> = columns.iter().map(|column| string(column)).collect();
    let _ = writeln!(page, "| {measure} | {} |\n| --- |{}", heads.join(" | "), " --: |".repeat(heads.len()));
    for row in rows {
        let text = |column: &&Json| {
            let cell = cells.iter().find(|cell| cell["row"] == *row && cell["column"] == **column);
            cell.map_or(String::new(), |cell| both(cell))
        };
        let texts: Vec<String> = columns.iter().map(text).collect();
        let _ = writeln!(page, "| {} | {} |", string(row), texts.join(" | "));
    }
    let printed = cells.iter().any(|cell| !cell["paper"].is_null());
    page.push_str(if printed { "\nOurs, and in brackets the paper's.\n\n" } else { "\n" });
}

/// Our figure, the paper's in brackets, and a mark where they differ.
fn both(cell: &Json) -> String {
    let paper = if cell["paper"].is_null() { String::new() } else { format!(" ({})", paper(cell)) };
    let settings = if cell["settings"] == "" { String::new() } else { format!(" {}", string(&cell["settings"])) };
    match string(&cell["verdict"]).as_str() {
        "agrees" => format!("{}{paper} ✓{settings}", ours(cell)),
        "differs" => format!("{}{paper} ✗{settings}", ours(cell)),
        _ => format!("{}{paper}{settings}", ours(cell)),
    }
}

/// Our mean with its standard error.
fn ours(cell: &Json) -> String {
    match (cell["ours"].as_f64(), cell["ours_stderr"].as_f64()) {
        (None, _) => "–".to_string(),
        (Some(mean), Some(stderr)) if stderr > 1e-9 * mean.abs() => format!("{mean:.2} ± {stderr:.2}"),
        (Some(mean), _) if mean.fract() == 0.0 => mean.to_string(),
        (Some(mean), _) => format!("{mean:.2}"),
    }
}

/// The paper's figure as it is printed.
fn paper(cell: &Json) -> String {
    string(&cell["paper_printed"])
}

/// What a claim says, and the numbers behind the verdict.
fn said(claim: &Json) -> String {
    let mut evidence: Vec<String> = list(&claim["evidence"]).map(string).collect();
    if evidence.len() > SHOWN + 1 {
        let more = evidence.len() - SHOWN;
        evidence.truncate(SHOWN);
        evidence.push(format!("{more} more in results.json"));
    }
    let evidence = if evidence.is_empty() { String::new() } else { format!(" — {}", evidence.join("; ")) };
    format!("{} ({}){evidence}", string(&claim["text"]), string(&claim["source"]))
        .replace('<', "&lt;")
        .replace('|', "\\|")
}

fn verdict(claim: &Json) -> String {
    let narrow = if claim["narrow"] == true { " narrowly" } else { "" };
    format!("{}{narrow}", string(&claim["verdict"]))
}

fn string(json: &Json) -> String {
    json.as_str().unwrap_or_default().to_string()
}

fn list(json: &Json) -> impl Iterator<Item = &Json> {
    json.as_array().into_iter().flatten()
}
