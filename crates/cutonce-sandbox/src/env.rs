//! Builds the environment of started programs: the variables that builds and tests need, set up for a run without
//! a terminal (TL-8, MO-4, SB-6). Pure: the variables come in as data.
//!
//! A variable must be in `PASSED_NAMES` or in the user's settings: no list of secret names can be complete.

use std::ffi::{OsStr, OsString};

/// Rules for variable names from the settings. `*` matches any characters.
#[derive(Debug, Clone, Default)]
pub struct EnvNameRules {
    /// Passed to programs in addition to the built-in list (`shell.keepEnv`).
    pub keep: Vec<String>,
    /// Secret although the name does not look it: variables with the keys of configured providers.
    pub secret: Vec<String>,
}

/// Variables that programs get, unless the name or the value looks secret.
#[rustfmt::skip]
const PASSED_NAMES: &[&str] = &[
    // User, shell and locale.
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "PWD", "SHLVL", "HOSTNAME", "HOST", "HOSTTYPE", "OSTYPE", "MACHTYPE",
    "MAIL", "LANG", "LANGUAGE", "LC_*", "TZ", "TZDIR", "TERM", "TERMINFO*", "COLUMNS", "LINES", "EDITOR", "VISUAL",
    "LESS", "LS_COLORS", "TMPDIR", "TMP", "TEMP", "MANPATH", "INFOPATH", "XDG_*", "UMASK", "NO_COLOR", "PAGER",
    // Desktop and agents. The sandbox removes the sockets where they are closed.
    "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "SSH_AUTH_SOCK", "GPG_TTY", "BROWSER",
    "WSL_*", "WSLENV",
    // Network. A proxy with a password is withheld.
    "HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR",
    "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", "GIT_SSL_CAINFO", "NIX_SSL_CERT_FILE",
    // Continuous integration, without its tokens.
    "CI", "CONTINUOUS_INTEGRATION", "BUILD_ID", "BUILD_NUMBER", "GITHUB_ACTIONS", "GITHUB_WORKSPACE", "GITHUB_REF*",
    "GITHUB_SHA", "GITHUB_REPOSITORY", "GITHUB_RUN_ID", "GITHUB_RUN_NUMBER", "GITHUB_JOB", "GITHUB_EVENT_NAME",
    "GITHUB_BASE_REF", "GITHUB_HEAD_REF", "GITHUB_SERVER_URL", "RUNNER_OS", "RUNNER_ARCH", "RUNNER_TEMP",
    "RUNNER_TOOL_CACHE", "GITLAB_CI", "CI_PROJECT_DIR", "CI_PROJECT_NAME", "CI_PROJECT_PATH", "CI_COMMIT_SHA",
    "CI_COMMIT_BRANCH", "CI_COMMIT_TAG", "CI_COMMIT_REF_NAME", "CI_PIPELINE_ID", "CI_JOB_ID", "CI_JOB_NAME",
    "BUILDKITE", "CIRCLECI", "TRAVIS", "APPVEYOR", "TEAMCITY_VERSION", "TF_BUILD", "JENKINS_URL",
    // Compilers and build tools.
    "CC", "CXX", "CPP", "LD", "AR", "AS", "NM", "RANLIB", "STRIP", "OBJCOPY", "FC", "CFLAGS", "CXXFLAGS", "CPPFLAGS",
    "LDFLAGS", "LDLIBS", "ASFLAGS", "FFLAGS", "ARFLAGS", "MAKE", "MAKEFLAGS", "MAKELEVEL", "MFLAGS", "NINJA_*",
    "CMAKE_*", "CTEST_*", "MESON_*", "BAZEL_*", "BAZELISK_*", "PKG_CONFIG*", "ACLOCAL_PATH", "CPATH", "C_INCLUDE_PATH",
    "CPLUS_INCLUDE_PATH", "OBJC_INCLUDE_PATH", "LIBRARY_PATH", "LD_LIBRARY_PATH", "LD_RUN_PATH", "LD_PRELOAD",
    "DYLD_*", "LIBCLANG_PATH", "LLVM_*", "CLANG_*", "GCC_*", "CCACHE_*", "SCCACHE_*", "DISTCC_*", "SDKROOT",
    "MACOSX_DEPLOYMENT_TARGET", "DEVELOPER_DIR", "SOURCE_DATE_EPOCH", "ARCH", "CROSS_COMPILE", "CUDA_*", "ROCM_*",
    "HIP_*", "OMP_*", "MKL_*", "OPENBLAS_*", "NUMEXPR_*", "TOKENIZERS_PARALLELISM", "ASAN_OPTIONS", "UBSAN_OPTIONS",
    "TSAN_OPTIONS", "LSAN_OPTIONS", "MSAN_OPTIONS", "MALLOC_*", "GLIBC_TUNABLES", "NPROC", "DESTDIR", "PREFIX",
    // Languages and their package managers.
    "CARGO", "CARGO_*", "RUST_*", "RUSTC*", "RUSTDOC*", "RUSTFLAGS", "RUSTUP_*", "MIRIFLAGS", "PROPTEST_*",
    "INSTA_*", "GOPATH", "GOROOT", "GOBIN", "GOCACHE", "GOMODCACHE", "GOPROXY", "GONOPROXY", "GOPRIVATE", "GONOSUMDB",
    "GOSUMDB", "GOINSECURE", "GOFLAGS", "GOOS", "GOARCH", "GOARM", "GOAMD64", "GOTOOLCHAIN", "GOWORK", "GOENV",
    "GOEXPERIMENT", "GODEBUG", "GOMAXPROCS", "GOMEMLIMIT", "GOGC", "GOTMPDIR", "GO111MODULE", "CGO_*", "JAVA_*", "JDK_*", "JRE_*", "MAVEN_*", "MVN_*", "M2_HOME", "M2", "GRADLE_*", "ANT_*",
    "SBT_*", "KOTLIN_*", "SCALA_*", "COURSIER_*", "ANDROID_*", "FLUTTER_*", "PUB_CACHE", "DART_*", "NODE_*",
    "NPM_CONFIG_*", "NVM_*", "FNM_*", "VOLTA_*", "PNPM_*", "YARN_*", "COREPACK_*", "BUN_*", "DENO_*", "ELECTRON_*",
    "PLAYWRIGHT_*", "PUPPETEER_*", "CYPRESS_*", "VITE_*", "TSC_*", "ESBUILD_*", "JEST_*", "PYTHON*", "VIRTUAL_ENV*",
    "CONDA_*", "MAMBA_*", "PYENV*", "PIP_*", "PIPX_*", "PIPENV_*", "UV_*", "POETRY_*", "PDM_*", "HATCH_*", "TOX_*",
    "PYTEST_*", "MYPYPATH", "DJANGO_SETTINGS_MODULE", "FLASK_APP", "FLASK_ENV", "JUPYTER_*", "RUBY*", "GEM_HOME",
    "GEM_PATH", "BUNDLE_PATH", "BUNDLE_GEMFILE", "BUNDLE_JOBS", "BUNDLE_WITHOUT", "BUNDLE_BIN_PATH", "RBENV_*",
    "RVM_*", "RAILS_ENV", "RACK_ENV", "PHP_*", "COMPOSER_HOME", "COMPOSER_CACHE_DIR", "PHPUNIT_*", "DOTNET_*",
    "NUGET_PACKAGES", "MSBUILD*", "ASPNETCORE_ENVIRONMENT", "SWIFT_*", "GHC*", "CABAL_DIR", "STACK_ROOT", "OPAM*",
    "OCAML*", "CAML_*", "ERL_*", "ELIXIR_*", "MIX_*", "HEX_HOME", "REBAR_*", "JULIA_*", "R_*", "LUA_*", "PERL*",
    "ZIG_*", "NIM_*", "GUILE_*", "EMSDK*", "EM_*", "WASMTIME_*", "WASI_*", "PROTOC*", "QT_*", "GTK_*", "GI_*",
    // Version managers and package systems.
    "NIX_PATH", "NIX_PROFILES", "NIX_STORE", "IN_NIX_SHELL", "ASDF_*", "MISE_*", "SDKMAN_*", "JENV_*", "NODENV_*",
    "HOMEBREW_*", "SNAP", "SNAP_NAME", "FLATPAK_ID",
    // Version control, containers and clouds: places and names, no keys.
    "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_AUTHOR_*", "GIT_COMMITTER_*", "GIT_SSH", "GIT_SSH_COMMAND",
    "GIT_CEILING_DIRECTORIES", "GIT_OPTIONAL_LOCKS", "DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_BUILDKIT",
    "DOCKER_CERT_PATH", "DOCKER_TLS_VERIFY", "COMPOSE_*", "KUBECONFIG", "AWS_PROFILE", "AWS_REGION",
    "AWS_DEFAULT_REGION", "CLOUDSDK_CONFIG", "CLOUDSDK_ACTIVE_CONFIG_NAME", "GOOGLE_CLOUD_PROJECT",
    // How loudly and in which environment programs run.
    "DEBUG", "VERBOSE", "LOG_LEVEL", "LOGLEVEL", "NODE_ENV", "APP_ENV", "ENVIRONMENT", "PORT",
];

