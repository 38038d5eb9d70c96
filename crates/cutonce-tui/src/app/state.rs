//! The state of the app, in groups, and its creation.

use super::agents_panel::AgentsPanel;
use super::dialog_screen::DialogScreen;
use super::guide::GuideState;
use super::pending_asks::PendingAsks;
use super::session_thread::SessionThread;
use super::status_command::StatusCommandState;
use super::stream_view::PrintedRows;
use super::{AppMessage, send_to_app};
use crate::composer::{Composer, DraftStore, FileCompleter, MessageHistory};
use crate::entries::ConversationEntryKind;
use crate::entries::conversation_log::ConversationLog;
use crate::entries::path_shortener::PathShortener;
use crate::entries::streaming_text::StreamingText;
use crate::entries::tool_call::RunningCall;
use crate::input::keymap::KeyAction;
use crate::overlays::rewind_picker::RewindEntryKind;
use crate::render::highlight::Highlighter;
use crate::render::theme::{ColourDepth, Theme, ThemeName};
use crate::status_line::StatusLine;
use crate::terminal::scrollback::ScrollbackWriter;
use crate::terminal::{self, KeyReader, TerminalGuard, TimedInput};
use crate::{FirstSubmission, SessionOpener, TuiOptions};
use cutonce_agent::Session;
use cutonce_agent::builder::SessionSelector;
use cutonce_agent::config::commands::{self, CommandFolders, CustomCommand};
use cutonce_agent::storage::paths::project_name;
use cutonce_core::mode::Mode;
use cutonce_core::protocol::submission::Submission;
use cutonce_core::settings::Settings;
use ratatui::text::Line;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::mpsc;

/// Paths, environment and flags passed in by the binary.
pub(super) struct AppEnvironment {
    pub(super) home: PathBuf,
    pub(super) cwd: PathBuf,
    pub(super) env: Vec<(std::ffi::OsString, std::ffi::OsString)>,
    pub(super) version: &'static str,
    pub(super) doctor: fn() -> String,
    pub(super) setup: fn(&std::path::Path) -> Option<String>,
    pub(super) command_line_rules: crate::CommandLineRules,
    /// `--fork-session`
    pub(super) fork: bool,
}

impl AppEnvironment {
    pub(super) fn path_shortener(&self) -> PathShortener {
        let (cwd, home) = (self.cwd.clone(), self.env_var("HOME").map(PathBuf::from));
        PathShortener::new(cwd, home, &self.home)
    }

    /// The custom commands; `trusted`: those of the project, too.
    pub(super) fn find_commands(&self, trusted: bool) -> Vec<CustomCommand> {
        let user_home = self.env_var("HOME").map(PathBuf::from);
        commands::find_commands(CommandFolders {
            home: Some(&self.home),
            user_home: user_home.as_deref(),
            cwd: &self.cwd,
            trusted,
        })
    }

    pub(super) fn env_var(&self, name: &str) -> Option<String> {
        let value = self.env.iter().find(|(key, _)| key == name).map(|(_, value)| value.to_string_lossy());
        value.map(|value| value.into_owned()).filter(|value| !value.is_empty())
    }
}

/// Progress of the current turn.
pub(super) struct TurnProgress {
    pub(super) started: Instant,
    pub(super) activity: String,
    pub(super) sent: u64,
    pub(super) received: u64,
    /// Bytes of the answer received so far, used to estimate its tokens.
    pub(super) streamed_bytes: usize,
    /// The silent provider, and since when it is silent.
    pub(super) silent: Option<(String, Instant)>,
    /// Why the request is sent again, and when (DU-8).
    pub(super) retry: Option<(String, Instant)>,
}

impl TurnProgress {
    pub(super) fn new(activity: String) -> TurnProgress {
        TurnProgress {
            started: Instant::now(),
            activity,
            sent: 0,
            received: 0,
            streamed_bytes: 0,
            silent: None,
            retry: None,
        }
    }
}

