use cutonce_tools::file_tools;

/// TL-1: tool specifications are short, because every request carries them.
#[test]
fn tl_1_tool_specs_are_small() {
    let mut total = 0;
    for tool in file_tools() {
        let spec = tool.spec();
        let size = spec.description.len() + spec.schema.to_string().len();
        assert!(spec.description.len() <= 500, "{}: {}", spec.name, spec.description.len());
        assert!(spec.schema["additionalProperties"] == false, "{}", spec.schema);
        assert!(!spec.schema.to_string().contains("judged"), "{}", spec.schema);
        total += size;
    }
    assert!(total < 5_500, "{total} bytes");
}

#[test]
fn tl_1_inputs_have_familiar_names() {
    let expected = [
        ("Read", "file_path offset limit"),
        ("Write", "file_path content"),
        ("Edit", "file_path old_string new_string replace_all"),
        ("NotebookEdit", "notebook_path cell_id new_source cell_type edit_mode"),
        ("Glob", "pattern path"),
        ("LS", "path"),
        ("Grep", "pattern path glob type output_mode -i -n -A -B -C multiline head_limit"),
    ];
    let got: Vec<(String, String)> = file_tools()
        .iter()
        .map(|tool| {
            let spec = tool.spec();
            let names: Vec<String> = spec.schema["properties"].as_object().unwrap().keys().cloned().collect();
            (spec.name, names.join(" "))
        })
        .collect();
    let got: Vec<(&str, &str)> = got.iter().map(|(name, fields)| (name.as_str(), fields.as_str())).collect();
    assert_eq!(got, expected);
}
