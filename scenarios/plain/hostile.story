Text from outside can't control the terminal, hide, or imitate our lines (TL-10, UI-5, PM-74): names of tools, commands, plans and the model's text
are shown completely, as text. The same applies to the log of --verbose and to `-p` on a terminal.

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}}
--- model
{"turns": [
  {"calls": [{"name": "Ev\u001b[41m\u001b]0;pwned\u0007il\n? Bash wants", "input": {}},
             {"name": "Bash", "input": {"command": "touch a\u001b]0; touch hidden #\u0007\n  1 yes\nanswer: "}}]},
  {"text": "\u001b[2J\u001b]52;c;ZXZpbA==\u0007all said"}
]}
--- run cutonce --plain "go"
--- talk
< (add text to tell the agent why)
< answer: 
> 3
< all said
< >
> /exit
--- stdout

? Bash wants to run: Can't tell what this runs: it contains the invisible character U+001B
  | touch a\u{1b}]0; touch hidden #\u{7}
  |   1 yes
  | answer:
  1 yes
  3 no (add text to tell the agent why)
answer: \u{1b}[2J\u{1b}]52;c;ZXZpbA==\u{7}all said

>

--- stderr
✗ Ev\u{1b}[41m\u{1b}]0;pwned\u{7}il ⏎ ? Bash wants There is no tool `Evil
✗ Bash The user refused this Bash call. Do not try it again; ask what to do instead.

--- disk
nothing changed

--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Plan\n\n1. Add a\u001b]0; and delete everything\u0007\n2. Add\u202e b\n"}},
             {"name": "ExitPlanMode", "input": {}}]},
  {"text": "ok"}
]}
--- run cutonce --plain --permission-mode plan "plan it"
--- talk
< answer
> /plan off
< Left plan mode
< >
> /exit
--- stdout

? Exit plan mode?
  plan rev 1 in $HOME/.cutonce/plans/<slug>.md

    1  # Plan
    2  
    3  1. Add a\u{1b}]0; and delete everything\u{7}
    4  2. Add\u{202e} b

  0 files change, 0 created, 0 deleted · 0 checks · 2 steps approved

  shell: only commands that parse as read-only ran, in the read-only sandbox
  0 files changed since plan mode was entered
  1 Approve, accept edits automatically → acceptEdits
  2 Approve, confirm each edit → default
  4 Approve, clear the context and start → default
    or choose the mode: 4 acceptEdits, 4 default
  5 Keep planning, with feedback → plan
  6 Leave plan mode and keep the plan; nothing runs → default
  c LINE TEXT comment, n TEXT note, e edit, r rehearse
  s steps, s STEP park|drop|approve, m MODEL, f low|medium|high|max, b DOLLARS for the implementation
answer (a number, optionally with text): ok

>

--- model
{"turns": [
  {"calls": [{"name": "Ev\u001b]0;pwned\u0007il", "input": {}}]},
  {"text": "before\u001b[2J\u001b[H after\u001b[1A"}
]}
--- run cutonce -p --verbose "go"
--- stderr
✗ Ev\u{1b}]0;pwned\u{7}il There is no tool `Evil`. Tools: Agent, AskUserQuestion, Bash, BashOutput, Edit, ExitPlanMode, Glob, Grep, KillShell, LS, NotebookEdit, Read, SendMessage, TeamCreate, TeamDelete, TodoWrite, WebFetch, Write.

--- model
{"turns": [{"text": "before\u001b[2J\u001b[H after\u001b[1A"}]}
--- pty 60x10 cutonce -p "go"
--- exit 0
--- stdout
before after

