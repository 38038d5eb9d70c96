A message of several lines in plain lines (UI-3): `\` before Enter continues it, `/edit` opens the editor, images are attached by their path. An
answer may have several lines, too. EnterPlan has the same digits as in the terminal (PM-4); a comment on a missing line is refused with the range of
lines (PM-74).

--- file ~/.cutonce/settings.json
{"plan": {"entry": "ask", "shell": "readonly"}}
--- file editor
#!/bin/sh
{ cat "$1"; printf 'first\n!touch RUN\nlast\n'; } > "$1.new" && mv "$1.new" "$1"
--- sh
chmod +x editor
--- env EDITOR=./editor
--- model
{"turns": [{"text": "two lines"}, {"text": "an edited one"}]}
--- run cutonce --plain
--- talk
< >
> one \
< … 
> !touch RUN
< two lines
< >
> /edit look:
< an edited one
< >
> /exit
--- exit 0
--- stdout

> … two lines

> Sent:
  | look:first
  | !touch RUN
  | last
an edited one

>

--- disk
nothing changed

--- seen
request 1
  user: one
        !touch RUN
request 2
  assistant: two lines
  user: look:first
        !touch RUN
        last

--- model
{"turns": [
  {"calls": [{"name": "EnterPlanMode", "input": {}}]},
  {"text": "no plan then"},
  {"calls": [{"name": "EnterPlanMode", "input": {}}]},
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Count\n\n1. Count\n"}}, {"name": "ExitPlanMode", "input": {}}]},
  {"text": "I think again"}
]}
--- run cutonce --plain "plan it"
--- talk
< 3 no, continue without a plan
< answer: 
> 3
< no plan then
< >
> plan it now
< answer: 
> 1
< answer (a number
> c 99 x
< There is no line 99 (1 to 3)
< answer: 
> c 3 count \
< … 
> twice
< 1 comment is sent
< answer: 
> 5 not yet: \
< … 
> think
< Press Enter to confirm
< answer: 
> 
< I think again
< >
> /exit
--- exit 0
--- sh
grep -q '"feedback":"not yet:\\nthink"' $(find $HOME/.cutonce -name '*.jsonl') && grep -q '"text":"count\\ntwice"' $(find $HOME/.cutonce -name '*.jsonl')
