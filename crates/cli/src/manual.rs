//! What is installed beside the program: manual pages and completions.

use std::path::Path;
use std::{fs, io};

use clap::Command;
use clap_complete::Shell;
use clap_mangen::Man;

use crate::{help, output};

/// Prints the completion script of a shell.
pub fn completions(shell: Shell) -> anyhow::Result<()> {
    let mut script = Vec::new();
    let mut program = help::command(false);
    clap_complete::generate(shell, &mut program, "onlinear", &mut script);
    let mut script = String::from_utf8_lossy(&script).into_owned();
    if shell == Shell::Fish {
        script += &positional_words(&program);
    }
    output::text(&script)
}

/// The words that commands take without a flag, in fish's language, which `clap_complete` leaves out there.
fn positional_words(program: &Command) -> String {
    let mut lines = String::new();
    for command in program.get_subcommands() {
        for argument in command.get_positionals() {
            for word in argument.get_possible_values() {
                let help = word.get_help().map(ToString::to_string).unwrap_or_default();
                let quoted = |text: &str| format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"));
                lines += &format!(
                    "complete -c onlinear -n \"__fish_onlinear_using_subcommand {}\" -a {} -d {}\n",
                    command.get_name(),
                    quoted(word.get_name()),
                    quoted(&help)
                );
            }
        }
    }
    lines
}

/// Writes a manual page for the program and one for each command.
pub fn write(folder: &Path) -> anyhow::Result<()> {
    output::require_folder(&Some(folder.to_path_buf()), "manual pages")?;
    let mut program = help::command(false).disable_help_subcommand(true);
    program.build();
    let shown = program.get_subcommands().filter(|command| !command.is_hide_set());
    for command in shown.chain([&program]) {
        let manual = Man::new(command.clone());
        let file = folder.join(manual.get_filename());
        page(command, &manual).and_then(|page| fs::write(&file, page)).map_err(|error| output::failed(&file, error))?;
    }
    Ok(())
}

/// The page of a command, with its examples before its options, as its help has them.
fn page(command: &Command, manual: &Man) -> io::Result<Vec<u8>> {
    let mut page = Vec::new();
    manual.render_title(&mut page)?;
    manual.render_name_section(&mut page)?;
    manual.render_synopsis_section(&mut page)?;
    manual.render_description_section(&mut page)?;
    if let Some(examples) = command.get_before_help() {
        page.extend(as_they_stand("EXAMPLES", &examples.to_string()).into_bytes());
    }
    manual.render_options_section(&mut page)?;
    if command.has_subcommands() {
        manual.render_subcommands_section(&mut page)?;
    }
    if command.get_after_help().is_some_and(|rest| !rest.to_string().is_empty()) {
        manual.render_extra_section(&mut page)?;
    }
    if command.get_version().is_some() {
        manual.render_version_section(&mut page)?;
    }
    Ok(page)
}

/// A section of a manual page whose indented lines stay lines, as far left as help has them: they fit 80 columns there.
fn as_they_stand(heading: &str, text: &str) -> String {
    // A backslash begins a request of the language of these pages, and an indented line has no dot in front.
    let lines = text.lines().filter(|line| line.is_empty() || line.starts_with("  "));
    let lines: String = lines.map(|line| line.replace('\\', "\\e").replace('-', "\\-") + "\n").collect();
    format!(".SH {heading}\n.nf\n.in 0\n{lines}.fi\n")
}