/// Names whose values are secrets.
const SECRET_NAMES: &[&str] = &[
    "*API_KEY*",
    "*APIKEY*",
    "*ACCESS_KEY*",
    "*PRIVATE_KEY*",
    "*SIGNING_KEY*",
    "*ENCRYPTION_KEY*",
    "*_KEY",
    "*TOKEN",
    "*_TOKEN_*",
    "*SECRET*",
    "*PASSWORD*",
    "*PASSWD*",
    "*PASSPHRASE*",
    "*_PASS",
    "PGPASS",
    "*_PWD",
    "*CREDENTIAL*",
    "*_AUTH",
    "*AUTH_CONFIG*",
    "*AUTH_IDENT*",
    "*AUTHORIZATION*",
    "*_PAT",
    "*JWT*",
    "*MNEMONIC*",
    "*SEED_PHRASE*",
    "*_COOKIE",
    "*_DSN",
    "*WEBHOOK*",
    "*CONNECTION_STRING*",
    "*_CUSTOM_HEADERS",
    "AWS_SESSION*",
];

/// Secret-looking names that only point to a secret: withheld from programs, but not redacted in texts.
const SECRET_POINTERS: &[&str] = &["*_FILE", "*_PATH", "*_DIR", "*_URI", "GOOGLE_APPLICATION_CREDENTIALS"];

