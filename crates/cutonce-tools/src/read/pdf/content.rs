//! A page's text in reading order as its operators give it: words and lines are told apart by where they stand.

use super::document::{Document, Page};
use super::font::Font;
use super::object::{Dict, Lexer, Object};
use std::collections::HashMap;
use std::rc::Rc;

/// Of one page, forms included.
const MAX_OPERATORS: usize = 2_000_000;
const MAX_TEXT: usize = 400_000;
const MAX_FORMS: usize = 6;
const MAX_STATES: usize = 200;
const MAX_OPERANDS: usize = 10_000;

/// The text of a page; what can't be read of it is left out.
pub(super) fn page_text(document: &Document<'_>, page: &Page) -> String {
    let mut bytes = Vec::new();
    let contents = document.get(&page.contents);
    let streams = contents.list().unwrap_or(std::slice::from_ref(contents));
    for stream in streams.iter().take(1_000) {
        bytes.extend_from_slice(&document.unpack(document.get(stream)));
        bytes.push(b'\n');
    }
    let mut reader = Reader { document, out: String::new(), fonts: HashMap::new(), end: None, left: MAX_OPERATORS };
    reader.run(&bytes, document.get(&page.resources).dict(), State::default(), 0);
    reader.out
}

/// a b c d e f, as PDF has them.
#[derive(Debug, Clone, Copy)]
struct Matrix([f64; 6]);

impl Matrix {
    const ONE: Matrix = Matrix([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    fn of(values: &[f64]) -> Option<Matrix> {
        values.first_chunk::<6>().map(|values| Matrix(*values))
    }

    /// First `self`, then `outer`.
    fn then(self, outer: Matrix) -> Matrix {
        let ([a, b, c, d, e, f], [g, h, i, j, k, l]) = (self.0, outer.0);
        Matrix([a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + l])
    }

    fn moved(self, x: f64, y: f64) -> Matrix {
        Matrix([1.0, 0.0, 0.0, 1.0, x, y]).then(self)
    }
}

#[derive(Debug, Clone)]
struct State {
    page: Matrix,
    text: Matrix,
    line: Matrix,
    font: Option<Rc<Font>>,
    size: f64,
    leading: f64,
    char_space: f64,
    word_space: f64,
}

impl Default for State {
    fn default() -> Self {
        Self {
            page: Matrix::ONE,
            text: Matrix::ONE,
            line: Matrix::ONE,
            font: None,
            size: 12.0,
            leading: 0.0,
            char_space: 0.0,
            word_space: 0.0,
        }
    }
}

struct Reader<'a> {
    document: &'a Document<'a>,
    out: String,
    /// By the address of the font's dictionary.
    fonts: HashMap<usize, Rc<Font>>,
    /// Where the last text ended on the page.
    end: Option<(f64, f64)>,
    left: usize,
}

impl Reader<'_> {
    fn run(&mut self, bytes: &[u8], resources: Option<&Dict>, mut state: State, forms: usize) {
        let mut lexer = Lexer::new(bytes, 0);
        let mut operands: Vec<Object> = Vec::new();
        let mut saved: Vec<State> = Vec::new();
        while let Some(value) = lexer.next() {
            let Object::Word(operator) = value else {
                if operands.len() < MAX_OPERANDS {
                    operands.push(value);
                }
                continue;
            };
            if self.left == 0 || self.out.len() > MAX_TEXT {
                return;
            }
            self.left -= 1;
            match operator.as_slice() {
                b"q" if saved.len() < MAX_STATES => saved.push(state.clone()),
                b"Q" => state = saved.pop().unwrap_or(state),
                b"BI" => skip_image(&mut lexer),
                b"Do" if forms < MAX_FORMS => self.form(&operands, resources, &state, forms),
                b"Tf" => self.set_font(&operands, resources, &mut state),
                operator => self.operator(operator, &operands, &mut state),
            }
            operands.clear();
        }
    }

