Hooks around calls (HO-7): exit code 2 blocks with the text on standard error, `allow` answers what the mode would ask, `updatedInput` is decided
again, `ask` asks where the mode would run, and the model reads the output of a PostToolUse hook. Hooks get no keys. They lift no deny rule and no
protected path.

--- file ~/.cutonce/settings.json
{"permissions": {"deny": ["Write(./never.txt)"]},
 "hooks": {
  "PreToolUse": [
    {"matcher": "Write", "hooks": [{"type": "command", "command": "sh ~/guard.sh"}]},
    {"matcher": "Read", "hooks": [{"type": "command", "command": "echo '{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"ask\",\"permissionDecisionReason\":\"a person should see this\"}}'"}]}
  ],
  "PostToolUse": [{"matcher": "Write|Edit", "hooks": [{"type": "command", "command": "jq() { cat >/dev/null; }; jq; echo '{\"hookSpecificOutput\":{\"additionalContext\":\"the linter is happy\"}}'"}]}]
 }}
--- file ~/guard.sh
told=$(cat)
echo "$told" >> "$HOME/told.jsonl"
env | grep -c API_KEY >> "$HOME/keys"
case "$told" in
  *secret.txt*) echo "never write secret.txt" >&2; exit 2 ;;
  *a.txt*) echo '{"hookSpecificOutput":{"permissionDecision":"allow","permissionDecisionReason":"a.txt is fine"}}' ;;
  *never.txt*|*.git*) echo '{"decision":"approve"}' ;;
  *b.txt*) echo '{"hookSpecificOutput":{"permissionDecision":"allow","updatedInput":{"file_path":".git/config","content":"x"}}}' ;;
  *c.txt*) echo 'oops' >&2; exit 1 ;;
esac
--- file notes.txt
hello
--- model
{"turns": [
  {"calls": [
    {"name": "Write", "input": {"file_path": "secret.txt", "content": "x\n"}},
    {"name": "Write", "input": {"file_path": "a.txt", "content": "x\n"}},
    {"name": "Write", "input": {"file_path": "never.txt", "content": "x\n"}},
    {"name": "Write", "input": {"file_path": ".git/hooks/x", "content": "x\n"}},
    {"name": "Write", "input": {"file_path": "b.txt", "content": "x\n"}},
    {"name": "Write", "input": {"file_path": "c.txt", "content": "x\n"}},
    {"name": "Read", "input": {"file_path": "notes.txt"}}]},
  {"text": "done"}
]}
--- run cutonce -p "try"
--- exit 0
--- stdout
done

--- stderr
cutonce: A PreToolUse hook failed: exit code 1: oops

--- disk
created a.txt
  x