/// Not secret, but withheld from programs: settings of the agent's own providers, variables that change the
/// meaning of a command after it was checked, and variables that ask for colours.
const REMOVED_NAMES: &[&str] = &[
    "ANTHROPIC_*",
    "OPENAI_*",
    "BASH_ENV",
    "ENV",
    "CDPATH",
    "SHELLOPTS",
    "BASHOPTS",
    "GLOBIGNORE",
    "PROMPT_COMMAND",
    "PS4",
    "BASH_FUNC_*",
    "OLDPWD",
    "COLORTERM",
    "FORCE_COLOR",
    "CLICOLOR_FORCE",
];

/// Variables set for every program: there is no user to answer, page or see colours.
const FIXED_VARIABLES: &[(&str, &str)] = &[
    ("TERM", "dumb"),
    ("NO_COLOR", "1"),
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("MANPAGER", "cat"),
    // A password prompt fails instead of waiting; an editor accepts the text unchanged.
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_EDITOR", "true"),
    ("DEBIAN_FRONTEND", "noninteractive"),
    // Keeps what a script printed before it was killed from being lost in its buffer.
    ("PYTHONUNBUFFERED", "1"),
    // Lets a script detect that cutonce runs it.
    ("CUTONCE", "1"),
];

/// Returns the environment for started programs.
pub fn scrub_env(
    vars: impl IntoIterator<Item = (OsString, OsString)>,
    names: &EnvNameRules,
) -> Vec<(OsString, OsString)> {
    let kept = |name: &OsStr| matches_any(&name.to_string_lossy(), &names.keep);
    let passed = |name: &OsStr| matches_any(&name.to_string_lossy().to_ascii_uppercase(), PASSED_NAMES);
    let mut env: Vec<_> = vars
        .into_iter()
        .filter(|(name, value)| kept(name) || (passed(name) && !is_withheld(name, value, names)))
        .filter(|(name, _)| kept(name) || !FIXED_VARIABLES.iter().any(|(set, _)| name == set))
        .collect();
    let set = FIXED_VARIABLES.iter().filter(|(name, _)| !env.iter().any(|(has, _)| has == name)).collect::<Vec<_>>();
    env.extend(set.into_iter().map(|(name, value)| (name.into(), value.into())));
    env
}

/// Returns the secret values with their variable names, longest first, for redaction in transcripts, logs and errors.
/// Short values and plain words ("postgres") are left out: redacting them would garble text and protect nothing.
pub fn secret_values(
    vars: impl IntoIterator<Item = (OsString, OsString)>,
    names: &EnvNameRules,
) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (name, value) in vars {
        let (name, value) = (name.to_string_lossy().to_ascii_uppercase(), value.to_string_lossy().into_owned());
        if let Some(password) = url_password(&value) {
            found.push((name.clone(), password.to_string()));
            found.push((name, value));
        } else if is_secret_name(&name, names) && !matches_any(&name, SECRET_POINTERS) {
            found.push((name, value.trim().to_string()));
        }
    }
    found.retain(|(_, value)| value.chars().count() >= 8 && !is_plain_word(value));
    found.sort_by(|(a_name, a), (b_name, b)| b.len().cmp(&a.len()).then_with(|| (a, a_name).cmp(&(b, b_name))));
    found.dedup_by(|next, kept| next.1 == kept.1);
    found
}

