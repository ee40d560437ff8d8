//! `dehusk diff`: shows what changed between 2 versions of pattern files.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use dehusk_core::patterns::difference::{KeepDifference, Kept, SourceDifference, TELLING_SHIFT, Totals, differences};
use dehusk_core::patterns::{Keep, Pattern, PatternFile, Status};
use dehusk_run::Library;

use super::Exit;
use super::reporter::print;
use super::summary::count;
use super::terminal::{ColorArgs, Screen, Style};

/// Options of `dehusk diff`.
#[derive(Args, Debug)]
pub struct DiffArgs {
    /// Folder with the old pattern files, or a single file
    old: PathBuf,
    /// Folder with the new pattern files, or a single file
    new: PathBuf,
    /// Show all changes of counts, also small ones
    ///
    /// Show all changes of counts, even if the share of a pattern changes by less than 5 percentage points.
    #[arg(long)]
    counts: bool,
    /// Exit with status 1 if anything differs
    #[arg(long)]
    exit_code: bool,
    /// Print the differences as a JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    color: ColorArgs,
}

/// Runs the command.
pub fn run(args: &DiffArgs) -> anyhow::Result<Exit> {
    let [old, new] = Library::load_states(&args.old, &args.new)?;
    let [old, new]: [Vec<_>; 2] = [old, new].map(|library| library.files().collect());
    let differences = differences(old.iter().map(|file| &**file), new.iter().map(|file| &**file));
    let text = match args.json {
        true => serde_json::to_string_pretty(&as_json(&differences, args.counts))? + "\n",
        false => Listing { screen: Screen::of_stdout(args.color), all_counts: args.counts }.of_all(&differences),
    };
    print(&text)?;
    let differs = differences.iter().any(SourceDifference::differs);
    Ok(if differs && args.exit_code { Exit::Failed } else { Exit::Done })
}

/// The differences as text for people.
struct Listing {
    screen: Screen,
    all_counts: bool,
}

impl Listing {
    fn of_all(&self, differences: &[SourceDifference]) -> String {
        let differing = differences.iter().filter(|source| source.differs());
        let mut text: String = differing.clone().map(|source| self.of_source(source) + "\n").collect();
        let totals = Totals::of(differences);
        text += &format!("sources that differ: {} of {}; {}\n", differing.count(), differences.len(), told(&totals));
        text
    }

    fn of_source(&self, source: &SourceDifference) -> String {
        match (source.old, source.new) {
            (Some(file), None) => self.of_lone_file(Sign::Went, file, source),
            (None, Some(file)) => self.of_lone_file(Sign::Came, file, source),
            _ => self.of_both(source),
        }
    }

    /// A source that was added or removed. Of its patterns, only those that a person changed are listed.
    fn of_lone_file(&self, sign: Sign, file: &PatternFile, source: &SourceDifference) -> String {
        let touched: Vec<&Pattern> = file.patterns.iter().filter(|pattern| pattern.is_touched()).collect();
        let (patterns, documents) = (count(file.patterns.len(), "pattern"), count(file.mined.documents, "document"));
        let heading = format!("{} source {}: {patterns} from {documents}", sign.mark(), self.line(&file.source));
        let mut text = self.screen.paint(sign.style(), &heading) + "\n";
        source.keep.iter().for_each(|keep| text += &self.keep(keep));
        touched.iter().for_each(|pattern| text += &self.pattern(sign, pattern));
        text += &format!("  {} of them changed by a person\n", touched.len());
        text
    }

    fn of_both(&self, source: &SourceDifference) -> String {
        let mut text = self.heading(source);
        source.keep.iter().for_each(|keep| text += &self.keep(keep));
        for kept in source.kept.iter().filter(|kept| kept.is_telling(self.all_counts)) {
            text += &self.changed(kept);
        }
        source.came.iter().for_each(|pattern| text += &self.pattern(Sign::Came, pattern));
        source.went.iter().for_each(|pattern| text += &self.pattern(Sign::Went, pattern));
        text += &format!("  {}\n", told(&source.totals()));
        text
    }

    fn heading(&self, source: &SourceDifference) -> String {
        let of_both = |figure: fn(&PatternFile) -> usize| {
            let [old, new] = [source.old, source.new].map(|file| file.map_or(0, figure));
            if old == new { new.to_string() } else { format!("{old} -> {new}") }
        };
        let patterns = of_both(|file| file.patterns.len());
        let documents = of_both(|file| file.mined.documents);
        let name = self.line(source.source);
        let mut text = format!("  source {name}: {patterns} patterns from {documents} documents\n");
        if source.reads_anew() {
            text += &format!("  {} texts are read differently{}\n", self.sign(Sign::Changed), self.reading(source));
        }
        text
    }

