//! Decides where the elements of a page start and end, and which text is visible.
//!
//! Keeps the stack of open elements as the tree builder of a browser does. It follows the rules "in body", "in table"
//! and foreign content of the HTML standard. Text that is not hidden is passed on, and so are the elements and their
//! visibility.

use std::ops::Range;

use html5gum::State;

use super::lines::Lines;
use super::look::Look;
use super::map::{Origin, Trace};
use super::pending::PendingTag;
use super::stack::{Element, Name, Stack};
use super::syntax::Syntax;
use super::tags::Tag;
use super::tree::{Opening, Visibility};

/// The page so far.
#[derive(Debug)]
pub(super) struct Builder<T> {
    lines: Lines<T>,
    stack: Stack,
    /// Whether a form is open. It stays true if another end tag closes the form's element: only `</form>` ends a form.
    is_in_form: bool,
    /// Whether a line feed would be the first character of a `<pre>` or `<textarea>`. There it is ignored.
    skip_line_feed: bool,
    /// The bytes of the tag that is processed.
    tag: Range<usize>,
    is_end_tag: bool,
    /// Whether the tag ended an `<svg>` or `<math>` whose end tag is missing.
    ends_foreign: bool,
    /// Whether the page is read as if no script ran.
    without_scripts: bool,
    /// Number of bytes that are not shown, but that a script may show.
    unseen: usize,
}

/// Limit for the inline elements that are ended together with the formatting element around them. It keeps time linear.
const MOST_ENDED: u32 = 64;

impl<T: Trace> Builder<T> {
    /// An empty page. `without_scripts` says whether it is read as if no script ran.
    pub(super) fn new(without_scripts: bool) -> Self {
        Builder {
            lines: Lines::default(),
            stack: Stack::new(),
            is_in_form: false,
            skip_line_feed: false,
            tag: 0..0,
            is_end_tag: false,
            ends_foreign: false,
            without_scripts,
            unseen: 0,
        }
    }

    /// The text of the page, and its trace.
    pub(super) fn finish(self) -> (String, T) {
        self.lines.finish()
    }

    /// Number of bytes that are not shown, but that a script may show. `<noscript>` counts with its markup.
    pub(super) fn unseen(&self) -> usize {
        self.unseen
    }

    /// Whether the innermost element is of SVG or MathML.
    pub(super) fn is_foreign(&self) -> bool {
        self.stack.top().is_some_and(|top| top.foreign)
    }

    /// The syntax of text directly in the innermost element.
    pub(super) fn syntax(&self) -> Syntax {
        match self.stack.top_tag() {
            Some(Tag::Xmp) => Syntax::Raw,
            Some(Tag::Plaintext) => Syntax::Plain,
            _ => Syntax::Markup,
        }
    }

    /// Adds text.
    pub(super) fn text(&mut self, text: &[u8], origin: Origin) {
        let skip_line_feed = std::mem::take(&mut self.skip_line_feed);
        if self.stack.is_hidden() || text == b"\0" {
            // A browser's tree builder drops U+0000.
            let is_no_text = matches!(self.stack.top_tag(), Some(Tag::Script | Tag::Style | Tag::Title));
            self.unseen += if is_no_text { 0 } else { text.len() };
            match self.stack.top_tag() {
                Some(Tag::Title) if T::ATTRIBUTES && self.stack.height() == 1 => self.lines.trace().title(text),
                Some(Tag::Script) if T::ATTRIBUTES => self.lines.trace().script(text),
                _ => {}
            }
        } else if self.stack.keeps_space() {
            let skipped = usize::from(skip_line_feed && text.starts_with(b"\n"));
            self.lines.keep(&text[skipped..], origin.after(skipped));
        } else {
            self.lines.flow(text, origin);
        }
    }

    /// Notes markup that is not a tag.
    pub(super) fn comment(&mut self, bytes: Range<usize>) {
        self.lines.trace().markup(bytes);
    }

    /// Processes a start tag. Returns the tokenizer state for the content, if the content is not markup.
    pub(super) fn start_tag(&mut self, pending: &PendingTag, bytes: Range<usize>) -> Option<State> {
        let name = pending.name();
        let tag = name.tag;
        self.skip_line_feed = false;
        self.markup(bytes, false);
        self.ends_foreign = false;
        if matches!(tag, Tag::Html | Tag::Head | Tag::Body) {
            self.end_line();
            pending.fact().filter(|_| tag == Tag::Html).into_iter().for_each(|fact| self.lines.trace().language(fact));
            return None;
        }
        if self.is_in_foreign() {
            if !tag.ends_foreign() {
                self.open_foreign(name, pending);
                return None;
            }
            self.leave_foreign();
            self.ends_foreign = true;
        }

        self.imply_ends(tag);
        self.open(name, pending)
    }

