`--output-format stream-json`: init, a frame per block, a frame per result, the result (CL-2). With --include-partial-messages the pieces come too.

--- file a.txt
one
--- model
{"turns": [
  {"thinking": "I should read it.", "text": "Reading.", "calls": [{"name": "Read", "input": {"file_path": "a.txt"}}]},
  {"text": "It says one."}
]}
--- run cutonce -p "what does it say?" --output-format stream-json --verbose --include-partial-messages
--- exit 0
--- frames
