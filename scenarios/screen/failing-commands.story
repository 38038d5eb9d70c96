A failed command shows its failure on its line (UI-4); after a resume the conversation shows the same, including diffs.

--- file ~/.cutonce/settings.json
{"permissions": {"allow": ["Bash", "Edit", "Write"]}}
--- file src/here.txt
one
two
three
--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "false"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "echo out; exit 3"}}]},
  {"calls": [{"name": "Read", "input": {"file_path": "src/here.txt"}}]},
  {"calls": [{"name": "Edit", "input": {"file_path": "src/here.txt", "old_string": "two", "new_string": "2"}}]},
  {"calls": [{"name": "Write", "input": {"file_path": "new.txt", "content": "first\nsecond\n"}}]},
  {"text": "So it is."}
]}
--- pty 80x24 cutonce
--- keys
< ›
> go
press enter
< So it is.
gone interrupt
--- shows
> go

✗ Bash false  exit code 1
✗ Bash echo out; exit 3  exit code 3
  out
● Read src/here.txt  3 lines
● Edit src/here.txt  +1 -1
    1   one
    2 - two
    2 + 2
    3   three
● Write new.txt  new file, 2 lines
    1   first
    2   second

● So it is.

›

/help  claude-sonnet-5-5 · <n>% · $<n> · <n> tokens

--- keys
press ctrl+d
--- exit 0
--- pty 80x24 cutonce --continue
--- keys
< So it is.
< ›
< /help
--- shows
> go

✗ Bash false  exit code 1
✗ Bash echo out; exit 3  exit code 3
  out
● Read src/here.txt  3 lines
● Edit src/here.txt  +1 -1
    1   one
    2 - two
    2 + 2
    3   three
● Write new.txt  +2 -0
    1 + first
    2 + second

● So it is.

›

/help  claude-sonnet-5-5 · <n>% · $<n> · <n> tokens

--- keys
press ctrl+d
--- exit 0
