Every command of UI-9 does what /help says of it; those that have stories of their own (plan, rewind, resume, lists, own commands) are not walked here. An unknown one names the nearest and sends nothing.

--- file AGENTS.md
Be brief.
--- model
{"turns": [
  {"text": "Hello.", "calls": [{"name": "TodoWrite", "input": {"todos": [{"content": "Count", "activeForm": "Counting", "status": "in_progress"}, {"content": "Tell", "activeForm": "Telling", "status": "pending"}]}}]},
  {"text": "Listed."},
  {"text": "A summary of it all."},
  {"text": "From the other one."},
  {"text": "Written."}
]}
--- pty 160x95 cutonce
--- keys
< ›
< /help
> /help
press enter
< At the start of a message
--- shows
Commands
  /help                 keys and commands
  /plan                 enter plan mode or show the plan; open, off, or a task
  /plans                list plans: review, switch, park, delete, report
  /mode                 choose or set the mode: default, acceptEdits, plan, …
  /model                choose or set the model
  /effort               choose how much the model thinks: low, medium, high, max, default
  /clear                start over with an empty conversation
  /compact              summarize the conversation; optional: what to keep
  /resume               resume another session; optional: search text
  /rewind               restore files, conversation or both to an earlier point
  /permissions          view and edit permission rules
  /agents               view, edit and create agents
  /mcp                  MCP servers: approve, disable, enable or restart them
  /memory               edit instruction files
  /init                 write an AGENTS.md for this repository
  /config               edit settings files
  /status               session, model, mode, folders
  /cost                 tokens and cost so far
  /usage                tokens and cost by day, project and model
  /context              what fills the context window
  /todos                the agent's todo list
  /export               write the conversation to a file
  /copy                 copy the last answer to the clipboard
  /diff                 what this session changed in files
  /review               a fresh agent reviews the working tree; optional: what to look at
  /btw                  ask a side question that does not enter the conversation
  /theme                dark, light or ansi
  /doctor               check what works on this machine
  /setup                choose a provider and store a key
  /trust                use the settings that this folder brings
  /exit                 quit

Keys
  enter                 send; queued for the next step while the agent works
  shift+enter, ctrl+j   new line (so does \ before enter)
  shift+tab             cycle the mode: default, accept edits, plan, …
  esc                   interrupt; close a list; twice on an empty line: rewind
  ctrl+c                clear the line; twice: quit
  ctrl+d                quit, on an empty line
  ctrl+p                open the plan waiting for your review, or the last report
  ctrl+o                show the whole conversation with tool output
  ctrl+t                show or fold todos, agents, teammates, background commands
  ctrl+x                stop a background command
  ctrl+b                put the running command into the background; else left
  ctrl+r                search messages sent from this folder
  ctrl+g                edit the message in $EDITOR
  ctrl+v                paste an image, or its path
  tab                   complete a file after @ or a command after /
  ctrl+_, ctrl+7        undo
  alt+_, ctrl+shift+z   redo
  alt+left, alt+b       word to the left
  alt+right, alt+f      word to the right
  ctrl+w, alt+backspace delete the word before the cursor
  alt+d, ctrl+del       delete the word after the cursor
  ctrl+k                delete to the end of the line
  ctrl+u                delete to the start of the line
  ctrl+y                paste the last deleted text
  ctrl+a, home          start of the line
  ctrl+e, end           end of the line
  ctrl+z                suspend; `fg` resumes
  ctrl+l                redraw the screen
  up, ctrl+up           up; on the first line: earlier messages
  down, ctrl+n          down; on the last line: later messages

At the start of a message
  /                     a command
  !                     run a line in your own shell; the agent sees what it prints
  @                     give the agent a file of this folder, anywhere in the message

›

/help                                                         claude-sonnet-5-5

--- keys
press ctrl+l
> /status
press enter
< transcript
> /model
press enter
< Model: claude-sonnet-5-5
< enter use it
press esc
gone enter use it
> /mode
press enter
< Permission mode
< enter use it
press esc
gone enter use it
> /plans
press enter
< No plans yet.
press esc
gone No plans yet.
> /todos
press enter
< No todos.
> /theme
press enter
< Theme for this run
press esc
gone enter use it
> /cost
press enter
< 0 tokens sent
> /export
press enter
< nothing to export
> /rewind
press enter
< Nothing to rewind to
--- shows
Commands
  /help                 keys and commands
  /plan                 enter plan mode or show the plan; open, off, or a task
  /plans                list plans: review, switch, park, delete, report
  /mode                 choose or set the mode: default, acceptEdits, plan, …
  /model                choose or set the model
  /effort               choose how much the model thinks: low, medium, high, max, default
  /clear                start over with an empty conversation
  /compact              summarize the conversation; optional: what to keep
  /resume               resume another session; optional: search text
  /rewind               restore files, conversation or both to an earlier point
  /permissions          view and edit permission rules
  /agents               view, edit and create agents
  /mcp                  MCP servers: approve, disable, enable or restart them
  /memory               edit instruction files
  /init                 write an AGENTS.md for this repository
  /config               edit settings files
  /status               session, model, mode, folders
  /cost                 tokens and cost so far
  /usage                tokens and cost by day, project and model
  /context              what fills the context window
  /todos                the agent's todo list
  /export               write the conversation to a file
  /copy                 copy the last answer to the clipboard
  /diff                 what this session changed in files
  /review               a fresh agent reviews the working tree; optional: what to look at
  /btw                  ask a side question that does not enter the conversation
  /theme                dark, light or ansi
  /doctor               check what works on this machine
  /setup                choose a provider and store a key
  /trust                use the settings that this folder brings
  /exit                 quit

