//! A notebook's text with the places of its cells. A change touches the bytes of its cell and no others, so
//! that numbers, order and spacing elsewhere stay as they were.

use super::CellType;
use crate::read::notebook::cell_id;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::ops::Range;

#[derive(Debug)]
pub(super) struct Notebook<'a> {
    text: &'a str,
    /// The brackets of the list included.
    list: Range<usize>,
    cells: Vec<Range<usize>>,
    ids: Vec<String>,
    /// Format 4.5 and later: each cell has an id.
    has_ids: bool,
    indent: String,
}

#[derive(Deserialize)]
struct Top<'a> {
    #[serde(borrow)]
    cells: &'a RawValue,
    nbformat: Option<u64>,
    nbformat_minor: Option<u64>,
}

impl<'a> Notebook<'a> {
    pub fn parse(bytes: &'a [u8]) -> Result<Self, String> {
        let not_one = |error: &dyn std::fmt::Display| format!("The file is no notebook: {error}.");
        let text = std::str::from_utf8(bytes).map_err(|error| not_one(&error))?;
        let top: Top<'a> = serde_json::from_str(text).map_err(|error| not_one(&error))?;
        let raw: Vec<&'a RawValue> = serde_json::from_str(top.cells.get()).map_err(|error| not_one(&error))?;
        // A raw value borrows from the text, so its address tells its place.
        let place = |raw: &RawValue| {
            let start = raw.get().as_ptr() as usize - text.as_ptr() as usize;
            start..start + raw.get().len()
        };
        let mut ids = Vec::with_capacity(raw.len());
        for (index, cell) in raw.iter().enumerate() {
            let cell: Value = serde_json::from_str(cell.get()).map_err(|error| not_one(&error))?;
            ids.push(cell_id(&cell, index as u64 + 1));
        }
        let version = (top.nbformat.unwrap_or(4), top.nbformat_minor.unwrap_or(0));
        Ok(Self {
            text,
            list: place(top.cells),
            cells: raw.iter().map(|cell| place(cell)).collect(),
            ids,
            has_ids: version >= (4, 5),
            indent: indent_of(text),
        })
    }

    pub fn find(&self, id: &str) -> Result<usize, String> {
        let found = self.ids.iter().position(|known| known == id);
        found.ok_or_else(|| format!("`cell_id`: expected a cell of the notebook, got {id:?}. {}", self.ids()))
    }

    pub fn ids(&self) -> String {
        match self.ids.len() {
            0 => "It has no cells.".into(),
            count => {
                let more = if count > 30 { ", …" } else { "" };
                format!("Its cells: {}{more}.", self.ids[..count.min(30)].join(", "))
            }
        }
    }

    pub fn replace(&self, place: usize, source: &str, kind: Option<CellType>) -> Result<Vec<u8>, String> {
        let range = self.cells[place].clone();
        let parsed: Value =
            serde_json::from_str(&self.text[range.clone()]).map_err(|error| format!("Cell {}: {error}", place + 1))?;
        let Value::Object(mut cell) = parsed else {
            return Err(format!("Cell {} is no object.", place + 1));
        };
        let as_text = matches!(cell.get("source"), Some(Value::String(_)));
        if let Some(kind) = kind {
            cell.insert("cell_type".into(), name(kind).into());
        }
        cell.insert("source".into(), if as_text { source.into() } else { lines(source) });
        if cell.get("cell_type").and_then(Value::as_str) == Some("code") {
            // What it printed belongs to the old source.
            cell.insert("outputs".into(), json!([]));
            cell.insert("execution_count".into(), Value::Null);
        } else {
            cell.shift_remove("outputs");
            cell.shift_remove("execution_count");
        }
        Ok(self.spliced(range, &self.written(&cell)?))
    }

