//! Extracts a page's text in operator order; positions separate words and lines.

use super::document::{PdfDocument, PdfPage};
use super::font::PdfFont;
use super::object::{PdfDict, PdfLexer, PdfObject};
use std::collections::HashMap;
use std::rc::Rc;

/// Maximum operators of one page, including forms.
const MAX_OPERATORS: usize = 2_000_000;
const MAX_TEXT: usize = 400_000;
const MAX_FORMS: usize = 6;
const MAX_STATES: usize = 200;
const MAX_OPERANDS: usize = 10_000;

/// Returns the text of a page, without the parts that can't be read.
pub(super) fn page_text(document: &PdfDocument<'_>, page: &PdfPage) -> String {
    let mut bytes = Vec::new();
    let contents = document.resolve(&page.contents);
    let streams = contents.list().unwrap_or(std::slice::from_ref(contents));
    for stream in streams.iter().take(1_000) {
        bytes.extend_from_slice(&document.unpack(document.resolve(stream)));
        bytes.push(b'\n');
    }
    let mut reader =
        ContentReader { document, out: String::new(), fonts: HashMap::new(), end: None, operators_left: MAX_OPERATORS };
    reader.run_content(&bytes, document.resolve(&page.resources).dict(), TextState::default(), 0);
    reader.out
}

/// A transformation matrix: a b c d e f, as in PDF.
#[derive(Debug, Clone, Copy)]
struct PdfMatrix([f64; 6]);

impl PdfMatrix {
    const ONE: PdfMatrix = PdfMatrix([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    fn from_values(values: &[f64]) -> Option<PdfMatrix> {
        values.first_chunk::<6>().map(|values| PdfMatrix(*values))
    }

    /// Applies `self` first, then `outer`.
    fn then(self, outer: PdfMatrix) -> PdfMatrix {
        let ([a, b, c, d, e, f], [g, h, i, j, k, l]) = (self.0, outer.0);
        PdfMatrix([a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + l])
    }

    fn translated(self, x: f64, y: f64) -> PdfMatrix {
        PdfMatrix([1.0, 0.0, 0.0, 1.0, x, y]).then(self)
    }
}

#[derive(Debug, Clone)]
struct TextState {
    page: PdfMatrix,
    text: PdfMatrix,
    line: PdfMatrix,
    font: Option<Rc<PdfFont>>,
    size: f64,
    leading: f64,
    char_space: f64,
    word_space: f64,
}

impl Default for TextState {
    fn default() -> Self {
        Self {
            page: PdfMatrix::ONE,
            text: PdfMatrix::ONE,
            line: PdfMatrix::ONE,
            font: None,
            size: 12.0,
            leading: 0.0,
            char_space: 0.0,
            word_space: 0.0,
        }
    }
}

struct ContentReader<'a> {
    document: &'a PdfDocument<'a>,
    out: String,
    /// Fonts by the address of their dictionary.
    fonts: HashMap<usize, Rc<PdfFont>>,
    /// End position of the last text on the page.
    end: Option<(f64, f64)>,
    operators_left: usize,
}

impl ContentReader<'_> {
    fn run_content(&mut self, bytes: &[u8], resources: Option<&PdfDict>, mut state: TextState, forms: usize) {
        let mut lexer = PdfLexer::new(bytes, 0);
        let mut operands: Vec<PdfObject> = Vec::new();
        let mut saved: Vec<TextState> = Vec::new();
        while let Some(value) = lexer.next_value() {
            let PdfObject::Word(operator) = value else {
                if operands.len() < MAX_OPERANDS {
                    operands.push(value);
                }
                continue;
            };
            if self.operators_left == 0 || self.out.len() > MAX_TEXT {
                return;
            }
            self.operators_left -= 1;
            match operator.as_slice() {
                b"q" if saved.len() < MAX_STATES => saved.push(state.clone()),
                b"Q" => state = saved.pop().unwrap_or(state),
                b"BI" => skip_image(&mut lexer),
                b"Do" if forms < MAX_FORMS => self.run_form(&operands, resources, &state, forms),
                b"Tf" => self.set_font(&operands, resources, &mut state),
                operator => self.run_operator(operator, &operands, &mut state),
            }
            operands.clear();
        }
    }

