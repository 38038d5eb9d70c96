//! Converts styled lines to terminal escape sequences. It emits styles only, never cursor moves.

use ratatui::style::{Color, Modifier, Style};
use ratatui::text::Line;
use std::fmt::Write;

/// Writes a line with its styles and a final reset, without a newline.
pub fn write_line(out: &mut String, line: &Line<'_>) {
    let mut last = Style::default();
    for span in &line.spans {
        if span.content.is_empty() {
            continue;
        }
        let style = line.style.patch(span.style);
        if style != last {
            write_style(out, style);
            last = style;
        }
        // Text is sanitized on input. This drops control characters that slipped through.
        out.extend(span.content.chars().filter(|c| !c.is_control()));
    }
    if last != Style::default() {
        out.push_str("\x1b[0m");
    }
}

fn write_style(out: &mut String, style: Style) {
    out.push_str("\x1b[0");
    const MODIFIERS: [(Modifier, &str); 6] = [
        (Modifier::BOLD, "1"),
        (Modifier::DIM, "2"),
        (Modifier::ITALIC, "3"),
        (Modifier::UNDERLINED, "4"),
        (Modifier::REVERSED, "7"),
        (Modifier::CROSSED_OUT, "9"),
    ];
    for (modifier, code) in MODIFIERS {
        if style.add_modifier.contains(modifier) {
            let _ = write!(out, ";{code}");
        }
    }
    if let Some(color) = style.fg {
        write_color(out, color, 30);
    }
    if let Some(color) = style.bg {
        write_color(out, color, 40);
    }
    out.push('m');
}

/// Writes a colour code. `base` is 30 for the foreground, 40 for the background.
fn write_color(out: &mut String, color: Color, base: u8) {
    let _ = match color {
        Color::Reset => write!(out, ";{}", base + 9),
        Color::Black => write!(out, ";{base}"),
        Color::Red => write!(out, ";{}", base + 1),
        Color::Green => write!(out, ";{}", base + 2),
        Color::Yellow => write!(out, ";{}", base + 3),
        Color::Blue => write!(out, ";{}", base + 4),
        Color::Magenta => write!(out, ";{}", base + 5),
        Color::Cyan => write!(out, ";{}", base + 6),
        Color::Gray => write!(out, ";{}", base + 7),
        Color::DarkGray => write!(out, ";{}", base + 60),
        Color::LightRed => write!(out, ";{}", base + 61),
        Color::LightGreen => write!(out, ";{}", base + 62),
        Color::LightYellow => write!(out, ";{}", base + 63),
        Color::LightBlue => write!(out, ";{}", base + 64),
        Color::LightMagenta => write!(out, ";{}", base + 65),
        Color::LightCyan => write!(out, ";{}", base + 66),
        Color::White => write!(out, ";{}", base + 67),
        Color::Rgb(r, g, b) => write!(out, ";{};2;{r};{g};{b}", base + 8),
        Color::Indexed(n) => write!(out, ";{};5;{n}", base + 8),
    };
}
