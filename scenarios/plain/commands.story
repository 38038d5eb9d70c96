Every command of UI-9 works in plain lines; an unknown one names the nearest and sends nothing, and neither does `!` (UI-9, UI-10). With a question open what only tells can be asked; what would go past the question has to wait. Commands of the user's own bring words, rules and a model along.

--- file ~/.cutonce/commands/greet.md
---
description: Greet somebody
allowed-tools: Bash(touch:*)
---
Greet $1 twice.
--- file ~/.cutonce/settings.json
{"permissions": {"deny": ["Read(./secret)"]}}
--- file AGENTS.md
Be kind.
--- file .mcp.json
{"mcpServers": {"far": {"command": "no-such-program"}}}
--- model
{"turns": [
  {"calls": [{"name": "TodoWrite", "input": {"todos": [
    {"content": "Look", "status": "completed", "activeForm": "Looking"},
    {"content": "Write", "status": "in_progress", "activeForm": "Writing"},
    {"content": "Test", "status": "pending", "activeForm": "Testing"}]}}]},
  {"text": "noted"},
  {"calls": [{"name": "Bash", "input": {"command": "touch greeted"}}]},
  {"text": "greeted"},
  {"calls": [{"name": "Bash", "input": {"command": "touch asked"}}]},
  {"text": "it is there"},
  {"text": "a path then"}
]}
--- run cutonce --plain --allowedTools "Bash(git log:*)"
--- talk
< >
> /help
< /greet
< >
> /foo
< There is no command /foo
< >
> /hepl me
< The nearest is /help
< >
> /theme dark
< no theme
< >
> /rewind
< nothing to go back to
< >
> /todos
< No todos.
< >
> plan your work
< noted
< >
> /todos
< to do: Test
< >
> /greet Ann
< greeted
< >
> touch it
< answer: 
> /todos
< to do: Test
< answer: 
> /rewind
< that comes first
< answer: 
> /bar
< There is no command /bar
< answer: 
> 1
< it is there
< >
> /usr/bin/env is a path
< a path then
< >
> !echo mine > mine.txt; echo printed
< printed
< >
> !echo ready; read x; echo got $x
< ready
> hello
< got hello
< >
> !exit 3
< it ended with code 3
< >
> /permissions
< deny Read(./secret)
< >
> /mcp
< far: 
< >
> /mcp agree nothing
< nothing
< >
> /memory
< AGENTS.md
< >
> /config
< 3 
< >
> /plans
< No plans
< >
> /export said.md
< Written to
< >
> /export said.md
< was not written
< >
> /exit
--- exit 0
--- stdout

> /help         these lines
/plan         enter plan mode, show the plan; `open` edits it, `off` leaves; words are the task
/plans        plans of this folder
/mode         show or set the mode: default, acceptEdits, plan, …
/model        show or set the model
/clear        start over with an empty conversation
/compact      replace the beginning by a summary; words say what to keep
/resume       go on with another session, from a numbered list; words search
/rewind       put files, conversation or both back to an earlier point, from a numbered list
/permissions  the rules that hold here; /config edits them
/agents       the kinds of agents there are; a name edits one
/mcp          MCP servers; a name shows its tools, `agree NAME` lets one start, `restart NAME` starts it anew
/memory       instruction files; a number edits one
/init         have an AGENTS.md written for this repository
/config       settings files; a number edits one
/status       session, model, mode, folders
/cost         tokens and money so far
/todos        the agent's todo list
/export       write the conversation to a file; a word names it
/theme        plain lines have none
/doctor       what works on this machine
/exit         quit
/greet        Greet somebody
/edit         write the message in your editor; words after it are in it already
/tasks        commands in the background; `end ID` ends one
!LINE         a line for your own shell; the agent does not see it
@SERVER:URI   anywhere: a resource of an MCP server; /mcp__SERVER__PROMPT is a prompt of one
\ before Enter goes on with the next line; what is pasted is one message, and no command.
All else is said to the agent. Ctrl+C interrupts it; Ctrl+D, or the end of the input, ends.

> There is no command /foo; nothing was sent. The nearest is /mode.

