//! Regexes that people wrote, compiled if they are safe for the engine.
//!
//! The engine's backtracking is limited, so that a very long search is given up. Two features that nobody needs bypass
//! this limit, and both are refused: a repeated group that refers back to itself can loop for ever, and `\K` inside a
//! look-around lets a match begin before the position where the search started, or end before it begins.

use std::sync::{Arc, OnceLock};

use fancy_regex::{CompileError, Error, Expr, Regex};

/// A regex that a person wrote. It always compiles.
///
/// A compiled regex takes a hundred kilobytes, and most regexes of a source are not needed for the current documents.
/// So `new` compiles a regex only to check it, and it is compiled again when it is first needed.
#[derive(Clone, Debug)]
pub struct ForeignRegex(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    regex: String,
    compiled: OnceLock<Result<Arc<Regex>, Box<Error>>>,
}

impl ForeignRegex {
    /// Checks a regex. Returns an error if it does not compile.
    pub fn new(regex: &str) -> Result<ForeignRegex, Box<Error>> {
        compile(regex)?;
        Ok(ForeignRegex(Arc::new(Inner { regex: regex.to_owned(), compiled: OnceLock::new() })))
    }

    /// The source text.
    pub fn as_str(&self) -> &str {
        &self.0.regex
    }

    #[cfg(test)]
    pub(crate) fn is_compiled(&self) -> bool {
        self.0.compiled.get().is_some()
    }

    /// The compiled regex.
    pub fn compiled(&self) -> Result<&Arc<Regex>, Box<Error>> {
        let compile = || Ok(Arc::new(compile(&self.0.regex)?));
        self.0.compiled.get_or_init(compile).as_ref().map_err(Clone::clone)
    }
}

impl From<Arc<Regex>> for ForeignRegex {
    fn from(regex: Arc<Regex>) -> ForeignRegex {
        ForeignRegex(Arc::new(Inner { regex: regex.as_str().to_owned(), compiled: OnceLock::from(Ok(regex)) }))
    }
}

/// Compiles a regex that a person wrote or edited.
pub fn compile(regex: &str) -> Result<Regex, Box<Error>> {
    let compiled = Regex::new(regex)?;
    let mut walk = Walk::default();
    walk.visit(&Expr::parse_tree(regex)?.expr);
    match walk.problem {
        Some(problem) => Err(Box::new(Error::CompileError(Box::new(CompileError::FeatureNotYetSupported(problem))))),
        None => Ok(compiled),
    }
}

/// The state of a walk through a regex.
#[derive(Default)]
struct Walk {
    /// Number of groups that began so far.
    groups: usize,
    /// The numbers of the open groups.
    open: Vec<usize>,
    look_arounds: usize,
    problem: Option<String>,
}

impl Walk {
    fn visit(&mut self, expr: &Expr) {
        match expr {
            Expr::Group(_) => {
                self.groups += 1;
                self.open.push(self.groups);
                self.visit_within(expr);
                self.open.pop();
            }
            Expr::LookAround(..) => {
                self.look_arounds += 1;
                self.visit_within(expr);
                self.look_arounds -= 1;
            }
            Expr::KeepOut if self.look_arounds > 0 => self.problem = Some(r"\K inside a look-around".to_owned()),
            Expr::Backref { group, .. } if self.open.contains(group) => {
                self.problem = Some(format!("a reference to group {group} inside that group"));
            }
            _ => self.visit_within(expr),
        }
    }

    fn visit_within(&mut self, expr: &Expr) {
        expr.children_iter().for_each(|child| self.visit(child));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_loop_for_ever_or_run_backwards_is_refused() {
        for (regex, problem) in [
            (r"(?:a(\1|))+", "a reference to group 1 inside that group"),
            (r"(x)(?<n>a(?:\k<n>)*)+", "a reference to group 2 inside that group"),
            (r"(?<=\Ka*)", r"\K inside a look-around"),
            (r"a(?!(b\K))", r"\K inside a look-around"),
        ] {
            let error = compile(regex).expect_err(regex).to_string();
            assert!(error.ends_with(problem), "{error}");
        }
    }

    #[test]
    fn what_people_write_compiles() {
        for regex in [r"(\w+) \1", r"Read \Kmore(?= now)", r"((a)\2)+", r"(?<a>Read|Ask) \g<a>", r"(?:(a)|b\1)*"] {
            compile(regex).expect(regex);
        }
        assert!(compile("(").is_err());
    }
}
