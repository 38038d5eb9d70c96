//! A notebook's text with the positions of its cells. A change touches only the bytes of its cell, so numbers, order
//! and spacing elsewhere stay unchanged.

use super::CellType;
use crate::files::read::notebook::cell_id;
use crate::tool::ToolError;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::ops::Range;

#[derive(Debug)]
pub(super) struct NotebookText<'a> {
    text: &'a str,
    /// Range of the list, including its brackets.
    list: Range<usize>,
    cells: Vec<Range<usize>>,
    ids: Vec<String>,
    /// True for format 4.5 and later: each cell has an id.
    has_ids: bool,
    indent: String,
}

#[derive(Deserialize)]
struct NotebookFields<'a> {
    #[serde(borrow)]
    cells: &'a RawValue,
    nbformat: Option<u64>,
    nbformat_minor: Option<u64>,
}

impl<'a> NotebookText<'a> {
    pub fn parse(bytes: &'a [u8]) -> Result<Self, ToolError> {
        let not_one = |error: &dyn std::fmt::Display| format!("The file is not a notebook: {error}.");
        let text = std::str::from_utf8(bytes).map_err(|error| not_one(&error))?;
        let top: NotebookFields<'a> = serde_json::from_str(text).map_err(|error| not_one(&error))?;
        let raw: Vec<&'a RawValue> = serde_json::from_str(top.cells.get()).map_err(|error| not_one(&error))?;
        // A raw value borrows from the text, so its address gives its position.
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

    pub fn find_cell(&self, id: &str) -> Result<usize, ToolError> {
        let found = self.ids.iter().position(|known| known == id);
        found.ok_or_else(|| {
            format!("`cell_id`: expected a cell of the notebook, got {id:?}. {}", self.list_ids()).into()
        })
    }

    pub fn list_ids(&self) -> String {
        match self.ids.len() {
            0 => "It has no cells.".into(),
            count => {
                let more = if count > 30 { ", …" } else { "" };
                format!("Its cells: {}{more}.", self.ids[..count.min(30)].join(", "))
            }
        }
    }

    pub fn replace(&self, place: usize, source: &str, kind: Option<CellType>) -> Result<Vec<u8>, ToolError> {
        let range = self.cells[place].clone();
        let parsed: Value =
            serde_json::from_str(&self.text[range.clone()]).map_err(|error| format!("Cell {}: {error}", place + 1))?;
        let Value::Object(mut cell) = parsed else {
            return Err(format!("Cell {} is not an object.", place + 1).into());
        };
        let as_text = matches!(cell.get("source"), Some(Value::String(_)));
        if let Some(kind) = kind {
            cell.insert("cell_type".into(), cell_type_name(kind).into());
        }
        cell.insert("source".into(), if as_text { source.into() } else { source_lines(source) });
        if cell.get("cell_type").and_then(Value::as_str) == Some("code") {
            // Its outputs belong to the old source.
            cell.insert("outputs".into(), json!([]));
            cell.insert("execution_count".into(), Value::Null);
        } else {
            cell.shift_remove("outputs");
            cell.shift_remove("execution_count");
        }
        Ok(self.splice(range, &self.format_cell(&cell)?))
    }

    /// Inserts before the cell at `at` (or at the end) and returns the new id.
    pub fn insert(&self, at: usize, source: &str, kind: CellType) -> Result<(Vec<u8>, String), ToolError> {
        let id = if self.has_ids { self.fresh_id(source) } else { format!("cell-{}", at + 1) };
        let written = self.format_cell(&self.new_cell(source, kind, &id))?;
        let break_ = if self.indent.is_empty() { String::new() } else { format!("\n{}", self.indent.repeat(2)) };
        let (range, text) = match (self.cells.get(at), self.cells.last()) {
            (Some(next), _) => (next.start..next.start, format!("{written},{break_}")),
            (None, Some(last)) => (last.end..last.end, format!(",{break_}{written}")),
            (None, None) => {
                let close = if self.indent.is_empty() { String::new() } else { format!("\n{}", self.indent) };
                (self.list.clone(), format!("[{break_}{written}{close}]"))
            }
        };
        Ok((self.splice(range, &text), id))
    }

    pub fn delete(&self, place: usize) -> Vec<u8> {
        let range = match (self.cells.get(place + 1), place.checked_sub(1)) {
            // With the comma and the space up to the next cell,
            (Some(next), _) => self.cells[place].start..next.start,
            // or from the end of the previous one,
            (None, Some(before)) => self.cells[before].end..self.cells[place].end,
            // or, for the only cell, everything between the brackets.
            (None, None) => self.list.start + 1..self.list.end - 1,
        };
        self.splice(range, "")
    }

    fn new_cell(&self, source: &str, kind: CellType, id: &str) -> Map<String, Value> {
        // In the order in which Jupyter writes the fields.
        let mut cell = Map::new();
        cell.insert("cell_type".into(), cell_type_name(kind).into());
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
        cell.insert("source".into(), source_lines(source));
        cell
    }

    /// Derives an id of eight hex digits, Jupyter's form, from the content, so that the same edit gives the same file.
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

    fn format_cell(&self, cell: &Map<String, Value>) -> Result<String, ToolError> {
        if self.indent.is_empty() {
            return serde_json::to_string(cell).map_err(|error| error.to_string().into());
        }
        let mut out = Vec::new();
        let format = serde_json::ser::PrettyFormatter::with_indent(self.indent.as_bytes());
        let mut serializer = serde_json::Serializer::with_formatter(&mut out, format);
        cell.serialize(&mut serializer).map_err(|error| error.to_string())?;
        // JSON strings contain no raw newline: every one here begins a line of the layout.
        let text = String::from_utf8_lossy(&out);
        Ok(text.replace('\n', &format!("\n{}", self.indent.repeat(2))))
    }

    fn splice(&self, range: Range<usize>, new: &str) -> Vec<u8> {
        [&self.text[..range.start], new, &self.text[range.end..]].concat().into_bytes()
    }
}

fn cell_type_name(kind: CellType) -> &'static str {
    match kind {
        CellType::Code => "code",
        CellType::Markdown => "markdown",
        CellType::Raw => "raw",
    }
}

