//! FL-6: workers that die at their beginning.

use crate::stage::{Stage, block_on};
use cutonce_fleet::FleetLink;
use cutonce_fleet::session_log::SessionUpload;

#[test]
fn fl_6_session_without_its_task_is_begun_again() {
    let stage = Stage::new();
    let ann = stage.owner();
    let jobs = [ann.submit_task(&[]), ann.submit_text("p.md", "# Plan\n\nAdd new.txt.\n")];
    for id in &jobs {
        // What a worker leaves that died at the beginning: a session of this id, up to its first input.
        ann.ok(&["-p", "anything", "--session-id", id]);
        let name = format!("{id}.jsonl");
        let projects = std::fs::read_dir(ann.home.join("projects")).unwrap();
        let file = projects.map(|project| project.unwrap().path().join(&name)).find(|file| file.exists()).unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        let beginning: String = text.split_inclusive('\n').take_while(|line| !line.contains("anything")).collect();
        assert!(!beginning.is_empty());
        std::fs::write(&file, beginning).unwrap();
        block_on(async {
            let link = FleetLink::connect(&ann.home, "team").await.unwrap();
            let mut upload = SessionUpload::open(&link, id, &file, None).await.unwrap();
            assert!(upload.push(&link, async || Ok(None)).await.unwrap());
        });
    }
    ann.ok(&["worker", "--remote", "team", "--exit-when-idle"]);
    assert_eq!(jobs.map(|id| ann.job(&id)["state"].clone()), ["waiting", "done"]);
}
