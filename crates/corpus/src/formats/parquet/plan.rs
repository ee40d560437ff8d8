//! Decides which columns of a file change, and the new schema.
//!
//! If HTML is read as visible text, the cleaned document is no longer HTML. In a JSONL line,
//! [`rewrite_line`](crate::rewrite_line) then changes the key. In a table, all rows have the same columns. So
//! for a table with a column of HTML:
//!
//! - Without a column of texts, the column of HTML becomes the column of texts. It keeps its position and type, and
//!   gets the key of the text as its name.
//! - With a column of texts, the text is written there. If the row had no text, its HTML becomes null, or empty in a
//!   column without nulls.
//!
//! If a library wrote the key `huggingface` or `pandas` into the file, its value is not changed. So it may contain the
//! old name of a column. Where it differs from the schema, these libraries use the schema.

use std::sync::Arc;

use ::parquet::basic::Type as Physical;
use ::parquet::file::metadata::{KeyValue, SortingColumn};
use ::parquet::schema::types::{Type, TypePtr};

use super::columns::Column;
use super::{HtmlView, Opened, Parquet, Reason, arrow_schema, reason};

/// How a column may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// It does not change, except that rows may be left out.
    Other,
    /// It gets new texts.
    Text,
    /// It gets new pages. A page whose text was written to the column of texts is removed.
    Html,
    /// The column of HTML becomes the column of texts.
    HtmlToText,
}

/// The columns that may change.
#[derive(Debug, Clone, Default)]
pub(super) struct Plan {
    text: Option<Column>,
    html: Option<Column>,
    html_to_text: Option<Column>,
    /// Whether HTML is removed if its text was written to the column of texts.
    pub(super) clears_html: bool,
}

impl Plan {
    pub(super) fn of(table: &Opened, html: HtmlView) -> Plan {
        let columns = table.columns.clone();
        let is_view = html.is_written_as_text();
        match (columns.text, columns.html) {
            (None, html) if is_view => Plan { html_to_text: html, ..Plan::default() },
            (text, html) => {
                let clears_html = is_view && html.is_some();
                Plan { text, html, html_to_text: None, clears_html }
            }
        }
    }

    pub(super) fn role(&self, leaf: usize) -> Role {
        let is = |column: &Option<Column>| column.as_ref().is_some_and(|column| column.leaf == leaf);
        match () {
            () if is(&self.text) => Role::Text,
            () if is(&self.html) => Role::Html,
            () if is(&self.html_to_text) => Role::HtmlToText,
            () => Role::Other,
        }
    }

    pub(super) fn is_nullable(&self, role: Role) -> bool {
        self.column(role).as_ref().is_some_and(|column| column.is_nullable)
    }

    /// Whether there is a column of this role.
    pub(super) fn has(&self, role: Role) -> bool {
        self.column(role).is_some()
    }

    /// The schema of the new file. Fails if it is not valid.
    pub(super) fn schema(&self, table: &Opened) -> Result<TypePtr, Reason> {
        let schema = table.metadata.file_metadata().schema_descr().root_schema_ptr();
        match &self.html_to_text {
            Some(column) => Ok(Arc::new(renamed(&schema, column.root, &table.keys.text).map_err(reason)?)),
            None => Ok(schema),
        }
    }

    /// The key-value metadata of the new file. They are unchanged, except for the name of a column in Arrow's schema.
    pub(super) fn notes(&self, table: &Opened) -> Result<Option<Vec<KeyValue>>, Reason> {
        let mut notes = table.metadata.file_metadata().key_value_metadata().cloned();
        let Some(column) = &self.html_to_text else {
            return Ok(notes);
        };
        for note in notes.iter_mut().flatten().filter(|note| note.key == arrow_schema::KEY) {
            let schema = note.value.as_deref().unwrap_or_default();
            let renamed = arrow_schema::renamed(schema, column.root, &column.name, &table.keys.text);
            note.value = Some(renamed.ok_or_else(bad_arrow_schema)?);
        }
        Ok(notes)
    }

    /// The sort order of the rows. `None` if it depends on a column that changes, or differs between row groups.
    pub(super) fn sorting(&self, table: &Opened) -> Option<Vec<SortingColumn>> {
        let mut groups = table.metadata.row_groups().iter().map(|group| group.sorting_columns());
        let sorting = groups.next()??;
        let stays = |column: &SortingColumn| usize::try_from(column.column_idx).map(|leaf| self.role(leaf));
        let is_kept = sorting.iter().all(|column| stays(column) == Ok(Role::Other));
        (is_kept && groups.all(|other| other == Some(sorting))).then(|| sorting.clone())
    }

    fn column(&self, role: Role) -> &Option<Column> {
        match role {
            Role::Other => &None,
            Role::Text => &self.text,
            Role::Html => &self.html,
            Role::HtmlToText => &self.html_to_text,
        }
    }
}

/// The `schema` with a new name for a column of strings at the top level.
fn renamed(schema: &Type, root: usize, name: &str) -> Parquet<Type> {
    let mut fields = schema.get_fields().to_vec();
    let old = fields[root].get_basic_info();
    let new = Type::primitive_type_builder(name, Physical::BYTE_ARRAY)
        .with_repetition(old.repetition())
        .with_converted_type(old.converted_type())
        .with_logical_type(old.logical_type_ref().cloned())
        .with_id(old.has_id().then(|| old.id()))
        .build()?;
    fields[root] = Arc::new(new);
    Type::group_type_builder(schema.name()).with_fields(fields).build()
}

fn bad_arrow_schema() -> Reason {
    Reason::DamagedParquet(format!("its key {:?} does not describe its columns", arrow_schema::KEY))
}