    /// Processes an end tag.
    pub(super) fn end_tag(&mut self, name: Name, bytes: Range<usize>) {
        self.skip_line_feed = false;
        self.markup(bytes, true);
        let scope = self.stack.scope();
        if self.is_in_foreign() && self.end_foreign(name) {
            return;
        }
        match name.tag {
            Tag::Html | Tag::Head | Tag::Body => {}
            // Without an open element, `</br>` and `</p>` act as an empty element.
            Tag::Br => self.end_line(),
            Tag::P => {
                if !self.close_p() {
                    self.end_line();
                }
            }
            Tag::Form => self.end_form(),
            _ if self.stack.top().is_some_and(|top| top.name == name) => self.close(self.stack.height()),
            Tag::Li => {
                let lists = self.stack.nearest(&[Tag::Ol, Tag::Ul]);
                self.close_nearest(&[Tag::Li], scope.max(lists));
            }
            Tag::Template => self.close(self.stack.nearest(&[Tag::Template])),
            Tag::Table => self.close_table_part(Tag::Table, &[Tag::Template]),
            tag if tag.is_table_part() => {
                self.close_table_part(tag, &[Tag::Table, Tag::Template]);
            }
            tag if tag.is_heading() => {
                let headings = [Tag::H1, Tag::H2, Tag::H3, Tag::H4, Tag::H5, Tag::H6];
                self.close_nearest(&headings, scope);
            }
            tag if tag.closes_its_content() => _ = self.close_nearest(&[tag], scope),
            _ => self.end_inline(self.stack.find(name)),
        }
    }

    /// Opens an HTML element, or `<svg>` or `<math>`.
    fn open(&mut self, name: Name, pending: &PendingTag) -> Option<State> {
        let tag = name.tag;
        if self.is_misplaced(tag) {
            return None;
        }
        let look = pending.look();
        if look != Look::Gone && !self.stack.is_hidden() {
            self.lay_out_start(tag);
        }
        let foreign = matches!(tag, Tag::Svg | Tag::Math);
        if tag.is_void() || foreign && pending.is_self_closing {
            self.add_empty(name, pending);
            return None;
        }

        let is_shown_noscript = tag == Tag::Noscript && self.without_scripts;
        let unseen = tag.is_unseen() && !pending.is_shadow_root() && !is_shown_noscript;
        let hides = look != Look::Shown || unseen;
        self.push(Element { name, hides, foreign }, Some(pending));
        self.is_in_form |= tag == Tag::Form;
        self.skip_line_feed = matches!(tag, Tag::Pre | Tag::Listing | Tag::Textarea);
        if is_shown_noscript { None } else { tag.content_state() }
    }

    fn lay_out_start(&mut self, tag: Tag) {
        if tag.is_block() || tag == Tag::Br {
            self.lines.end_line();
        } else if tag.is_widget() {
            self.lines.space();
        } else if matches!(tag, Tag::Td | Tag::Th) {
            self.lines.start_cell();
        }
    }

    fn lay_out_end(&mut self, tag: Tag) {
        if tag.is_block() {
            self.lines.end_line();
        } else if tag.is_widget() {
            self.lines.space();
        } else if matches!(tag, Tag::Td | Tag::Th) {
            self.lines.end_cell();
        }
    }

    fn end_line(&mut self) {
        if !self.stack.is_hidden() {
            self.lines.end_line();
        }
    }

    /// Whether a browser ignores the element at this place.
    fn is_misplaced(&self, tag: Tag) -> bool {
        match tag {
            Tag::Form => self.is_in_form || self.is_between_cells(),
            _ => tag.is_table_part() && self.stack.nearest(&[Tag::Table, Tag::Template]) == 0,
        }
    }

    /// Whether a table is open, but none of its cells.
    fn is_between_cells(&self) -> bool {
        let cells = [Tag::Td, Tag::Th, Tag::Caption, Tag::Template];
        self.stack.nearest(&[Tag::Table]) > self.stack.nearest(&cells)
    }

    fn markup(&mut self, bytes: Range<usize>, is_end_tag: bool) {
        self.lines.trace().markup(bytes.clone());
        self.tag = bytes;
        self.is_end_tag = is_end_tag;
    }

