//! What the conversation has used so far, model by model (HO-1): the totals of a result go on over a resume. What an earlier process spent
//! stands in the transcripts; a thread reads them while the first turn runs.

use cutonce_agent::store::place::own_dir;
use cutonce_core::conversation::Usage;
use cutonce_core::settings::Settings;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;

type ByModel = BTreeMap<String, (Usage, f64)>;

pub(super) struct Spent {
    settings: Arc<Settings>,
    by_model: ByModel,
    /// Dollars of this process, as the session last told them.
    told: f64,
    /// Of these, what stands at a model already and was not told yet: an agent's cost is told when it ends.
    ahead: f64,
    earlier: Option<JoinHandle<ByModel>>,
    before: f64,
}

impl Spent {
    pub fn new(settings: Arc<Settings>) -> Self {
        Self { settings, by_model: ByModel::new(), told: 0.0, ahead: 0.0, earlier: None, before: 0.0 }
    }

    /// The session's transcript and those of its agents, as far as they go now: what is written later is counted as it happens.
    pub fn goes_on_from(&mut self, transcript: &Path) {
        let agents = std::fs::read_dir(own_dir(transcript).join("agents")).into_iter().flatten().flatten();
        let files = std::iter::once(transcript.to_path_buf()).chain(agents.map(|entry| entry.path()));
        let sized = |path: PathBuf| std::fs::metadata(&path).ok().map(|meta| (path, meta.len()));
        let files: Vec<(PathBuf, u64)> =
            files.filter(|path| path.extension().is_some_and(|end| end == "jsonl")).filter_map(sized).collect();
        if !files.is_empty() {
            let settings = self.settings.clone();
            self.earlier = Some(std::thread::spawn(move || read(&files, &settings)));
        }
    }

    pub fn answered(&mut self, model: &str, usage: Usage) {
        let cost = self.settings.model_info(model).cost(&usage);
        add(&mut self.by_model, model, usage, cost);
        self.ahead += cost;
    }

    /// What the session has spent by now in this process. What no answer stands for (a summary, a judgement) is the model's of now.
    pub fn told(&mut self, cost: f64, model: &str) {
        self.ahead -= cost - self.told;
        self.told = cost;
        if self.ahead < 0.0 {
            add(&mut self.by_model, model, Usage::default(), -self.ahead);
            self.ahead = 0.0;
        }
    }

    /// Dollars of this process.
    pub fn so_far(&self) -> f64 {
        self.told
    }

    /// Dollars of the conversation.
    pub fn cost(&mut self) -> f64 {
        if let Some(earlier) = self.earlier.take().and_then(|reading| reading.join().ok()) {
            for (model, (usage, cost)) in earlier {
                self.before += cost;
                add(&mut self.by_model, &model, usage, cost);
            }
        }
        self.before + self.told
    }

    pub fn by_model(&self) -> Value {
        let one = |(model, (usage, cost)): (&String, &(Usage, f64))| {
            let info = self.settings.model_info(model);
            let value = json!({"inputTokens": usage.input_tokens, "outputTokens": usage.output_tokens,
                "cacheReadInputTokens": usage.cache_read_input_tokens,
                "cacheCreationInputTokens": usage.cache_creation_input_tokens, "webSearchRequests": 0, "costUSD": cost,
                "contextWindow": info.context, "maxOutputTokens": info.max_output});
            (model.clone(), value)
        };
        Value::Object(self.by_model.iter().map(one).collect())
    }

    /// Tokens that fit into a model's context.
    pub fn window(&self, model: &str) -> u64 {
        self.settings.model_info(model).context
    }
}

fn add(by_model: &mut ByModel, model: &str, usage: Usage, cost: f64) {
    let entry = by_model.entry(model.to_string()).or_default();
    entry.0 += usage;
    entry.1 += cost;
}

#[derive(Deserialize)]
struct Answer {
    model: String,
    usage: Usage,
}

fn read(files: &[(PathBuf, u64)], settings: &Settings) -> ByModel {
    let mut by_model = ByModel::new();
    for (path, length) in files {
        let Ok(file) = File::open(path) else { continue };
        let mut lines = BufReader::with_capacity(1 << 16, file.take(*length));
        let mut line = Vec::new();
        while lines.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
            let answer = line.starts_with(b"{\"type\":\"assistant\"").then(|| serde_json::from_slice::<Answer>(&line));
            if let Some(Ok(Answer { model, usage })) = answer {
                add(&mut by_model, &model, usage, settings.model_info(&model).cost(&usage));
            }
            line.clear();
        }
    }
    by_model
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: &str = "claude-sonnet-4-6";

    fn usage(input_tokens: u64) -> Usage {
        Usage { input_tokens, ..Usage::default() }
    }

    #[test]
    fn ho_1_what_was_spent_before_a_resume_is_part_of_the_total() {
        let dir = tempfile::tempdir().unwrap();
        let transcript = dir.path().join("s.jsonl");
        let line = |model: &str| {
            format!(
                r#"{{"type":"assistant","id":"1","model":"{model}","blocks":[],"usage":{{"input_tokens":1000000,"output_tokens":0,"cache_creation_input_tokens":0,"cache_read_input_tokens":0}},"stop":"end_turn"}}"#
            )
        };
        std::fs::write(&transcript, format!("{{\"type\":\"user\"}}\n{}\n{{broken\n", line(MODEL))).unwrap();
        let agents = own_dir(&transcript).join("agents");
        std::fs::create_dir_all(&agents).unwrap();
        std::fs::write(agents.join("a.jsonl"), line("claude-haiku-4-5")).unwrap();
        let settings = Arc::new(Settings::default());
        let price = |model: &str, tokens| settings.model_info(model).cost(&usage(tokens));
        let mut spent = Spent::new(settings.clone());
        spent.goes_on_from(&transcript);
        // What is written from now on is counted as it happens, and only once.
        std::fs::write(agents.join("b.jsonl"), line(MODEL)).unwrap();
        spent.answered(MODEL, usage(1_000));
        spent.told(price(MODEL, 1_000), MODEL);
        let before = price(MODEL, 1_000_000) + price("claude-haiku-4-5", 1_000_000);
        assert!(before > 0.0);
        assert!((spent.cost() - before - price(MODEL, 1_000)).abs() < 1e-9);
        let by_model = spent.by_model();
        assert_eq!(by_model[MODEL]["inputTokens"], 1_001_000);
        assert_eq!(by_model[MODEL]["contextWindow"], settings.model_info(MODEL).context);
        assert!(by_model[MODEL]["maxOutputTokens"].as_u64() > Some(0));
        assert_eq!(by_model["claude-haiku-4-5"]["inputTokens"], 1_000_000);
    }

    #[test]
    fn sa_1_what_is_told_late_is_counted_once() {
        let settings = Arc::new(Settings::default());
        let cost = settings.model_info(MODEL).cost(&usage(1_000));
        let mut spent = Spent::new(settings);
        // An agent in the background answers; the session tells its cost when it has ended.
        spent.answered(MODEL, usage(1_000));
        spent.told(0.0, MODEL);
        spent.told(cost, MODEL);
        assert_eq!(spent.by_model()[MODEL]["costUSD"], cost);
        // A summary is nobody's answer.
        spent.told(cost + 0.5, MODEL);
        assert_eq!(spent.by_model()[MODEL]["costUSD"], cost + 0.5);
        assert_eq!(spent.cost(), cost + 0.5);
    }
}
