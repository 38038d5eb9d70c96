/rewind (SE-5): each user message and each approval of a plan is a point; the picker previews each file's change; files, conversation or both are
restored, and the message becomes the draft.

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
< 2 files would be restored
< b.txt  is deleted
press enter
< 1 conversation and files
press 1
< Conversation and 2 files put back
< › change it
press ctrl+u ctrl+d
--- exit 0
--- disk
nothing changed

--- transcript
session {}
mode {"from":"default","to":"acceptEdits","by":"start"}
user {"text":"change it"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0001_00","name":"Read","input":{"file_path":"a.txt"}}],"stop":"tool_use"}
tool {"callId":"toolu_0001_00","name":"Read","input":{"file_path":"a.txt"},"output":[{"type":"text","text":"1\tone"}],"isError":false,"decision":{"behavior":"allow","reason":"Reads are allowed in acceptEdits mode"}}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0002_00","name":"Edit","input":{"file_path":"a.txt","old_string":"one","new_string":"two"}},{"type":"tool_use","id":"toolu_0002_01","name":"Write","input":{"file_path":"b.txt","content":"new\n"}}],"stop":"tool_use"}
file_snapshot {"key":"before","path":"$WS/a.txt","sha256":"2c8b08da5ce60398e1f19af0e5dccc744df274b826abe585eaba68c525434806"}
tool {"callId":"toolu_0002_00","name":"Edit","input":{"file_path":"a.txt","old_string":"one","new_string":"two"},"output":[{"type":"text","text":"Edited a.txt:\n1\ttwo"}],"isError":false,"decision":{"behavior":"allow","reason":"Edits are allowed in acceptEdits mode"}}
file_snapshot {"key":"before","path":"$WS/b.txt"}
tool {"callId":"toolu_0002_01","name":"Write","input":{"file_path":"b.txt","content":"new\n"},"output":[{"type":"text","text":"Created b.txt (1 line)."}],"isError":false,"decision":{"behavior":"allow","reason":"Edits are allowed in acceptEdits mode"}}
assistant {"blocks":[{"type":"text","text":"Changed."}],"stop":"end_turn"}
file_snapshot {"key":"before","path":"$WS/a.txt","sha256":"27dd8ed44a83ff94d557f9fd0412ed5a8cbca69ea04922d88c01184a07300a5a"}
file_snapshot {"key":"before","path":"$WS/b.txt","sha256":"7aa7a5359173d05b63cfd682e3c38487f3cb4f7f1d60659fe59fab1505977d4c"}
rewind {"to":"<id>","files":["$WS/a.txt","$WS/b.txt"]}

