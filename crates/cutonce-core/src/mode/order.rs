//! Orders modes by their rights: a teammate never has more than its lead (PM-132, PM-133).

use super::Mode;

impl Mode {
    /// Rank of the mode; higher means that more runs without asking.
    fn rank(self) -> u8 {
        match self {
            Mode::Plan => 0,
            Mode::Default => 1,
            Mode::AcceptEdits => 2,
            Mode::Auto => 3,
            Mode::BypassPermissions => 4,
        }
    }

    /// This mode, limited to `most`.
    pub fn at_most(self, most: Mode) -> Mode {
        if self.rank() > most.rank() { most } else { self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pm_132_pm_133_modes_are_ordered_by_rights() {
        for mode in Mode::ALL {
            assert_eq!((mode.at_most(mode), mode.at_most(Mode::Plan)), (mode, Mode::Plan));
            assert_eq!(mode.at_most(Mode::BypassPermissions), mode);
            for most in Mode::ALL {
                assert_eq!(mode.at_most(most), most.at_most(mode));
            }
        }
        assert_eq!(Mode::BypassPermissions.at_most(Mode::AcceptEdits), Mode::AcceptEdits);
        assert_eq!(Mode::Default.at_most(Mode::Auto), Mode::Default);
    }
}
