//! The elements that HTML treats specially, and how it treats them.
//!
//! The name in each tag of a page becomes a one-byte [`Tag`], and every question is a match on this. The groups follow
//! the lists of the HTML standard (parsing: section 13.2, rendering: section 15.3).

use html5gum::State;

macro_rules! tags {
    ($($name:literal $variant:ident)*) => {
        /// A known element name. Every other name is [`Tag::Other`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub(super) enum Tag { Other, $($variant),* }

        impl Tag {
            /// Number of variants.
            pub(super) const COUNT: usize = [Tag::Other, $(Tag::$variant),*].len();

            /// The names in lower case, by tag; `*` for an unknown one.
            pub(super) const NAMES: [&str; Tag::COUNT] = as_text([b"*", $($name),*]);

            /// The tag of a lower-case name.
            pub(super) fn of(name: &[u8]) -> Tag {
                match name {
                    $($name => Tag::$variant,)*
                    _ => Tag::Other,
                }
            }

            /// The name in lower case; `*` for an unknown one.
            pub(super) fn name(self) -> &'static str {
                Tag::NAMES[self as usize]
            }
        }
    };
}

tags! {
    b"a" A b"address" Address b"annotation" Annotation b"annotation-xml" AnnotationXml
    b"area" Area b"article" Article b"aside" Aside b"audio" Audio
    b"b" B b"base" Base b"basefont" Basefont b"bgsound" Bgsound b"big" Big
    b"blockquote" Blockquote b"body" Body b"br" Br b"button" Button
    b"canvas" Canvas b"caption" Caption b"center" Center b"code" Code b"col" Col
    b"colgroup" Colgroup b"datalist" Datalist b"dd" Dd b"desc" Desc b"details" Details
    b"dialog" Dialog b"dir" Dir b"div" Div b"dl" Dl b"dt" Dt b"em" Em b"embed" Embed
    b"fieldset" Fieldset b"figcaption" Figcaption b"figure" Figure b"font" Font
    b"footer" Footer b"foreignobject" ForeignObject b"form" Form b"frame" Frame
    b"h1" H1 b"h2" H2 b"h3" H3 b"h4" H4 b"h5" H5 b"h6" H6 b"head" Head b"header" Header
    b"hgroup" Hgroup b"hr" Hr b"html" Html b"i" I b"iframe" Iframe b"image" Image b"img" Img
    b"input" Input b"keygen" Keygen b"legend" Legend b"li" Li b"link" Link
    b"listing" Listing b"main" Main b"marquee" Marquee b"math" Math b"menu" Menu b"meta" Meta
    b"mi" Mi b"mn" Mn b"mo" Mo b"ms" Ms b"mtext" Mtext b"nav" Nav b"nobr" Nobr
    b"noembed" Noembed b"noframes" Noframes b"noscript" Noscript b"object" Object b"ol" Ol
    b"optgroup" Optgroup b"option" Choice b"p" P b"param" Param b"plaintext" Plaintext
    b"pre" Pre b"rb" Rb b"rp" Rp b"rt" Rt b"rtc" Rtc b"ruby" Ruby b"s" S b"script" Script
    b"search" Search b"section" Section b"select" Select b"small" Small b"source" Source
    b"span" Span b"strike" Strike b"strong" Strong b"style" Style b"sub" Sub
    b"summary" Summary b"sup" Sup b"svg" Svg b"table" Table b"tbody" Tbody b"td" Td
    b"template" Template b"textarea" Textarea b"tfoot" Tfoot b"th" Th b"thead" Thead
    b"title" Title b"tr" Tr b"track" Track b"tt" Tt b"u" U b"ul" Ul b"var" Var
    b"video" Video b"wbr" Wbr b"xmp" Xmp
}