/// The terminal and the rows that will be printed to it.
pub(super) struct Screen {
    pub(super) terminal: TerminalGuard,
    pub(super) reader: KeyReader,
    pub(super) scrollback: ScrollbackWriter,
    /// Lines to append to the scrollback with the next frame.
    pub(super) pending_rows: Vec<Line<'static>>,
    /// The window title that was set last; `None`: this terminal has none.
    pub(super) title: Option<String>,
    /// Kind of the last printed entry. It decides whether a blank row follows.
    pub(super) last_kind: ConversationEntryKind,
}

/// When to draw the next frame, and the notification to send with it.
pub(super) struct RedrawState {
    pub(super) dirty: bool,
    /// Draw without waiting for the frame interval.
    pub(super) urgent: bool,
    pub(super) drawn_at: Instant,
    pub(super) bell: Option<&'static str>,
}

/// The composer with its file list and saved drafts.
pub(super) struct PromptState {
    pub(super) composer: Composer,
    pub(super) files: FileCompleter,
    pub(super) drafts: DraftStore,
    /// The draft changed since it was last saved.
    pub(super) unsaved: bool,
}

/// The open session, and what is needed to open one.
pub(super) struct SessionConnection {
    pub(super) thread: SessionThread,
    pub(super) handle: Option<Session>,
    pub(super) settings: Arc<Settings>,
    pub(super) transcript: Option<PathBuf>,
    /// Modes that Shift+Tab goes through.
    pub(super) modes: Vec<Mode>,
    /// Submissions made before the session was open.
    pub(super) early_submissions: Vec<Submission>,
    pub(super) custom_commands: Vec<CustomCommand>,
    /// Opening the session failed and no other one is being opened.
    pub(super) open_failed: bool,
    /// The setup has opened by itself already; after that, `/setup` opens it.
    pub(super) setup_shown: bool,
}

impl SessionConnection {
    fn new(opener: SessionOpener) -> SessionConnection {
        SessionConnection {
            thread: SessionThread::new(opener),
            handle: None,
            settings: Arc::default(),
            transcript: None,
            modes: Vec::new(),
            early_submissions: Vec::new(),
            custom_commands: Vec::new(),
            open_failed: false,
            setup_shown: false,
        }
    }
}

/// The model's current answer.
#[derive(Default)]
pub(super) struct AnswerView {
    /// The answer that is being streamed.
    pub(super) text: Option<StreamingText>,
    pub(super) received_live: bool,
    pub(super) printed_rows: PrintedRows,
}

/// Running work that is shown above the composer.
#[derive(Default)]
pub(super) struct ActivityState {
    pub(super) calls: Vec<RunningCall>,
    pub(super) agents: AgentsPanel,
    /// Ctrl+T: show todos, agents, teammates and background commands in full (UI-14).
    pub(super) expanded: bool,
}

/// Messages that wait for the agent's next step (AG-5).
#[derive(Default)]
pub(super) struct MessageQueue {
    pub(super) messages: Vec<String>,
    /// The next message that leaves the queue is dropped instead of edited.
    pub(super) dropping: bool,
}

/// Times of key presses.
pub(super) struct KeyTimes {
    pub(super) last_key: Instant,
    /// The key that was pressed once and the deadline for pressing it again.
    pub(super) repeat_press: Option<(KeyAction, Instant)>,
}

/// Rewinding the conversation or the files.
#[derive(Default)]
pub(super) struct RewindState {
    /// Rewind points offered by the open picker: id and target.
    pub(super) points: Vec<(String, RewindEntryKind)>,
    /// A rewind of the conversation is in progress.
    pub(super) in_progress: bool,
}

/// All state of the terminal app.
pub(super) struct App {
    pub(super) environment: AppEnvironment,
    pub(super) path_shortener: PathShortener,
    pub(super) screen: Screen,
    pub(super) redraw: RedrawState,
    pub(super) theme: Theme,
    pub(super) highlighter: Highlighter,
    pub(super) prompt: PromptState,
    pub(super) queue: MessageQueue,
    pub(super) key_times: KeyTimes,
    pub(super) session: SessionConnection,
    pub(super) status: StatusLine,
    pub(super) status_command: StatusCommandState,
    pub(super) turn: Option<TurnProgress>,
    pub(super) answer: AnswerView,
    pub(super) activity: ActivityState,
    pub(super) asks: PendingAsks,
    pub(super) dialog_screen: DialogScreen,
    pub(super) log: ConversationLog,
    pub(super) rewind: RewindState,
    /// The plan mode tip, while it is shown (PM-141).
    pub(super) tip: Option<String>,
    pub(super) guide: GuideState,
    pub(super) messages: mpsc::UnboundedSender<AppMessage>,
    /// Exit code, once the app is to quit.
    pub(super) exit: Option<u8>,
}

