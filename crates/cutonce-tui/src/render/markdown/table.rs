//! Table layout: natural column widths, narrower ones if needed, or one field per row if columns do not fit.

use crate::render::text::{self, RowPrefix};
use crate::render::theme::Theme;
use pulldown_cmark::Alignment;
use ratatui::text::{Line, Span};

/// Minimum column width that is still readable.
const MIN_COLUMN_WIDTH: usize = 6;
/// Maximum number of columns.
const MAX_COLUMNS: usize = 40;

type TableCell = Vec<Span<'static>>;

#[derive(Debug, Default)]
pub struct MarkdownTable {
    alignments: Vec<Alignment>,
    /// Rows, the header first.
    rows: Vec<Vec<TableCell>>,
}

impl MarkdownTable {
    pub fn new(alignments: Vec<Alignment>) -> MarkdownTable {
        MarkdownTable { alignments, rows: Vec::new() }
    }

    pub fn begin_row(&mut self) {
        self.rows.push(Vec::new());
    }

    pub fn push_cell(&mut self, cell: TableCell) {
        if let Some(row) = self.rows.last_mut().filter(|row| row.len() < MAX_COLUMNS) {
            row.push(cell);
        }
    }

    pub fn rows(&self, width: usize, theme: &Theme) -> Vec<Line<'static>> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or_default();
        match self.column_widths(columns, width) {
            Some(widths) => self.grid_rows(&widths, theme),
            None => self.list_rows(width, theme),
        }
    }

    /// Column widths. The widest columns shrink together until all fit.
    fn column_widths(&self, columns: usize, width: usize) -> Option<Vec<usize>> {
        let natural =
            |at: usize| self.rows.iter().filter_map(|row| row.get(at)).map(cell_width).max().unwrap_or_default();
        let mut widths: Vec<usize> = (0..columns).map(|at| natural(at).max(1)).collect();
        let room = width.checked_sub(3 * columns.saturating_sub(1))?;
        let mut over = widths.iter().sum::<usize>().saturating_sub(room);
        while over > 0 {
            let widest = widths.iter().copied().max().filter(|widest| *widest > MIN_COLUMN_WIDTH)?;
            let next =
                widths.iter().copied().filter(|other| *other < widest).max().unwrap_or_default().max(MIN_COLUMN_WIDTH);
            let wide = widths.iter().filter(|other| **other == widest).count();
            // Shrink to the next width at once: a cell may be a megabyte wide.
            let step = (widest - next).min(over.div_ceil(wide)).max(1);
            for other in widths.iter_mut().filter(|other| **other == widest) {
                let cut = step.min(over);
                *other -= cut;
                over -= cut;
            }
        }
        Some(widths)
    }

    /// Rows for each source line, including the line of dashes. None if the columns do not fit next to each other.
    pub fn rows_by_line(&self, width: usize, theme: &Theme) -> Option<Vec<Vec<Line<'static>>>> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or_default();
        Some(self.grid_lines(&self.column_widths(columns, width)?, theme))
    }

    fn grid_rows(&self, widths: &[usize], theme: &Theme) -> Vec<Line<'static>> {
        self.grid_lines(widths, theme).into_iter().flatten().collect()
    }

    fn grid_lines(&self, widths: &[usize], theme: &Theme) -> Vec<Vec<Line<'static>>> {
        let mut out = Vec::new();
        for (number, row) in self.rows.iter().enumerate() {
            let cells: Vec<Vec<Line<'static>>> = widths
                .iter()
                .enumerate()
                .map(|(at, width)| {
                    let mut line = Line::from(row.get(at).cloned().unwrap_or_default());
                    if number == 0 {
                        line = line.style(theme.strong);
                    }
                    text::wrap(&line, *width, &RowPrefix::default())
                })
                .collect();
            let height = cells.iter().map(Vec::len).max().unwrap_or_default();
            out.push((0..height).map(|at| self.grid_row(&cells, at, widths, theme)).collect());
            if number == 0 {
                let rule: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
                out.push(vec![Line::styled(rule.join("─┼─"), theme.border)]);
            }
        }
        out
    }

    fn grid_row(&self, cells: &[Vec<Line<'static>>], at: usize, widths: &[usize], theme: &Theme) -> Line<'static> {
        let mut spans = Vec::new();
        for (column, (cell, width)) in cells.iter().zip(widths).enumerate() {
            if column > 0 {
                spans.push(Span::styled(" │ ", theme.border));
            }
            let content = cell.get(at).map(|line| line.spans.clone()).unwrap_or_default();
            let free = width.saturating_sub(cell_width(&content));
            let left = match self.alignments.get(column) {
                Some(Alignment::Right) => free,
                Some(Alignment::Center) => free / 2,
                Some(Alignment::Left | Alignment::None) | None => 0,
            };
            let last = column + 1 == cells.len();
            spans.push(Span::raw(" ".repeat(left)));
            spans.extend(content);
            spans.push(Span::raw(" ".repeat(if last { 0 } else { free - left })));
        }
        spans.retain(|span| !span.content.is_empty());
        Line::from(spans)
    }

    /// Draws `header: value` rows, with a blank row between records.
    fn list_rows(&self, width: usize, theme: &Theme) -> Vec<Line<'static>> {
        let mut out = Vec::new();
        let (head, rows) = self.rows.split_first().map_or((&[][..], &[][..]), |(head, rows)| (head.as_slice(), rows));
        if rows.is_empty() {
            let names = head.iter().map(|cell| Line::from(cell.clone()).style(theme.strong));
            return names.flat_map(|line| text::wrap(&line, width, &RowPrefix::default())).collect();
        }
        for (number, row) in rows.iter().enumerate() {
            if number > 0 {
                out.push(Line::default());
            }
            for (at, cell) in row.iter().enumerate() {
                let name: String = head.get(at).into_iter().flatten().map(|span| span.content.as_ref()).collect();
                let mut spans = vec![Span::styled(format!("{name}: "), theme.strong)];
                spans.extend(cell.iter().cloned());
                let prefix = RowPrefix { first: Vec::new(), next: vec![Span::raw("  ")] };
                out.extend(text::wrap(&Line::from(spans), width, &prefix));
            }
        }
        out
    }
}

fn cell_width(cell: &TableCell) -> usize {
    cell.iter().map(|span| text::width(&span.content)).sum()
}
