//! Reads a document of `docs`: its recipes, and the blocks of each.

use std::fs;
use std::path::Path;

/// The content of the document.
pub struct Document {
    name: String,
    /// The blocks above the first section.
    pub before_all: Vec<Block>,
    pub recipes: Vec<Recipe>,
}

/// A section with a recipe.
pub struct Recipe {
    pub name: String,
    /// The tools that it needs.
    pub needs: Vec<String>,
    pub blocks: Vec<Block>,
}

/// A fenced block.
pub struct Block {
    pub language: String,
    /// The name of the file that it contains.
    pub name: Option<String>,
    pub text: String,
}

impl Document {
    /// Reads the document of this name.
    pub fn read(name: &str) -> Document {
        let text = Document::text(name);
        let mut sections = text.split("\n## ");
        let before_all = blocks(sections.next().unwrap_or_default());
        // What is in Python is tested with the package of Python.
        let recipes = sections.filter(|section| !section.contains("<!-- in Python -->")).map(Recipe::parse).collect();
        Document { name: name.to_owned(), before_all, recipes }
    }

    /// The text of the document of this name.
    pub fn text(name: &str) -> String {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(name);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// The recipe of this name.
    pub fn recipe(&self, name: &str) -> &Recipe {
        let found = self.recipes.iter().find(|recipe| recipe.name == name);
        found.unwrap_or_else(|| panic!("docs/{} has no recipe '{name}'", self.name))
    }
}

impl Recipe {
    fn parse(section: &str) -> Recipe {
        let comment = section.split("<!-- recipe: ").nth(1).and_then(|rest| rest.split(" -->").next());
        let comment = comment.unwrap_or_else(|| panic!("this section has no name:\n## {section}"));
        let (name, needs) = comment.split_once("; needs: ").unwrap_or((comment, ""));
        let needs = needs.split_whitespace().map(str::to_owned).collect();
        Recipe { name: name.to_owned(), needs, blocks: blocks(section) }
    }
}

fn blocks(text: &str) -> Vec<Block> {
    // Every second part is between fences.
    text.split("\n```").skip(1).step_by(2).map(block).collect()
}

fn block(fenced: &str) -> Block {
    let (info, text) = fenced.split_once('\n').unwrap_or((fenced, ""));
    let (language, name) = info.split_once(' ').map_or((info, None), |(language, name)| (language, Some(name)));
    Block { language: language.to_owned(), name: name.map(str::to_owned), text: format!("{text}\n") }
}
