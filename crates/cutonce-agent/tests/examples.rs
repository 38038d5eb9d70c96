//! Tests of the examples (HO-4). The plan flow has its own tests in `plan_flow.rs`.

#![allow(clippy::unwrap_used)]

#[path = "../examples/own_model.rs"]
#[allow(dead_code)]
mod own_model;
#[path = "../examples/own_tool.rs"]
#[allow(dead_code)]
mod own_tool;
#[path = "../examples/smallest.rs"]
#[allow(dead_code)]
mod smallest;

#[tokio::test]
async fn ho_4_smallest_agent_answers() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(smallest::flow(folder.path()).await.unwrap(), "It says: buy milk.");
}

#[tokio::test]
async fn ho_4_own_tool_result_reaches_the_model() {
    let folder = tempfile::tempdir().unwrap();
    let (result, answer) = own_tool::flow(folder.path()).await.unwrap();
    assert_eq!((result.as_str(), answer.as_str()), ("3 in store", "There are 3 apples."));
}

#[tokio::test]
async fn ho_4_own_model_answers() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(own_model::flow(folder.path()).await.unwrap(), "stressed");
}

/// The block is not a doctest (`doctest = false`): an example contains the same code and is compiled.
#[test]
fn ho_4_documentation_example_is_compiled() {
    let plain = |text: &str| text.split_whitespace().collect::<String>().replace(",}", "}");
    let library = include_str!("../src/lib.rs");
    let block = library.split("//! ```no_run\n").nth(1).and_then(|rest| rest.split("//! ```\n").next()).unwrap();
    let shown = block.lines().filter_map(|line| line.strip_prefix("//! ")).map(|line| line.trim_start_matches("# "));
    let shown = plain(&shown.collect::<Vec<_>>().join("\n"));
    assert!(shown.len() > 200 && plain(include_str!("../examples/start_here.rs")).contains(&shown), "{shown}");
}
