//! Maps the codes of a text operator to characters and widths.

use super::document::PdfDocument;
use super::object::{PdfDict, PdfLexer, PdfObject, hex_pair};
use std::collections::HashMap;

/// Maximum entries of a font's own table.
const MAX_CODES: usize = 70_000;

/// Glyph names of 0x20..=0x7e and 0xa1..=0xff, in order.
const ASCII: &str = "space exclam quotedbl numbersign dollar percent ampersand quotesingle parenleft parenright asterisk plus comma hyphen period slash zero one two three four five six seven eight nine colon semicolon less equal greater question at A B C D E F G H I J K L M N O P Q R S T U V W X Y Z bracketleft backslash bracketright asciicircum underscore grave a b c d e f g h i j k l m n o p q r s t u v w x y z braceleft bar braceright asciitilde";
const LATIN: &str = "exclamdown cent sterling currency yen brokenbar section dieresis copyright ordfeminine guillemotleft logicalnot softhyphen registered macron degree plusminus twosuperior threesuperior acute mu paragraph periodcentered cedilla onesuperior ordmasculine guillemotright onequarter onehalf threequarters questiondown Agrave Aacute Acircumflex Atilde Adieresis Aring AE Ccedilla Egrave Eacute Ecircumflex Edieresis Igrave Iacute Icircumflex Idieresis Eth Ntilde Ograve Oacute Ocircumflex Otilde Odieresis multiply Oslash Ugrave Uacute Ucircumflex Udieresis Yacute Thorn germandbls agrave aacute acircumflex atilde adieresis aring ae ccedilla egrave eacute ecircumflex edieresis igrave iacute icircumflex idieresis eth ntilde ograve oacute ocircumflex otilde odieresis divide oslash ugrave uacute ucircumflex udieresis yacute thorn ydieresis";
/// Other glyph names that are common in text.
const NAMED: &[(&str, &str)] = &[
    ("quoteleft", "‘"),
    ("quoteright", "’"),
    ("quotedblleft", "“"),
    ("quotedblright", "”"),
    ("quotesinglbase", "‚"),
    ("quotedblbase", "„"),
    ("endash", "–"),
    ("emdash", "—"),
    ("minus", "−"),
    ("bullet", "•"),
    ("ellipsis", "…"),
    ("dagger", "†"),
    ("daggerdbl", "‡"),
    ("trademark", "™"),
    ("Euro", "€"),
    ("fi", "fi"),
    ("fl", "fl"),
    ("ff", "ff"),
    ("ffi", "ffi"),
    ("ffl", "ffl"),
    ("OE", "Œ"),
    ("oe", "œ"),
    ("Scaron", "Š"),
    ("scaron", "š"),
    ("Zcaron", "Ž"),
    ("zcaron", "ž"),
    ("dotlessi", "ı"),
    ("Lslash", "Ł"),
    ("lslash", "ł"),
    ("fraction", "⁄"),
    ("guilsinglleft", "‹"),
    ("guilsinglright", "›"),
    ("nbspace", " "),
    ("arrowright", "→"),
    ("lessequal", "≤"),
    ("greaterequal", "≥"),
    ("notequal", "≠"),
    ("alpha", "α"),
    ("beta", "β"),
    ("gamma", "γ"),
    ("delta", "δ"),
    ("lambda", "λ"),
    ("pi", "π"),
    ("sigma", "σ"),
];

#[derive(Debug, Default)]
pub(super) struct PdfFont {
    /// True if a code has two bytes.
    wide: bool,
    unicode: HashMap<u32, String>,
    /// True if the font does not define its codes; then they are read as Windows Latin.
    guess: bool,
    widths: HashMap<u32, f64>,
    default_width: f64,
}