Keys
  enter                 send; queued for the next step while the agent works
  shift+enter, ctrl+j   new line (so does \ before enter)
  shift+tab             cycle the mode: default, accept edits, plan, …
  esc                   interrupt; close a list; twice on an empty line: rewind
  ctrl+c                clear the line; twice: quit
  ctrl+d                quit, on an empty line
  ctrl+p                open the plan waiting for your review, or the last report
  ctrl+o                show the whole conversation with tool output
  ctrl+t                show or fold todos, agents, teammates, background commands
  ctrl+x                stop a background command
  ctrl+b                put the running command into the background; else left
  ctrl+r                search messages sent from this folder
  ctrl+g                edit the message in $EDITOR
  ctrl+v                paste an image, or its path
  tab                   complete a file after @ or a command after /
  ctrl+_, ctrl+7        undo
  alt+_, ctrl+shift+z   redo
  alt+left, alt+b       word to the left
  alt+right, alt+f      word to the right
  ctrl+w, alt+backspace delete the word before the cursor
  alt+d, ctrl+del       delete the word after the cursor
  ctrl+k                delete to the end of the line
  ctrl+u                delete to the start of the line
  ctrl+y                paste the last deleted text
  ctrl+a, home          start of the line
  ctrl+e, end           end of the line
  ctrl+z                suspend; `fg` resumes
  ctrl+l                redraw the screen
  up, ctrl+up           up; on the first line: earlier messages
  down, ctrl+n          down; on the last line: later messages

At the start of a message
  /                     a command
  !                     run a line in your own shell; the agent sees what it prints
  @                     give the agent a file of this folder, anywhere in the message

  cutonce 0.1.0
  session     <id>
  folder      $WS
  model       claude-sonnet-5-5
  mode        default
  context  0 of <n> tokens
  used  <n> tokens sent, 0 received, $<n>
  transcript  $HOME/.cutonce/projects/<project>/<id>.jsonl
  No todos.
  <n> tokens sent, 0 received, $<n>
! The conversation is empty; nothing to export.
  Nothing to rewind to.

›

/help                                                         claude-sonnet-5-5

--- keys
> hi
press enter
< Listed.
gone esc to interrupt
> /todos
press enter
< ▸ Counting
> /export talk.md
press enter
< Exported to
> /theme light
press enter
< Theme: light
> /model claude-haiku-4-5
press enter
< Model: claude-haiku-4-5, from your next message
> /compact the numbers
press enter
< Compacted
gone esc to interrupt
> and now?
press enter
< From the other one.
gone esc to interrupt
> /hepl
press enter
< Did you mean /help?
press ctrl+u
> /clear
press enter
< Conversation cleared.
> /init
press enter
< Written.
gone esc to interrupt
> /doctor
press enter
< cutonce
> /exit
press enter
--- exit 0
--- disk
created talk.md
  # Conversation
  
  ## You
  
  hi
  
  ## Agent
  
  Hello.
  
  ● `TodoWrite `
  
  ## Agent
  
  Listed.

--- seen
request 1
  user: hi
request 2
  assistant: Hello.
  assistant: call TodoWrite {"todos":[{"content":"Count","activeForm":"Counting","status":"in_progress"},{"content":"Tell","activeForm":"Telling","status":"pending"}]}
  user: result: The list is stored: 0 done, 1 in progress, 1 open.
request 3
  assistant: Listed.
  user: The conversation is about to be replaced by your summary because it has grown too long. Do not call tools. Write, for yourself, everything you need to continue without interruption:
        
        1. What the user wants, in their terms, with every constraint and preference they stated.
        2. What was found: the files, functions and facts that matter, with paths and line numbers.
        3. What was done: each file changed and how; commands run and their outcome.
        4. Errors met and how they were resolved; what was tried and rejected, and why.
        5. The current state of the work, what is half done, and the exact next step.
        
        Be complete but dense; no courtesy. The user's own messages and the open todos are kept together with your summary, so refer to them rather than repeat them.
        
        The user asks you to keep above all: the numbers
request 4
  user: <system-reminder>
        The earlier part of this conversation was replaced by this summary. Continue from there; do not start over and do not greet.
        </system-reminder>
        
        # Summary
        A summary of it all.
        
        # The user's messages so far, oldest first
        <message>
        hi
        </message>
        # Open todos
        - Count (in progress)
        - Tell
  user: and now?
request 5

