//! Programs that change files in place: `sed -i`, `perl -i`, `ed` and others.

use crate::shell::How;
use crate::shell::field::{Field, Stream};
use crate::shell::programs::Program;
use crate::shell::programs::options::{Options, Spec};
use crate::shell::scripts;
use crate::shell::walk::{Call, Walk};

pub(crate) const PROGRAMS: &[Program] = &[
    Program { names: &["sed", "gsed"], run: sed },
    Program { names: &["perl", "ruby"], run: perl },
    Program { names: &["awk", "gawk", "mawk", "nawk"], run: awk },
    Program { names: &["ed", "ex", "vi", "vim", "nvim"], run: ed },
    Program { names: &["yq"], run: yq },
    Program { names: &["sd"], run: sd },
    Program { names: &["dos2unix", "unix2dos"], run: all_operands },
    Program { names: &["ast-grep", "sg"], run: ast_grep },
];

fn edit_all(walk: &mut Walk<'_>, fields: &[Field], suffix: Option<&Field>) {
    for field in fields {
        walk.file(How::Edit, field);
        // A backup is a file too. `*` in a suffix stands for the name: not read.
        if let Some(Field::Text(suffix)) = suffix
            && !suffix.contains(['*', '/'])
        {
            walk.file(How::Write, &Field::joined(&[field.clone(), Field::of(suffix.as_str())]));
        }
    }
}

fn sed(walk: &mut Walk<'_>, call: &Call<'_>) -> Stream {
    let spec = Spec { valued: "efl", attached: "iI", long: &["expression", "file", "line-length"] };
    // On a Mac the suffix is an argument of its own, mostly an empty one.
    let empty = call.args.iter().position(|it| it.text() == Some(""));
    let is_suffix = empty.is_some_and(|at| at > 0 && call.args[at - 1].text() == Some("-i"));
    let args: Vec<Field> = match empty {
        Some(at) if is_suffix => [&call.args[..at], &call.args[at + 1..]].concat(),
        _ => call.args.to_vec(),
    };
    let options = Options::new(&args, spec);
    if !options.has(&["-i", "-I", "--in-place"]) {
        return Stream::Unknown;
    }
    let has_script = options.has(&["-e", "-f", "--expression", "--file"]);
    let files = options.operands.get(usize::from(!has_script)..).unwrap_or_default();
    edit_all(walk, files, options.value(&["-i", "-I", "--in-place"]));
    Stream::Unknown
}

fn perl(walk: &mut Walk<'_>, call: &Call<'_>) -> Stream {
    let spec = Spec { valued: "eEIr", attached: "i0lFMmCxWTK", long: &[] };
    let options = Options::new(call.args, spec);
    let code: Vec<&Field> = options.values(&["-e", "-E"]).collect();
    if options.has(&["-i"]) {
        // `-pie` is a suffix `e`, and then the code is the first operand.
        let files = options.operands.get(usize::from(code.is_empty())..).unwrap_or_default();
        edit_all(walk, files, options.value(&["-i"]));
    }
    // A loop over lines, in which nothing else is opened, does nothing else.
    let is_filter = options.has(&["-p", "-n", "-i"]);
    for field in &code {
        match field.text() {
            Some(text) => scripts::perl(walk, text, is_filter),
            None if is_filter => {}
            None => walk.unreadable(),
        }
    }
    if code.is_empty() && !is_filter {
        walk.unreadable();
    }
    Stream::Unknown
}

fn awk(walk: &mut Walk<'_>, call: &Call<'_>) -> Stream {
    let spec = Spec { valued: "fvFi", attached: "", long: &["file", "assign", "include"] };
    let options = Options::new(call.args, spec);
    let has_script = options.has(&["-f", "--file"]);
    let is_inplace = options.values(&["-i", "--include"]).any(|it| it.text() == Some("inplace"));
    if is_inplace {
        let files = options.operands.get(usize::from(!has_script)..).unwrap_or_default();
        edit_all(walk, files, None);
    }
    let program = options.operands.first().filter(|_| !has_script);
    let writes_itself = match program.and_then(Field::text) {
        Some(text) => ["system(", "print >", "printf >", "> \"", ">> \"", ">\"", "| \""]
            .iter()
            .any(|it| text.contains(it)),
        None => has_script,
    };
    if writes_itself {
        walk.unreadable();
    }
    Stream::Unknown
}

/// Editors that are told what to do by arguments or by their input.
fn ed(walk: &mut Walk<'_>, call: &Call<'_>) -> Stream {
    let spec = Spec { valued: "cpSuT", attached: "", long: &["cmd"] };
    let options = Options::new(call.args, spec);
    // `+command`, and Vim's read-only mode.
    let is_file = |it: &&Field| !it.text_or_empty().starts_with('+');
    if options.has(&["-R"]) {
        return Stream::Unknown;
    }
    for field in options.operands.iter().filter(is_file) {
        walk.file(How::Edit, field);
    }
    // What is in the commands is not read: they may write other files.
    if call.name != "ed" {
        walk.unreadable();
    }
    Stream::Unknown
}

fn yq(walk: &mut Walk<'_>, call: &Call<'_>) -> Stream {
    let spec =
        Spec { valued: "opI", attached: "", long: &["output-format", "input-format", "from-file"] };
    let options = Options::new(call.args, spec);
    if options.has(&["-i", "--inplace", "--in-place"]) {
        let is_command = |it: &Field| matches!(it.text(), Some("eval" | "e" | "eval-all" | "ea"));
        let n_skipped = 1 + options.operands.iter().take_while(|it| is_command(it)).count();
        edit_all(walk, options.operands.get(n_skipped..).unwrap_or_default(), None);
    }
    Stream::Unknown
}

fn sd(walk: &mut Walk<'_>, call: &Call<'_>) -> Stream {
    let spec = Spec { valued: "nf", attached: "", long: &["max-replacements", "flags"] };
    let options = Options::new(call.args, spec);
    if !options.has(&["-p", "--preview"]) {
        edit_all(walk, options.operands.get(2..).unwrap_or_default(), None);
    }
    Stream::Unknown
}

fn all_operands(walk: &mut Walk<'_>, call: &Call<'_>) -> Stream {
    edit_all(walk, &Options::new(call.args, Spec::default()).operands, None);
    Stream::Unknown
}

fn ast_grep(walk: &mut Walk<'_>, call: &Call<'_>) -> Stream {
    let spec =
        Spec { valued: "prlc", attached: "", long: &["pattern", "rewrite", "lang", "config"] };
    let options = Options::new(call.args, spec);
    if options.has(&["-U", "--update-all"]) {
        let is_command = |it: &&Field| matches!(it.text(), Some("run" | "scan"));
        let n_skipped = options.operands.iter().take_while(is_command).count();
        match &options.operands[n_skipped..] {
            [] => walk.tree(How::Edit, &Field::of(".")),
            paths => paths.iter().for_each(|it| walk.tree(How::Edit, it)),
        }
    }
    Stream::Unknown
}