    fn run_operator(&mut self, operator: &[u8], operands: &[PdfObject], state: &mut TextState) {
        let numbers: Vec<f64> = operands.iter().take(6).filter_map(PdfObject::number).collect();
        let number = |index: usize| numbers.get(index).copied().unwrap_or(0.0);
        match operator {
            b"cm" => state.page = PdfMatrix::from_values(&numbers).unwrap_or(PdfMatrix::ONE).then(state.page),
            b"BT" => (state.text, state.line) = (PdfMatrix::ONE, PdfMatrix::ONE),
            b"Tm" => next_line(state, PdfMatrix::from_values(&numbers).unwrap_or(PdfMatrix::ONE)),
            b"Td" => next_line(state, state.line.translated(number(0), number(1))),
            b"TD" => {
                state.leading = -number(1);
                next_line(state, state.line.translated(number(0), number(1)));
            }
            b"T*" => next_line(state, state.line.translated(0.0, -state.leading)),
            b"TL" => state.leading = number(0),
            b"Tc" => state.char_space = number(0),
            b"Tw" => state.word_space = number(0),
            b"Tj" => self.show_last(operands, state),
            b"'" => {
                next_line(state, state.line.translated(0.0, -state.leading));
                self.show_last(operands, state);
            }
            b"\"" => {
                (state.word_space, state.char_space) = (number(0), number(1));
                next_line(state, state.line.translated(0.0, -state.leading));
                self.show_last(operands, state);
            }
            b"TJ" => {
                for item in operands.last().and_then(PdfObject::list).unwrap_or_default() {
                    match item {
                        PdfObject::Text(text) => self.show_text(text, state),
                        PdfObject::Number(back) => state.text = state.text.translated(-back / 1000.0 * state.size, 0.0),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }

    fn show_last(&mut self, operands: &[PdfObject], state: &mut TextState) {
        if let Some(PdfObject::Text(text)) = operands.last() {
            self.show_text(text, state);
        }
    }

    fn show_text(&mut self, bytes: &[u8], state: &mut TextState) {
        let Some(font) = state.font.clone() else { return };
        let decoded = font.decode(bytes);
        let text: String = decoded.iter().map(|(text, _)| text.as_str()).collect();
        let [a, b, .., x, y] = state.text.then(state.page).0;
        let size = (state.size * a.hypot(b)).abs().max(0.1);
        self.insert_separator(x, y, size, &text);
        self.out.extend(text.chars().filter(|c| *c != '\0'));
        let mut advance = 0.0;
        for (text, width) in &decoded {
            advance += width / 1000.0 * state.size + state.char_space;
            advance += if text == " " { state.word_space } else { 0.0 };
        }
        state.text = state.text.translated(advance, 0.0);
        let [.., x, y] = state.text.then(state.page).0;
        self.end = Some((x, y));
    }

    /// Inserts a space or a line break if the next text is apart from the last.
    fn insert_separator(&mut self, x: f64, y: f64, size: f64, text: &str) {
        let Some((end_x, end_y)) = self.end else { return };
        let (right, down) = (x - end_x, end_y - y);
        if down.abs() > size * 0.5 {
            self.out.push('\n');
            if down > size * 2.0 {
                self.out.push('\n');
            }
        } else if (right > size * 0.17 || right < -size * 2.0)
            && !self.out.ends_with([' ', '\n'])
            && !text.starts_with(' ')
        {
            self.out.push(' ');
        }
    }

    fn set_font(&mut self, operands: &[PdfObject], resources: Option<&PdfDict>, state: &mut TextState) {
        let [.., PdfObject::Name(name), PdfObject::Number(size)] = operands else { return };
        state.size = *size;
        let document = self.document;
        let fonts = resources.and_then(|resources| document.entry(resources, "Font").dict());
        let Some(dict) = fonts.and_then(|fonts| document.entry(fonts, name).dict()) else { return };
        let key = std::ptr::from_ref(dict) as usize;
        let font = self.fonts.entry(key).or_insert_with(|| Rc::new(PdfFont::load(document, dict)));
        state.font = Some(font.clone());
    }

    /// Runs a form, which is a page inside the page.
    fn run_form(&mut self, operands: &[PdfObject], resources: Option<&PdfDict>, state: &TextState, forms: usize) {
        let document = self.document;
        let Some(PdfObject::Name(name)) = operands.last() else { return };
        let named = resources.and_then(|resources| document.entry(resources, "XObject").dict());
        let Some(form @ PdfObject::Stream(dict, _)) = named.map(|named| document.entry(named, name)) else { return };
        if document.entry(dict, "Subtype").name() != Some("Form") {
            return;
        }
        let matrix: Vec<f64> =
            document.entry(dict, "Matrix").list().unwrap_or_default().iter().filter_map(PdfObject::number).collect();
        let mut inner = state.clone();
        inner.page = PdfMatrix::from_values(&matrix).unwrap_or(PdfMatrix::ONE).then(state.page);
        let own = document.entry(dict, "Resources").dict();
        self.run_content(&document.unpack(form), own.or(resources), inner, forms + 1);
    }
}

fn next_line(state: &mut TextState, line: PdfMatrix) {
    (state.line, state.text) = (line, line);
}

/// Skips an inline image: its bytes are not operators.
fn skip_image(lexer: &mut PdfLexer<'_>) {
    let rest = lexer.bytes.get(lexer.at..).unwrap_or_default();
    let end = memchr::memmem::find_iter(rest, b"EI").find(|at| {
        let space =
            |index: Option<usize>| index.is_none_or(|i| rest.get(i).is_none_or(|byte| super::object::is_space(*byte)));
        space(at.checked_sub(1)) && space(Some(at + 2))
    });
    lexer.at = end.map_or(lexer.bytes.len(), |at| lexer.at + at + 2);
}
