The plain face (UI-9, UI-5, TL-10): commands as at the screen, in lines; an unknown one names the nearest and sends nothing, one that only the screen has says what to do instead; `!` is the person's own shell; points to go back to are numbered (SE-5). What is to be judged is shown whole: an escape sequence can't hide a part of a command.

--- file a.txt
one
--- env SHELL=/bin/bash
--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "b.txt", "content": "new\n"}}]},
  {"text": "Written."},
  {"calls": [{"name": "Bash", "input": {"command": "touch a\u001b]0; touch hidden #\u0007"}}]},
  {"text": "Not run."}
]}
--- run cutonce --plain --permission-mode acceptEdits
--- talk
< >
> /help
< a line for your own shell
> /hepl
< The nearest is /help.
> /resume
< nothing was sent
> /todos
< No todos.
> /model
< The model is
> !echo from $((40+2))
< from 42
> /rewind
< nothing to go back to
> write it
< Written.
< >
> /rewind
< 1 before: write it
> /rewind 1 files
< put back
> /mode default
< The mode is now default
> and now
< answer:
> 3
< Not run.
< >
> /exit
--- exit 0
--- stdout

--- stderr

--- disk
nothing changed

--- seen

