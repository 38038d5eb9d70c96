A denied edit changes nothing, and the user's text is the call's result for the model (PR-3, AG-6).

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
< >
> /exit
--- disk
nothing changed

--- seen
request 1
  user: change it
request 2
  assistant: call Read {"file_path":"a.txt"}
  user: result: 1	one
request 3
  assistant: call Edit {"file_path":"a.txt","old_string":"one","new_string":"two"}
  user: error: The user refused this Edit call and said: use three instead

