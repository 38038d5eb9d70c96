//! Themes (UI-10): a table of styles by meaning, reduced to the colours that the terminal supports.

use cutonce_core::subagent;
use ratatui::style::{Color, Modifier, Style};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ThemeName {
    #[default]
    Dark,
    Light,
    /// Uses the terminal's own sixteen colours.
    Ansi,
}

impl ThemeName {
    pub const ALL: [ThemeName; 3] = [ThemeName::Dark, ThemeName::Light, ThemeName::Ansi];

    pub fn parse(name: &str) -> Option<ThemeName> {
        ThemeName::ALL.into_iter().find(|known| known.as_str() == name)
    }
    pub fn as_str(self) -> &'static str {
        match self {
            ThemeName::Dark => "dark",
            ThemeName::Light => "light",
            ThemeName::Ansi => "ansi",
        }
    }
}

/// Colour support of the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ColourDepth {
    /// No colours, only bold, dim, underlined and reversed.
    None,
    Sixteen,
    Indexed,
    True,
}

impl ColourDepth {
    /// Detects the support from the environment. NO_COLOR overrides everything else.
    pub fn detect(env: impl Fn(&str) -> Option<String>) -> ColourDepth {
        let term = env("TERM").unwrap_or_default();
        if env("NO_COLOR").is_some_and(|value| !value.is_empty()) || term == "dumb" {
            return ColourDepth::None;
        }
        match env("COLORTERM").as_deref() {
            Some("truecolor" | "24bit") => ColourDepth::True,
            _ if term.ends_with("-direct") => ColourDepth::True,
            _ if term.contains("256color") => ColourDepth::Indexed,
            _ => ColourDepth::Sixteen,
        }
    }
}

/// All styles that the front end draws with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Theme {
    pub name: ThemeName,
    pub depth: ColourDepth,
    pub text: Style,
    pub dim: Style,
    pub strong: Style,
    pub emphasis: Style,
    pub heading: Style,
    /// Inline code.
    pub code: Style,
    pub code_block: Style,
    pub link: Style,
    pub quote: Style,
    pub bullet: Style,
    pub border: Style,
    /// Messages of the user.
    pub user: Style,
    pub accent: Style,
    /// Plan mode (PM-140).
    pub planning: Style,
    pub success: Style,
    pub warning: Style,
    pub error: Style,
    pub added: Style,
    pub removed: Style,
    /// Changed words in a changed line.
    pub added_word: Style,
    pub removed_word: Style,
    pub changed: Style,
    pub line_number: Style,
    pub comment: Style,
    pub selection: Style,
    /// Search matches.
    pub found: Style,
    /// The armed choice.
    pub armed: Style,
}

/// Base colours of a theme. All styles are derived from them.
struct ThemePalette {
    /// None uses the terminal's own dim.
    dim: Option<Color>,
    accent: Color,
    planning: Color,
    code: Color,
    link: Color,
    user: Color,
    green: Color,
    yellow: Color,
    red: Color,
    blue: Color,
    added: Option<Color>,
    removed: Option<Color>,
    selection: Option<Color>,
}

const DARK: ThemePalette = ThemePalette {
    dim: Some(Color::Rgb(0x8a, 0x8f, 0x98)),
    accent: Color::Rgb(0xd7, 0x9c, 0x6b),
    planning: Color::Rgb(0x5f, 0xb8, 0xb0),
    code: Color::Rgb(0x9f, 0xc1, 0xe8),
    link: Color::Rgb(0x7a, 0xa6, 0xda),
    user: Color::Rgb(0xb8, 0xbf, 0xc9),
    green: Color::Rgb(0x7f, 0xc7, 0x7f),
    yellow: Color::Rgb(0xe0, 0xb8, 0x5a),
    red: Color::Rgb(0xe8, 0x7a, 0x7a),
    blue: Color::Rgb(0x7a, 0xa6, 0xda),
    added: Some(Color::Rgb(0x1f, 0x4a, 0x2a)),
    removed: Some(Color::Rgb(0x5a, 0x22, 0x26)),
    selection: Some(Color::Rgb(0x2b, 0x34, 0x40)),
};

