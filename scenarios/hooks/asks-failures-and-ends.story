Hooks at asks, failures, starts and ends (HO-7): a PermissionRequest hook may deny, or allow what only the mode asks about, once per call. It never
lifts a rule, a protected path or plan mode (PM-61). PostToolUseFailure gets the reason of a failure, PostToolUse may replace the output,
SubagentStart adds text for an agent, and SessionEnd runs at the end.

--- file ~/.cutonce/settings.json
{"permissions": {"ask": ["Write(./ruled.txt)"]},
 "hooks": {
  "PermissionRequest": [{"hooks": [{"type": "command", "command": "sh ~/asked.sh"}]}],
  "PostToolUseFailure": [{"matcher": "Read", "hooks": [{"type": "command", "command": "cat >> ~/failed; echo '{\"hookSpecificOutput\":{\"hookEventName\":\"PostToolUseFailure\",\"additionalContext\":\"look in docs first\"}}'"}]}],
  "PostToolUse": [{"matcher": "Read", "hooks": [{"type": "command", "command": "echo '{\"hookSpecificOutput\":{\"hookEventName\":\"PostToolUse\",\"updatedToolOutput\":\"[kept back by a hook]\"}}'"}]}],
  "SubagentStart": [{"matcher": "Explore", "hooks": [{"type": "command", "command": "cat >> ~/agents; echo '{\"hookSpecificOutput\":{\"hookEventName\":\"SubagentStart\",\"additionalContext\":\"be brief\"}}'"}]}],
  "SessionEnd": [{"hooks": [{"type": "command", "command": "cat >> ~/ends"}]}]
 }}
--- file ~/asked.sh
told=$(cat)
echo "$told" >> "$HOME/asked"
case "$told" in
  *no.txt*) echo '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"not no.txt"}}}' ;;
  *other.txt*) echo '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow","updatedInput":{"file_path":".git/config","content":"x"}}}}' ;;
  *quiet.txt*) ;;
  *) echo '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}' ;;
esac
--- file notes.txt
the password is hunter2
--- model
{"turns": [
  {"when": "You are cutonce", "calls": [
    {"name": "Write", "input": {"file_path": "yes.txt", "content": "x\n"}},
    {"name": "Write", "input": {"file_path": "no.txt", "content": "x\n"}},
    {"name": "Write", "input": {"file_path": "ruled.txt", "content": "x\n"}},
    {"name": "Write", "input": {"file_path": ".git/hooks/x", "content": "x\n"}},
    {"name": "Write", "input": {"file_path": "other.txt", "content": "x\n"}},
    {"name": "Write", "input": {"file_path": "quiet.txt", "content": "x\n"}},
    {"name": "Read", "input": {"file_path": "missing.txt"}},
    {"name": "Read", "input": {"file_path": "notes.txt"}},
    {"name": "Agent", "input": {"description": "look", "prompt": "Look around.", "subagent_type": "Explore"}}]},
  {"when": "Look around.", "text": "Nothing here."},
  {"when": "You are cutonce", "text": "done"}
]}
--- run cutonce -p "try"
--- exit 0
--- stdout
done

--- stderr
--- disk
created yes.txt
  x

--- seen
request 1
  user: try
request 2
request 3
  assistant: call Write {"file_path":"yes.txt","content":"x\n"}
  assistant: call Write {"file_path":"no.txt","content":"x\n"}
  assistant: call Write {"file_path":"ruled.txt","content":"x\n"}
  assistant: call Write {"file_path":".git/hooks/x","content":"x\n"}
  assistant: call Write {"file_path":"other.txt","content":"x\n"}
  assistant: call Write {"file_path":"quiet.txt","content":"x\n"}
  assistant: call Read {"file_path":"missing.txt"}
  assistant: call Read {"file_path":"notes.txt"}
  assistant: call Agent {"description":"look","prompt":"Look around.","subagent_type":"Explore"}
  user: result: Created yes.txt (1 line).
  user: error: The user's hook blocked this call: not no.txt
  user: error: Not allowed: it needs the user's permission, and this session can't ask. Continue without it, or tell the user which rule (--allowedTools) would allow it.
  user: error: Not allowed: it writes to a protected place, which only the user can allow, and this session can't ask. Continue without it, or tell the user what you would have changed.
  user: error: Not allowed: it writes to a protected place, which only the user can allow, and this session can't ask. Continue without it, or tell the user what you would have changed.
  user: error: Not allowed: it needs the user's permission, and this session can't ask. Continue without it, or tell the user which rule (--allowedTools) would allow it.
  user: error: missing.txt does not exist.
  user: result: [kept back by a hook]
  user: result: Nothing here.
        
        agentId: <id> (resume it with this id if there is more to do)
  user: <system-reminder>
        From the user's PostToolUseFailure hook:
        look in docs first
        </system-reminder>

--- sh
test "$(grep -c '"hook_event_name":"PermissionRequest"' ~/asked)" = 6; grep -q '"permission_suggestions":\["Edit' ~/asked; grep -q '"error":' ~/failed; test "$(wc -l < ~/failed)" = 1; grep -q '"agent_type":"Explore"' ~/agents; grep -q '"reason":"other"' ~/ends; test "$(wc -l < ~/ends)" = 1
--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "yes.txt", "content": "changed\n"}}, {"name": "WebFetch", "input": {"url": "http://127.0.0.1:1/", "prompt": "x"}}]},
  {"text": "still planning"}
]}
--- run cutonce -p --permission-mode plan "plan it"
--- exit 0
--- seen
request 1
  user: plan it
  user: <system-reminder>
        Plan mode is on. Change nothing until the user has approved your plan: edit no file, commit nothing, alter no setting, run no command that changes anything. The one exception is the plan file below. This overrules every other instruction you were given, and the program enforces it.
        
        ## Plan file
        There is no plan yet. Create it at $HOME/.cutonce/plans/<slug>.md with the Write tool.
        It is the only file you may write. Write into it as you learn, not only at the end.
        
        ## Workflow
        1. Understand. Learn what is wanted and how the code does it today. Use only Explore agents here, as few as serve, at most 3 in parallel: one where the task is small or its place is known, more only for separate areas, each with a question of its own. Look for code that can be reused.
        2. Design. Have one Plan agent work out the approach. Tell it all you found: files, code paths, requirements, limits. Skip this for trivial work.
        3. Review. Read the key files yourself. Check the design against the request. Decide what is still open yourself, and name it in the plan as an assumption.
        4. Write the plan. It says why the change is made; the one recommended way in ordered steps, without the alternatives; the files to change; what to reuse and where it is (path and name); the risks; how to verify it end to end. Short enough to scan, detailed enough to carry out. Put the steps as a numbered list under `## Steps`. Below a step, as bullets: `files:` the paths it changes, with (new) or (delete) where that applies; `check:` a command that proves it; `after:` the steps it needs. Under `## Verification` list commands that check the whole plan.
        5. Exit. Call ExitPlanMode when the plan file is complete and nothing is open.
        
        … 2 more lines
request 2
  assistant: call Write {"file_path":"yes.txt","content":"changed\n"}
  assistant: call WebFetch {"url":"http://127.0.0.1:1/","prompt":"x"}
  user: error: Write is not allowed in plan mode. Plan mode is read-only. Put the change into the plan instead.
  user: error: Not allowed: it needs the user's permission, and this session can't ask. Continue without it, or tell the user which rule (--allowedTools) would allow it.

--- disk
nothing changed