/// True if a variable contains a key, judged by its name or because its value is an address with a password.
pub fn is_secret_variable(name: &str, value: &str) -> bool {
    is_secret_name(&name.to_ascii_uppercase(), &EnvNameRules::default()) || url_password(value).is_some()
}

fn is_withheld(name: &OsStr, value: &OsStr, names: &EnvNameRules) -> bool {
    let name = name.to_string_lossy().to_ascii_uppercase();
    is_secret_name(&name, names)
        || matches_any(&name, REMOVED_NAMES)
        || url_password(&value.to_string_lossy()).is_some()
}

fn is_secret_name(upper: &str, names: &EnvNameRules) -> bool {
    matches_any(upper, SECRET_NAMES) || names.secret.iter().any(|name| matches(upper, &name.to_ascii_uppercase()))
}

/// Returns the password of a URL such as `postgres://user:password@host/db`.
fn url_password(value: &str) -> Option<&str> {
    let (_, rest) = value.split_once("://")?;
    let authority = rest.split(['/', '?', '#', ' ']).next()?;
    let (user, _) = authority.rsplit_once('@')?;
    let (_, password) = user.split_once(':')?;
    (!password.is_empty()).then_some(password)
}

fn is_plain_word(value: &str) -> bool {
    let one_case = |test: fn(&u8) -> bool| value.bytes().all(|byte| test(&byte));
    value.len() < 16 && (one_case(u8::is_ascii_lowercase) || one_case(u8::is_ascii_uppercase))
}

fn matches_any<P: AsRef<str>>(name: &str, patterns: &[P]) -> bool {
    patterns.iter().any(|pattern| matches(name, pattern.as_ref()))
}

