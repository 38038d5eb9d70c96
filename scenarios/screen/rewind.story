/rewind (SE-5): every message of the person and the approval of a plan is a point; the picker shows what each file would become; files, conversation or both are put back, and the message is the draft again.

--- file a.txt
one
--- model
{"turns": [
  {"calls": [{"name": "Read", "input": {"file_path": "a.txt"}}]},
  {"calls": [{"name": "Edit", "input": {"file_path": "a.txt", "old_string": "one", "new_string": "two"}}, {"name": "Write", "input": {"file_path": "b.txt", "content": "new\n"}}]},
  {"text": "Changed."},
  {"text": "Answered again."}
]}
--- pty 80x24 cutonce --permission-mode acceptEdits
--- keys
< accept edits on
> change it
press enter
< Changed.
gone interrupt
> /rewind
press enter
< change it
< 2 files would be put back
< b.txt  is deleted
press enter
< 1 conversation and files
press 1
< Conversation and 2 files put back
< › change it
press ctrl+u ctrl+d
--- exit 0
--- disk
--- transcript
