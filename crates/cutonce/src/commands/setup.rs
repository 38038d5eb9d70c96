//! `cutonce setup`, and the setup of a start without a key (ON-3): choose a provider and paste a key, use a model
//! server of this machine, or see the demo. It prints lines and reads numbers, so that it works on every terminal.

use crate::cli::usage::UsageError;
use crate::frontends;
use crate::output::print_wrapped;
use crate::start;
use cutonce_agent::config::keys::{self, KeyPlace};
use cutonce_agent::config::store_main_model;
use cutonce_core::exit_code;
use cutonce_core::text::number::count_noun;
use cutonce_core::text::sanitize::one_line;
use cutonce_models::providers::{
    BuiltInProvider, LocalServer, ModelListError, PROVIDERS, find_local_servers, list_models,
};
use cutonce_sandbox::ForegroundProgram;
use cutonce_tui::{EchoMode, TypedLineReader, terminal_columns};
use std::io::Write;
use std::path::Path;
use std::time::Duration;

/// A provider in the list, and the page where its keys are made.
struct KeyProvider {
    name: &'static str,
    label: &'static str,
    key_page: &'static str,
    /// Offered where the provider has no default model.
    suggested_model: &'static str,
}

const KEY_PROVIDERS: [KeyProvider; 6] = [
    key_provider("anthropic", "Anthropic", "console.anthropic.com/settings/keys", ""),
    key_provider("openai", "OpenAI", "platform.openai.com/api-keys", ""),
    key_provider("openrouter", "OpenRouter", "openrouter.ai/settings/keys", "anthropic/claude-sonnet-4.5"),
    key_provider("deepseek", "DeepSeek", "platform.deepseek.com/api_keys", ""),
    key_provider("groq", "Groq", "console.groq.com/keys", "openai/gpt-oss-120b"),
    key_provider("xai", "xAI", "console.x.ai", "grok-4"),
];

const fn key_provider(
    name: &'static str,
    label: &'static str,
    key_page: &'static str,
    suggested_model: &'static str,
) -> KeyProvider {
    KeyProvider { name, label, key_page, suggested_model }
}

/// Models shown when the user has to choose one.
const MODELS_SHOWN: usize = 8;

/// A line of the list.
enum SetupChoice {
    Key(&'static KeyProvider),
    Local(LocalServer),
    Demo,
}

pub fn run() -> anyhow::Result<u8> {
    if !frontends::is_terminal() {
        let text = "setup asks on a terminal; without one, set ANTHROPIC_API_KEY or use `cutonce key NAME < FILE`";
        return Err(UsageError(text.into()).into());
    }
    let model = choose_model(&start::home_dir()?);
    if model.is_some() {
        println!("Start with `cutonce`.");
    }
    Ok(if model.is_some() { exit_code::SUCCESS } else { exit_code::FAILED })
}

/// Asks on the terminal until a model works. Returns its name, or `None` if the user leaves. Blocks; safe inside of a
/// runtime.
pub fn choose_model(home: &Path) -> Option<String> {
    let work = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
        runtime.block_on(ask_until_it_works(home))
    };
    std::thread::scope(|scope| scope.spawn(work).join().ok().flatten())
}

async fn ask_until_it_works(home: &Path) -> Option<String> {
    let mut terminal =
        TypedLineReader::new().inspect_err(|error| println!("Can't read from the terminal: {error}")).ok()?;
    println!("cutonce needs a model. Choose one:\n");
    loop {
        let choices = find_choices().await;
        print_choices(&choices);
        let picked = loop {
            match ask(&mut terminal, "Number: ", EchoMode::Shown)?.trim() {
                "" => return None,
                "r" => break None,
                typed => match typed.parse::<usize>().ok().and_then(|n| choices.get(n.checked_sub(1)?)) {
                    Some(choice) => break Some(choice),
                    None => println!("Type a number from 1 to {}, r or Enter.", choices.len()),
                },
            }
        };
        let chosen = match picked {
            None => None,
            Some(SetupChoice::Demo) => {
                // The demo sets the modes of the terminal itself.
                drop(terminal);
                run_demo();
                terminal = TypedLineReader::new().ok()?;
                None
            }
            Some(SetupChoice::Local(server)) => use_local_server(home, server, &mut terminal),
            Some(SetupChoice::Key(provider)) => add_key(home, provider, &mut terminal).await,
        };
        if chosen.is_some() {
            return chosen;
        }
        println!();
    }
}

