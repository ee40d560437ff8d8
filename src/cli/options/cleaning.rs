//! Flags of the commands that clean: how dehusk decides what is removed.

use std::sync::Arc;

use anyhow::bail;
use clap::{Args, ValueEnum, ValueHint};

use dehusk_core::cleaning::decide::decision_model::DecisionModel;
use dehusk_core::cleaning::{CleanOptions, Method};
use dehusk_core::dom::block_model::BlockModel;
use dehusk_core::dom::page_parts::{Favor, PageChoices, PartChoice};
use dehusk_run::CorpusCleanOptions;
use dehusk_run::clean::document::settings_of_choices;

use super::models::{block_model, decision_model};
use super::output::{LongRunArgs, WrittenArgs};
use crate::cli::Global;

/// How documents are cleaned, and what happens when something goes wrong.
#[derive(Args, Debug)]
pub struct CleanArgs {
    #[command(flatten)]
    pub method: PageMethodArgs,
    #[command(flatten)]
    pub written: WrittenArgs,
    #[command(flatten)]
    pub long: LongRunArgs,
}

impl CleanArgs {
    /// The options for cleaning a corpus.
    pub fn options(&self, global: &Global) -> anyhow::Result<CorpusCleanOptions> {
        Ok(self.long.add_to(self.written.options(global).cleaning(self.method.options()?)))
    }
}

/// How documents are cleaned and written.
#[derive(Args, Debug)]
pub struct DocumentArgs {
    #[command(flatten)]
    pub method: PageMethodArgs,
    #[command(flatten)]
    pub written: WrittenArgs,
}

impl DocumentArgs {
    /// The options for cleaning the documents of a stream.
    pub fn options(&self, global: &Global) -> anyhow::Result<CorpusCleanOptions> {
        Ok(self.written.options(global).cleaning(self.method.options()?))
    }
}

/// How it is decided what is removed, by commands that look at the structure of pages.
#[derive(Args, Debug)]
pub struct PageMethodArgs {
    #[command(flatten)]
    pub text: MethodArgs,
    #[command(flatten)]
    pub page: PageArgs,
}

impl PageMethodArgs {
    /// Whether these are the options with which mining tries out patterns.
    pub fn is_default(&self) -> bool {
        self.options().is_ok_and(|options| options == CleanOptions::default())
    }

    /// The options for cleaning pages with patterns.
    pub fn options(&self) -> anyhow::Result<CleanOptions> {
        let PageMethodArgs { text, page } = self;
        let without_structure = [
            ("--method union", text.method == MethodName::Union),
            ("--only accepted", text.only.is_some()),
            ("--recurrence-alone", text.recurrence_alone),
        ];
        without_structure.into_iter().filter(|(_, is_given)| *is_given).try_for_each(|(flag, _)| page.refuse(flag))?;
        // `--favor` is allowed, because it also has an effect without the structure of pages.
        if text.no_structure && page.choices() != PageChoices::default().favor(page.choices().favor) {
            bail!("--headline, --byline and --comments need the structure of pages: leave them or --no-structure out");
        }
        Ok(self.text.options().page(page.choices()))
    }
}

/// How it is decided what is removed.
#[derive(Args, Debug)]
#[command(next_help_heading = "Cleaning")]
pub struct MethodArgs {
    /// How dehusk decides what is removed
    ///
    /// How dehusk decides what is removed. `learned` judges each line or sentence by how it recurs, what it looks like
    /// and what stands around it. `union` removes all text that is matched by a pattern at or above the cutoff.
    #[arg(long, value_enum, value_name = "METHOD", hide_possible_values = true, default_value_t = MethodName::Learned)]
    pub method: MethodName,
    /// Join matches that are fewer than this many characters apart (only with `--method union`)
    #[arg(long, value_name = "CHARS", default_value_t = 0, hide_short_help = true)]
    pub merge_gap: usize,
    /// Keep text that a pattern of several sources matches (only with `--method union`)
    #[arg(long, hide_short_help = true)]
    pub second_filter: bool,
    /// Use only patterns that a person accepted
    #[arg(long, value_enum, value_name = "accepted", hide_possible_values = true)]
    pub only: Option<Only>,
    /// Model that decides, written by `dehusk-lab train --decision` [default: the shipped model]
    #[arg(long, value_name = "FILE", value_parser = decision_model, value_hint = ValueHint::FilePath, hide_short_help = true)]
    pub decision_model: Option<Arc<DecisionModel>>,
    /// Model of the content of pages, written by `dehusk-lab train --pages --gold` [default: the shipped model]
    #[arg(long, value_name = "FILE", value_parser = block_model, value_hint = ValueHint::FilePath, hide_short_help = true)]
    pub block_model: Option<Arc<BlockModel>>,
    /// Remove only text that recurs beyond chance. No model decides
    #[arg(long, conflicts_with_all = ["decision_model", "block_model"])]
    pub recurrence_alone: bool,
    /// Judge pages by their text alone, not by the structure of their elements
    #[arg(long, conflicts_with = "block_model", hide_short_help = true)]
    pub no_structure: bool,
}

