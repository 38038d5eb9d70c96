The permission dialog (UI-5, PR-7): the exact command or the diff, why it asks, the rule that "don't ask again" would store. The draft survives it.
Esc denies; a denial may have a text; keys and pastes that came too early go to the draft.

--- file a.txt
one
two
--- model
{"turns": [
  {"text": "First a command.", "calls": [{"name": "Bash", "input": {"command": "mkdir out && touch out/x"}}]},
  {"calls": [{"name": "Read", "input": {"file_path": "a.txt"}}]},
  {"calls": [{"name": "Edit", "input": {"file_path": "a.txt", "old_string": "two", "new_string": "three"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "touch y"}}]},
  {"text": "All asked."}
]}
--- pty 80x24 cutonce
--- keys
< ›
> go
press enter
< wants to run
< enter or a digit chooses
--- shows
> go

● First a command.

? Bash wants to run
  mkdir out && touch out/x
  why: File commands need your OK in default mode (`mkdir out`)
› 1 yes
  2 yes, and don't ask again here for Bash(mkdir out), Bash(touch out/x)
  3 no, and say what to do instead
  enter or a digit chooses · ←→ scope of 2 · esc stops · ctrl+o all of it

/help  claude-sonnet-5-5 · <n>% · <n> tokens

--- keys
press 3 enter
< wants to change
< enter or a digit chooses
--- shows
> go

● First a command.

✗ Bash mkdir out && touch out/x  The user refused this Bash call
● Read a.txt  2 lines

? Edit wants to change a.txt
    1   one
    2 - two
    2 + three
  why: Edits need your OK in default mode
› 1 yes
  2 yes, and don't ask again here for Edit(./a.txt)
  3 no, and say what to do instead
  enter or a digit chooses · ←→ scope of 2 · esc stops · ctrl+o all of it

/help  claude-sonnet-5-5 · <n>% · <n> tokens

--- keys
press 2
< touch y
< enter or a digit chooses
press 3
< say instead
> use z
press enter
< All asked.
--- shows
> go

● First a command.

✗ Bash mkdir out && touch out/x  The user refused this Bash call
● Read a.txt  2 lines
● Edit a.txt  +1 -1
    1   one
    2 - two
    2 + three
✗ Bash touch y  The user refused this Bash call and said: use z

● All asked.

›

/help  claude-sonnet-5-5 · <n>% · $<n> · <n> tokens

--- keys
press ctrl+d
--- exit 0
--- disk
created .cutonce/settings.local.json
  {
    "permissions": {
      "allow": [
        "Edit(./a.txt)"
      ]
    }
  }
changed a.txt
  one
  three

--- seen
request 1
  user: go
request 2
  assistant: First a command.
  assistant: call Bash {"command":"mkdir out && touch out/x"}
  user: error: The user refused this Bash call. Do not try it again; ask what to do instead.
request 3
  assistant: call Read {"file_path":"a.txt"}
  user: result: 1	one
        2	two
request 4
  assistant: call Edit {"file_path":"a.txt","old_string":"two","new_string":"three"}
  user: result: Edited a.txt:
        1	one
        2	three
request 5
  assistant: call Bash {"command":"touch y"}
  user: error: The user refused this Bash call and said: use z

--- sh
cat .cutonce/settings.local.json
