//! Usage and cost of the conversation per model (HO-1). Totals in a result include earlier processes of a
//! resumed session. A thread reads those from the transcripts while the first turn runs.

use cutonce_agent::storage::paths::own_dir;
use cutonce_core::conversation::TokenUsage;
use cutonce_core::settings::Settings;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;

type UsageByModel = BTreeMap<String, (TokenUsage, f64)>;

pub(super) struct UsageTotals {
    settings: Arc<Settings>,
    by_model: UsageByModel,
    /// Cost of this process in dollars, as the session last reported it.
    reported: f64,
    /// Cost already booked to a model but not yet reported: a subagent's cost is reported when it ends.
    unreported: f64,
    earlier: Option<JoinHandle<UsageByModel>>,
    earlier_cost: f64,
}

impl UsageTotals {
    pub fn new(settings: Arc<Settings>) -> Self {
        Self {
            settings,
            by_model: UsageByModel::new(),
            reported: 0.0,
            unreported: 0.0,
            earlier: None,
            earlier_cost: 0.0,
        }
    }

    /// Starts reading the transcripts of the session and its subagents, up to their current length. Later
    /// entries are counted as they happen.
    pub fn read_earlier(&mut self, transcript: &Path) {
        let agents = std::fs::read_dir(own_dir(transcript).join("agents")).into_iter().flatten().flatten();
        let files = std::iter::once(transcript.to_path_buf()).chain(agents.map(|entry| entry.path()));
        let sized = |path: PathBuf| std::fs::metadata(&path).ok().map(|meta| (path, meta.len()));
        let files: Vec<(PathBuf, u64)> =
            files.filter(|path| path.extension().is_some_and(|end| end == "jsonl")).filter_map(sized).collect();
        if !files.is_empty() {
            let settings = self.settings.clone();
            self.earlier = Some(std::thread::spawn(move || read_transcripts(&files, &settings)));
        }
    }

    pub fn add_answer(&mut self, model: &str, usage: TokenUsage) {
        let cost = self.settings.model_info(model).cost(&usage);
        add_usage(&mut self.by_model, model, usage, cost);
        self.unreported += cost;
    }

    /// Takes the cost that the session reports for this process. Cost without an answer (summary, classifier)
    /// is booked to the current model.
    pub fn report_cost(&mut self, cost: f64, model: &str) {
        self.unreported -= cost - self.reported;
        self.reported = cost;
        if self.unreported < 0.0 {
            add_usage(&mut self.by_model, model, TokenUsage::default(), -self.unreported);
            self.unreported = 0.0;
        }
    }

    /// Cost of this process in dollars.
    pub fn process_cost(&self) -> f64 {
        self.reported
    }

    /// Cost of the whole conversation in dollars.
    pub fn total_cost(&mut self) -> f64 {
        if let Some(earlier) = self.earlier.take().and_then(|reading| reading.join().ok()) {
            for (model, (usage, cost)) in earlier {
                self.earlier_cost += cost;
                add_usage(&mut self.by_model, &model, usage, cost);
            }
        }
        self.earlier_cost + self.reported
    }

    pub fn by_model(&self) -> Value {
        let one = |(model, (usage, cost)): (&String, &(TokenUsage, f64))| {
            let info = self.settings.model_info(model);
            let value = json!({"inputTokens": usage.input_tokens, "outputTokens": usage.output_tokens,
                "cacheReadInputTokens": usage.cache_read_input_tokens,
                "cacheCreationInputTokens": usage.cache_creation_input_tokens, "webSearchRequests": 0, "costUSD": cost,
                "contextWindow": info.context, "maxOutputTokens": info.max_output});
            (model.clone(), value)
        };
        Value::Object(self.by_model.iter().map(one).collect())
    }

    /// Context window of a model in tokens.
    pub fn context_window(&self, model: &str) -> u64 {
        self.settings.model_info(model).context
    }
}

fn add_usage(by_model: &mut UsageByModel, model: &str, usage: TokenUsage, cost: f64) {
    let entry = by_model.entry(model.to_string()).or_default();
    entry.0 += usage;
    entry.1 += cost;
}

#[derive(Deserialize)]
struct RecordedAnswer {
    model: String,
    usage: TokenUsage,
}

fn read_transcripts(files: &[(PathBuf, u64)], settings: &Settings) -> UsageByModel {
    let mut by_model = UsageByModel::new();
    for (path, length) in files {
        let Ok(file) = File::open(path) else { continue };
        let mut lines = BufReader::with_capacity(1 << 16, file.take(*length));
        let mut line = Vec::new();
        while lines.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
            let answer =
                line.starts_with(b"{\"type\":\"assistant\"").then(|| serde_json::from_slice::<RecordedAnswer>(&line));
            if let Some(Ok(RecordedAnswer { model, usage })) = answer {
                add_usage(&mut by_model, &model, usage, settings.model_info(&model).cost(&usage));
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

    fn usage(input_tokens: u64) -> TokenUsage {
        TokenUsage { input_tokens, ..TokenUsage::default() }
    }

    #[test]
    fn ho_1_total_includes_usage_before_resume() {
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
        let mut spent = UsageTotals::new(settings.clone());
        spent.read_earlier(&transcript);
        // Later entries are counted as they happen, and only once.
        std::fs::write(agents.join("b.jsonl"), line(MODEL)).unwrap();
        spent.add_answer(MODEL, usage(1_000));
        spent.report_cost(price(MODEL, 1_000), MODEL);
        let before = price(MODEL, 1_000_000) + price("claude-haiku-4-5", 1_000_000);
        assert!(before > 0.0);
        assert!((spent.total_cost() - before - price(MODEL, 1_000)).abs() < 1e-9);
        let by_model = spent.by_model();
        assert_eq!(by_model[MODEL]["inputTokens"], 1_001_000);
        assert_eq!(by_model[MODEL]["contextWindow"], settings.model_info(MODEL).context);
        assert!(by_model[MODEL]["maxOutputTokens"].as_u64() > Some(0));
        assert_eq!(by_model["claude-haiku-4-5"]["inputTokens"], 1_000_000);
    }

    #[test]
    fn sa_1_late_subagent_cost_counts_once() {
        let settings = Arc::new(Settings::default());
        let cost = settings.model_info(MODEL).cost(&usage(1_000));
        let mut spent = UsageTotals::new(settings);
        // A background subagent answers; the session reports its cost when it ends.
        spent.add_answer(MODEL, usage(1_000));
        spent.report_cost(0.0, MODEL);
        spent.report_cost(cost, MODEL);
        assert_eq!(spent.by_model()[MODEL]["costUSD"], cost);
        // A summary has no answer of its own.
        spent.report_cost(cost + 0.5, MODEL);
        assert_eq!(spent.by_model()[MODEL]["costUSD"], cost + 0.5);
        assert_eq!(spent.total_cost(), cost + 0.5);
    }
}