/// Start parameters that `run` needs besides the app.
pub(super) struct StartOptions {
    pub(super) selector: Option<(SessionSelector, bool)>,
    pub(super) first_submission: Option<FirstSubmission>,
    /// Initial search text of the session picker.
    pub(super) search_text: String,
}

impl App {
    pub(super) fn start(
        options: TuiOptions,
        notes: mpsc::UnboundedSender<AppMessage>,
    ) -> io::Result<(App, StartOptions, mpsc::UnboundedReceiver<TimedInput>)> {
        let TuiOptions {
            home,
            cwd,
            env,
            version,
            opener: open,
            selector: which,
            picker_search: words,
            fork,
            first_submission: first,
            doctor,
            setup,
            command_line_rules: flags,
            guide,
        } = options;
        let around = AppEnvironment { home, cwd, env, version, doctor, setup, command_line_rules: flags, fork };
        let term = around.env_var("TERM").unwrap_or_default();
        let terminal = TerminalGuard::acquire(terminal::supports_kitty(&term))?;
        let (reader, arrived) = KeyReader::start()?;
        let history = ScrollbackWriter::new(terminal::reflows(|name| around.env_var(name)), terminal::size());
        let mut drafts = DraftStore::new(&around.home, &around.cwd);
        let mut composer = new_composer(&around);
        // An abandoned draft of this folder belongs to a new session; a resumed session has its own draft.
        let begins = matches!(which, Some(SessionSelector::New | SessionSelector::NewWithId(_)));
        if let Some(draft) = begins.then(|| drafts.take_abandoned()).flatten() {
            composer.restore(draft);
        }
        let (listed, coloured) = (notes.clone(), notes.clone());
        let files = FileCompleter::new(&around.cwd, Box::new(move || send_to_app(&listed, AppMessage::FilesListed)));
        let now = Instant::now();
        let app = App {
            path_shortener: around.path_shortener(),
            screen: Screen {
                terminal,
                reader,
                scrollback: history,
                pending_rows: Vec::new(),
                title: terminal::supports_kitty(&term).then(String::new),
                last_kind: ConversationEntryKind::Start,
            },
            redraw: RedrawState { dirty: true, urgent: true, drawn_at: now, bell: None },
            theme: Theme::new(ThemeName::Ansi, ColourDepth::detect(|name| around.env_var(name))),
            highlighter: Highlighter::new(move || send_to_app(&coloured, AppMessage::HighlightReady)),
            prompt: PromptState { composer, files, drafts, unsaved: false },
            queue: MessageQueue::default(),
            key_times: KeyTimes { last_key: now, repeat_press: None },
            session: SessionConnection::new(open),
            status: StatusLine::default(),
            status_command: StatusCommandState::default(),
            turn: None,
            answer: AnswerView::default(),
            activity: ActivityState::default(),
            asks: PendingAsks::default(),
            dialog_screen: DialogScreen::default(),
            log: ConversationLog::default(),
            rewind: RewindState::default(),
            tip: None,
            guide: GuideState { guide, ..GuideState::default() },
            messages: notes,
            exit: None,
            environment: around,
        };
        let selector = which.map(|which| (which, fork));
        Ok((app, StartOptions { selector, first_submission: first, search_text: words }, arrived))
    }
}

/// A composer with the messages of this folder and the built-in commands; a session adds its own.
fn new_composer(around: &AppEnvironment) -> Composer {
    let recall = around.home.join("history").join(format!("{}.jsonl", project_name(&around.cwd)));
    let mut composer = Composer::new(MessageHistory::new(recall));
    composer.set_commands(super::commands::completion_items(&[], &[]));
    composer
}
