//! `cutonce plan`: plans a task without changing anything, and prints the plan (PM-76).

use crate::cli::args::RunFlags;
use crate::frontends::print;
use cutonce_core::mode::Mode;

pub async fn run(mut run: RunFlags) -> anyhow::Result<u8> {
    run.print = true;
    run.permissions.permission_mode = Some(Mode::Plan);
    run.permissions.dangerously_skip_permissions = false;
    print::run_planning(run, "task").await
}
