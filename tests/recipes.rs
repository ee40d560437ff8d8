//! Runs the recipes of `docs/recipes.md` and the tasks of `docs/first-tasks.md` as they are written there.
//!
//! A recipe is a section with a comment that contains its name and the tools that it needs (a program, `python:MODULE`,
//! or a feature of the package). Each recipe runs in its own folder. In this order run: the blocks above the first
//! section, `before.sh` of the recipe's folder in `tests/recipes`, its blocks, and `after.sh`, which checks the result:
//!
//! | block | what is done |
//! |---|---|
//! | `sh` | run by `bash -eu -o pipefail` |
//! | `text` | compared with what the block before it printed; `[..]` is any text within a line |
//! | `python NAME`, `json NAME` | written to the file NAME |
//! | `rust NAME` | compared with the file NAME of the package |
//!
//! A recipe whose tools are missing is skipped, with a message; with `DEHUSK_RECIPES=required` it fails. `.ci/run`
//! installs the tools below the target folder, where they are searched first.

#[path = "recipes/document.rs"]
mod document;
#[path = "recipes/kitchen.rs"]
mod kitchen;
#[path = "recipes/tools.rs"]
mod tools;

use std::fs;
use std::path::Path;
use std::process::Command;

use document::Document;
use kitchen::Kitchen;

macro_rules! recipes {
    ($tested:ident of $document:expr; $($test:ident: $name:literal),* $(,)?) => {
        const $tested: &[&str] = &[$($name),*];
        $(#[test]
        fn $test() {
            cook($document, $name);
        })*
    };
}

const RECIPES: &str = "recipes.md";
const FIRST_TASKS: &str = "first-tasks.md";

recipes! {
    TESTED_TASKS of FIRST_TASKS;
    first_task_folder: "first-folder",
    first_task_lines: "first-lines",
    first_task_csv: "first-csv",
    first_task_page: "first-page",
    first_task_site: "first-site",
    first_task_hosts: "first-hosts",
    first_task_stream: "first-stream",
}

#[test]
fn first_tasks_are_tested_and_counted() {
    let document = Document::read(FIRST_TASKS);
    let names: Vec<&str> = document.recipes.iter().map(|recipe| recipe.name.as_str()).collect();
    assert_eq!(names, TESTED_TASKS);
    let text = Document::text(FIRST_TASKS);
    let rows: Vec<[&str; 2]> = text
        .lines()
        .filter_map(|line| line.strip_prefix("| [")?.split_once(" | "))
        .map(|(task, rest)| [task.split(']').next().unwrap_or_default(), rest.split(" |").next().unwrap_or_default()])
        .collect();
    let sections = text.split("\n## ").skip(1).map(|section| {
        let (title, content) = section.split_once('\n').expect("a section");
        let code = content.split("\n```").skip(1).step_by(2).flat_map(|block| block.lines().skip(1));
        // In Python, the data are read with one command, and cleaned with another.
        let commands = code.filter(|line| !line.is_empty() && !line.starts_with("import ")).count();
        (title.to_lowercase(), commands.to_string())
    });
    let rows = rows.iter().map(|[task, commands]| (task.to_lowercase(), (*commands).to_owned()));
    assert_eq!(rows.collect::<Vec<_>>(), sections.collect::<Vec<_>>());
}

recipes! {
    TESTED of RECIPES;
    after_trafilatura: "trafilatura",
    before_trafilatura: "trafilatura-selectors",
    after_justext: "justext",
    after_resiliparse: "resiliparse",
    spans_for_dolma: "dolma",
    a_hugging_face_data_set: "huggingface",
    in_a_pipe: "pipe",
    spans_in_python: "spans",
    warc_and_wet: "warc",
    a_list_of_files: "list",
    a_long_run: "long-run",
}

