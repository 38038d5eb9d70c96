//! `/plans` (PC-41): all plans, those of this project first, with what can be done with each.

use crate::app::App;
use crate::overlays::menu::{Menu, MenuKey, MenuKind, MenuRow};
use crate::overlays::pager::{PagerContent, PagerItem};
use crate::render::text;
use cutonce_agent::plan::{ListedPlan, PlanRevisions, delete_plan, list_plans_for, read_plan};
use cutonce_core::plan::command::{ModeCommand, PLANS_USAGE, PlanCommand, PlanListCommand};
use cutonce_core::protocol::event::NoticeLevel;
use cutonce_core::protocol::submission::Submission;

/// Characters of a plan in the preview.
const MAX_PREVIEW: usize = 16 << 10;

const PLAN_KEYS: &[MenuKey] = &[
    MenuKey::new('⏎', "review"),
    MenuKey::new('w', "switch to it"),
    MenuKey::new('p', "park"),
    MenuKey::new('r', "report"),
    MenuKey::new('x', "delete"),
    MenuKey::new('X', "confirm"),
];

impl App {
    /// `/plans`, with or without words.
    pub(super) fn run_plans_command(&mut self, words: &str) {
        let plans = self.listed_plans();
        let named = |name: &str| cutonce_agent::plan::nth_or_named(&plans, name);
        match PlanListCommand::parse(words) {
            Some(PlanListCommand::List) => self.show_plans("", None, false),
            Some(PlanListCommand::Review(name)) => self.on_submission_key(&named(&name), '⏎'),
            Some(PlanListCommand::Switch(name)) => self.on_submission_key(&named(&name), 'w'),
            Some(PlanListCommand::Park(name)) => self.on_submission_key(&named(&name), 'p'),
            Some(PlanListCommand::Report(name)) => self.on_submission_key(&named(&name), 'r'),
            Some(PlanListCommand::Delete(name)) => self.show_plans(&named(&name), None, true),
            None => self.print_notice(NoticeLevel::Warning, &format!("Usage: {PLANS_USAGE}")),
        }
    }

    /// Performs the action of a key on a plan.
    pub(crate) fn on_submission_key(&mut self, slug: &str, key: char) {
        let command = match key {
            '⏎' => PlanCommand::Submit(Some(slug.to_string())),
            'w' => PlanCommand::Switch(slug.to_string()),
            'p' => PlanCommand::Park(Some(slug.to_string())),
            'r' => return self.show_plan_report(slug),
            'x' => return self.show_plans(slug, None, true),
            _ => {
                let session = self.session.handle.as_ref().map(|session| session.id().to_string());
                let notice = match delete_plan(&self.environment.home, slug, session.as_deref()) {
                    Ok(()) => format!("Deleted {slug}."),
                    Err(error) => error.to_string(),
                };
                return self.show_plans("", Some(notice), false);
            }
        };
        self.submit(Submission::mode_command(ModeCommand::Plan(command)));
    }

    fn listed_plans(&self) -> Vec<ListedPlan> {
        list_plans_for(&self.environment.home, &self.environment.cwd)
    }

    /// Opens the menu. `deleting`: the selected plan can be deleted with one more key.
    fn show_plans(&mut self, selected: &str, notice: Option<String>, deleting: bool) {
        let here = self.environment.cwd.display().to_string();
        let rows: Vec<MenuRow> = self.listed_plans().iter().map(|plan| plan_row(plan, &here, deleting)).collect();
        let notice = match deleting {
            true => Some(format!("X deletes {selected} with all its revisions; any other key keeps it")),
            false => notice,
        };
        let menu = Menu::new(MenuKind::Submissions, "Plans, those of this project first", rows, PLAN_KEYS, self.theme)
            .with_empty_text("No plans yet. /plan starts plan mode.");
        self.open_overlay(Box::new(menu.with_selected(selected).with_notice(notice)), None);
    }

    fn show_plan_report(&mut self, slug: &str) {
        match PlanRevisions::for_plan(&self.environment.home, slug).report() {
            Ok(Some(report)) => {
                let item = PagerItem { title: "Report".into(), body: PagerContent::Plain(report.text().into()) };
                self.show_items(&report.summary(), vec![item]);
            }
            Ok(None) => self.show_plans(slug, Some(format!("{slug} was not implemented yet")), false),
            Err(error) => self.show_plans(slug, Some(error.to_string()), false),
        }
    }
}

fn plan_row(plan: &ListedPlan, here: &str, deleting: bool) -> MenuRow {
    let project = match plan.project.as_deref() {
        Some(project) if project != here => format!("  [{project}]"),
        Some(_) | None => String::new(),
    };
    let preview = read_plan(&plan.path).text().map(str::to_string).unwrap_or_else(|| "(the file is gone)".into());
    MenuRow {
        id: plan.slug.clone(),
        name: plan.slug.clone(),
        note: text::one_line(&format!("{}  {}{project}", plan.describe_state(), plan.title)),
        preview: vec![PagerItem {
            title: text::one_line(&plan.title),
            body: PagerContent::Markdown(text::truncate_chars(&preview, MAX_PREVIEW).into_owned().into()),
        }],
        keys: if deleting { "X" } else { "⏎wprx" },
        ..MenuRow::default()
    }
}
