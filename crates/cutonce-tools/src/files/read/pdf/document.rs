//! The objects of a PDF and its pages. Objects are found by scanning the file, not by its cross-reference table:
//! damaged files have a wrong one, and of two objects with one number the later wins anyway.

use super::object::{PdfDict, PdfLexer, PdfObject, is_space};
use flate2::read::ZlibDecoder;
use memchr::memmem;
use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::io::Read;

const MAX_OBJECTS: usize = 500_000;
const MAX_PAGES: usize = 20_000;
/// Maximum size of one unpacked stream.
const MAX_STREAM: usize = 16 << 20;
/// Maximum size of all streams that one call unpacks.
const MAX_UNPACKED: usize = 128 << 20;
/// Maximum chain of references to references.
const MAX_HOPS: usize = 16;

pub(super) struct PdfDocument<'a> {
    bytes: &'a [u8],
    objects: HashMap<u32, PdfObject>,
    root: Option<PdfObject>,
    unpacked: Cell<usize>,
}

/// A page, with its own or inherited resources.
#[derive(Debug)]
pub(super) struct PdfPage {
    pub contents: PdfObject,
    pub resources: PdfObject,
}

impl<'a> PdfDocument<'a> {
    pub fn load(bytes: &'a [u8]) -> Result<Self, String> {
        let mut document = Self { bytes, objects: HashMap::new(), root: None, unpacked: Cell::new(0) };
        let mut encrypted = false;
        let mut at = 0;
        let finder = memmem::Finder::new(b"obj");
        while let Some(found) = bytes.get(at..).and_then(|rest| finder.find(rest)) {
            let keyword = at + found;
            at = keyword + 3;
            let Some(number) = number_before(bytes, keyword) else { continue };
            if document.objects.len() >= MAX_OBJECTS {
                return Err("a PDF with too many objects to read".into());
            }
            let (object, end) = document.parse_object(at);
            at = end.max(at);
            encrypted |= object.dict().is_some_and(|dict| is_type(dict, "XRef") && dict.contains_key("Encrypt"));
            document.note_root(&object);
            document.store_object(number, object);
        }
        for start in memmem::find_iter(bytes, b"trailer") {
            if let Some(PdfObject::Dict(trailer)) = PdfLexer::new(bytes, start + 7).next_value() {
                encrypted |= trailer.contains_key("Encrypt");
                document.root = trailer.get("Root").cloned().or(document.root);
            }
        }
        if encrypted {
            return Err("an encrypted PDF; its text can't be read".into());
        }
        Ok(document)
    }

    /// Parses the value after `obj` and returns its end; a stream includes all of its bytes.
    fn parse_object(&self, at: usize) -> (PdfObject, usize) {
        let mut lexer = PdfLexer::new(self.bytes, at);
        let Some(value) = lexer.next_value() else { return (PdfObject::Null, self.bytes.len()) };
        let PdfObject::Dict(dict) = value else { return (value, lexer.at) };
        let after = lexer.at;
        if !lexer.next_value().is_some_and(|word| word.is_word(b"stream")) {
            return (PdfObject::Dict(dict), after);
        }
        let mut start = lexer.at;
        start += usize::from(self.bytes.get(start) == Some(&b'\r'));
        start += usize::from(self.bytes.get(start) == Some(&b'\n'));
        let end = self.stream_end(&dict, start);
        (PdfObject::Stream(dict, start..end), end)
    }

    /// Finds a stream's end by its stated length if correct, else at the next `endstream`.
    fn stream_end(&self, dict: &PdfDict, start: usize) -> usize {
        let told = dict.get("Length").and_then(PdfObject::number).map(|length| start.saturating_add(length as usize));
        if let Some(end) = told.filter(|end| *end <= self.bytes.len()) {
            let mut lexer = PdfLexer::new(self.bytes, end);
            lexer.skip_space();
            if self.bytes.get(lexer.at..).is_some_and(|rest| rest.starts_with(b"endstream")) {
                return end;
            }
        }
        let rest = self.bytes.get(start..).unwrap_or_default();
        start + memmem::find(rest, b"endstream").unwrap_or(rest.len())
    }

    fn note_root(&mut self, object: &PdfObject) {
        let Some(dict) = object.dict() else { return };
        if is_type(dict, "XRef") {
            self.root = dict.get("Root").cloned().or(self.root.take());
        } else if is_type(dict, "Catalog") && self.root.is_none() {
            self.root = Some(object.clone());
        }
    }