    fn operator(&mut self, operator: &[u8], operands: &[Object], state: &mut State) {
        let numbers: Vec<f64> = operands.iter().take(6).filter_map(Object::number).collect();
        let number = |index: usize| numbers.get(index).copied().unwrap_or(0.0);
        match operator {
            b"cm" => state.page = Matrix::of(&numbers).unwrap_or(Matrix::ONE).then(state.page),
            b"BT" => (state.text, state.line) = (Matrix::ONE, Matrix::ONE),
            b"Tm" => next_line(state, Matrix::of(&numbers).unwrap_or(Matrix::ONE)),
            b"Td" => next_line(state, state.line.moved(number(0), number(1))),
            b"TD" => {
                state.leading = -number(1);
                next_line(state, state.line.moved(number(0), number(1)));
            }
            b"T*" => next_line(state, state.line.moved(0.0, -state.leading)),
            b"TL" => state.leading = number(0),
            b"Tc" => state.char_space = number(0),
            b"Tw" => state.word_space = number(0),
            b"Tj" => self.show_last(operands, state),
            b"'" => {
                next_line(state, state.line.moved(0.0, -state.leading));
                self.show_last(operands, state);
            }
            b"\"" => {
                (state.word_space, state.char_space) = (number(0), number(1));
                next_line(state, state.line.moved(0.0, -state.leading));
                self.show_last(operands, state);
            }
            b"TJ" => {
                for item in operands.last().and_then(Object::list).unwrap_or_default() {
                    match item {
                        Object::Text(text) => self.show(text, state),
                        Object::Number(back) => state.text = state.text.moved(-back / 1000.0 * state.size, 0.0),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }

    fn show_last(&mut self, operands: &[Object], state: &mut State) {
        if let Some(Object::Text(text)) = operands.last() {
            self.show(text, state);
        }
    }

    fn show(&mut self, bytes: &[u8], state: &mut State) {
        let Some(font) = state.font.clone() else { return };
        let decoded = font.decode(bytes);
        let text: String = decoded.iter().map(|(text, _)| text.as_str()).collect();
        let [a, b, .., x, y] = state.text.then(state.page).0;
        let size = (state.size * a.hypot(b)).abs().max(0.1);
        self.place(x, y, size, &text);
        self.out.extend(text.chars().filter(|c| *c != '\0'));
        let mut advance = 0.0;
        for (text, width) in &decoded {
            advance += width / 1000.0 * state.size + state.char_space;
            advance += if text == " " { state.word_space } else { 0.0 };
        }
        state.text = state.text.moved(advance, 0.0);
        let [.., x, y] = state.text.then(state.page).0;
        self.end = Some((x, y));
    }

    /// A space or a new line, where the next text stands apart from the last.
    fn place(&mut self, x: f64, y: f64, size: f64, text: &str) {
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

    fn set_font(&mut self, operands: &[Object], resources: Option<&Dict>, state: &mut State) {
        let [.., Object::Name(name), Object::Number(size)] = operands else { return };
        state.size = *size;
        let document = self.document;
        let fonts = resources.and_then(|resources| document.entry(resources, "Font").dict());
        let Some(dict) = fonts.and_then(|fonts| document.entry(fonts, name).dict()) else { return };
        let key = std::ptr::from_ref(dict) as usize;
        let font = self.fonts.entry(key).or_insert_with(|| Rc::new(Font::load(document, dict)));
        state.font = Some(font.clone());
    }

    /// A form is a page in the page.
    fn form(&mut self, operands: &[Object], resources: Option<&Dict>, state: &State, forms: usize) {
        let document = self.document;
        let Some(Object::Name(name)) = operands.last() else { return };
        let named = resources.and_then(|resources| document.entry(resources, "XObject").dict());
        let Some(form @ Object::Stream(dict, _)) = named.map(|named| document.entry(named, name)) else { return };
        if document.entry(dict, "Subtype").name() != Some("Form") {
            return;
        }
        let matrix: Vec<f64> =
            document.entry(dict, "Matrix").list().unwrap_or_default().iter().filter_map(Object::number).collect();
        let mut inner = state.clone();
        inner.page = Matrix::of(&matrix).unwrap_or(Matrix::ONE).then(state.page);
        let own = document.entry(dict, "Resources").dict();
        self.run(&document.unpack(form), own.or(resources), inner, forms + 1);
    }
}

fn next_line(state: &mut State, line: Matrix) {
    (state.line, state.text) = (line, line);
}

/// An image in the page: its bytes are no operators.
fn skip_image(lexer: &mut Lexer<'_>) {
    let rest = lexer.bytes.get(lexer.at..).unwrap_or_default();
    let end = memchr::memmem::find_iter(rest, b"EI").find(|at| {
        let space =
            |index: Option<usize>| index.is_none_or(|i| rest.get(i).is_none_or(|byte| super::object::is_space(*byte)));
        space(at.checked_sub(1)) && space(Some(at + 2))
    });
    lexer.at = end.map_or(lexer.bytes.len(), |at| lexer.at + at + 2);
}
