A refused edit changes nothing, and the person's words reach the model as the call's result (PR-3, AG-6).

--- file a.txt
one
--- model
{"turns": [
  {"calls": [{"name": "Read", "input": {"file_path": "a.txt"}}]},
  {"calls": [{"name": "Edit", "input": {"file_path": "a.txt", "old_string": "one", "new_string": "two"}}]},
  {"text": "I leave it then."}
]}
--- run cutonce --plain "change it"
--- talk
< answer:
> 3 use three instead
< leave it then
> /exit
--- disk
--- seen
