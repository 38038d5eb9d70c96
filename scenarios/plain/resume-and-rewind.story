Sessions and rewind points are numbered lists (UI-15, SE-3, SE-5): a number previews, text searches, Enter confirms. `--plain --resume` without an id
opens the list first; `/resume` switches the session.

--- file a.txt
one
--- model
{"turns": [
  {"calls": [{"name": "Read", "input": {"file_path": "a.txt"}}]},
  {"calls": [{"name": "Write", "input": {"file_path": "a.txt", "content": "two\n"}},
             {"name": "Write", "input": {"file_path": "b.txt", "content": "new\n"}}]},
  {"text": "changed it"},
  {"text": "well said"}
]}
--- run cutonce --plain --permission-mode acceptEdits "change a"
--- talk
< changed it
< >
> now talk
< well said
< >
> /rewind
< point: 
> 9
< point: 
> 2
< rewind: 
> 
< point: 
> 2
< will be deleted
< rewind: 
> 1
< Conversation and 2 files put back
< >
> /rewind
< Nothing to rewind to
< >
> /exit
--- exit 0
--- stdout
changed it

> well said

> 
Points to rewind to, latest first:
  1 <time> · no files · before: now talk
  2 <time> · 2 files · before: change a
  NUMBER shows what would change, enter cancels
point: 
Points to rewind to, latest first:
  1 <time> · no files · before: now talk
  2 <time> · 2 files · before: change a
  NUMBER shows what would change, enter cancels
point: 
before: change a
  $WS/a.txt
  | @@ -1 +1 @@
  | -two
  | +one
  $WS/b.txt
  | will be deleted: it did not exist then
  1 conversation and files
  2 conversation only
  3 files only
  enter goes back to the list
rewind: 
Points to rewind to, latest first:
  1 <time> · no files · before: now talk
  2 <time> · 2 files · before: change a
  NUMBER shows what would change, enter cancels
point: 
before: change a
  $WS/a.txt
  | @@ -1 +1 @@
  | -two
  | +one
  $WS/b.txt
  | will be deleted: it did not exist then
  1 conversation and files
  2 conversation only
  3 files only
  enter goes back to the list
rewind: Your message was:
  | change a

> Nothing to rewind to.

>

--- disk
nothing changed

--- model
{"turns": [{"text": "another talk"}]}
--- run cutonce --plain "speak of apples"
--- talk
< another talk
< >
> /exit
--- exit 0
--- model
{"turns": [{"text": "apples again"}, {"text": "the copy speaks"}, {"text": "pears now"}]}
--- run cutonce --plain --resume
--- talk
< session: 
> pears
< with «pears»: 0
< session: 
> apples
< with «apples»: 1
< session: 
> p 1
< another talk
< session: 
> 1
< >
> and now?
< apples again
< >
> /resume
< session: 
> 
< nothing was changed
< >
> /exit
--- exit 0
--- stdout

Sessions of this folder: 2
  1 speak of apples · <time>
  2 change a · <time>
  NUMBER resumes, `f NUMBER` resumes a copy, `p NUMBER` shows its end
  other text searches, `all` lists all folders, enter cancels
session: 
Sessions of this folder with «pears»: 0
  NUMBER resumes, `f NUMBER` resumes a copy, `p NUMBER` shows its end
  other text searches, `all` lists all folders, enter cancels
session: 
Sessions of this folder with «apples»: 1
  1 speak of apples · <time>
  NUMBER resumes, `f NUMBER` resumes a copy, `p NUMBER` shows its end
  other text searches, `all` lists all folders, enter cancels
session: you:
  | speak of apples
agent:
  | another talk

Sessions of this folder with «apples»: 1
  1 speak of apples · <time>
  NUMBER resumes, `f NUMBER` resumes a copy, `p NUMBER` shows its end
  other text searches, `all` lists all folders, enter cancels
session: 
> apples again

> 
Sessions of this folder: 1
  1 change a · <time>
  NUMBER resumes, `f NUMBER` resumes a copy, `p NUMBER` shows its end
  other text searches, `all` lists all folders, enter cancels
session: Cancelled; nothing was changed.

>

--- run cutonce --plain "speak of pears"
--- talk
< the copy speaks
< >
> /resume apples
< session: 
> f 1
< Switched to session
< >
> more
< pears now
< >
> /exit
--- exit 0
--- stdout
the copy speaks

> 
Sessions of this folder with «apples»: 1
  1 speak of apples · <time>
  NUMBER resumes, `f NUMBER` resumes a copy, `p NUMBER` shows its end
  other text searches, `all` lists all folders, enter cancels
session: Switched to session <id>.

> pears now

>

--- seen
request 1
  user: speak of apples
  assistant: another talk
  user: and now?
request 2
  user: speak of pears
request 3
  assistant: another talk
  user: and now?
  assistant: apples again
  user: more