    /// Stores an object; an object stream is unpacked into its objects.
    fn store_object(&mut self, number: u32, object: PdfObject) {
        if let PdfObject::Stream(dict, _) = &object
            && is_type(dict, "ObjStm")
        {
            let count = dict.get("N").and_then(PdfObject::number).unwrap_or(0.0) as usize;
            let first = dict.get("First").and_then(PdfObject::number).unwrap_or(0.0) as usize;
            let bytes = self.unpack(&object);
            let mut header = PdfLexer::new(&bytes, 0);
            for _ in 0..count.min(MAX_OBJECTS - self.objects.len().min(MAX_OBJECTS)) {
                let (Some(PdfObject::Number(number)), Some(PdfObject::Number(offset))) =
                    (header.next_value(), header.next_value())
                else {
                    break;
                };
                if let Some(inner) = PdfLexer::new(&bytes, first.saturating_add(offset as usize)).next_value() {
                    self.note_root(&inner);
                    self.objects.insert(number as u32, inner);
                }
            }
        }
        self.objects.insert(number, object);
    }

    /// Follows references to the value.
    pub fn resolve<'b>(&'b self, object: &'b PdfObject) -> &'b PdfObject {
        let mut object = object;
        for _ in 0..MAX_HOPS {
            match object {
                PdfObject::Ref(number) => object = self.objects.get(number).unwrap_or(&PdfObject::Null),
                other => return other,
            }
        }
        &PdfObject::Null
    }

    pub fn entry<'b>(&'b self, dict: &'b PdfDict, key: &str) -> &'b PdfObject {
        dict.get(key).map_or(&PdfObject::Null, |object| self.resolve(object))
    }

    pub fn pages(&self) -> Vec<PdfPage> {
        let mut pages = Vec::new();
        let catalog = self.root.as_ref().map(|root| self.resolve(root)).and_then(PdfObject::dict);
        if let Some(tree) = catalog.and_then(|catalog| catalog.get("Pages")) {
            self.walk_tree(tree, &mut pages);
        }
        if pages.is_empty() {
            self.loose_pages(&mut pages);
        }
        pages
    }

    fn walk_tree(&self, tree: &PdfObject, pages: &mut Vec<PdfPage>) {
        let mut seen = HashSet::new();
        let mut ahead = vec![(tree, &PdfObject::Null)];
        while let Some((node, inherited)) = ahead.pop() {
            if matches!(node, PdfObject::Ref(number) if !seen.insert(*number)) || pages.len() >= MAX_PAGES {
                continue;
            }
            let Some(dict) = self.resolve(node).dict() else { continue };
            let resources = dict.get("Resources").unwrap_or(inherited);
            match self.entry(dict, "Kids").list() {
                // A nested list is not a reference and could contain itself; its size bounds it.
                Some(kids) if ahead.len() < MAX_PAGES => ahead.extend(kids.iter().rev().map(|kid| (kid, resources))),
                Some(_) => {}
                None => pages.push(make_page(dict, resources)),
            }
        }
    }

    /// Collects every page object by number, if there is no usable tree.
    fn loose_pages(&self, pages: &mut Vec<PdfPage>) {
        let mut found: Vec<(&u32, &PdfDict)> =
            self.objects.iter().filter_map(|(n, object)| Some((n, object.dict()?))).collect();
        found.retain(|(_, dict)| is_type(dict, "Page"));
        found.sort_by_key(|(number, _)| **number);
        pages.extend(
            found
                .iter()
                .take(MAX_PAGES)
                .map(|(_, dict)| make_page(dict, dict.get("Resources").unwrap_or(&PdfObject::Null))),
        );
    }

    /// Returns a stream's bytes, unpacked as far as possible.
    pub fn unpack(&self, object: &PdfObject) -> Vec<u8> {
        let PdfObject::Stream(dict, range) = object else { return Vec::new() };
        let mut bytes = self.bytes.get(range.clone()).unwrap_or_default().to_vec();
        let filter = self.entry(dict, "Filter");
        let filters = match filter {
            PdfObject::List(list) => list.iter().map(|filter| self.resolve(filter)).collect(),
            PdfObject::Null => Vec::new(),
            one => vec![one],
        };
        for filter in filters.iter().take(4) {
            bytes = match filter.name() {
                Some("FlateDecode" | "Fl") => self.inflate(&bytes),
                Some("ASCIIHexDecode" | "AHx") => ascii_hex(&bytes),
                Some("ASCII85Decode" | "A85") => ascii_85(&bytes),
                _ => Vec::new(),
            };
        }
        let parameters = self.entry(dict, "DecodeParms");
        let parameters = parameters.list().and_then(|list| list.last()).map_or(parameters, |last| self.resolve(last));
        match parameters.dict() {
            Some(parameters) if filters.len() == 1 => unpredict(bytes, parameters),
            _ => bytes,
        }
    }