/// The names as text. They are checked here once, and not at each use of a name.
const fn as_text(names: [&'static [u8]; Tag::COUNT]) -> [&'static str; Tag::COUNT] {
    let mut texts = [""; Tag::COUNT];
    let mut tag = 0;
    while tag < Tag::COUNT {
        if let Ok(text) = str::from_utf8(names[tag]) {
            texts[tag] = text;
        }
        tag += 1;
    }
    texts
}

use Tag::*;

impl Tag {
    /// Whether the element starts and ends a line. Table cells do not: see `Lines::start_cell`.
    pub(super) fn is_block(self) -> bool {
        self.is_container()
            || self.is_heading()
            || self.keeps_space() && self != Textarea
            || matches!(self, Body | Caption | Dd | Dt | Form | Hr | Html | Legend | Li | Marquee | Optgroup)
            || matches!(self, Choice | P | Table | Tbody | Tfoot | Thead | Tr)
    }

    /// Whether the element is a block container, whose end tag closes all open elements inside it.
    fn is_container(self) -> bool {
        matches!(self, Address | Article | Aside | Blockquote | Center | Details | Dialog | Dir | Div | Dl)
            || matches!(self, Fieldset | Figcaption | Figure | Footer | Header | Hgroup | Main | Menu | Nav | Ol)
            || matches!(self, Search | Section | Summary | Ul)
    }

    /// Whether the end tag closes all open elements inside the element. Other end tags, mostly of inline elements, must
    /// leave the blocks inside open.
    pub(super) fn closes_its_content(self) -> bool {
        self.is_container()
            || matches!(self, Button | Dd | Dt | Li | Listing | Marquee | Math | Object)
            || matches!(self, P | Pre | Select | Svg)
    }

    /// Whether the start tag ends an open paragraph.
    pub(super) fn closes_p(self) -> bool {
        self.is_container()
            || self.is_heading()
            || matches!(self, Dd | Dt | Form | Hr | Li | Listing | P | Plaintext)
            || matches!(self, Pre | Table | Xmp)
    }

    /// Whether the element is `<h1>` to `<h6>`.
    pub(super) fn is_heading(self) -> bool {
        matches!(self, H1 | H2 | H3 | H4 | H5 | H6)
    }

    /// Whether the element is an inline element that browsers open again if it is ended in the wrong place.
    pub(super) fn is_formatting(self) -> bool {
        matches!(self, A | B | Big | Code | Em | Font | I | Nobr | S | Small | Strike | Strong | Tt | U)
    }

    /// Whether the element never has content and so is never open.
    pub(super) fn is_void(self) -> bool {
        matches!(self, Area | Base | Basefont | Bgsound | Br | Col | Embed | Frame | Hr | Image | Img | Input)
            || matches!(self, Keygen | Link | Meta | Param | Source | Track | Wbr)
    }

    /// Whether the element is a box in the line, which separates the words around it.
    pub(super) fn is_widget(self) -> bool {
        matches!(self, Audio | Button | Canvas | Embed | Iframe | Image | Img | Input | Object | Select)
            || matches!(self, Svg | Textarea | Video)
    }

    /// Whether the content is never visible: it is not displayed at all, or only in browsers that cannot display the
    /// element itself.
    pub(super) fn is_unseen(self) -> bool {
        matches!(self, Annotation | AnnotationXml | Audio | Canvas | Datalist | Iframe | Noembed | Noframes)
            || matches!(self, Noscript | Object | Rp | Script | Style | Svg | Template | Title | Video)
    }

    /// Whether a browser draws the element, though its content is not part of the page's text.
    pub(super) fn is_drawn(self) -> bool {
        self.is_widget() || matches!(self, Frame | Hr)
    }

    /// Whether white space inside the element is kept unchanged.
    pub(super) fn keeps_space(self) -> bool {
        matches!(self, Listing | Plaintext | Pre | Textarea | Xmp)
    }

    /// The tokenizer state for the content of the element, if the content is not markup.
    pub(super) fn content_state(self) -> Option<State> {
        match self {
            Textarea | Title => Some(State::RcData),
            Iframe | Noembed | Noframes | Noscript | Style | Xmp => Some(State::RawText),
            Script => Some(State::ScriptData),
            Plaintext => Some(State::PlainText),
            _ => None,
        }
    }

    /// Whether an end tag inside the element cannot close an element outside of it. The standard also has `<object>`
    /// and `<marquee>` here. But if one of these were left open, no later end tag could close an element around it,
    /// down to the end of the page.
    pub(super) fn is_scope(self) -> bool {
        matches!(self, Caption | Table | Td | Template | Th)
    }

    /// Whether correct HTML may leave out the end tag.
    pub(super) fn may_stay_open(self) -> bool {
        matches!(self, Choice | Dd | Dt | Li | Optgroup | P | Rb | Rp | Rt | Rtc)
    }

    /// Whether the element is a part of a table, which makes sense only inside one.
    pub(super) fn is_table_part(self) -> bool {
        matches!(self, Caption | Colgroup | Tbody | Td | Tfoot | Th | Thead | Tr)
    }

    /// Whether the element is a part of a table that has content other than parts of the table.
    pub(super) fn is_cell(self) -> bool {
        matches!(self, Caption | Td | Th)
    }

    /// Whether the element is a table or a part of one that contains only other parts.
    pub(super) fn is_table_frame(self) -> bool {
        self == Table || self.is_table_part() && !self.is_cell()
    }

    /// Whether `<li>`, `<dd>` and `<dt>` do not close elements outside of this element. These are the "special"
    /// elements of the standard except address, div and p.
    pub(super) fn is_wall(self) -> bool {
        let passed = matches!(self, Address | Dialog | Div);
        self.is_container() && !passed
            || self.is_heading()
            || self.is_table_part()
            || self.is_scope()
            || self.keeps_space()
            || self.content_state().is_some()
            || matches!(self, Button | Dd | Dt | Form | Li | Marquee | Object | Select)
    }

    /// Whether the content of the element is HTML again, inside `<svg>` or `<math>`.
    pub(super) fn is_integration_point(self) -> bool {
        matches!(self, AnnotationXml | Desc | ForeignObject | Mi | Mn | Mo | Ms | Mtext | Title)
    }

    /// Whether the integration point belongs to SVG.
    pub(super) fn is_svg(self) -> bool {
        matches!(self, Desc | ForeignObject | Title)
    }

    /// Whether the start tag ends the `<svg>` or `<math>` around it.
    pub(super) fn ends_foreign(self) -> bool {
        matches!(self, B | Big | Blockquote | Body | Br | Center | Code | Dd | Div | Dl | Dt | Em | Embed)
            || matches!(self, Head | Hr | I | Img | Li | Listing | Menu | Meta | Nobr | Ol | P | Pre | Ruby | S)
            || matches!(self, Small | Span | Strike | Strong | Sub | Sup | Table | Tt | U | Ul | Var)
            || self.is_heading()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_tags() {
        assert_eq!(Tag::of(b"div"), Div);
        assert_eq!(Tag::of(b"h6"), H6);
        assert_eq!(Tag::of(b"divs"), Other);
        assert_eq!(Tag::of(b""), Other);
        assert_eq!((Div.name(), Choice.name(), Other.name()), ("div", "option", "*"));
    }

    #[test]
    fn groups_agree() {
        assert!(Hr.is_void() && Hr.is_block());
        assert!(Pre.is_block() && !Textarea.is_block());
        assert!(Section.is_wall() && !Div.is_wall());
    }
}