const LIGHT: ThemePalette = ThemePalette {
    dim: Some(Color::Rgb(0x6a, 0x6f, 0x78)),
    accent: Color::Rgb(0xa8, 0x56, 0x1c),
    planning: Color::Rgb(0x0f, 0x76, 0x6e),
    code: Color::Rgb(0x1f, 0x5f, 0xa8),
    link: Color::Rgb(0x1f, 0x5f, 0xa8),
    user: Color::Rgb(0x3a, 0x3f, 0x48),
    green: Color::Rgb(0x1a, 0x7a, 0x32),
    yellow: Color::Rgb(0x8a, 0x62, 0x00),
    red: Color::Rgb(0xb4, 0x23, 0x2a),
    blue: Color::Rgb(0x1f, 0x5f, 0xa8),
    added: Some(Color::Rgb(0xc8, 0xee, 0xd0)),
    removed: Some(Color::Rgb(0xf8, 0xd0, 0xd2)),
    selection: Some(Color::Rgb(0xe2, 0xe8, 0xf0)),
};

const ANSI: ThemePalette = ThemePalette {
    dim: None,
    accent: Color::Magenta,
    planning: Color::Cyan,
    code: Color::Cyan,
    link: Color::Blue,
    user: Color::Reset,
    green: Color::Green,
    yellow: Color::Yellow,
    red: Color::Red,
    blue: Color::Blue,
    added: None,
    removed: None,
    selection: None,
};

impl Default for Theme {
    fn default() -> Theme {
        Theme::new(ThemeName::Dark, ColourDepth::True)
    }
}

impl Theme {
    pub fn new(name: ThemeName, depth: ColourDepth) -> Theme {
        let palette = match (name, depth) {
            (_, ColourDepth::None | ColourDepth::Sixteen) | (ThemeName::Ansi, _) => ANSI,
            (ThemeName::Dark, _) => DARK,
            (ThemeName::Light, _) => LIGHT,
        };
        Theme::from_palette(name, depth, &palette)
    }

    fn from_palette(name: ThemeName, depth: ColourDepth, palette: &ThemePalette) -> Theme {
        let paint = |color: Color| match depth {
            ColourDepth::None => Style::default(),
            ColourDepth::Sixteen | ColourDepth::True => Style::default().fg(color),
            ColourDepth::Indexed => Style::default().fg(nearest_indexed(color)),
        };
        let under = |style: Style, color: Option<Color>| match (depth, color) {
            (ColourDepth::None, _) | (_, None) => style.add_modifier(Modifier::REVERSED),
            (ColourDepth::Indexed, Some(color)) => style.bg(nearest_indexed(color)),
            (ColourDepth::Sixteen | ColourDepth::True, Some(color)) => style.bg(color),
        };
        let text = Style::default();
        let bold = text.add_modifier(Modifier::BOLD);
        // «Bright black» is invisible in some palettes; the terminal's own dim never is.
        let dim = palette.dim.map_or(text.add_modifier(Modifier::DIM), paint);
        Theme {
            name,
            depth,
            text,
            dim,
            strong: bold,
            emphasis: text.add_modifier(Modifier::ITALIC),
            heading: paint(palette.accent).add_modifier(Modifier::BOLD),
            code: paint(palette.code),
            code_block: text,
            link: paint(palette.link).add_modifier(Modifier::UNDERLINED),
            quote: dim,
            bullet: paint(palette.accent),
            border: dim,
            user: paint(palette.user),
            accent: paint(palette.accent),
            planning: paint(palette.planning),
            success: paint(palette.green),
            warning: paint(palette.yellow),
            error: paint(palette.red),
            added: paint(palette.green),
            removed: paint(palette.red),
            added_word: under(paint(palette.green), palette.added),
            removed_word: under(paint(palette.red), palette.removed),
            changed: paint(palette.yellow),
            line_number: dim,
            comment: paint(palette.blue),
            selection: under(text, palette.selection),
            found: paint(palette.yellow).add_modifier(Modifier::REVERSED),
            armed: paint(palette.planning).add_modifier(Modifier::BOLD | Modifier::REVERSED),
        }
    }

    /// Style for the title bar of a full-screen view. Differs from the selected row, which may be next to it.
    pub fn title(&self) -> Style {
        let style = self.planning.add_modifier(Modifier::BOLD);
        self.selection.bg.map_or(style.add_modifier(Modifier::UNDERLINED), |bg| style.bg(bg))
    }

    /// Style for the text of an agent, in the colour from its file.
    pub fn agent_style(&self, color: Option<subagent::AgentColor>) -> Style {
        let Some(color) = color else { return self.text };
        let color = match color {
            subagent::AgentColor::Red => Color::Red,
            subagent::AgentColor::Orange => Color::Rgb(255, 150, 50),
            subagent::AgentColor::Yellow => Color::Yellow,
            subagent::AgentColor::Green => Color::Green,
            subagent::AgentColor::Cyan => Color::Cyan,
            subagent::AgentColor::Blue => Color::Blue,
            subagent::AgentColor::Purple => Color::Rgb(160, 90, 220),
            subagent::AgentColor::Violet => Color::Rgb(150, 120, 240),
            subagent::AgentColor::Pink => Color::Rgb(240, 130, 190),
        };
        self.reduce_colour(color).map_or(self.text, |color| self.text.fg(color))
    }