#[test]
fn every_recipe_is_tested() {
    let document = Document::read(RECIPES);
    let names: Vec<&str> = document.recipes.iter().map(|recipe| recipe.name.as_str()).collect();
    assert_eq!(names, [TESTED, &["rust"]].concat());
}

#[test]
fn the_rust_in_the_document_is_the_example() {
    let document = Document::read(RECIPES);
    let quoted = document.recipe("rust").blocks.iter().find(|block| block.language == "rust").expect("a block of Rust");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(quoted.name.as_deref().expect("the example's file"));
    let example = fs::read_to_string(&path).expect("the example");
    let header = |line: &&str| line.starts_with("//!") || line.is_empty();
    let code: String = example.split_inclusive('\n').skip_while(|line| header(&line.trim_end())).collect();
    assert_eq!(quoted.text, code, "docs/recipes.md does not quote {}", path.display());
}

#[test]
fn the_example_cleans() {
    // `cargo test` builds it beside the program.
    let example = Path::new(env!("CARGO_BIN_EXE_dehusk")).with_file_name("examples").join("library");
    let output = Command::new(&example).output().expect("the example: `cargo build --example library` builds it");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "Choir wins the cup!\n", "{output:?}");
}

/// Python applies the spans of texts with characters of all widths, and gets what dehusk writes.
#[test]
fn python_and_dehusk_count_characters_alike() {
    let document = Document::read(RECIPES);
    let spans = document.recipe("spans");
    let Some(kitchen) = Kitchen::with_tools(spans) else { return };
    kitchen.write("documents.jsonl", &wide_documents());
    kitchen.run(&spans.blocks);
    let cleaned =
        kitchen.bash("dehusk clean documents.jsonl -p patterns -o cleaned -q; jq -c . cleaned/documents.jsonl");
    assert_eq!(kitchen.bash("jq -c . cut.jsonl"), cleaned);
    for gone in ["閱讀更多", "Read more 📰", "re\u{301}serve\u{301}s"] {
        assert!(!cleaned.contains(gone), "{gone:?} stays in\n{cleaned}");
    }
    for stays in ["👩\u{200d}🌾", "cafe\u{301}", "漁船", "\\r\\n"] {
        assert!(cleaned.contains(stays), "{stays:?} is gone from\n{cleaned}");
    }
}

/// Runs a recipe, after the blocks with which all recipes of its document start.
fn cook(document: &str, name: &str) {
    let document = Document::read(document);
    let recipe = document.recipe(name);
    let Some(kitchen) = Kitchen::with_tools(recipe) else { return };
    kitchen.run(&document.before_all);
    kitchen.run_script(recipe, "before.sh");
    kitchen.run(&recipe.blocks);
    kitchen.run_script(recipe, "after.sh");
}

/// Eight texts of one source with emoji, combining marks, Chinese and both kinds of line ends, and the same template.
fn wide_documents() -> String {
    const STORIES: [&str; 8] = [
        "The 👩\u{200d}🌾 sold her last 🥔 before noon",
        "A cafe\u{301} opens beside the old re\u{301}gie",
        "昨天夜裡漁船回到港口",
        "Rain 🌧️ for a week, says the 🐸",
        "Mayor walks to Zu\u{308}rich and back",
        "市長辭職了",
        "𝔊othic letters on the new sign",
        "Nobody saw the \u{1f1f3}\u{1f1f4} boat leave",
    ];
    let line = |(number, story): (usize, &str)| {
        let end = if number % 2 == 0 { "\r\n" } else { "\n" };
        let text = [
            "🌊 Tide 潮汐 | Home | Sport",
            story,
            "閱讀更多 Read more 📰 here",
            "Droits re\u{301}serve\u{301}s 🐟 Tide",
        ];
        let text = text.map(|line| format!("{line}{end}{end}")).concat();
        format!("{}\n", serde_json::json!({"id": number.to_string(), "source": "tide.example", "text": text}))
    };
    STORIES.into_iter().enumerate().map(line).collect()
}