    /// Adds an element that has no content. Only two kinds have text: a button has its label, and a picture has its
    /// `alt` text, if such texts are shown.
    fn add_empty(&mut self, name: Name, pending: &PendingTag) {
        let is_hidden = self.stack.is_hidden() || pending.look() != Look::Shown;
        let is_seen = !is_hidden && name.tag.is_drawn() && !pending.is_hidden_field();
        let visibility = if is_seen { Visibility::Replaced } else { Visibility::Hidden };
        self.trace_open(name, visibility, Some(pending));
        let label = pending.button_label().filter(|_| is_seen);
        if let Some(label) = label {
            label.pieces().for_each(|(text, origin)| self.lines.flow(text, origin));
        }

        let alt_text = pending.alt_text().filter(|_| is_seen);
        if let Some(text) = alt_text {
            // Each part of the text leads back to the whole tag, so that a cut removes the whole picture or nothing.
            let syntax = if self.ends_foreign { Syntax::EndOfForeign } else { Syntax::Markup };
            self.lines.flow_whole(text, &Origin::decoded(self.tag.clone()).within(syntax));
        }
        self.lines.trace().close(self.tag.end);
        if label.is_some() || alt_text.is_some() {
            self.lines.space();
        }
    }

    /// Opens an element. An implied one has no tag.
    fn push(&mut self, element: Element, pending: Option<&PendingTag>) {
        if self.stack.is_full() {
            self.pop(self.tag.start);
        }
        let was_hidden = self.stack.is_hidden();
        self.stack.push(element);
        let is_shown = pending.is_none_or(|pending| pending.look() == Look::Shown);
        let visibility = match self.stack.is_hidden() || self.stack.is_row_hidden() {
            false => Visibility::Shown,
            true if !was_hidden && is_shown && element.name.tag.is_drawn() => Visibility::Replaced,
            true => Visibility::Hidden,
        };
        self.trace_open(element.name, visibility, pending);
    }

    fn trace_open(&mut self, name: Name, visibility: Visibility, tag: Option<&PendingTag>) {
        self.lines.trace().open(Opening { name, start: self.tag.start, visibility, tag });
    }

    /// Closes the innermost element, which ends at this position.
    fn pop(&mut self, end: usize) {
        self.lines.trace().close(end);
        if let Some(tag) = self.stack.pop() {
            self.lay_out_end(tag);
        }
    }

    /// Closes the element at a height and all elements inside it. The inner ones end before the current tag.
    fn close(&mut self, at: u32) {
        while at > 0 && self.stack.height() >= at {
            let is_ended = self.is_end_tag && self.stack.height() == at;
            self.pop(if is_ended { self.tag.end } else { self.tag.start });
        }
    }

    /// Closes the nearest of these elements, unless `scope` is nearer. Returns whether it closed one.
    fn close_nearest(&mut self, tags: &[Tag], scope: u32) -> bool {
        let at = self.stack.nearest(tags);
        let is_open = at > 0 && at >= scope;
        if is_open {
            self.close(at);
        }
        is_open
    }

    fn close_p(&mut self) -> bool {
        let scope = self.stack.scope().max(self.stack.nearest(&[Tag::Button]));
        self.close_nearest(&[Tag::P], scope)
    }

    /// Closes the elements that end implicitly before this start tag.
    fn imply_ends(&mut self, tag: Tag) {
        match tag {
            Tag::Li => _ = self.close_nearest(&[Tag::Li], self.stack.wall()),
            Tag::Dd | Tag::Dt => _ = self.close_nearest(&[Tag::Dd, Tag::Dt], self.stack.wall()),
            Tag::Choice => self.close_top(&[Tag::Choice]),
            Tag::Optgroup => self.close_top(&[Tag::Choice, Tag::Optgroup]),
            Tag::Rb | Tag::Rt | Tag::Rp | Tag::Rtc if self.is_in_ruby() => self.close_unended(),
            Tag::Button => _ = self.close_nearest(&[Tag::Button], self.stack.scope()),
            Tag::Select | Tag::Input | Tag::Keygen | Tag::Textarea => {
                self.close_nearest(&[Tag::Select], self.stack.scope());
            }
            Tag::Table if self.is_between_cells() => self.close(self.stack.nearest(&[tag])),
            Tag::A => self.end_link(),
            Tag::Nobr => self.end_inline(self.stack.nearest(&[tag])),
            _ if tag.is_table_part() => self.back_to_table(tag),
            _ => {}
        }
        if tag.closes_p() {
            self.close_p();
        }
        if tag.is_heading() && self.stack.top_tag().is_some_and(Tag::is_heading) {
            self.pop(self.tag.start);
        }
    }

    /// For each tag in order: closes the innermost element if it has this tag.
    fn close_top(&mut self, tags: &[Tag]) {
        for &tag in tags {
            if self.stack.top_tag() == Some(tag) {
                self.pop(self.tag.start);
            }
        }
    }

    fn is_in_ruby(&self) -> bool {
        let ruby = self.stack.nearest(&[Tag::Ruby]);
        ruby > 0 && ruby >= self.stack.scope()
    }

    /// Closes innermost elements whose end tag may be left out.
    fn close_unended(&mut self) {
        while self.stack.top_tag().is_some_and(Tag::may_stay_open) {
            self.pop(self.tag.start);
        }
    }

