//! Colours by meaning (UI-10): one theme is a table of styles; what the terminal can't show is brought down to what it can.

use cutonce_core::agent;
use ratatui::style::{Color, Modifier, Style};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Name {
    #[default]
    Dark,
    Light,
    /// The terminal's own sixteen colours.
    Ansi,
}

impl Name {
    pub const ALL: [Name; 3] = [Name::Dark, Name::Light, Name::Ansi];

    pub fn parse(name: &str) -> Option<Name> {
        Name::ALL.into_iter().find(|known| known.as_str() == name)
    }
    pub fn as_str(self) -> &'static str {
        match self {
            Name::Dark => "dark",
            Name::Light => "light",
            Name::Ansi => "ansi",
        }
    }
}

/// How many colours there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Depth {
    /// Bold, dim, underlined and reversed have to do.
    None,
    Sixteen,
    Indexed,
    True,
}

impl Depth {
    /// From the environment; NO_COLOR goes before everything.
    pub fn detect(env: impl Fn(&str) -> Option<String>) -> Depth {
        let term = env("TERM").unwrap_or_default();
        if env("NO_COLOR").is_some_and(|value| !value.is_empty()) || term == "dumb" {
            return Depth::None;
        }
        match env("COLORTERM").as_deref() {
            Some("truecolor" | "24bit") => Depth::True,
            _ if term.ends_with("-direct") => Depth::True,
            _ if term.contains("256color") => Depth::Indexed,
            _ => Depth::Sixteen,
        }
    }
}

/// Every style that is drawn has a name here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Theme {
    pub name: Name,
    pub depth: Depth,
    pub text: Style,
    pub dim: Style,
    pub strong: Style,
    pub emphasis: Style,
    pub heading: Style,
    /// Code within a line.
    pub code: Style,
    pub code_block: Style,
    pub link: Style,
    pub quote: Style,
    pub bullet: Style,
    pub border: Style,
    /// The person's own words.
    pub user: Style,
    pub accent: Style,
    /// Plan mode (PM-140).
    pub plan: Style,
    pub success: Style,
    pub warning: Style,
    pub error: Style,
    pub added: Style,
    pub removed: Style,
    /// What changed within a changed line.
    pub added_word: Style,
    pub removed_word: Style,
    pub changed: Style,
    pub line_number: Style,
    pub comment: Style,
    pub selection: Style,
    /// Found text.
    pub found: Style,
    /// A choice that is armed.
    pub armed: Style,
}

