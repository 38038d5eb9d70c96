Keys pressed before the question was drawn never answer it (UI-5, PM-74): a rush of keys that opens a waiting plan and continues with a digit and
Enter arms nothing. Text typed while a permission dialog appears goes to the draft, and nothing runs.

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}}
--- model
{"turns": [
  {"delta": 4, "delay_ms": 60, "text": "Some words first, so that there is time to type a few of one's own.", "calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Count\n\n1. Guess\n"}}, {"name": "ExitPlanMode", "input": {}}]},
  {"delta": 4, "delay_ms": 100, "text": "Again some words first, so that there is time to type a few words ahead of what is asked for.", "calls": [{"name": "Bash", "input": {"command": "touch made"}}]},
  {"text": "Not done."}
]}
--- pty 80x24 cutonce --permission-mode plan
--- keys
< ⏸ plan mode on
> count the users
press enter
< esc to interrupt
> half a thought
< A plan is ready
rush ctrl+p 1 enter 1 enter c e y
< approve → accept edits
gone keys choose in a moment
--- shows
 Plan rev 1: Count
 <plan>  0 files changed since entry, checked
 0 files change, 0 created, 0 deleted · 0 checks · 1 step approved
── Count ────────────────────────────────────────────────────────── 1/3 · <n>% ──
›    1   Count
     2
     3   1. Guess












────────────────────────────────────────────────────────────────── context <n>% ──
 1 approve → accept edits    4 [ ] clear context first  5 request changes → plan
 2 approve → ask each edit   n note to the agent        6 exit → default
                             c comment  e edit  d diff  esc decide later
 r rehearse  s steps  m model  f effort  b budget  o outline  / find  y copy  ?

--- keys
press esc
< Plan waits
< half a thought
< ⏸ plan mode on
press ctrl+u shift+tab
gone plan mode on
> go on
press enter
< Again some
> 1
< › 1
< enter or a digit chooses
--- shows
    3   1. Guess

╭─● Plan waits for your decision: ctrl+p opens it ────────────────────────────╮
│ Count                                                                       │
│                                                                             │
│ 1. Guess                                                                    │
╰─────────────────────────────────────────────────────────────────────────────╯

● Plan not approved, withdrawn

> go on

● Again some words first, so that there is time to type a few words ahead of
  what is asked for.

? Bash wants to run
  touch made
  why: File commands need your OK in default mode (`touch made`)
› 1 yes
  2 yes, and don't ask again here for Bash(touch made)
  3 no, and say what to do instead
  enter or a digit chooses · ←→ scope of 2 · esc stops · ctrl+o all of it

/help  claude-sonnet-5-5 · <n>% · $<n> · <n> tokens

--- keys
press 3 enter
< Not done.
< › 1
press ctrl+u ctrl+d
--- exit 0
--- disk
nothing changed

