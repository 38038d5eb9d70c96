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

> Commands:
  /help  this list
  /plan  enter plan mode, show the plan; open edits it, off leaves; words are the task
  /plans  plans of this folder
  /mode  show or set the mode: default, acceptEdits, plan, …
  /model  show or set the model
  /clear  start over with an empty conversation
  /compact  replace the beginning by a summary; words say what to keep
  /rewind  list the points to go back to; NUMBER goes there, NUMBER files or NUMBER conversation only that
  /agents  the kinds of agents there are
  /status  session, model, folder, transcript
  /todos  the agent's todo list
  /doctor  what works on this machine
  /exit  quit
  !LINE  a line for your own shell; the agent does not see it

> There is no command /hepl; nothing was sent. The nearest is /help.

> /resume is at the screen only (without --plain); nothing was sent. Here: `cutonce sessions` lists them, `cutonce --plain --resume ID` goes on with one.

> No todos.

> The model is anthropic/claude-sonnet-4-6. /model NAME changes it from the next request on.

> from 42

> There is nothing to go back to.

> Written.

> Points to go back to:
  1 before: write it
      puts back $WS/b.txt
/rewind NUMBER goes there; NUMBER files and NUMBER conversation put back only that.

> 
> 
> 
? Bash wants to run: the command could not be taken apart: it holds the character U+001B, which cannot be seen
  | touch a\u{1b}]0; touch hidden #\u{7}
  1 yes
  3 no (words after it go to the agent)
answer: Not run.

>

--- stderr
● Write b.txt
1 file put back to before that message.
mode: default
The mode is now default.
✗ Bash The user refused this Bash call. Do not try it again; ask what to do instead.

--- disk
nothing changed

--- seen
request 1
  user: write it
request 2
  assistant: call Write {"file_path":"b.txt","content":"new\n"}
  user: result: Created b.txt (1 line).
request 3
  assistant: Written.
  user: and now
request 4
  assistant: call Bash {"command":"touch a\u001b]0; touch hidden #\u0007"}
  user: error: The user refused this Bash call. Do not try it again; ask what to do instead.

