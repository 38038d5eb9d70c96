//! Shows a notebook as cells with their outputs (TL-2).

use crate::tool::ToolError;
use serde_json::Value;

const MAX_TEXT: usize = 100_000;
/// Maximum size of one output; a cell that prints much must not hide the others.
const MAX_OUTPUT: usize = 4_000;

/// Returns the cells as text, numbered from 1; `None` if it is not a notebook.
pub(super) fn notebook_text(bytes: &[u8], first: u64, limit: Option<u64>) -> Option<Result<String, ToolError>> {
    let notebook: Value = serde_json::from_slice(bytes).ok()?;
    let cells = notebook.get("cells")?.as_array()?;
    Some(cell_page(cells, first, limit))
}

fn cell_page(cells: &[Value], first: u64, limit: Option<u64>) -> Result<String, ToolError> {
    let total = cells.len() as u64;
    if total == 0 {
        return Ok("The notebook has no cells.".into());
    }
    if first > total {
        return Err(format!("`offset`: expected a cell from 1 to {total}, got {first}").into());
    }
    let mut out = String::new();
    let end = limit.map_or(total, |limit| total.min((first - 1).saturating_add(limit)));
    for number in first..=end {
        let shown = cell_text(&cells[number as usize - 1], number);
        if !out.is_empty() && out.len() + shown.len() > MAX_TEXT {
            out.push_str(&format!("[Cells {first}-{} of {total}. Read on with offset={number}.]", number - 1));
            return Ok(out);
        }
        out.push_str(&cut_text(&shown, MAX_TEXT));
    }
    if end < total {
        out.push_str(&format!("[Cells {first}-{end} of {total}. Read on with offset={}.]", end + 1));
    }
    Ok(out.trim_end().to_string())
}

/// Returns the id by which NotebookEdit finds a cell; cells of old notebooks have none and use their number.
pub(crate) fn cell_id(cell: &Value, number: u64) -> String {
    cell.get("id").and_then(Value::as_str).map_or_else(|| format!("cell-{number}"), str::to_string)
}

fn cell_text(cell: &Value, number: u64) -> String {
    let kind = cell.get("cell_type").and_then(Value::as_str).unwrap_or("unknown");
    let mut out =
        format!("[cell {number}, id {}, {kind}]\n{}\n", cell_id(cell, number), join_source(cell.get("source")));
    for output in cell.get("outputs").and_then(Value::as_array).into_iter().flatten() {
        let text = cut_text(&self::output_text(output), MAX_OUTPUT);
        if !text.trim().is_empty() {
            out.push_str(&format!("[output]\n{}\n", text.trim_end()));
        }
    }
    out.push('\n');
    out
}

fn output_text(output: &Value) -> String {
    if let Some(stream) = output.get("text") {
        return join_source(Some(stream));
    }
    if let Some(name) = output.get("ename").and_then(Value::as_str) {
        return format!("{name}: {}", join_source(output.get("evalue")));
    }
    let Some(data) = output.get("data").and_then(Value::as_object) else { return String::new() };
    if let Some(text) = data.get("text/plain").or_else(|| data.get("text/markdown")) {
        let others: Vec<&str> = data.keys().map(String::as_str).filter(|key| key.starts_with("image/")).collect();
        let note = if others.is_empty() { String::new() } else { format!("\n({} not shown)", others.join(", ")) };
        return join_source(Some(text)) + &note;
    }
    format!("({} not shown)", data.keys().map(String::as_str).collect::<Vec<_>>().join(", "))
}

/// Joins a source: the format allows a string or a list of lines.
fn join_source(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(lines)) => lines.iter().filter_map(Value::as_str).collect(),
        _ => String::new(),
    }
}

fn cut_text(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_string();
    }
    let end = text.floor_char_boundary(limit);
    format!("{}… [{} more bytes]\n", &text[..end], text.len() - end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(notebook: Value, first: u64, limit: Option<u64>) -> Result<String, ToolError> {
        notebook_text(notebook.to_string().as_bytes(), first, limit).unwrap()
    }

    #[test]
    fn tl_2_notebook_shows_cells_with_outputs() {
        let it = json!({"cells": [
            {"cell_type": "markdown", "id": "intro", "source": ["# Title\n", "words"]},
            {"cell_type": "code", "source": "print(1)", "outputs": [
                {"output_type": "stream", "text": ["1\n"]},
                {"output_type": "error", "ename": "E", "evalue": "why"},
                {"output_type": "display_data", "data": {"image/png": "xx", "text/plain": "<Figure>"}},
                {"output_type": "stream", "text": "y".repeat(9_000)},
            ]},
        ]});
        let whole = read(it.clone(), 1, None).unwrap();
        assert!(whole.starts_with("[cell 1, id intro, markdown]\n# Title\nwords\n\n[cell 2, id cell-2, code]\nprint(1)\n[output]\n1\n[output]\nE: why\n[output]\n<Figure>\n(image/png not shown)\n"), "{whole}");
        assert!(whole.ends_with("… [5000 more bytes]"), "{whole}");
        assert!(read(it.clone(), 1, Some(1)).unwrap().ends_with("[Cells 1-1 of 2. Read on with offset=2.]"));
        assert_eq!(read(it, 3, None), Err("`offset`: expected a cell from 1 to 2, got 3".into()));
        assert_eq!(read(json!({"cells": []}), 1, None).unwrap(), "The notebook has no cells.");
        assert!(notebook_text(b"{broken", 1, None).is_none());
        assert!(notebook_text(b"[1]", 1, None).is_none());
    }
}