    /// Closes everything up to the table part that may contain the new part. Opens the section or row if it is missing.
    fn back_to_table(&mut self, part: Tag) {
        let sections = [Tag::Tbody, Tag::Thead, Tag::Tfoot];
        let section = match part {
            Tag::Td | Tag::Th | Tag::Tr => self.stack.nearest(&sections),
            _ => 0,
        };
        let row = match part {
            Tag::Td | Tag::Th => self.stack.nearest(&[Tag::Tr]),
            _ => 0,
        };
        let table = self.stack.nearest(&[Tag::Table, Tag::Template]);
        if table > 0 {
            self.close(table.max(section).max(row) + 1);
            self.imply_row(part);
        }
    }

    fn imply_row(&mut self, part: Tag) {
        let holder = match part {
            Tag::Td | Tag::Th => Tag::Tr,
            Tag::Tr => Tag::Tbody,
            _ => return,
        };
        let top = self.stack.top_tag();
        let is_there = match holder {
            Tag::Tr => top == Some(Tag::Tr),
            _ => top != Some(Tag::Table),
        };
        if !is_there {
            self.imply_row(holder);
            self.end_line();
            self.push(Element::implied(holder), None);
        }
    }

    fn close_table_part(&mut self, part: Tag, scope: &[Tag]) {
        self.close_nearest(&[part], self.stack.nearest(scope));
    }

    /// Ends the form, also if elements inside it are still open.
    fn end_form(&mut self) {
        let at = self.stack.nearest(&[Tag::Form]);
        self.is_in_form = false;
        if at > 0 && at >= self.stack.scope() {
            self.close_unended();
            self.end_within_blocks(at);
            self.end_line();
        }
    }

    /// Ends an inline element. Blocks inside it stay open. In this case the standard ends only formatting elements.
    /// Here every inline element is ended, because an open one could hide text that a browser shows.
    fn end_inline(&mut self, at: u32) {
        if at > 0 && at >= self.stack.scope() {
            self.end_within_blocks(at);
        }
    }

    /// Ends an open link before another one starts, because links cannot be nested. A table between them makes no
    /// difference.
    fn end_link(&mut self) {
        let at = self.stack.nearest(&[Tag::A]);
        let cells = [Tag::Td, Tag::Th, Tag::Caption, Tag::Template];
        if at > self.stack.nearest(&cells) {
            self.end_within_blocks(at);
        }
    }

    fn end_within_blocks(&mut self, at: u32) {
        let no_wall = [Tag::Address, Tag::Div, Tag::P];
        if self.stack.wall().max(self.stack.nearest(&no_wall)) <= at {
            self.close(at);
            return;
        }
        let is_formatting = self.stack.tag_at(at).is_some_and(Tag::is_formatting);
        self.stack.end_early(at);
        if is_formatting {
            self.end_inlines_after(at);
        }
    }

    /// Ends the inline elements inside a formatting element that ends. If it contains blocks, a browser continues the
    /// formatting in these blocks, but not the other inline elements.
    fn end_inlines_after(&mut self, at: u32) {
        for inner in at + 1..at + MOST_ENDED {
            match self.stack.tag_at(inner) {
                Some(tag) if !tag.is_wall() && !tag.is_block() => self.stack.end_early(inner),
                Some(_) => {}
                None => break,
            }
        }
    }

    fn is_in_foreign(&self) -> bool {
        let top = self.stack.top();
        top.is_some_and(|top| top.foreign && !top.name.tag.is_integration_point())
    }

    fn open_foreign(&mut self, name: Name, pending: &PendingTag) {
        if !pending.is_self_closing {
            let hides = pending.look() != Look::Shown || matches!(name.tag, Tag::Annotation | Tag::AnnotationXml);
            self.push(Element { name: self.foreign_name(name), hides, foreign: true }, Some(pending));
        }
    }

    /// The name of an SVG or MathML element, which is not the HTML element of that name.
    fn foreign_name(&self, name: Name) -> Name {
        let in_svg = self.stack.nearest(&[Tag::Svg]) > self.stack.nearest(&[Tag::Math]);
        match name.tag {
            Tag::Svg | Tag::Math => name,
            tag if tag.is_integration_point() && tag.is_svg() == in_svg => name,
            _ => name.foreign(),
        }
    }

    /// Ends an SVG or MathML element. Returns whether one of this name was open.
    fn end_foreign(&mut self, name: Name) -> bool {
        if matches!(name.tag, Tag::Br | Tag::P) {
            self.leave_foreign();
        }
        let at = self.stack.find(self.foreign_name(name));
        self.close(at);
        at > 0
    }

    fn leave_foreign(&mut self) {
        while self.is_in_foreign() {
            self.pop(self.tag.start);
        }
    }
}
