//! Plays every story in scenarios/: a text file with the model's answers, the commands to run, and the
//! expected views of user, model, transcript and disk. `UPDATE=1` rewrites the expectations. With `STORY_RETRIES=1` a
//! story that failed is played once more; if it passes then, its first failure is printed as flaky.

mod machine;
mod play;
#[allow(dead_code, reason = "shared with the bench")]
mod pty;
mod screen;
mod story;
mod views;

use libtest_mimic::{Arguments, Failed, Trial};
use play::StoryForm;
use std::path::{Path, PathBuf};

fn main() {
    let mut args = Arguments::from_args();
    // The tests wait for processes most of the time.
    args.test_threads.get_or_insert(4 * std::thread::available_parallelism().map_or(1, usize::from));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let mut files = Vec::new();
    collect(&folder, &mut files);
    files.sort();
    assert!(!files.is_empty(), "no story found in {}", folder.display());
    let trials = files.into_iter().flat_map(|file| {
        let name = file.strip_prefix(&folder).unwrap_or(&file).with_extension("").display().to_string();
        forms_of(&name).iter().map(move |form| {
            let (file, form) = (file.clone(), *form);
            let name = format!("{name}{}", form.suffix());
            Trial::test(name.clone(), move || play_with_retries(&name, &file, form).map_err(Failed::from))
        })
    });
    libtest_mimic::run(&args, trials.collect()).exit();
}

/// Rehearsals have the same results on an overlay and on a private copy (RH-8). A story about what a kernel offers
/// has one form.
fn forms_of(name: &str) -> &'static [StoryForm] {
    match name {
        "demo/rehearse" => &[StoryForm::AsWritten, StoryForm::NoOverlays],
        "rehearse/copy" | "rehearse/no-overlay" => &[StoryForm::AsWritten],
        name if name.starts_with("rehearse/") => &[StoryForm::AsWritten, StoryForm::PrivateCopy],
        _ => &[StoryForm::AsWritten],
    }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "story") {
            files.push(path);
        }
    }
}

fn play_with_retries(name: &str, file: &Path, form: StoryForm) -> Result<(), String> {
    let retries = std::env::var("STORY_RETRIES").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    let mut played = play_story(file, form);
    for _ in 0..retries {
        let Err(failure) = &played else { break };
        eprintln!("flaky? story {name} failed and is played again:\n{failure}");
        played = play_story(file, form);
    }
    played
}

fn play_story(file: &Path, form: StoryForm) -> Result<(), String> {
    let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
    let mut story = story::Story::parse(&text)?;
    let differences = play::play(&mut story, form)?;
    if differences.is_empty() {
        return Ok(());
    }
    // All forms have the same expectations.
    if std::env::var_os("UPDATE").is_some() && form == StoryForm::AsWritten {
        return std::fs::write(file, story.to_text()).map_err(|error| error.to_string());
    }
    Err(format!("{}\n(UPDATE=1 rewrites the expectations)", differences.join("\n")))
}
