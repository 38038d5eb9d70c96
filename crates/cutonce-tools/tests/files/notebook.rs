use super::world::{Got, World};
use serde_json::{Value, json};

const NOTEBOOK: &str = r#"{
 "cells": [
  {
   "cell_type": "code",
   "execution_count": 1,
   "id": "aa",
   "metadata": {},
   "outputs": [
    {
     "name": "stdout",
     "output_type": "stream",
     "text": [
      "1\n"
     ]
    }
   ],
   "source": [
    "print(1)"
   ]
  }
 ],
 "metadata": {},
 "nbformat": 4,
 "nbformat_minor": 5
}
"#;

async fn world() -> World {
    let world = World::new();
    world.put("n.ipynb", NOTEBOOK);
    world.call("Read", json!({"file_path": "n.ipynb"})).await.ok();
    world
}

async fn edit(world: &World, mut input: Value) -> Got {
    input["notebook_path"] = json!("n.ipynb");
    world.call("NotebookEdit", input).await
}

#[tokio::test]
async fn tl_5_replace_insert_delete() {
    let world = world().await;
    let done = edit(&world, json!({"cell_id": "aa", "new_source": "print(2)\nx"})).await;
    assert_eq!(done.ok(), "Replaced cell 1 in n.ipynb.");
    let now: Value = serde_json::from_str(&world.text("n.ipynb")).unwrap();
    assert_eq!(now["cells"][0]["source"], json!(["print(2)\n", "x"]));
    assert_eq!((&now["cells"][0]["outputs"], &now["cells"][0]["execution_count"]), (&json!([]), &Value::Null));
    let text = edit(&world, json!({"new_source": "# Hi", "cell_type": "markdown", "edit_mode": "insert"})).await.ok();
    assert!(text.starts_with("Inserted cell 1 (id "), "{text}");
    let now: Value = serde_json::from_str(&world.text("n.ipynb")).unwrap();
    assert_eq!((&now["cells"][0]["cell_type"], &now["cells"][1]["id"]), (&json!("markdown"), &json!("aa")));
    assert!(world.text("n.ipynb").starts_with("{\n \"cells\": [\n  {\n   \"cell_type\": \"markdown\",\n   \"id\": "));
    assert_eq!(edit(&world, json!({"cell_id": "aa", "edit_mode": "delete"})).await.ok(), "Deleted cell 2 in n.ipynb.");
    let now: Value = serde_json::from_str(&world.text("n.ipynb")).unwrap();
    assert_eq!(now["cells"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn tl_5_bad_calls_change_nothing() {
    let world = world().await;
    for (input, expected) in [
        (json!({"cell_id": "zz", "new_source": "x"}), "got \"zz\". Its cells: aa."),
        (json!({"new_source": "x"}), "`cell_id`: expected a cell's id, got nothing. Its cells: aa."),
        (json!({"cell_id": "aa"}), "`new_source`: expected the cell's new text, got nothing"),
        (json!({"cell_id": "aa", "new_source": "x", "cell_type": "wood"}), "`cell_type`: unknown variant `wood`"),
    ] {
        let text = edit(&world, input).await.error();
        assert!(text.contains(expected), "{text}");
    }
    assert_eq!(world.text("n.ipynb"), NOTEBOOK);
    let text = world.call("NotebookEdit", json!({"notebook_path": "a.py", "new_source": "x"})).await.error();
    assert!(text.starts_with("`notebook_path`: expected a .ipynb file, got \"a.py\""), "{text}");
    let input = json!({"notebook_path": "gone.ipynb", "new_source": "x", "edit_mode": "insert"});
    assert!(
        world.call("NotebookEdit", input).await.error().contains("does not exist. Create the notebook file first.")
    );
    world.put("unread.ipynb", NOTEBOOK);
    let input = json!({"notebook_path": "unread.ipynb", "cell_id": "aa", "new_source": "x"});
    assert!(world.call("NotebookEdit", input).await.error().contains("was not read"));
}