> There is no command /hepl; nothing was sent. The nearest is /help.

> Plain lines have no colours and no theme; the terminal's is set by `theme` in the settings.

> There is nothing to go back to.

> No todos.

> noted

> done: Look
now: Writing
to do: Test

> greeted

> 
? Bash wants to run: default mode asks before this: plain file command that writes only in the workspace (`touch asked`)
  | touch asked
  1 yes
  2 yes, and don't ask again for Bash(touch asked)
  3 no (words after it go to the agent)
answer: done: Look
now: Writing
to do: Test

? Bash wants to run: default mode asks before this: plain file command that writes only in the workspace (`touch asked`)
  | touch asked
  1 yes
  2 yes, and don't ask again for Bash(touch asked)
  3 no (words after it go to the agent)
answer: Something waits for your answer; that comes first.

? Bash wants to run: default mode asks before this: plain file command that writes only in the workspace (`touch asked`)
  | touch asked
  1 yes
  2 yes, and don't ask again for Bash(touch asked)
  3 no (words after it go to the agent)
answer: There is no command /bar; nothing was sent. The nearest is /plan.

? Bash wants to run: default mode asks before this: plain file command that writes only in the workspace (`touch asked`)
  | touch asked
  1 yes
  2 yes, and don't ask again for Bash(touch asked)
  3 no (words after it go to the agent)
answer: it is there

> a path then

> printed

> ready
got hello

> it ended with code 3

> The mode is default.
allow Bash(git log:*) (the command line)
deny Read(./secret) (~/.cutonce/settings.json)
/config NUMBER opens the file of one.

> far: no-such-program (stdio, project) - waits for you: cutonce mcp agree far
/mcp NAME shows its tools, /mcp agree NAME lets it start, /mcp restart NAME starts it anew.

> there is no MCP server "nothing"

> Instruction files:
  1 $WS/AGENTS.md
  2 $HOME/.cutonce/AGENTS.md (not there yet)
/memory NUMBER opens one in your editor.

> Settings, the last one wins:
  1 $HOME/.cutonce/settings.json
  2 $WS/.cutonce/settings.json (not there yet)
  3 $WS/.cutonce/settings.local.json (not there yet)
/config NUMBER opens one in your editor.

> No plans of this folder yet.

> Written to $WS/said.md

> $WS/said.md was not written: File exists (os error 17)

>

--- seen
request 1
  user: plan your work
request 2
  assistant: call TodoWrite {"todos":[{"content":"Look","status":"completed","activeForm":"Looking"},{"content":"Write","status":"in_progress","activeForm":"Writing"},{"content":"Test","status":"pending","activeForm":"Testing"}]}
  user: result: The list is stored: 1 done, 1 in progress, 1 open.
request 3
  assistant: noted
  user: Greet Ann twice.
request 4
  assistant: call Bash {"command":"touch greeted"}
  user: result: (no output)
request 5
  assistant: greeted
  user: touch it
request 6
  assistant: call Bash {"command":"touch asked"}
  user: result: (no output)
request 7
  assistant: it is there
  user: /usr/bin/env is a path

--- disk
created asked
created greeted
created mine.txt
  mine
created said.md
  # Conversation
  
  ## You
  
  plan your work
  
  ● `TodoWrite `
  
  ## Agent
  
  noted
  
  ## You
  
  Greet Ann twice.
  
  ● `Bash touch greeted`
  
  ## Agent
  
  greeted
  
  ## You
  
  touch it
  
  ● `Bash touch asked`
  
  ## Agent
  
  it is there
  
  ## You
  
  /usr/bin/env is a path
  
  ## Agent
  
  a path then

--- model
{"turns": [{"text": "written down"}]}
--- run cutonce --plain --continue
--- talk
< >
> /model
< The model is
< >
> /model haiku
< goes to haiku
< >
> /status
< transcript: 
< >
> /cost
< tokens sent
< >
> /todos
< to do: Test
< >
> /agents
< general-purpose
< >
> /agents Explore
< built in
< >
> /doctor
< bash
< >
> /init
< written down
< >
> /clear
< the context was cleared
< >
> /todos
< No todos.
< >
> /exit
--- exit 0
