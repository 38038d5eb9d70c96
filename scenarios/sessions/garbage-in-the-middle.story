A torn last line, an unknown type, a line of garbage: resume works, says what it skipped and loses nothing else (SE-2).

--- model
{"turns": [{"text": "First answer."}, {"text": "Second answer."}]}
--- run cutonce -p "first question"
--- stdout
First answer.

--- sh
f=$(echo $HOME/.cutonce/projects/*/*.jsonl)
printf 'garbage\n{"type":"from_the_future","id":"x","parent":null,"at":"2030-01-01T00:00:00Z"}\n{"type":"user","id":"torn' >> "$f"
--- run cutonce -p "second question" --continue
--- exit 0
--- stdout
Second answer.

--- stderr
cutonce: Skipped 3 lines of the transcript: line 5: not a JSON object: expected value at line 1 column 1; line 6: unknown entry type `from_the_future`; line 7: torn: the line is incomplete

--- seen
request 1
  user: first question
request 2
  assistant: First answer.
  user: second question

