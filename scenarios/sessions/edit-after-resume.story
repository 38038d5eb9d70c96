A file that the session read or wrote can be edited after a resume and in a fork, without reading it again (TL-3, SE-3); a file that changed meanwhile can't.

--- file a.txt
one
--- file b.txt
two
--- model
{"turns": [
  {"calls": [{"name": "Read", "input": {"file_path": "a.txt"}}, {"name": "Read", "input": {"file_path": "b.txt"}}, {"name": "Write", "input": {"file_path": "c.txt", "content": "three\n"}}]},
  {"text": "read"},
  {"calls": [{"name": "Edit", "input": {"file_path": "a.txt", "old_string": "one", "new_string": "1"}}, {"name": "Edit", "input": {"file_path": "b.txt", "old_string": "two", "new_string": "2"}}, {"name": "Edit", "input": {"file_path": "c.txt", "old_string": "three", "new_string": "3"}}]},
  {"text": "edited"},
  {"calls": [{"name": "Edit", "input": {"file_path": "a.txt", "old_string": "1", "new_string": "eins"}}]},
  {"text": "edited in the fork"}
]}
--- run cutonce -p --permission-mode acceptEdits "read"
--- exit 0
--- stdout
read

--- sh
echo changed >> b.txt
--- run cutonce -p --permission-mode acceptEdits --continue "edit"
--- exit 0
--- stdout
edited

--- run cutonce -p --permission-mode acceptEdits --continue --fork-session "edit"
--- exit 0
--- stdout
edited in the fork

--- disk
changed a.txt
  eins

--- seen
request 1
  user: read
request 2
  assistant: call Read {"file_path":"a.txt"}
  assistant: call Read {"file_path":"b.txt"}
  assistant: call Write {"file_path":"c.txt","content":"three\n"}
  user: result: 1	one
  user: result: 1	two
  user: result: Created c.txt (1 line).
request 3
  assistant: read
  user: edit
request 4
  assistant: call Edit {"file_path":"a.txt","old_string":"one","new_string":"1"}
  assistant: call Edit {"file_path":"b.txt","old_string":"two","new_string":"2"}
  assistant: call Edit {"file_path":"c.txt","old_string":"three","new_string":"3"}
  user: result: Edited a.txt:
        1	1
  user: error: $WS/b.txt changed on disk since you read it. Read it again, then repeat the change.
  user: result: Edited c.txt:
        1	3
request 5
  assistant: edited
  user: edit
request 6
  assistant: call Edit {"file_path":"a.txt","old_string":"1","new_string":"eins"}
  user: result: Edited a.txt:
        1	eins

