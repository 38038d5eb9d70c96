Files in work survive a compaction in a later process than the one that read them (AG-8).

--- file ~/.cutonce/settings.json
{"models": {"tiny": {"id": "tiny", "provider": "anthropic", "context": 9600, "maxOutput": 500}}, "compact": {"at": 0.7}}
--- sh
for i in $(seq 1 400); do echo "line $i of a long file that fills the window"; done > long.txt
echo short > a.txt; echo other > b.txt
--- model
{"turns": [
  {"calls": [{"name": "Read", "input": {"file_path": "a.txt"}}, {"name": "Read", "input": {"file_path": "none.txt"}}, {"name": "Read", "input": {"file_path": "b.txt"}}]},
  {"text": "read"},
  {"calls": [{"name": "Bash", "input": {"command": "cat long.txt"}}]},
  {"text": "MARKER"},
  {"text": "going on"}
]}
--- run cutonce -p "read both" --model tiny
--- exit 0
--- run cutonce -p "and the long one" --model tiny --continue
--- stdout
going on

--- sh
grep -qF '# Files in work, latest first (read again before editing)\n- b.txt\n- a.txt\n"' ~/.cutonce/projects/*/*.jsonl