impl PdfFont {
    pub fn load(document: &PdfDocument<'_>, dict: &PdfDict) -> PdfFont {
        let wide = document.entry(dict, "Subtype").name() == Some("Type0");
        let mut font = PdfFont { wide, guess: !wide, default_width: 500.0, ..PdfFont::default() };
        if wide {
            font.load_wide_widths(document, dict);
        } else {
            font.load_widths(document, dict);
            font.load_encoding(document, document.entry(dict, "Encoding"));
        }
        let map = document.entry(dict, "ToUnicode");
        if matches!(map, PdfObject::Stream(..)) {
            font.load_unicode(&document.unpack(map));
        }
        font
    }

    /// Returns each code's text and width (in thousandths of the size).
    pub fn decode(&self, bytes: &[u8]) -> Vec<(String, f64)> {
        let size = if self.wide { 2 } else { 1 };
        let code = |chunk: &[u8]| chunk.iter().fold(0u32, |code, byte| code << 8 | u32::from(*byte));
        bytes.chunks(size).map(code).map(|code| (self.code_text(code), self.width(code))).collect()
    }

    fn width(&self, code: u32) -> f64 {
        self.widths.get(&code).copied().unwrap_or(self.default_width)
    }

    fn code_text(&self, code: u32) -> String {
        match self.unicode.get(&code) {
            Some(text) => text.clone(),
            None if self.guess => encoding_rs::WINDOWS_1252.decode_without_bom_handling(&[code as u8]).0.into_owned(),
            None => String::new(),
        }
    }

    fn load_widths(&mut self, document: &PdfDocument<'_>, dict: &PdfDict) {
        let first = document.entry(dict, "FirstChar").number().unwrap_or(0.0) as u32;
        let widths = document.entry(dict, "Widths").list().unwrap_or_default();
        for (index, width) in widths.iter().take(256).enumerate() {
            if let Some(width) = document.resolve(width).number() {
                self.widths.insert(first.saturating_add(index as u32), width);
            }
        }
    }

    /// `[1 [500 600] 10 20 550]`
    fn load_wide_widths(&mut self, document: &PdfDocument<'_>, dict: &PdfDict) {
        let descendant = document.entry(dict, "DescendantFonts").list().and_then(<[_]>::first);
        let Some(descendant) = descendant.and_then(|font| document.resolve(font).dict()) else { return };
        self.default_width = document.entry(descendant, "DW").number().unwrap_or(1000.0);
        let mut list =
            document.entry(descendant, "W").list().unwrap_or_default().iter().map(|item| document.resolve(item));
        while let (Some(first), Some(next)) = (list.next().and_then(PdfObject::number), list.next()) {
            let first = first as u32;
            if self.widths.len() > MAX_CODES {
                return;
            }
            match next {
                PdfObject::List(widths) => {
                    let widths =
                        widths.iter().take(MAX_CODES).map(|width| document.resolve(width).number().unwrap_or(0.0));
                    self.widths.extend((first..).zip(widths));
                }
                last => {
                    let last = last.number().unwrap_or(0.0) as u32;
                    let width = list.next().and_then(PdfObject::number).unwrap_or(self.default_width);
                    self.widths.extend((first..=last).take(MAX_CODES).map(|code| (code, width)));
                }
            }
        }
    }

    fn load_encoding(&mut self, document: &PdfDocument<'_>, encoding: &PdfObject) {
        let base =
            encoding.name().or_else(|| encoding.dict().and_then(|dict| document.entry(dict, "BaseEncoding").name()));
        if base == Some("MacRomanEncoding") {
            for code in 0x80..=0xffu8 {
                let text = encoding_rs::MACINTOSH.decode_without_bom_handling(&[code]).0.into_owned();
                self.unicode.insert(u32::from(code), text);
            }
        }
        let Some(dict) = encoding.dict() else { return };
        let mut code = 0u32;
        for item in document.entry(dict, "Differences").list().unwrap_or_default().iter().take(MAX_CODES) {
            match document.resolve(item) {
                PdfObject::Number(number) => code = *number as u32,
                PdfObject::Name(name) => {
                    if let Some(text) = glyph_text(name) {
                        self.unicode.insert(code, text);
                    }
                    code = code.saturating_add(1);
                }
                _ => {}
            }
        }
    }