    /// Reduces an external colour, such as from highlighted code, to what this terminal supports. None means no colour.
    pub fn reduce_colour(&self, color: Color) -> Option<Color> {
        match self.depth {
            ColourDepth::None => None,
            ColourDepth::Sixteen => Some(color).filter(|color| !matches!(color, Color::Rgb(..))),
            ColourDepth::Indexed => Some(nearest_indexed(color)),
            ColourDepth::True => Some(color),
        }
    }
}

/// Nearest fixed colour of a 256-colour terminal, from the colour cube or the greys.
fn nearest_indexed(color: Color) -> Color {
    let Color::Rgb(red, green, blue) = color else { return color };
    const LEVELS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    let nearest = |value: u8| {
        let far = |at: &usize| LEVELS.get(*at).map_or(u8::MAX, |level| level.abs_diff(value));
        (0..LEVELS.len()).min_by_key(far).unwrap_or_default()
    };
    let (r, g, b) = (nearest(red), nearest(green), nearest(blue));
    let level = |at: usize| LEVELS.get(at).copied().unwrap_or_default();
    let far = |r: u8, g: u8, b: u8| {
        let square = |a: u8, b: u8| u32::from(a.abs_diff(b)).pow(2);
        square(red, r) + square(green, g) + square(blue, b)
    };
    let average = (u16::from(red) + u16::from(green) + u16::from(blue)) / 3;
    let step = (average.saturating_sub(3) / 10).min(23) as u8;
    let grey = 8 + 10 * step;
    match far(grey, grey, grey) < far(level(r), level(g), level(b)) {
        true => Color::Indexed(232 + step),
        false => Color::Indexed((16 + 36 * r + 6 * g + b) as u8),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ui_10_colour_depth_follows_the_environment() {
        let depth = |vars: &[(&str, &str)]| {
            let find = |name: &str| vars.iter().find(|(known, _)| *known == name).map(|(_, value)| value.to_string());
            ColourDepth::detect(find)
        };
        assert_eq!(depth(&[("TERM", "xterm"), ("COLORTERM", "truecolor")]), ColourDepth::True);
        assert_eq!(depth(&[("TERM", "xterm-256color")]), ColourDepth::Indexed);
        assert_eq!(depth(&[("TERM", "screen")]), ColourDepth::Sixteen);
        assert_eq!(
            depth(&[("TERM", "xterm-256color"), ("COLORTERM", "truecolor"), ("NO_COLOR", "1")]),
            ColourDepth::None
        );
        assert_eq!(depth(&[("TERM", "xterm-256color"), ("NO_COLOR", "")]), ColourDepth::Indexed);
        assert_eq!(depth(&[("TERM", "dumb")]), ColourDepth::None);
    }

    #[test]
    fn ui_10_titles_differ_from_selected_rows() {
        for name in ThemeName::ALL {
            for depth in [ColourDepth::None, ColourDepth::Sixteen, ColourDepth::Indexed, ColourDepth::True] {
                let theme = Theme::new(name, depth);
                // A selected row is drawn bold, in the style of the selection.
                assert_ne!(theme.title(), theme.selection.add_modifier(Modifier::BOLD), "{name:?} {depth:?}");
                assert!(!theme.title().add_modifier.contains(Modifier::REVERSED), "{name:?} {depth:?}");
            }
        }
    }

    #[test]
    fn ui_10_themes_stay_within_colour_depth() {
        for name in ThemeName::ALL {
            assert_eq!(ThemeName::parse(name.as_str()), Some(name));
            let styles = |depth| {
                let theme = Theme::new(name, depth);
                [theme.dim, theme.accent, theme.planning, theme.added, theme.removed_word, theme.selection, theme.found]
            };
            let colours = |depth| styles(depth).into_iter().flat_map(|style| [style.fg, style.bg]).flatten();
            assert_eq!(colours(ColourDepth::None).count(), 0, "{name:?}");
            assert!(colours(ColourDepth::Sixteen).all(|color| !matches!(color, Color::Rgb(..) | Color::Indexed(_))));
            assert!(colours(ColourDepth::Indexed).all(|color| !matches!(color, Color::Rgb(..))));
        }
        assert_eq!(nearest_indexed(Color::Rgb(255, 0, 0)), Color::Indexed(196));
        assert_eq!(nearest_indexed(Color::Rgb(128, 128, 128)), Color::Indexed(244));
    }
}
