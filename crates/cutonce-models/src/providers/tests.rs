use super::*;
use secrecy::ExposeSecret;

fn go(spec: &str, env: &[(&str, &str)]) -> Result<ResolvedModel, String> {
    go_with(spec, env, &[])
}

fn go_with(spec: &str, env: &[(&str, &str)], custom: &[CustomProvider]) -> Result<ResolvedModel, String> {
    let lookup = |name: &str| env.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
    resolve(spec, &lookup, custom).map_err(|error| error.message)
}

fn shown(choice: Result<ResolvedModel, String>) -> String {
    match choice {
        Ok(choice) => match choice.target {
            ModelTarget::Http(endpoint) => format!("{} {} {}", choice.provider, choice.model, endpoint.base_url),
            ModelTarget::Scripted { wire, path } => format!("{wire:?} {}", path.display()),
        },
        Err(error) => error,
    }
}

const ANTHROPIC: (&str, &str) = ("ANTHROPIC_API_KEY", "k1");
const OPENAI: (&str, &str) = ("OPENAI_API_KEY", "k2");
const ROUTER: (&str, &str) = ("OPENROUTER_API_KEY", "k3");

#[test]
fn mo_1_names_resolve_to_providers() {
    let check = |spec: &str, env: &[(&str, &str)], expected: &str| assert_eq!(shown(go(spec, env)), expected, "{spec}");
    check("anthropic/claude-x", &[ANTHROPIC], "anthropic claude-x https://api.anthropic.com");
    check("claude-x", &[OPENAI, ANTHROPIC], "anthropic claude-x https://api.anthropic.com");
    check("claude-x", &[OPENAI], "openai claude-x https://api.openai.com/v1");
    check("gpt-5", &[ANTHROPIC, OPENAI], "openai gpt-5 https://api.openai.com/v1");
    check("o3", &[ANTHROPIC, OPENAI], "openai o3 https://api.openai.com/v1");
    check("something", &[OPENAI], "openai something https://api.openai.com/v1");
    check("openrouter/a/b", &[ROUTER], "openrouter a/b https://openrouter.ai/api/v1");
    check("meta/llama", &[ANTHROPIC, ROUTER], "openrouter meta/llama https://openrouter.ai/api/v1");
    check("ollama/qwen3:8b", &[], "ollama qwen3:8b http://localhost:11434/v1");
    check("ollama/q", &[("OLLAMA_HOST", "0.0.0.0")], "ollama q http://127.0.0.1:11434/v1");
    check("ollama/q", &[("OLLAMA_HOST", "https://o.example/")], "ollama q https://o.example/v1");
    check("llamacpp/any", &[], "llamacpp any http://localhost:8080/v1");
    check("openai-chat/gpt-4o", &[OPENAI], "openai-chat gpt-4o https://api.openai.com/v1");
    check("scripted/a/b.json", &[], "Anthropic a/b.json");
    check("scripted+responses//tmp/s.json", &[], "Responses /tmp/s.json");
    check("scripted+chat/s.json", &[], "Chat s.json");
}

#[test]
fn mo_1_without_a_name_the_key_decides() {
    assert!(shown(go("", &[OPENAI])).starts_with("openai gpt-"));
    assert!(shown(go("", &[OPENAI, ANTHROPIC])).starts_with("anthropic claude-"));
    assert!(shown(go("anthropic", &[ANTHROPIC])).starts_with("anthropic claude-"));
}

#[test]
fn mo_1_local_address_needs_no_key() {
    let url = ("ANTHROPIC_BASE_URL", "http://127.0.0.1:4000/");
    assert_eq!(shown(go("claude-x", &[url])), "anthropic claude-x http://127.0.0.1:4000");
    let url = ("OPENAI_BASE_URL", "http://gpu:8000/v1");
    assert_eq!(shown(go("openai/m", &[url])), "openai m http://gpu:8000/v1");
}

#[test]
fn mo_1_missing_parts_are_reported() {
    let error = go("claude-x", &[]).unwrap_err();
    assert!(error.contains("No key for the model `claude-x`") && error.contains("Set ANTHROPIC_API_KEY"), "{error}");
    let error = go("", &[("ANTHROPIC_API_KEY", "  ")]).unwrap_err();
    assert!(error.contains("No model is configured") && error.contains("ollama"), "{error}");
    assert!(go("groq/x", &[]).unwrap_err().contains("set GROQ_API_KEY"));
    assert!(go("ollama", &[]).unwrap_err().contains("ollama/MODEL"));
    assert!(go("ollama/", &[]).unwrap_err().contains("ollama/MODEL"));
}

#[test]
fn mo_1_custom_providers_come_first() {
    let mine = CustomProvider {
        name: "mine".into(),
        wire: WireFormat::Anthropic,
        base_url: "https://llm.example".into(),
        key_env: Some("MINE".into()),
    };
    let choice = go_with("mine/m", &[("MINE", "k")], std::slice::from_ref(&mine));
    assert_eq!(shown(choice), "mine m https://llm.example");
    assert!(go_with("mine/m", &[], std::slice::from_ref(&mine)).unwrap_err().contains("set MINE"));
    let hidden = CustomProvider { name: "ollama".into(), key_env: None, ..mine };
    assert_eq!(shown(go_with("ollama/m", &[], &[hidden])), "ollama m https://llm.example");
}

#[test]
fn mo_4_keys_are_trimmed_and_never_shown() {
    let choice = go("claude-x", &[("ANTHROPIC_AUTH_TOKEN", "tok-123456\n")]).unwrap();
    assert!(!format!("{choice:?}").contains("tok-123456"));
    let ModelTarget::Http(endpoint) = choice.target else { panic!() };
    assert!(endpoint.bearer && endpoint.key.unwrap().expose_secret() == "tok-123456");
}

#[test]
fn mo_1_provider_is_known_without_a_key() {
    let custom =
        [CustomProvider { name: "mine".into(), wire: WireFormat::Chat, base_url: "http://x".into(), key_env: None }];
    let cases = [
        ("claude-sonnet-4-5", Some("anthropic")),
        ("codex-foo", Some("openai")),
        ("openai-chat/x", Some("openai-chat")),
        ("qwen/qwen3", Some("openrouter")),
        ("mine/x", Some("mine")),
        ("ollama", Some("ollama")),
        ("gpt-oss", None),
        ("something", None),
        ("", None),
    ];
    for (spec, provider) in cases {
        assert_eq!(provider_of(spec, &custom), provider, "{spec}");
    }
}

#[test]
fn mo_1_mistyped_names_are_not_sent() {
    let said = |spec: &str| go(spec, &[ANTHROPIC, OPENAI]).unwrap_err();
    assert_eq!(said("olama/qwen3"), "Unknown provider `olama`. Did you mean ollama/qwen3?");
    assert_eq!(said("sonettwo three"), "`sonettwo three` is not a model: a name has no spaces.");
    assert_eq!(said("anthropic/claude x"), "`anthropic/claude x` is not a model: a name has no spaces.");
    assert!(said("vendor/model").starts_with("`vendor` is not a provider here, and OpenRouter has no key."));
    assert_eq!(shown(go("mistralai/x", &[ROUTER])), "openrouter mistralai/x https://openrouter.ai/api/v1");
}

#[test]
fn mo_1_default_is_the_family_alias() {
    let default = PROVIDERS.iter().find(|provider| provider.name == "anthropic").and_then(|known| known.default_model);
    assert_eq!(default, Some(cutonce_core::settings::Settings::default().model_info("sonnet").id.as_str()));
}