fn env_var(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

async fn find_choices() -> Vec<SetupChoice> {
    let local = find_local_servers(&env_var).await.into_iter().map(SetupChoice::Local);
    KEY_PROVIDERS.iter().map(SetupChoice::Key).chain(local).chain([SetupChoice::Demo]).collect()
}

fn print_choices(choices: &[SetupChoice]) {
    let columns = terminal_columns();
    choices.iter().enumerate().for_each(|(n, choice)| println!("{}", choice_row(n + 1, choice, columns)));
    println!();
    print_wrapped("r looks again for Ollama, llama.cpp, LM Studio and vLLM. Enter leaves.");
}

/// A row of the list. The key page is left out where it does not fit; it comes again with the question for the key.
fn choice_row(n: usize, choice: &SetupChoice, columns: usize) -> String {
    let (label, about, short) = match choice {
        SetupChoice::Key(provider) => {
            (provider.label, format!("with a key from {}", provider.key_page), "with a key".into())
        }
        SetupChoice::Local(server) => {
            let many = server.models.len();
            let models = count_noun(many, "model");
            (local_label(server.provider), format!("runs on this machine, {models}, no key"), format!("here, {models}"))
        }
        SetupChoice::Demo => ("Demo", "a scripted model, no key and no network".into(), "no key, no network".into()),
    };
    let row = |about: &str| format!(" {n:>2}  {label:<11} {about}");
    let long = row(&about);
    if long.chars().count() <= columns { long } else { row(&short) }
}

fn local_label(provider: &str) -> &str {
    match provider {
        "ollama" => "Ollama",
        "llamacpp" => "llama.cpp",
        "lmstudio" => "LM Studio",
        "vllm" => "vLLM",
        other => other,
    }
}

/// Prints a question and reads a line; `None` if the user cancels it or the terminal is gone.
fn ask(terminal: &mut TypedLineReader, question: &str, echo: EchoMode) -> Option<String> {
    print!("{question}");
    std::io::stdout().flush().ok()?;
    let typed = terminal.read(echo);
    println!();
    match typed {
        Ok(typed) => typed,
        Err(error) => {
            println!("Can't read from the terminal: {error}");
            None
        }
    }
}

/// Asks for a key until one works, and stores it.
async fn add_key(home: &Path, chosen: &KeyProvider, terminal: &mut TypedLineReader) -> Option<String> {
    let provider = PROVIDERS.iter().find(|provider| provider.name == chosen.name)?;
    let key_env = provider.key_env?;
    println!("\nGet a key at https://{}", chosen.key_page);
    let (key, models) = loop {
        let typed = ask(terminal, "Paste it and press Enter (it is not shown, Esc goes back): ", EchoMode::Hidden)?;
        let key = typed.trim().to_string();
        if key.is_empty() {
            return None;
        }
        println!("Checking the key …");
        match unless_cancelled(terminal, list_models(provider, Some(&key), &env_var)).await? {
            Ok(models) => break (key, models),
            Err(error) => print_wrapped(&format!("✗ {}", one_line(&with_next_step(&error, chosen, provider)))),
        }
    };
    println!("✓ {} accepts the key.", chosen.label);
    match keys::keep_key(home, key_env, &key.as_str().into()) {
        Ok(KeyPlace::Keyring) => println!("✓ Stored in the system's keyring."),
        Ok(KeyPlace::File(path)) => println!("✓ Stored in {}; only you can read it.", path.display()),
        Err(error) => {
            println!(
                "✗ The key was not stored: {}. Set {key_env} in your environment instead.",
                one_line(&error.to_string())
            );
            return None;
        }
    }
    if env_var(key_env).is_some_and(|other| !other.trim().is_empty() && other.trim() != key) {
        print_wrapped(&format!("! {key_env} in your environment has another key, which comes first: unset it."));
    }
    let default = provider.default_model.filter(|model| models.is_empty() || models.iter().any(|known| known == model));
    let (name, model) = match default {
        Some(model) => (provider.name.to_string(), model.to_string()),
        None => {
            let model = pick_model(&models, chosen.suggested_model, terminal)?;
            (format!("{}/{model}", provider.name), model)
        }
    };
    store_model(home, &name, &model);
    Some(name)
}

/// The result of `work`, or `None` if the user presses Ctrl+C or Esc first (DU-1).
async fn unless_cancelled<T>(terminal: &mut TypedLineReader, work: impl Future<Output = T>) -> Option<T> {
    tokio::pin!(work);
    loop {
        tokio::select! {
            done = &mut work => return Some(done),
            () = tokio::time::sleep(Duration::from_millis(50)) => if terminal.is_cancelled() { return None },
        }
    }
}

/// The error and what the user can do about it, as one line.
fn with_next_step(error: &ModelListError, chosen: &KeyProvider, provider: &BuiltInProvider) -> String {
    let next = match (error, provider.base_env.filter(|name| env_var(name).is_some_and(|value| !value.is_empty()))) {
        (ModelListError::KeyRefused { .. }, _) => format!("Copy it again from {} and paste it here.", chosen.key_page),
        (ModelListError::NotAList { .. } | ModelListError::Redirected { .. }, Some(variable)) => {
            format!("Check {variable}.")
        }
        (ModelListError::NotAList { .. } | ModelListError::Redirected { .. }, None) => {
            "A proxy or a login page may be in between: open it in a browser.".into()
        }
        (ModelListError::NoConnection { .. }, _) => {
            "Check the network (HTTPS_PROXY names a proxy), then paste the key again. The demo needs no network.".into()
        }
        (ModelListError::Status { .. }, _) => format!(
            "Paste the key again in a moment, or store it without a check: cutonce key {}.",
            provider.key_env.unwrap_or_default()
        ),
    };
    format!("{error}. {next}")
}

fn use_local_server(home: &Path, server: &LocalServer, terminal: &mut TypedLineReader) -> Option<String> {
    let model = pick_model(&server.models, "", terminal)?;
    let name = format!("{}/{model}", server.provider);
    store_model(home, &name, &model);
    Some(name)
}

/// Lets the user choose from the provider's models; a single one needs no question.
fn pick_model(models: &[String], suggested: &str, terminal: &mut TypedLineReader) -> Option<String> {
    let first = models.iter().find(|model| *model == suggested).or(models.first())?;
    if models.len() == 1 {
        return Some(first.clone());
    }
    let mut shown: Vec<&String> = models.iter().take(MODELS_SHOWN).collect();
    loop {
        let names = shown.iter().map(|id| one_line(id)).collect::<Vec<_>>().join(", ");
        print_wrapped(&format!("Models: {names}{}", more(models, &shown)));
        let typed = ask(terminal, &format!("Model, or a part of its name [{}]: ", one_line(first)), EchoMode::Shown)?;
        let typed = typed.trim();
        if typed.is_empty() {
            return Some(first.clone());
        }
        if let Some(exact) = models.iter().find(|model| *model == typed) {
            return Some(exact.clone());
        }
        let part = typed.to_lowercase();
        let fitting: Vec<&String> = models.iter().filter(|model| model.to_lowercase().contains(&part)).collect();
        match fitting.as_slice() {
            [one] => return Some((*one).clone()),
            [] => println!("No model has `{}` in its name.", one_line(typed)),
            several => shown = several.iter().copied().take(MODELS_SHOWN).collect(),
        }
    }
}

fn more(models: &[String], shown: &[&String]) -> String {
    match models.len().saturating_sub(shown.len()) {
        0 => String::new(),
        n => format!(" and {n} more"),
    }
}

/// Remembers the model for later starts. A failure costs only that.
fn store_model(home: &Path, name: &str, model: &str) {
    match store_main_model(home, name) {
        Ok(()) => println!("✓ Model: {}. /model changes it.", one_line(model)),
        Err(error) => {
            println!("✓ Model: {}, for this session only: {}.", one_line(model), one_line(&error.to_string()))
        }
    }
}

/// Runs the demo as a program of its own, on this terminal.
fn run_demo() {
    let done = std::env::current_exe().map_err(|error| error.to_string()).and_then(|program| {
        let cwd = std::env::current_dir().map_err(|error| error.to_string())?;
        let demo = ForegroundProgram { program, args: vec!["demo".into()], cwd, env: std::env::vars_os().collect() };
        demo.run().map_err(|error| error.to_string())
    });
    if let Err(error) = done {
        println!("✗ The demo did not start: {error}. Run `cutonce demo` by itself.");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn on_3_key_providers_are_built_in_with_model() {
        for chosen in &KEY_PROVIDERS {
            let provider = PROVIDERS.iter().find(|provider| provider.name == chosen.name).unwrap();
            assert!(provider.key_env.is_some() && provider.key_needed, "{}", chosen.name);
            assert!(provider.default_model.is_some() || !chosen.suggested_model.is_empty(), "{}", chosen.name);
        }
    }

    #[test]
    fn on_3_each_error_has_a_next_step() {
        let (chosen, provider) = (&KEY_PROVIDERS[3], PROVIDERS.iter().find(|known| known.name == "deepseek").unwrap());
        let said = |error: ModelListError| with_next_step(&error, chosen, provider);
        let url = || "https://api.deepseek.com".to_string();
        let refused = ModelListError::KeyRefused { provider: "deepseek".into(), status: 401, words: "no".into() };
        assert!(said(refused).contains("Copy it again from platform.deepseek.com"));
        assert!(said(ModelListError::NoConnection { url: url(), words: "x".into() }).contains("Check the network"));
        assert!(said(ModelListError::NotAList { url: url(), what: "text/html".into() }).contains("login page"));
        let login = ModelListError::Redirected { url: url(), status: 302, target: "https://login".into() };
        assert!(said(login).contains("login page may be in between"));
        let status = ModelListError::Status { provider: "deepseek".into(), status: 500, words: "x".into() };
        assert!(said(status).contains("cutonce key DEEPSEEK_API_KEY"));
    }

    #[test]
    fn on_3_choices_fit_into_40_columns() {
        let local = LocalServer { provider: "lmstudio", url: String::new(), models: vec!["a".into(), "b".into()] };
        let keys = KEY_PROVIDERS.iter().map(SetupChoice::Key);
        for choice in keys.chain([SetupChoice::Local(local), SetupChoice::Demo]) {
            let row = choice_row(1, &choice, 40);
            assert!(row.chars().count() <= 40, "{row}");
            assert!(choice_row(1, &choice, 80).chars().count() > row.chars().count(), "{row}");
            let [one, ten] = [1, 10].map(|n| choice_row(n, &choice, 80));
            assert_eq!(one.chars().count(), ten.chars().count(), "numbers are aligned:\n{one}\n{ten}");
        }
    }
}