/// Splits a source into lines with their newlines, Jupyter's form.
fn source_lines(source: &str) -> Value {
    source.split_inclusive('\n').map(Value::from).collect()
}

/// Returns the space before the first key; empty for a notebook in one line.
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
    fn tl_5_replace_changes_only_its_cell() {
        let notebook = NotebookText::parse(NOTEBOOK.as_bytes()).unwrap();
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
        let notebook = NotebookText::parse(NOTEBOOK.as_bytes()).unwrap();
        for at in 0..=2 {
            let (new, id) = notebook.insert(at, "a\nb", CellType::Code).unwrap();
            let new = text(new);
            let parsed: Value = serde_json::from_str(&new).unwrap();
            assert_eq!(
                (&parsed["cells"][at]["source"], &parsed["cells"][at]["id"]),
                (&json!(["a\n", "b"]), &json!(id))
            );
            let again = NotebookText::parse(new.as_bytes()).unwrap();
            assert_eq!(again.find_cell(&id), Ok(at));
            assert_eq!(text(again.delete(at)), NOTEBOOK);
        }
    }

    #[test]
    fn tl_5_empty_and_minified_notebooks() {
        let empty = "{\n \"cells\": [],\n \"nbformat\": 4,\n \"nbformat_minor\": 2\n}";
        let notebook = NotebookText::parse(empty.as_bytes()).unwrap();
        let (new, id) = notebook.insert(0, "", CellType::Markdown).unwrap();
        let expected =
            "{\n \"cells\": [\n  {\n   \"cell_type\": \"markdown\",\n   \"metadata\": {},\n   \"source\": []\n  }\n ],";
        assert!(text(new.clone()).starts_with(expected), "{}", text(new));
        assert_eq!(id, "cell-1");
        let one = NotebookText::parse(&new).unwrap();
        assert!(text(one.delete(0)).contains("\"cells\": []"));
        let minified = r#"{"cells":[{"cell_type":"code","source":"x"}],"nbformat":4}"#;
        let notebook = NotebookText::parse(minified.as_bytes()).unwrap();
        let new = text(notebook.replace(0, "y", None).unwrap());
        assert!(new.contains(r#""source":"y""#) && !new.contains('\n'));
    }

    #[test]
    fn tl_5_errors_say_what_is_wrong() {
        let notebook = NotebookText::parse(NOTEBOOK.as_bytes()).unwrap();
        assert_eq!(
            notebook.find_cell("zz"),
            Err("`cell_id`: expected a cell of the notebook, got \"zz\". Its cells: aa, bb.".into())
        );
        assert!(
            NotebookText::parse(b"{}")
                .unwrap_err()
                .as_str()
                .starts_with("The file is not a notebook: missing field `cells`")
        );
        assert!(NotebookText::parse(b"{\"cells\": 3}").unwrap_err().as_str().starts_with("The file is not a notebook"));
        assert!(NotebookText::parse(b"\xff").unwrap_err().as_str().starts_with("The file is not a notebook"));
    }
}
