After /rewind (SE-5) the screen is that of then: Ctrl+O has what stays of the conversation and nothing else, the message is the draft again with its image (UI-3), and what commands changed is named, because it is not put back.

--- sh
printf '\211PNG\r\n\032\n\0\0\0\rIHDR\0\0\0\001\0\0\0\001picture' > c.png
--- model
{"turns": [
  {"text": "First answer."},
  {"calls": [{"name": "Bash", "input": {"command": "echo made > made.txt"}}, {"name": "Write", "input": {"file_path": "w.txt", "content": "w\n"}}, {"name": "Bash", "input": {"command": "ls"}}]},
  {"text": "Second answer."},
  {"text": "Third answer."}
]}
--- pty 80x24 cutonce --permission-mode bypassPermissions
--- keys
< bypass permissions on
> first words
press enter
< First answer.
gone interrupt
paste c.png
< [Image #1]
>  second words
press enter
< Second answer.
gone interrupt
> /rewind
press enter
< Rewind to
< not restored: changes by 1 command
<   echo made > made.txt
press enter
< 1 conversation and files
press 1
< Conversation and 1 file put back to before that message.
< What this command changed is not put back: echo made > made.txt
< › [Image #1] second words
press ctrl+o
< First answer.
gone second words
gone Second answer.
press q
< › [Image #1] second words
press enter
< Third answer.
gone interrupt
press up
< › [Image #1, gone: paste it again] second words
press ctrl+u ctrl+d
--- exit 0
--- disk
created made.txt
  made

--- seen
request 1
  user: first words
request 2
  assistant: First answer.
  user: [Image #1] second words
  user: {"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABcGljdHVyZQ=="},"cache_control":{"type":"ephemeral"}}
request 3
  assistant: call Bash {"command":"echo made > made.txt"}
  assistant: call Write {"file_path":"w.txt","content":"w\n"}
  assistant: call Bash {"command":"ls"}
  user: result: (no output)
  user: result: Created w.txt (1 line).
  user: result: c.png
        made.txt
        w.txt
request 4
  user: first words
  assistant: First answer.
  user: [Image #1] second words
  user: {"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABcGljdHVyZQ=="},"cache_control":{"type":"ephemeral"}}