    /// What changed in the reading of texts: the tokenizer, or mutable patterns.
    fn reading(&self, source: &SourceDifference) -> String {
        let name = |file: Option<&PatternFile>| self.line(file.map_or("", |file| file.lexer.tokenizer().name()));
        let (old, new) = (name(source.old), name(source.new));
        let tokenizer = if old == new { String::new() } else { format!("; tokenizer: {old} -> {new}") };
        let mutable: BTreeSet<&str> = source.mutable();
        let names = mutable.into_iter().map(|name| self.line(name)).collect::<Vec<String>>().join(", ");
        match (names.is_empty(), tokenizer.is_empty()) {
            (true, true) => "; the mutable patterns are in a different order".to_owned(),
            (true, false) => tokenizer,
            (false, _) => format!("{tokenizer}; mutable patterns that were added, removed or changed: {names}"),
        }
    }

    fn pattern(&self, sign: Sign, pattern: &Pattern) -> String {
        let Pattern { example, note, ends_after, .. } = pattern;
        let mut text = self.title(sign, pattern);
        text += &format!("  {}\n", counts(pattern));
        text += &self.property("example", &format!("'{}'", self.line(example)));
        if !note.is_empty() {
            text += &self.property("note", &format!("'{}'", self.line(note)));
        }
        if let Some(words) = ends_after {
            text += &self.property("ends_after", &words.to_string());
        }
        text
    }

    fn changed(&self, kept: &Kept) -> String {
        let Kept { old, new } = kept;
        let mut text = self.title(Sign::Changed, new) + "\n";
        text += &self.property("example", &format!("'{}'", self.line(&new.example)));
        let mut change = |name: &str, differs: bool, value: &dyn Fn(&Pattern) -> String| {
            if differs {
                text += &self.property(name, &format!("{} -> {}", value(old), value(new)));
            }
        };
        change("status", kept.status(), &|of| self.status(of.status));
        change("note", kept.note(), &|of| format!("'{}'", self.line(&of.note)));
        change("ends_after", kept.ends_after(), &|of| of.ends_after.map_or("none".to_owned(), |n| n.to_string()));
        change("counts", kept.has_telling_counts(self.all_counts), &counts);
        if kept.regex() {
            // The new regex is below the old one, so that differences between long regexes are easy to see.
            text += &format!(
                "      {}: {}\n          -> {}\n",
                new.form.key(),
                self.line(&old.regex),
                self.line(&new.regex)
            );
        }
        text
    }

    /// A text to keep, with its note.
    fn keep(&self, KeepDifference { old, new }: &KeepDifference) -> String {
        let note = |keep: &Keep| format!("'{}'", self.line(&keep.note));
        let (sign, note) = match (old, new) {
            (None, _) => (Sign::Came, new.filter(|keep| !keep.note.is_empty()).map(note)),
            (_, None) => (Sign::Went, old.filter(|keep| !keep.note.is_empty()).map(note)),
            (Some(old), Some(new)) => (Sign::Changed, Some(format!("{} -> {}", note(old), note(new)))),
        };
        let text = new.or(*old).map_or("", Keep::text);
        let note = note.map(|note| self.property("note", &note)).unwrap_or_default();
        format!("  {} keep '{}'\n{note}", self.sign(sign), self.line(text))
    }

    fn title(&self, sign: Sign, pattern: &Pattern) -> String {
        let id = self.screen.paint(Style::Id, &self.line(&pattern.id));
        format!("  {} {id}  {}", self.sign(sign), self.status(pattern.status))
    }

    fn property(&self, name: &str, value: &str) -> String {
        format!("      {name}: {value}\n")
    }

    fn sign(&self, sign: Sign) -> String {
        self.screen.paint(sign.style(), sign.mark())
    }

    fn status(&self, status: Status) -> String {
        self.screen.paint(Style::of_status(status), status.name())
    }

    fn line(&self, text: &str) -> String {
        self.screen.on_one_line(text)
    }
}

#[derive(Clone, Copy)]
enum Sign {
    Came,
    Went,
    Changed,
}

impl Sign {
    fn mark(self) -> &'static str {
        match self {
            Sign::Came => "+",
            Sign::Went => "-",
            Sign::Changed => "~",
        }
    }

    fn style(self) -> Style {
        match self {
            Sign::Came => Style::Good,
            Sign::Went => Style::Bad,
            Sign::Changed => Style::Open,
        }
    }
}

