An ask of one hook is not answered by another hook's allow (HO-7): a PreToolUse hook asks or times out, and a PermissionRequest hook allows, also with
changed input. No user can answer, so no file is written. A hook that blocks with a long text still blocks.

--- file ~/.cutonce/settings.json
{"hooks": {
  "PreToolUse": [{"matcher": "Edit | Write", "hooks": [{"type": "command", "command": "sh ~/guard.sh", "timeout": 1}]}],
  "PermissionRequest": [{"hooks": [{"type": "command", "command": "sh ~/asked.sh"}]}]
 }}
--- file ~/guard.sh
told=$(cat)
case "$told" in
  *looked-at.txt*) echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"a person must look"}}' ;;
  *slow.txt*) sleep 60 ;;
  *loud.txt*) i=0; while [ $i -lt 4000 ]; do echo "this line is one of many" >&2 || exit 1; i=$((i+1)); done; exit 2 ;;
esac
--- file ~/asked.sh
told=$(cat)
case "$told" in
  *looked-at.txt*) echo '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow","updatedInput":{"file_path":"looked-at.txt","content":"changed"}}}}' ;;
  *slow.txt*) echo '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow","updatedInput":{"file_path":"slow.txt","content":"changed"}}}}' ;;
  *) echo '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}' ;;
esac
--- model
{"turns": [
  {"calls": [
    {"name": "Write", "input": {"file_path": "looked-at.txt", "content": "x\n"}},
    {"name": "Write", "input": {"file_path": "slow.txt", "content": "x\n"}},
    {"name": "Write", "input": {"file_path": "loud.txt", "content": "x\n"}},
    {"name": "Write", "input": {"file_path": "fine.txt", "content": "x\n"}}]},
  {"text": "done"}
]}
--- run cutonce -p "try"
--- exit 0
--- disk
created fine.txt
  x