    /// Loads a ToUnicode map: `beginbfchar <01> <0041> …` and `beginbfrange <01> <05> <0041> …`.
    fn load_unicode(&mut self, bytes: &[u8]) {
        let mut lexer = PdfLexer::new(bytes, 0);
        let mut values: Vec<PdfObject> = Vec::new();
        while let Some(value) = lexer.next_value() {
            let PdfObject::Word(word) = &value else {
                values.push(value);
                continue;
            };
            match word.as_slice() {
                b"endcodespacerange" => {
                    if let Some(PdfObject::Text(low)) = values.first() {
                        self.wide = low.len() >= 2;
                    }
                }
                b"endbfchar" => values.chunks(2).for_each(|pair| self.add_char(pair)),
                b"endbfrange" => values.chunks(3).for_each(|triple| self.add_range(triple)),
                _ => {}
            }
            values.clear();
            if self.unicode.len() > MAX_CODES {
                return;
            }
        }
    }

    fn add_char(&mut self, pair: &[PdfObject]) {
        if let [PdfObject::Text(code), PdfObject::Text(text)] = pair {
            self.unicode.insert(code_number(code), decode_utf16(text));
        }
    }

    fn add_range(&mut self, triple: &[PdfObject]) {
        let [PdfObject::Text(low), PdfObject::Text(high), to] = triple else { return };
        let (low, high) = (code_number(low), code_number(high));
        let codes = (low..=high).take(MAX_CODES);
        match to {
            PdfObject::Text(first) => {
                let Some((last, before)) = first.split_last_chunk::<2>().map(|(before, last)| (*last, before)) else {
                    return;
                };
                for (index, code) in codes.enumerate() {
                    let unit = u16::from_be_bytes(last).wrapping_add(index as u16);
                    self.unicode.insert(code, decode_utf16(&[before, unit.to_be_bytes().as_slice()].concat()));
                }
            }
            PdfObject::List(texts) => {
                for (code, text) in codes.zip(texts) {
                    if let PdfObject::Text(text) = text {
                        self.unicode.insert(code, decode_utf16(text));
                    }
                }
            }
            _ => {}
        }
    }
}

fn code_number(code: &[u8]) -> u32 {
    code.iter().take(4).fold(0, |number, byte| number << 8 | u32::from(*byte))
}

fn decode_utf16(bytes: &[u8]) -> String {
    if let [byte] = bytes {
        return char::from(*byte).to_string();
    }
    let units: Vec<u16> = bytes.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect();
    String::from_utf16_lossy(&units)
}

/// Returns the text of a glyph name: `eacute`, `uni00E9`, `u1F600`, `a.alt`.
fn glyph_text(name: &str) -> Option<String> {
    let name = name.split_once('.').map_or(name, |(name, _)| name);
    if let Some((_, text)) = NAMED.iter().find(|(known, _)| *known == name) {
        return Some((*text).to_string());
    }
    let in_list = |list: &str, first: u32| {
        let at = list.split(' ').position(|known| known == name)?;
        char::from_u32(first + at as u32).map(String::from)
    };
    if let Some(text) = in_list(ASCII, 0x20).or_else(|| in_list(LATIN, 0xa1)) {
        return Some(text);
    }
    if let Some(hex) = name.strip_prefix("uni") {
        let bytes: Option<Vec<u8>> = hex.as_bytes().chunks(2).map(hex_pair).collect();
        return bytes.filter(|bytes| bytes.len() >= 2).map(|bytes| decode_utf16(&bytes));
    }
    let code = u32::from_str_radix(name.strip_prefix('u')?, 16).ok()?;
    char::from_u32(code).map(String::from)
}
