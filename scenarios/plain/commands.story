Every command of UI-9 works in plain lines; an unknown command suggests the nearest one and sends nothing, and neither does `!` (UI-9, UI-10). While a
question is open, commands that only report work; others must wait. Custom commands bring text, rules and a model.

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
< Unknown command /foo
< >
> /hepl me
< Did you mean /help
< >
> /theme dark
< has no colours
< >
> /rewind
< Nothing to rewind to
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
< Answer the open question
< answer: 
> /bar
< Unknown command /bar
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
> /mcp approve nothing
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
< Can't write
< >
> /exit
--- exit 0
--- stdout

> /help         keys and commands
/plan         enter plan mode or show the plan; open, off, or a task
/plans        list plans: review, switch, park, delete, report
/mode         choose or set the mode: default, acceptEdits, plan, …
/model        choose or set the model
/effort       choose how much the model thinks: low, medium, high, max, default
/clear        start over with an empty conversation
/compact      summarize the conversation; optional: what to keep
/resume       resume another session; optional: search text
/rewind       restore files, conversation or both to an earlier point
/permissions  view and edit permission rules
/agents       view, edit and create agents
/mcp          MCP servers: approve, disable, enable or restart them
/memory       edit instruction files
/init         write an AGENTS.md for this repository
/config       edit settings files
/status       session, model, mode, folders
/cost         tokens and cost so far
/usage        tokens and cost by day, project and model
/context      what fills the context window
/todos        the agent's todo list
/export       write the conversation to a file
/copy         copy the last answer to the clipboard
/diff         what this session changed in files
/review       a fresh agent reviews the working tree; optional: what to look at
/btw          ask a side question that does not enter the conversation
/theme        dark, light or ansi
/doctor       check what works on this machine
/setup        choose a provider and store a key
/trust        use the settings that this folder brings
/exit         quit
/edit         write the message in your editor; optional: initial text
/tasks        list background commands; `end ID` stops one
/greet        Greet somebody
!LINE         run LINE in your own shell; the agent sees what it prints
@SERVER:URI   anywhere: include an MCP resource; /mcp__SERVER__PROMPT runs an MCP prompt
\ before Enter continues on the next line. A paste is one message and never a command.
Everything else is sent to the agent. Ctrl+C interrupts it; Ctrl+D or the end of input quits.

> Unknown command /foo; nothing was sent. Did you mean /mode?

> Unknown command /hepl; nothing was sent. Did you mean /help?

> Plain mode has no colours. The `theme` setting applies to the terminal.

> Nothing to rewind to.

> No todos.

> noted

> done: Look
now: Writing
to do: Test

> greeted

> 
? Bash wants to run: File commands need your OK in default mode (`touch asked`)
  | touch asked
  1 yes
  2 yes, and don't ask again here for Bash(touch asked) (stored in .cutonce/settings.local.json)
  2a yes, and don't ask again in this session for Bash(touch asked)
  2b yes, and don't ask again here for Bash(touch:*) (stored in .cutonce/settings.local.json)
  2c yes, and don't ask again in this session for Bash(touch:*)
  3 no (add text to tell the agent why)
answer: done: Look
now: Writing
to do: Test

? Bash wants to run: File commands need your OK in default mode (`touch asked`)
  | touch asked
  1 yes
  2 yes, and don't ask again here for Bash(touch asked) (stored in .cutonce/settings.local.json)
  2a yes, and don't ask again in this session for Bash(touch asked)
  2b yes, and don't ask again here for Bash(touch:*) (stored in .cutonce/settings.local.json)
  2c yes, and don't ask again in this session for Bash(touch:*)
  3 no (add text to tell the agent why)
answer: Answer the open question first.

? Bash wants to run: File commands need your OK in default mode (`touch asked`)
  | touch asked
  1 yes
  2 yes, and don't ask again here for Bash(touch asked) (stored in .cutonce/settings.local.json)
  2a yes, and don't ask again in this session for Bash(touch asked)
  2b yes, and don't ask again here for Bash(touch:*) (stored in .cutonce/settings.local.json)
  2c yes, and don't ask again in this session for Bash(touch:*)
  3 no (add text to tell the agent why)
answer: Unknown command /bar; nothing was sent. Did you mean /btw?

? Bash wants to run: File commands need your OK in default mode (`touch asked`)
  | touch asked
  1 yes
  2 yes, and don't ask again here for Bash(touch asked) (stored in .cutonce/settings.local.json)
  2a yes, and don't ask again in this session for Bash(touch asked)
  2b yes, and don't ask again here for Bash(touch:*) (stored in .cutonce/settings.local.json)
  2c yes, and don't ask again in this session for Bash(touch:*)
  3 no (add text to tell the agent why)
answer: it is there

> a path then

> printed

> ready
hello
got hello

> it ended with code 3

> Mode: default.
allow Bash(git log:*) (command line)
deny Read(./secret) (~/.cutonce/settings.json)
/config NUMBER opens a settings file.

> far: no-such-program (stdio, project) - needs approval: cutonce mcp approve far
/mcp NAME shows its tools, /mcp approve NAME approves it, /mcp restart NAME restarts it.

> there is no MCP server "nothing"

> Instruction files:
  1 $WS/AGENTS.md
  2 $HOME/.cutonce/AGENTS.md (does not exist)
/memory NUMBER opens one in your editor.

> Settings (later files override earlier ones):
  1 $HOME/.cutonce/settings.json
  2 $WS/.cutonce/settings.json (does not exist)
  3 $WS/.cutonce/settings.local.json (does not exist)
/config NUMBER opens one in your editor.

> No plans yet.

> Written to $WS/said.md

> Can't write $WS/said.md: File exists

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
< Model:
< >
> /model haiku
< Model: claude-haiku-5-5
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