    /// Inserts before the cell at `at` (or at the end) and says the new id.
    pub fn insert(&self, at: usize, source: &str, kind: CellType) -> Result<(Vec<u8>, String), String> {
        let id = if self.has_ids { self.fresh_id(source) } else { format!("cell-{}", at + 1) };
        let written = self.written(&self.new_cell(source, kind, &id))?;
        let break_ = if self.indent.is_empty() { String::new() } else { format!("\n{}", self.indent.repeat(2)) };
        let (range, text) = match (self.cells.get(at), self.cells.last()) {
            (Some(next), _) => (next.start..next.start, format!("{written},{break_}")),
            (None, Some(last)) => (last.end..last.end, format!(",{break_}{written}")),
            (None, None) => {
                let close = if self.indent.is_empty() { String::new() } else { format!("\n{}", self.indent) };
                (self.list.clone(), format!("[{break_}{written}{close}]"))
            }
        };
        Ok((self.spliced(range, &text), id))
    }

    pub fn delete(&self, place: usize) -> Vec<u8> {
        let range = match (self.cells.get(place + 1), place.checked_sub(1)) {
            // With the comma and the space up to the next one,
            (Some(next), _) => self.cells[place].start..next.start,
            // or from the one before,
            (None, Some(before)) => self.cells[before].end..self.cells[place].end,
            // or, being the only one, with all that is between the brackets.
            (None, None) => self.list.start + 1..self.list.end - 1,
        };
        self.spliced(range, "")
    }

    fn new_cell(&self, source: &str, kind: CellType, id: &str) -> Map<String, Value> {
        // In the order in which Jupyter writes them.
        let mut cell = Map::new();
        cell.insert("cell_type".into(), name(kind).into());
        if kind == CellType::Code {
            cell.insert("execution_count".into(), Value::Null);
        }
        if self.has_ids {
            cell.insert("id".into(), id.into());
        }
        cell.insert("metadata".into(), json!({}));
        if kind == CellType::Code {
            cell.insert("outputs".into(), json!([]));
        }
        cell.insert("source".into(), lines(source));
        cell
    }

    /// Eight hex digits as Jupyter has them, made from what is there, so that the same edit gives the same file.
    fn fresh_id(&self, source: &str) -> String {
        let mut count = self.cells.len() as u64;
        loop {
            let hash = Sha256::new().chain_update(source).chain_update(count.to_le_bytes()).finalize();
            let id = format!("{:02x}{:02x}{:02x}{:02x}", hash[0], hash[1], hash[2], hash[3]);
            if !self.ids.contains(&id) {
                return id;
            }
            count += 1;
        }
    }

    fn written(&self, cell: &Map<String, Value>) -> Result<String, String> {
        if self.indent.is_empty() {
            return serde_json::to_string(cell).map_err(|error| error.to_string());
        }
        let mut out = Vec::new();
        let format = serde_json::ser::PrettyFormatter::with_indent(self.indent.as_bytes());
        let mut serializer = serde_json::Serializer::with_formatter(&mut out, format);
        cell.serialize(&mut serializer).map_err(|error| error.to_string())?;
        // No string in JSON holds a raw newline: every one here begins a line of the layout.
        let text = String::from_utf8_lossy(&out);
        Ok(text.replace('\n', &format!("\n{}", self.indent.repeat(2))))
    }

    fn spliced(&self, range: Range<usize>, new: &str) -> Vec<u8> {
        [&self.text[..range.start], new, &self.text[range.end..]].concat().into_bytes()
    }
}

fn name(kind: CellType) -> &'static str {
    match kind {
        CellType::Code => "code",
        CellType::Markdown => "markdown",
        CellType::Raw => "raw",
    }
}

/// A source as a list of lines, each with its newline: Jupyter's form.
fn lines(source: &str) -> Value {
    source.split_inclusive('\n').map(Value::from).collect()
}