/// What a theme picks; everything else follows from these.
struct Palette {
    /// None: the terminal's own dim.
    dim: Option<Color>,
    accent: Color,
    plan: Color,
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

const DARK: Palette = Palette {
    dim: Some(Color::Rgb(0x8a, 0x8f, 0x98)),
    accent: Color::Rgb(0xd7, 0x9c, 0x6b),
    plan: Color::Rgb(0x5f, 0xb8, 0xb0),
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

const LIGHT: Palette = Palette {
    dim: Some(Color::Rgb(0x6a, 0x6f, 0x78)),
    accent: Color::Rgb(0xa8, 0x56, 0x1c),
    plan: Color::Rgb(0x0f, 0x76, 0x6e),
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

const ANSI: Palette = Palette {
    dim: None,
    accent: Color::Magenta,
    plan: Color::Cyan,
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
        Theme::new(Name::Dark, Depth::True)
    }
}

impl Theme {
    pub fn new(name: Name, depth: Depth) -> Theme {
        let palette = match (name, depth) {
            (_, Depth::None | Depth::Sixteen) | (Name::Ansi, _) => ANSI,
            (Name::Dark, _) => DARK,
            (Name::Light, _) => LIGHT,
        };
        Theme::of(name, depth, &palette)
    }

    fn of(name: Name, depth: Depth, palette: &Palette) -> Theme {
        let paint = |color: Color| match depth {
            Depth::None => Style::default(),
            Depth::Sixteen | Depth::True => Style::default().fg(color),
            Depth::Indexed => Style::default().fg(indexed(color)),
        };
        let under = |style: Style, color: Option<Color>| match (depth, color) {
            (Depth::None, _) | (_, None) => style.add_modifier(Modifier::REVERSED),
            (Depth::Indexed, Some(color)) => style.bg(indexed(color)),
            (Depth::Sixteen | Depth::True, Some(color)) => style.bg(color),
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
            plan: paint(palette.plan),
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
            armed: paint(palette.plan).add_modifier(Modifier::BOLD | Modifier::REVERSED),
        }
    }

    /// The words of an agent whose file names a colour.
    pub fn of_agent(&self, color: Option<agent::Color>) -> Style {
        let Some(color) = color else { return self.text };
        let color = match color {
            agent::Color::Red => Color::Red,
            agent::Color::Orange => Color::Rgb(255, 150, 50),
            agent::Color::Yellow => Color::Yellow,
            agent::Color::Green => Color::Green,
            agent::Color::Cyan => Color::Cyan,
            agent::Color::Blue => Color::Blue,
            agent::Color::Purple => Color::Rgb(160, 90, 220),
            agent::Color::Violet => Color::Rgb(150, 120, 240),
            agent::Color::Pink => Color::Rgb(240, 130, 190),
        };
        self.foreign(color).map_or(self.text, |color| self.text.fg(color))
    }

    /// A colour from elsewhere (highlighted code) as this terminal can show it; None leaves the text as it is.
    pub fn foreign(&self, color: Color) -> Option<Color> {
        match self.depth {
            Depth::None => None,
            Depth::Sixteen => Some(color).filter(|color| !matches!(color, Color::Rgb(..))),
            Depth::Indexed => Some(indexed(color)),
            Depth::True => Some(color),
        }
    }
}

/// The nearest of the 240 fixed colours of a 256-colour terminal: a cube of 6 levels, or a row of greys.
fn indexed(color: Color) -> Color {
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
    fn ui_10_the_terminal_says_how_many_colours_it_has() {
        let depth = |vars: &[(&str, &str)]| {
            let find = |name: &str| vars.iter().find(|(known, _)| *known == name).map(|(_, value)| value.to_string());
            Depth::detect(find)
        };
        assert_eq!(depth(&[("TERM", "xterm"), ("COLORTERM", "truecolor")]), Depth::True);
        assert_eq!(depth(&[("TERM", "xterm-256color")]), Depth::Indexed);
        assert_eq!(depth(&[("TERM", "screen")]), Depth::Sixteen);
        assert_eq!(depth(&[("TERM", "xterm-256color"), ("COLORTERM", "truecolor"), ("NO_COLOR", "1")]), Depth::None);
        assert_eq!(depth(&[("TERM", "xterm-256color"), ("NO_COLOR", "")]), Depth::Indexed);
        assert_eq!(depth(&[("TERM", "dumb")]), Depth::None);
    }

    #[test]
    fn ui_10_no_theme_shows_more_colours_than_there_are() {
        for name in Name::ALL {
            assert_eq!(Name::parse(name.as_str()), Some(name));
            let styles = |depth| {
                let theme = Theme::new(name, depth);
                [theme.dim, theme.accent, theme.plan, theme.added, theme.removed_word, theme.selection, theme.found]
            };
            let colours = |depth| styles(depth).into_iter().flat_map(|style| [style.fg, style.bg]).flatten();
            assert_eq!(colours(Depth::None).count(), 0, "{name:?}");
            assert!(colours(Depth::Sixteen).all(|color| !matches!(color, Color::Rgb(..) | Color::Indexed(_))));
            assert!(colours(Depth::Indexed).all(|color| !matches!(color, Color::Rgb(..))));
        }
        assert_eq!(indexed(Color::Rgb(255, 0, 0)), Color::Indexed(196));
        assert_eq!(indexed(Color::Rgb(128, 128, 128)), Color::Indexed(244));
    }
}
