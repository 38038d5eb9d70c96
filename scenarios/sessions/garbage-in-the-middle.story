A torn last line, an unknown type, a line of garbage: resume works, says what it skipped and loses nothing else (SE-2).

--- model
{"turns": [{"text": "First answer."}, {"text": "Second answer."}]}
--- run cutonce -p "first question"
--- stdout
--- sh
f=$(echo $HOME/.cutonce/projects/*/*.jsonl)
printf 'garbage\n{"type":"from_the_future","id":"x","parent":null,"at":"2030-01-01T00:00:00Z"}\n{"type":"user","id":"torn' >> "$f"
--- run cutonce -p "second question" --continue
--- exit 0
--- stdout
--- stderr
--- seen
