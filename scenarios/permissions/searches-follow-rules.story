A search does not show what a rule denies or asks about (PR-1, TL-7): it leaves those files out and says so. A folder that was itself asked for is searched.

--- file .env
SECRET=zebra
--- file a.txt
the word is zebra
--- file notes/private.txt
zebra in private
--- file ~/.cutonce/settings.json
{"permissions": {"deny": ["Read(.env)"], "ask": ["Read(notes)"]}}
--- model
{"turns": [
  {"calls": [{"name": "Grep", "input": {"pattern": "zebra", "output_mode": "content"}}]},
  {"calls": [{"name": "Grep", "input": {"pattern": "zebra", "glob": ".env*"}}]},
  {"calls": [{"name": "Grep", "input": {"pattern": "zebra", "path": "notes"}}]},
  {"text": "all done"}
]}
--- run cutonce --plain "find zebra"
--- talk
< answer:
> 1
< all done
< >
> /exit
--- seen
request 1
  user: find zebra
request 2
  assistant: call Grep {"pattern":"zebra","output_mode":"content"}
  user: result: a.txt
        1:the word is zebra
        [2 paths could not be read: .env: a permission rule excludes it; notes/private.txt: a permission rule excludes it]
request 3
  assistant: call Grep {"pattern":"zebra","glob":".env*"}
  user: result: No matches.
        [1 path could not be read: .env: a permission rule excludes it]
request 4
  assistant: call Grep {"pattern":"zebra","path":"notes"}
  user: result: notes/private.txt

