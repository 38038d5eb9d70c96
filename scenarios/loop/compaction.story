When the window fills up the conversation is compacted by itself and the turn goes on (AG-8): the user's words, the open todos and the files in work
survive beside the summary.

--- file ~/.cutonce/settings.json
{"models": {"tiny": {"id": "tiny", "provider": "anthropic", "context": 6000, "maxOutput": 500}}, "compact": {"at": 0.7}}
--- sh
for i in $(seq 1 400); do echo "line $i of a long file that fills the window"; done > long.txt
--- model
{"turns": [
  {"calls": [{"name": "TodoWrite", "input": {"todos": [{"content": "Read it", "status": "completed", "activeForm": "Reading"}, {"content": "Count the lines", "status": "in_progress", "activeForm": "Counting"}]}}]},
  {"calls": [{"name": "Read", "input": {"file_path": "long.txt"}}]},
  {"text": "MARKER: the user wants the lines counted; long.txt has 400."},
  {"text": "400 lines."}
]}
--- run cutonce -p "how many lines has long.txt? my lucky word is zebra" --model tiny
--- exit 0
--- stdout
--- transcript
--- seen