--- transcript
session {}
user {"text":"try"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0001_00","name":"Write","input":{"file_path":"secret.txt","content":"x\n"}},{"type":"tool_use","id":"toolu_0001_01","name":"Write","input":{"file_path":"a.txt","content":"x\n"}},{"type":"tool_use","id":"toolu_0001_02","name":"Write","input":{"file_path":"never.txt","content":"x\n"}},{"type":"tool_use","id":"toolu_0001_03","name":"Write","input":{"file_path":".git/hooks/x","content":"x\n"}},{"type":"tool_use","id":"toolu_0001_04","name":"Write","input":{"file_path":"b.txt","content":"x\n"}},{"type":"tool_use","id":"toolu_0001_05","name":"Write","input":{"file_path":"c.txt","content":"x\n"}},{"type":"tool_use","id":"toolu_0001_06","name":"Read","input":{"file_path":"notes.txt"}}],"stop":"tool_use"}
tool {"callId":"toolu_0001_00","name":"Write","input":{"file_path":"secret.txt","content":"x\n"},"output":[{"type":"text","text":"The user's hook blocked this call: never write secret.txt"}],"isError":true,"decision":{"behavior":"deny","reason":"a hook denied it: never write secret.txt"}}
file_snapshot {"key":"before","path":"$WS/a.txt"}
tool {"callId":"toolu_0001_01","name":"Write","input":{"file_path":"a.txt","content":"x\n"},"output":[{"type":"text","text":"Created a.txt (1 line)."}],"isError":false,"decision":{"behavior":"allow","reason":"a hook allowed it: a.txt is fine"}}
tool {"callId":"toolu_0001_02","name":"Write","input":{"file_path":"never.txt","content":"x\n"},"output":[{"type":"text","text":"Write of never.txt is denied by the rule `Write(./never.txt)` from ~/.cutonce/settings.json. Do not try to work around this. Continue without it, or tell the us…"}],"isError":true,"decision":{"behavior":"deny","reason":"denied by the rule `Write(./never.txt)` from ~/.cutonce/settings.json","rule":"Write(./never.txt)","source":"user"}}
tool {"callId":"toolu_0001_03","name":"Write","input":{"file_path":".git/hooks/x","content":"x\n"},"output":[{"type":"text","text":"Not allowed: it writes to a protected place, which only the user can allow, and this session can't ask. Continue without it, or tell the user what you would hav…"}],"isError":true,"decision":{"behavior":"deny","reason":"Edits of protected files need your OK in default mode; this session can't ask"}}
tool {"callId":"toolu_0001_04","name":"Write","input":{"file_path":".git/config","content":"x"},"output":[{"type":"text","text":"Not allowed: it writes to a protected place, which only the user can allow, and this session can't ask. Continue without it, or tell the user what you would hav…"}],"isError":true,"decision":{"behavior":"deny","reason":"Edits of protected files need your OK in default mode; this session can't ask"}}
tool {"callId":"toolu_0001_05","name":"Write","input":{"file_path":"c.txt","content":"x\n"},"output":[{"type":"text","text":"Not allowed: it needs the user's permission, and this session can't ask. Continue without it, or tell the user which rule (--allowedTools) would allow it."}],"isError":true,"decision":{"behavior":"deny","reason":"Edits need your OK in default mode; this session can't ask"}}
tool {"callId":"toolu_0001_06","name":"Read","input":{"file_path":"notes.txt"},"output":[{"type":"text","text":"Not allowed: it needs the user's permission, and this session can't ask. Continue without it, or tell the user which rule (--allowedTools) would allow it."}],"isError":true,"decision":{"behavior":"deny","reason":"a hook asks: a person should see this; this session can't ask"}}
reminder {"kind":"hook","text":"From the user's PostToolUse hook:\nthe linter is happy"}
assistant {"blocks":[{"type":"text","text":"done"}],"stop":"end_turn"}

--- seen
request 1
  user: try
request 2
  assistant: call Write {"file_path":"secret.txt","content":"x\n"}
  assistant: call Write {"file_path":"a.txt","content":"x\n"}
  assistant: call Write {"file_path":"never.txt","content":"x\n"}
  assistant: call Write {"file_path":".git/hooks/x","content":"x\n"}
  assistant: call Write {"file_path":"b.txt","content":"x\n"}
  assistant: call Write {"file_path":"c.txt","content":"x\n"}
  assistant: call Read {"file_path":"notes.txt"}
  user: error: The user's hook blocked this call: never write secret.txt
  user: result: Created a.txt (1 line).
  user: error: Write of never.txt is denied by the rule `Write(./never.txt)` from ~/.cutonce/settings.json. Do not try to work around this. Continue without it, or tell the user why you need it.
  user: error: Not allowed: it writes to a protected place, which only the user can allow, and this session can't ask. Continue without it, or tell the user what you would have changed.
  user: error: Not allowed: it writes to a protected place, which only the user can allow, and this session can't ask. Continue without it, or tell the user what you would have changed.
  user: error: Not allowed: it needs the user's permission, and this session can't ask. Continue without it, or tell the user which rule (--allowedTools) would allow it.
  user: error: Not allowed: it needs the user's permission, and this session can't ask. Continue without it, or tell the user which rule (--allowedTools) would allow it.
  user: <system-reminder>
        From the user's PostToolUse hook:
        the linter is happy
        </system-reminder>

--- sh
grep -q '"tool_name":"Write"' ~/told.jsonl; grep -q '"permission_mode":"default"' ~/told.jsonl; test "$(sort -u ~/keys)" = 0
