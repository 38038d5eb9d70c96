//! The order of modes by what runs without asking: a teammate never has more than its lead (PM-132, PM-133).

use super::Mode;

impl Mode {
    /// The more may run unasked, the higher.
    fn rank(self) -> u8 {
        match self {
            Mode::Plan => 0,
            Mode::Default => 1,
            Mode::AcceptEdits => 2,
            Mode::Auto => 3,
            Mode::BypassPermissions => 4,
        }
    }

    /// This mode, or `most` where it would be more than that.
    pub fn at_most(self, most: Mode) -> Mode {
        if self.rank() > most.rank() { most } else { self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pm_132_pm_133_the_lower_of_two_modes_is_one_of_them_and_plan_is_below_all() {
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
