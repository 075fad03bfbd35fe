//! The choice of how edits are evaluated, in a `config.toml` of the user's.
//! Everything else in the file stays. Pure.

use toml_edit::{DocumentMut, Item, Table, TomlError, Value};

/// How a changed file is evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EvalMode {
    /// A failure blocks.
    Strict,
    /// Nothing is evaluated.
    Skip,
}

impl EvalMode {
    fn word(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Skip => "skip",
        }
    }
}

/// Why the configuration is left alone.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConfigError {
    #[error("{0}")]
    Syntax(#[from] TomlError),
    #[error("`eval` is not a table")]
    NotATable,
}

/// Returns the configuration with that choice in it.
pub(crate) fn choose(text: &str, mode: EvalMode) -> Result<String, ConfigError> {
    put(text, mode.word())
}

/// Takes the choice that turned `original` into `written` out of `current`. A
/// choice that was changed since stays.
pub(crate) fn unchoose(
    original: &str,
    written: &str,
    current: &str,
) -> Result<String, ConfigError> {
    let ours = mode(written)?;
    if mode(current)? != ours {
        return Ok(current.to_owned());
    }
    if let Some(before) = mode(original)? {
        return put(current, &before);
    }
    let mut document: DocumentMut = current.parse()?;
    let had_table = original.parse::<DocumentMut>()?.contains_key("eval");
    if let Some(eval) = document.get_mut("eval").and_then(Item::as_table_like_mut) {
        eval.remove("mode");
        if eval.is_empty() && !had_table {
            document.remove("eval");
        }
    }
    Ok(document.to_string())
}

fn mode(text: &str) -> Result<Option<String>, ConfigError> {
    let document: DocumentMut = text.parse()?;
    let mode = document.get("eval").and_then(|it| it.get("mode"));
    Ok(mode.and_then(Item::as_str).map(str::to_owned))
}

fn put(text: &str, word: &str) -> Result<String, ConfigError> {
    let mut document: DocumentMut = text.parse()?;
    let eval = document.entry("eval").or_insert_with(|| Item::Table(Table::new()));
    let eval = eval.as_table_like_mut().ok_or(ConfigError::NotATable)?;
    match eval.get_mut("mode").and_then(Item::as_value_mut) {
        Some(present) => {
            let decor = present.decor().clone();
            *present = Value::from(word);
            *present.decor_mut() = decor;
        }
        None => {
            eval.insert("mode", toml_edit::value(word));
        }
    }
    Ok(document.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(before: &str, after: &str) {
        let chosen = choose(before, EvalMode::Strict).unwrap();
        assert_eq!(chosen, after);
        assert_eq!(choose(&chosen, EvalMode::Strict).unwrap(), after, "twice is once");
        let user_added = format!("{after}\n[guard]\nscope = \"visible\"\n");
        let undone = unchoose(before, after, &user_added).unwrap();
        assert!(undone.ends_with("[guard]\nscope = \"visible\"\n"), "{undone}");
        assert_eq!(mode(&undone).unwrap(), mode(before).unwrap());
    }

    #[test]
    fn the_choice_goes_in_and_comes_out() {
        check("", "[eval]\nmode = \"strict\"\n");
        check("[eval]\ntimeout = 5 # s\n", "[eval]\ntimeout = 5 # s\nmode = \"strict\"\n");
        check("[eval]\nmode = \"warn\" # mine\n", "[eval]\nmode = \"strict\" # mine\n");
        check(
            "# top\n[junior]\nbash='off'\n",
            "# top\n[junior]\nbash='off'\n\n[eval]\nmode = \"strict\"\n",
        );
        check("eval = { timeout = 5 }\n", "eval = { timeout = 5 , mode = \"strict\" }\n");
    }

    #[test]
    fn a_choice_the_user_made_since_stays() {
        let changed = "[eval]\nmode = \"skip\"\n";
        assert_eq!(unchoose("", "[eval]\nmode = \"strict\"\n", changed).unwrap(), changed);
    }

    #[test]
    fn an_odd_configuration_is_left_alone() {
        assert!(choose("eval = 1\n", EvalMode::Skip).is_err());
        assert!(choose("[eval\n", EvalMode::Skip).is_err());
    }
}