/// Matches a name; `*` at either end of the pattern matches any characters.
fn matches(name: &str, pattern: &str) -> bool {
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (Some(rest), Some(_)) => rest.strip_suffix('*').is_none_or(|part| name.contains(part)),
        (Some(end), None) => name.ends_with(end),
        (None, Some(start)) => name.starts_with(start),
        (None, None) => name == pattern,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vars(list: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
        list.iter().map(|(name, value)| (name.into(), value.into())).collect()
    }
    fn names_left(list: &[(&str, &str)], names: &EnvNameRules) -> Vec<String> {
        let set = |name: &OsString| FIXED_VARIABLES.iter().any(|(set, _)| name == set);
        let left = scrub_env(vars(list), names).into_iter().filter(|(name, _)| !set(name));
        left.map(|(name, _)| name.to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn mo_4_only_secrets_are_removed() {
        let secret = [
            "ANTHROPIC_API_KEY",
            "OPENAI_API_KEY",
            "openrouter_api_key",
            "ANTHROPIC_AUTH_TOKEN",
            "ANTHROPIC_BASE_URL",
            "GITHUB_TOKEN",
            "GH_TOKEN",
            "NPM_TOKEN",
            "TOKEN",
            "VAULT_TOKEN",
            "AWS_ACCESS_KEY_ID",
            "AWS_SECRET_ACCESS_KEY",
            "AWS_SESSION_TOKEN",
            "DB_PASSWORD",
            "PGPASSWORD",
            "MYSQL_PWD",
            "SSH_PASSPHRASE",
            "CLIENT_SECRET_ID",
            "GOOGLE_APPLICATION_CREDENTIALS",
            "DEPLOY_PRIVATE_KEY_PEM",
            "STRIPE_KEY",
            "SENTRY_DSN",
            "SLACK_WEBHOOK_URL",
        ];
        for name in secret {
            assert_eq!(names_left(&[(name, "value-of-it")], &EnvNameRules::default()), Vec::<String>::new(), "{name}");
        }
        let plain = [
            "PATH",
            "HOME",
            "PWD",
            "LANG",
            "USER",
            "SSH_AUTH_SOCK",
            "XAUTHORITY",
            "DISPLAY",
            "CARGO_HOME",
            "RUSTFLAGS",
            "VIRTUAL_ENV",
            "HTTPS_PROXY",
            "RUSTUP_TOOLCHAIN",
            "GOPATH",
            "LC_ALL",
            "http_proxy",
            "npm_config_cache",
            "CI",
            "AWS_PROFILE",
            "TOKENIZERS_PARALLELISM",
            "JAVA_HOME",
            "XDG_SESSION_ID",
            "SOURCE_DATE_EPOCH",
        ];
        for name in plain {
            assert_eq!(names_left(&[(name, "/value")], &EnvNameRules::default()), [name]);
        }
    }

    #[test]
    fn sb_6_unlisted_variables_are_withheld() {
        let unlisted = [
            "DOCKER_AUTH_CONFIG",
            "CI_JOB_JWT_V2",
            "PGPASS",
            "MNEMONIC",
            "BUNDLE_GEMS__CONTRIBSYS__COM",
            "GIT_CONFIG_VALUE_0",
            "DIRENV_DIFF",
            "__MISE_DIFF",
            "COMPOSER_AUTH",
            "DATABASE_URL",
            "npm_config_//registry.example.org/:_authToken",
            "KUBE_CA",
            "MY_COMPANY_LOGIN",
        ];
        for name in unlisted {
            assert_eq!(names_left(&[(name, "value")], &EnvNameRules::default()), Vec::<String>::new(), "{name}");
            let added = EnvNameRules { keep: vec![name.to_string()], ..EnvNameRules::default() };
            assert_eq!(names_left(&[(name, "value")], &added), [name], "the user can add it");
        }
    }

    #[test]
    fn mo_4_url_password_is_a_secret() {
        let list =
            [("DATABASE_URL", "postgres://app:hunter2-hunter2@db:5432/app"), ("HTTPS_PROXY", "http://proxy:8080")];
        assert_eq!(names_left(&list, &EnvNameRules::default()), ["HTTPS_PROXY"]);
        let found = secret_values(vars(&list), &EnvNameRules::default()).into_iter().map(|(_, value)| value);
        assert_eq!(found.collect::<Vec<_>>(), ["postgres://app:hunter2-hunter2@db:5432/app", "hunter2-hunter2"]);
        assert_eq!(names_left(&[("CI_PROJECT_PATH", "https://git@x.org/x:y@z")], &EnvNameRules::default()).len(), 1);
    }

    #[test]
    fn tl_8_settings_keep_and_add_names() {
        let names = EnvNameRules { keep: vec!["NPM_TOKEN".into(), "MY_*".into()], secret: vec!["work_llm".into()] };
        let list = [("NPM_TOKEN", "t"), ("MY_API_KEY", "k"), ("WORK_LLM", "w"), ("GH_TOKEN", "g")];
        assert_eq!(names_left(&list, &names), ["NPM_TOKEN", "MY_API_KEY"]);
        let named = secret_values(vars(&[("WORK_LLM", "abcd-1234")]), &names);
        assert_eq!(named, [("WORK_LLM".to_string(), "abcd-1234".to_string())]);
    }

    #[test]
    fn tl_8_variables_that_alter_commands_are_removed() {
        let list = [("BASH_ENV", "x"), ("CDPATH", "/etc"), ("BASH_FUNC_ls%%", "() { rm x; }"), ("SHELLOPTS", "xtrace")];
        assert_eq!(names_left(&list, &EnvNameRules::default()), Vec::<String>::new());
    }

    #[test]
    fn tl_8_env_says_there_is_no_terminal() {
        let env = scrub_env(vars(&[("TERM", "xterm"), ("PAGER", "less")]), &EnvNameRules::default());
        let of = |name: &str| env.iter().filter(|(key, _)| key == name).map(|(_, v)| v.clone()).collect::<Vec<_>>();
        assert_eq!(of("TERM"), ["dumb"]);
        assert_eq!(of("PAGER"), ["cat"]);
        let kept = EnvNameRules { keep: vec!["TERM".into()], ..EnvNameRules::default() };
        let env = scrub_env(vars(&[("TERM", "xterm")]), &kept);
        assert_eq!(env.iter().filter(|(key, _)| key == "TERM").map(|(_, v)| v).collect::<Vec<_>>(), ["xterm"]);
    }

    #[test]
    fn mo_4_redactor_skips_words_paths_and_short_values() {
        let list = [
            ("POSTGRES_PASSWORD", "postgres"),
            ("PIN_TOKEN", "1234"),
            ("GOOGLE_APPLICATION_CREDENTIALS", "/home/a/key.json"),
            ("OPENAI_BASE_URL", "http://localhost:8080/v1"),
            ("A_TOKEN", " sk-short-1 \n"),
            ("B_TOKEN", "sk-a-longer-one"),
            ("C_TOKEN", "sk-a-longer-one"),
        ];
        let found = secret_values(vars(&list), &EnvNameRules::default());
        let found: Vec<_> = found.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(found, [("B_TOKEN", "sk-a-longer-one"), ("A_TOKEN", "sk-short-1")]);
    }
}