/// The space before the first key; empty for a notebook in one line.
fn indent_of(text: &str) -> String {
    let after = text.split_once('\n').map_or("", |(_, rest)| rest);
    after.chars().take_while(|c| matches!(c, ' ' | '\t')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTEBOOK: &str = r##"{
 "cells": [
  {
   "cell_type": "markdown",
   "id": "aa",
   "metadata": {},
   "source": [
    "# T"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 3,
   "id": "bb",
   "metadata": {"big": 12345678901234567890123, "f": 1E5},
   "outputs": [{"output_type": "stream", "text": ["x"]}],
   "source": ["print(1)"]
  }
 ],
 "metadata": { "odd":   1.50 },
 "nbformat": 4,
 "nbformat_minor": 5
}
"##;

    fn text(bytes: Vec<u8>) -> String {
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn tl_5_replace_touches_its_cell_only() {
        let notebook = Notebook::parse(NOTEBOOK.as_bytes()).unwrap();
        let new = text(notebook.replace(0, "# A\nb", None).unwrap());
        assert_eq!(new, NOTEBOOK.replace("    \"# T\"\n", "    \"# A\\n\",\n    \"b\"\n"));
        let new = text(notebook.replace(1, "2", None).unwrap());
        let cell: Value = serde_json::from_str(&new).unwrap();
        assert_eq!(cell["cells"][1]["outputs"], json!([]));
        assert_eq!(cell["cells"][1]["execution_count"], Value::Null);
        assert_eq!(cell["cells"][1]["source"], json!(["2"]));
        assert!(new.contains("\"odd\":   1.50") && new.ends_with("5\n}\n"));
        let new = text(notebook.replace(1, "t", Some(CellType::Markdown)).unwrap());
        let cell: Value = serde_json::from_str(&new).unwrap();
        assert!(cell["cells"][1].get("outputs").is_none() && cell["cells"][1]["cell_type"] == "markdown");
    }

    #[test]
    fn tl_5_insert_and_delete_undo_each_other() {
        let notebook = Notebook::parse(NOTEBOOK.as_bytes()).unwrap();
        for at in 0..=2 {
            let (new, id) = notebook.insert(at, "a\nb", CellType::Code).unwrap();
            let new = text(new);
            let parsed: Value = serde_json::from_str(&new).unwrap();
            assert_eq!(
                (&parsed["cells"][at]["source"], &parsed["cells"][at]["id"]),
                (&json!(["a\n", "b"]), &json!(id))
            );
            let again = Notebook::parse(new.as_bytes()).unwrap();
            assert_eq!(again.find(&id), Ok(at));
            assert_eq!(text(again.delete(at)), NOTEBOOK);
        }
    }

    #[test]
    fn tl_5_empty_and_minified_notebooks() {
        let empty = "{\n \"cells\": [],\n \"nbformat\": 4,\n \"nbformat_minor\": 2\n}";
        let notebook = Notebook::parse(empty.as_bytes()).unwrap();
        let (new, id) = notebook.insert(0, "", CellType::Markdown).unwrap();
        let expected =
            "{\n \"cells\": [\n  {\n   \"cell_type\": \"markdown\",\n   \"metadata\": {},\n   \"source\": []\n  }\n ],";
        assert!(text(new.clone()).starts_with(expected), "{}", text(new));
        assert_eq!(id, "cell-1");
        let one = Notebook::parse(&new).unwrap();
        assert!(text(one.delete(0)).contains("\"cells\": []"));
        let minified = r#"{"cells":[{"cell_type":"code","source":"x"}],"nbformat":4}"#;
        let notebook = Notebook::parse(minified.as_bytes()).unwrap();
        let new = text(notebook.replace(0, "y", None).unwrap());
        assert!(new.contains(r#""source":"y""#) && !new.contains('\n'));
    }

    #[test]
    fn tl_5_says_what_is_wrong() {
        let notebook = Notebook::parse(NOTEBOOK.as_bytes()).unwrap();
        assert_eq!(
            notebook.find("zz"),
            Err("`cell_id`: expected a cell of the notebook, got \"zz\". Its cells: aa, bb.".into())
        );
        assert!(Notebook::parse(b"{}").unwrap_err().starts_with("The file is no notebook: missing field `cells`"));
        assert!(Notebook::parse(b"{\"cells\": 3}").unwrap_err().starts_with("The file is no notebook"));
        assert!(Notebook::parse(b"\xff").unwrap_err().starts_with("The file is no notebook"));
    }
}
