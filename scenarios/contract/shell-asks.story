Commands under a scope that asks (PC-21, PC-24): a commit is asked about by name; changes outside the plan are shown with a diff and discarded, or added to the plan; the next command then writes the added file without a question. A commit that the plan names is made without a question.

--- sh
git init -q -b main && git config user.name T && git config user.email t@example.org
echo one > a.txt; echo one > b.txt; echo one > c.txt; git add . && git commit -qm first
--- file ~/.cutonce/settings.json
{"plan": {"lint": "off", "verify": "off"}}
--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Plan\n\n## Steps\n\n1. Change a\n   - files: a.txt\n"}},
             {"name": "ExitPlanMode", "input": {}}]},
  {"calls": [{"name": "Bash", "input": {"command": "echo two >> a.txt; git commit -qam two"}},
             {"name": "Bash", "input": {"command": "sed -i s/one/two/ a.txt b.txt"}},
             {"name": "Bash", "input": {"command": "echo three >> c.txt"}},
             {"name": "Bash", "input": {"command": "echo four >> c.txt"}}]},
  {"text": "done"}
]}
--- run cutonce --plain "change a" --permission-mode plan --allowedTools Bash
--- talk
< answer
> 1
< Press Enter
> y
< git commit (.git)
< answer
> n
< +two
< answer
> n
< +three
< answer
> 2
< done
< >
> /exit
--- exit 0
--- stdout

? Exit plan mode?
  plan rev 1 in $HOME/.cutonce/plans/<slug>.md

    1  # Plan
    2  
    3  ## Steps
    4  
    5  1. Change a
    6     - files: a.txt

  1 file changes, 0 created, 0 deleted · 0 checks · 1 step approved

  shell: commands ran in the read-only sandbox, builds on a throwaway layer
  scope: commands can't change files outside the plan: they run on a layer
  0 files changed since plan mode was entered
  1 Approve, accept edits automatically → acceptEdits
  2 Approve, confirm each edit → default
  4 Approve, clear the context and start → default
    or choose the mode: 4 acceptEdits, 4 default
  5 Keep planning, with feedback → plan
  6 Leave plan mode and keep the plan; nothing runs → default
  c LINE TEXT comment, n TEXT note, e edit, r rehearse
  s steps, s STEP park|drop|approve, m MODEL, f low|medium|high|max, b DOLLARS for the implementation
answer (a number, optionally with text): Will approve rev 1 (sha 73dca8) and continue in acceptEdits.
Press Enter to confirm, or enter another choice.
answer: 
? Bash wants to run: outside the approved plan
  | git commit (.git)
  1 yes
  3 no (add text to tell the agent why)
answer: 
? Bash wants to run: outside the approved plan
  | b.txt
  |
  | diff --git a/b.txt b/b.txt
  | --- a/b.txt
  | +++ b/b.txt
  | @@ -1 +1 @@
  | -one
  | +two
  1 yes
  2 yes, and add b.txt to the plan
  3 no (add text to tell the agent why)
answer: 
? Bash wants to run: outside the approved plan
  | c.txt
  |
  | diff --git a/c.txt b/c.txt
  | --- a/c.txt
  | +++ b/c.txt
  | @@ -1 +1,2 @@
  |  one
  | +three
  1 yes
  2 yes, and add c.txt to the plan
  3 no (add text to tell the agent why)
answer: done

>

--- disk
changed a.txt
  two
changed c.txt
  one
  three
  four

--- file named.md
# Plan

## Steps

1. Change a and commit it with `git commit`
   - files: a.txt
--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "echo five >> a.txt"}},
             {"name": "Bash", "input": {"command": "git add a.txt && git commit -qm five && git log --oneline | wc -l"}}]},
  {"text": "done"}
]}
--- run cutonce implement named.md --permission-mode acceptEdits --allowedTools Bash
--- exit 0
--- seen
request 1
  user: Implement this plan. The user approved it, and it is saved at $WS/named.md. If you must deviate from it, say so.
        
        # Plan
        
        ## Steps
        
        1. Change a and commit it with `git commit`
           - files: a.txt
request 2
  assistant: call Bash {"command":"echo five >> a.txt"}
  assistant: call Bash {"command":"git add a.txt && git commit -qm five && git log --oneline | wc -l"}
  user: result: (no output)
  user: result: 2