    /// Keeps the output before an error: the end of a stream is often cut.
    fn inflate(&self, bytes: &[u8]) -> Vec<u8> {
        let room = MAX_UNPACKED.saturating_sub(self.unpacked.get()).min(MAX_STREAM);
        let mut out = Vec::new();
        let _ = ZlibDecoder::new(bytes).take(room as u64).read_to_end(&mut out);
        self.unpacked.set(self.unpacked.get() + out.len());
        out
    }
}

fn make_page(dict: &PdfDict, resources: &PdfObject) -> PdfPage {
    PdfPage { contents: dict.get("Contents").cloned().unwrap_or(PdfObject::Null), resources: resources.clone() }
}

pub(super) fn is_type(dict: &PdfDict, name: &str) -> bool {
    dict.get("Type").and_then(PdfObject::name) == Some(name)
}

/// Parses the `12` of `12 0 obj`.
fn number_before(bytes: &[u8], keyword: usize) -> Option<u32> {
    let start = keyword.saturating_sub(20);
    let before = bytes.get(start..keyword)?;
    let mut parts = before.rsplit(|byte| is_space(*byte)).filter(|part| !part.is_empty());
    let generation = std::str::from_utf8(parts.next()?).ok()?;
    generation.parse::<u32>().ok()?;
    // `endobj12 0 obj` without a space: the digits at the end are the number.
    let number = parts.next()?;
    let digits = number.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    std::str::from_utf8(number.get(number.len() - digits..)?).ok()?.parse().ok()
}

fn ascii_hex(bytes: &[u8]) -> Vec<u8> {
    let wrapped = [b"<", bytes].concat();
    match PdfLexer::new(&wrapped, 0).next_value() {
        Some(PdfObject::Text(text)) => text,
        _ => Vec::new(),
    }
}

fn ascii_85(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut group: Vec<u32> = Vec::with_capacity(5);
    let mut flush = |group: &mut Vec<u32>| {
        let have = group.len();
        if have < 2 {
            return;
        }
        group.resize(5, 84);
        let value = group.iter().fold(0u32, |value, digit| value.wrapping_mul(85).wrapping_add(*digit));
        out.extend_from_slice(value.to_be_bytes().get(..have - 1).unwrap_or_default());
        group.clear();
    };
    for byte in bytes {
        match byte {
            b'~' => break,
            b'z' if group.is_empty() => {
                group.extend([0; 5]);
                flush(&mut group);
            }
            b'!'..=b'u' => {
                group.push(u32::from(byte - b'!'));
                if group.len() == 5 {
                    flush(&mut group);
                }
            }
            _ => {}
        }
    }
    flush(&mut group);
    out
}

/// Reverses PNG row filters, which some writers use for lists of objects.
fn unpredict(bytes: Vec<u8>, parameters: &PdfDict) -> Vec<u8> {
    let number = |key: &str, default: f64| parameters.get(key).and_then(PdfObject::number).unwrap_or(default) as usize;
    if number("Predictor", 1.0) < 10 {
        return bytes;
    }
    let pixel = (number("Colors", 1.0).saturating_mul(number("BitsPerComponent", 8.0)) / 8).clamp(1, 64);
    let row = pixel.saturating_mul(number("Columns", 1.0)).clamp(1, 1 << 20);
    let mut before = vec![0u8; row];
    let mut out = Vec::with_capacity(bytes.len());
    for chunk in bytes.chunks(row + 1) {
        let Some((filter, data)) = chunk.split_first() else { break };
        let mut now = vec![0u8; row];
        for (index, byte) in data.iter().enumerate() {
            let at = |line: &[u8], back: usize| index.checked_sub(back).and_then(|i| line.get(i)).copied().unwrap_or(0);
            let (left, up, corner) = (at(&now, pixel), at(&before, 0), at(&before, pixel));
            let add = match filter {
                1 => left,
                2 => up,
                3 => ((u16::from(left) + u16::from(up)) / 2) as u8,
                4 => paeth(left, up, corner),
                _ => 0,
            };
            if let Some(slot) = now.get_mut(index) {
                *slot = byte.wrapping_add(add);
            }
        }
        out.extend_from_slice(now.get(..data.len()).unwrap_or_default());
        before = now;
    }
    out
}

fn paeth(left: u8, up: u8, corner: u8) -> u8 {
    let (a, b, c) = (i16::from(left), i16::from(up), i16::from(corner));
    let guess = a + b - c;
    let distance = |value: i16| (guess - value).abs();
    if distance(a) <= distance(b) && distance(a) <= distance(c) {
        left
    } else if distance(b) <= distance(c) {
        up
    } else {
        corner
    }
}