/// Such as `24 of 26 documents (92.3 %), 25 times`. For a selector, `, 12.0 % of the removed words` follows.
fn counts(pattern: &Pattern) -> String {
    let Pattern { documents, among, occurrences, sources, removes, .. } = pattern;
    let share = 100.0 * pattern.share();
    let sources = sources.map_or(String::new(), |sources| format!(", in {}", count(sources, "source")));
    let removes = removes.map_or(String::new(), |removes| format!(", {:.1} % of the removed words", 100.0 * removes));
    format!("{documents} of {among} documents ({share:.1} %), {occurrences} times{sources}{removes}")
}

/// The totals in words. Zeros are left out, except for the first 3.
fn told(totals: &Totals) -> String {
    let Totals { came, went, changed, status, regex, note, ends_after, rewritten, counts, same, keep } = *totals;
    let named = |parts: &[(usize, &str)]| {
        let parts = parts.iter().filter(|(number, _)| *number > 0);
        parts.map(|(number, what)| format!("{number} {what}")).collect::<Vec<String>>().join(", ")
    };
    let kinds = named(&[(status, "status"), (regex, "regex"), (note, "note"), (ends_after, "ends_after")]);
    let kinds = if kinds.is_empty() { kinds } else { format!(" ({kinds})") };
    let others = named(&[
        (keep, "texts to keep"),
        (counts, "with different counts"),
        (rewritten, "written differently"),
        (same, "unchanged"),
    ]);
    let others = if others.is_empty() { others } else { format!("; {others}") };
    format!("{came} added, {went} removed, {changed} changed{kinds}{others}")
}

fn as_json(differences: &[SourceDifference], all_counts: bool) -> Value {
    let totals = Totals::of(differences);
    let differing = differences.iter().filter(|source| source.differs());
    let sources: Vec<Value> = differing.map(|source| source_as_json(source, all_counts)).collect();
    json!({"differs": !sources.is_empty(), "telling_shift": TELLING_SHIFT, "sources": sources, "totals": totals})
}

fn source_as_json(source: &SourceDifference, all_counts: bool) -> Value {
    let change = match (source.old, source.new) {
        (Some(_), None) => "went",
        (None, Some(_)) => "came",
        _ => "changed",
    };
    let of_file = |file: Option<&PatternFile>| {
        file.map(|file| json!({"documents": file.mined.documents, "patterns": file.patterns.len()}))
    };
    let shown = source.kept.iter().filter(|kept| kept.is_telling(all_counts));
    let [came, went] = [&source.came, &source.went].map(|all| all.iter().map(|of| pattern_as_json(of)).collect());
    let [came, went]: [Vec<Value>; 2] = [came, went];
    json!({
        "source": source.source,
        "change": change,
        "old": of_file(source.old),
        "new": of_file(source.new),
        "reads_anew": source.reads_anew(),
        "mutable": source.mutable(),
        "keep": source.keep.iter().map(keep_as_json).collect::<Vec<Value>>(),
        "came": came,
        "went": went,
        "changed": shown.map(|kept| kept_as_json(kept, all_counts)).collect::<Vec<Value>>(),
        "totals": source.totals(),
    })
}

fn keep_as_json(KeepDifference { old, new }: &KeepDifference) -> Value {
    let note = |keep: &Option<&Keep>| keep.map(|keep| keep.note.clone());
    json!({"text": new.or(*old).map(Keep::text), "old_note": note(old), "new_note": note(new)})
}

fn pattern_as_json(pattern: &Pattern) -> Value {
    json!({
        "id": pattern.id,
        "status": pattern.status.name(),
        pattern.form.key(): pattern.regex,
        "counts": counts_as_json(pattern),
        "ends_after": pattern.ends_after,
        "example": pattern.example,
        "note": pattern.note,
    })
}

fn counts_as_json(pattern: &Pattern) -> Value {
    let Pattern { documents, among, occurrences, sources, removes, .. } = pattern;
    json!({"documents": documents, "among": among, "occurrences": occurrences, "sources": sources, "share": pattern.share(), "removes": removes})
}

/// The properties of the pattern that changed, each with its old and its new value.
fn kept_as_json(kept: &Kept, all_counts: bool) -> Value {
    let Kept { old, new } = kept;
    let mut object = json!({"id": new.id, "example": new.example});
    let mut change = |name: &str, differs: bool, value: &dyn Fn(&Pattern) -> Value| {
        if differs {
            object[name] = json!({"old": value(old), "new": value(new)});
        }
    };
    change("status", kept.status(), &|of| json!(of.status.name()));
    change(new.form.key(), kept.regex(), &|of| json!(of.regex));
    change("note", kept.note(), &|of| json!(of.note));
    change("ends_after", kept.ends_after(), &|of| json!(of.ends_after));
    change("counts", kept.has_telling_counts(all_counts), &counts_as_json);
    object
}