/// See [`Method`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MethodName {
    /// Judge each line or sentence with a model
    Learned,
    /// Remove all text that is matched by a pattern at or above the cutoff
    Union,
}

impl MethodArgs {
    /// The options for cleaning with patterns.
    pub fn options(&self) -> CleanOptions {
        match self.method {
            MethodName::Learned => self.options_of(Method::Learned),
            MethodName::Union => self.union_options(),
        }
    }

    /// The options for cleaning with the union method.
    pub fn union_options(&self) -> CleanOptions {
        self.options_of(Method::Union { merge_gap: self.merge_gap, second_filter: self.second_filter })
    }

    fn options_of(&self, method: Method) -> CleanOptions {
        let decision = match &self.decision_model {
            _ if self.recurrence_alone => None,
            Some(model) => Some(Arc::clone(model)),
            None => Some(DecisionModel::shipped()),
        };
        let structure = match &self.block_model {
            _ if self.recurrence_alone || self.no_structure => None,
            Some(model) => Some(Arc::clone(model)),
            None => Some(BlockModel::shipped()),
        };
        CleanOptions::default()
            .method(method)
            .only_accepted(self.only.is_some())
            .decision(decision)
            .structure(structure)
    }
}

/// The status that patterns must have.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Only {
    /// Patterns that a person accepted
    Accepted,
}

/// What the user wants of an HTML page.
#[derive(Args, Debug)]
#[command(next_help_heading = "Cleaning")]
pub struct PageArgs {
    /// What happens to text in doubt
    ///
    /// What happens to text in doubt. `recall` keeps it, so that little content is lost. `precision` removes it, so
    /// that little boilerplate is left.
    #[arg(long, value_enum, value_name = "precision|recall", hide_possible_values = true)]
    pub favor: Option<FavorName>,
    /// What happens to the headline of an HTML page
    ///
    /// What happens to the headline of an HTML page: `keep`, `drop`, or `auto`, which keeps it, apart from proven
    /// template in it.
    #[arg(long, value_enum, value_name = "keep|drop|auto", hide_possible_values = true, default_value_t = Choice::Auto)]
    pub headline: Choice,
    /// What happens to author and date of an HTML page
    ///
    /// What happens to the short blocks between the headline of an HTML page and its text, such as author and date:
    /// `keep`, `drop`, or `auto`, which leaves them to the model.
    #[arg(long, value_enum, value_name = "keep|drop|auto", hide_possible_values = true, default_value_t = Choice::Auto)]
    pub byline: Choice,
    /// What happens to comments on an HTML page
    ///
    /// What happens to the comments of readers on an HTML page: `keep`, `drop`, or `auto`, which leaves them to the
    /// model: it keeps them where they are the content of the page, as in a forum. Comments are what the page itself
    /// calls so, in classes, ids and the like.
    #[arg(long, value_enum, value_name = "keep|drop|auto", hide_possible_values = true, default_value_t = Choice::Auto)]
    pub comments: Choice,
}

/// See [`Favor`].
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum FavorName {
    /// Boilerplate that is left in weighs more
    Precision,
    /// Lost content weighs more
    Recall,
}

/// See [`PartChoice`].
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Choice {
    /// It stays
    Keep,
    /// It goes
    Drop,
    /// dehusk decides
    Auto,
}

impl PageArgs {
    /// What the user chose.
    pub fn choices(&self) -> PageChoices {
        let [headline, byline, comments] = [self.headline, self.byline, self.comments].map(|choice| match choice {
            Choice::Keep => PartChoice::Keep,
            Choice::Drop => PartChoice::Drop,
            Choice::Auto => PartChoice::Auto,
        });
        let favor = match self.favor {
            None => Favor::Balance,
            Some(FavorName::Precision) => Favor::Precision,
            Some(FavorName::Recall) => Favor::Recall,
        };
        PageChoices::default().favor(favor).headline(headline).byline(byline).comments(comments)
    }

    /// Whether the user chose anything.
    pub fn is_given(&self) -> bool {
        self.choices() != PageChoices::default()
    }

    /// Refuses the user's choices if they would have no effect, because of this flag.
    fn refuse(&self, flag: &str) -> anyhow::Result<()> {
        if self.is_given() {
            let settings = settings_of_choices();
            bail!("{settings} need the structure of pages, which {flag} does not use: leave one of them out");
        }
        Ok(())
    }
}
