use super::*;
use secrecy::ExposeSecret;

fn go(spec: &str, env: &[(&str, &str)]) -> Result<Choice, String> {
    go_with(spec, env, &[])
}

fn go_with(spec: &str, env: &[(&str, &str)], custom: &[CustomProvider]) -> Result<Choice, String> {
    let lookup = |name: &str| env.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
    resolve(spec, &lookup, custom).map_err(|error| error.message)
}

fn shown(choice: Result<Choice, String>) -> String {
    match choice {
        Ok(choice) => match choice.target {
            Target::Http(endpoint) => format!("{} {} {}", choice.provider, choice.model, endpoint.base_url),
            Target::Scripted { wire, path } => format!("{wire:?} {}", path.display()),
        },
        Err(error) => error,
    }
}

const ANTHROPIC: (&str, &str) = ("ANTHROPIC_API_KEY", "k1");
const OPENAI: (&str, &str) = ("OPENAI_API_KEY", "k2");
const ROUTER: (&str, &str) = ("OPENROUTER_API_KEY", "k3");

#[test]
fn mo_1_names_go_to_their_providers() {
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
fn mo_1_no_name_goes_by_the_key() {
    assert!(shown(go("", &[OPENAI])).starts_with("openai gpt-"));
    assert!(shown(go("", &[OPENAI, ANTHROPIC])).starts_with("anthropic claude-"));
    assert!(shown(go("anthropic", &[ANTHROPIC])).starts_with("anthropic claude-"));
}

#[test]
fn mo_1_a_local_address_needs_no_key() {
    let url = ("ANTHROPIC_BASE_URL", "http://127.0.0.1:4000/");
    assert_eq!(shown(go("claude-x", &[url])), "anthropic claude-x http://127.0.0.1:4000");
    let url = ("OPENAI_BASE_URL", "http://gpu:8000/v1");
    assert_eq!(shown(go("openai/m", &[url])), "openai m http://gpu:8000/v1");
}

#[test]
fn mo_1_what_is_missing_is_said() {
    let error = go("claude-x", &[]).unwrap_err();
    assert!(error.contains("No key for the model `claude-x`") && error.contains("Set ANTHROPIC_API_KEY"), "{error}");
    let error = go("", &[("ANTHROPIC_API_KEY", "  ")]).unwrap_err();
    assert!(error.contains("No model is chosen") && error.contains("ollama"), "{error}");
    assert!(go("groq/x", &[]).unwrap_err().contains("set GROQ_API_KEY"));
    assert!(go("ollama", &[]).unwrap_err().contains("ollama/MODEL"));
    assert!(go("ollama/", &[]).unwrap_err().contains("ollama/MODEL"));
}

#[test]
fn mo_1_own_providers_come_first() {
    let mine = CustomProvider {
        name: "mine".into(),
        wire: Wire::Anthropic,
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
fn mo_4_keys_are_trimmed_carried_and_never_shown() {
    let choice = go("claude-x", &[("ANTHROPIC_AUTH_TOKEN", "tok-123456\n")]).unwrap();
    assert!(!format!("{choice:?}").contains("tok-123456"));
    let Target::Http(endpoint) = choice.target else { panic!() };
    assert!(endpoint.bearer && endpoint.key.unwrap().expose_secret() == "tok-123456");
}

#[test]
fn mo_1_which_provider_a_name_is_for_is_known_before_there_is_a_key() {
    let custom = [CustomProvider { name: "mine".into(), wire: Wire::Chat, base_url: "http://x".into(), key_env: None }];
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
        assert_eq!(meant(spec, &custom), provider, "{spec}");
    }
}
