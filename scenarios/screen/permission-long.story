The user can see all of what they approve (UI-5): a line of seventy thousand characters hides nothing; the dialog counts it, and Ctrl+O shows it and
what follows completely. A diff that fills the screen scrolls. A dialog that would fill the window uses the alternate screen (UI-1).

--- sh
python3 - <<'P'
import json
long = "ok\n" + "x" * 70000 + "\n" + "".join(f"line {n}\n" for n in range(9000)) + "evil line\n"
turns = [{"calls": [{"name": "Write", "input": {"file_path": "src/deep/made.txt", "content": long}}]}, {"text": "Written."}]
open("../script.json", "w").write(json.dumps({"turns": turns}))
P
--- pty 80x24 cutonce --model scripted/$WS/../script.json
--- keys
< ›
> go
press enter
< wants to create
< enter or a digit chooses
--- shows
> go

? Write wants to create src/deep/made.txt
     1 + ok
     2 + xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
         xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
         xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
         xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
         xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
         xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
         xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
         xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
         xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
         xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
         xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
         xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
  … 9,004 more lines (pgdn, ctrl+o)
  why: Edits need your OK in default mode
› 1 yes
  2 yes, and don't ask again here for Edit(./src/deep/made.txt)
  3 no, and say what to do instead
  enter or a digit chooses · ←→ scope of 2 · esc stops · ctrl+o all of it
/help  scripted · <n>% · <n> tokens

--- keys
press pgdn pgdn pgdn
< 69,000 more characters
--- shows
> go

? Write wants to create src/deep/made.txt
         xxxxxxxxxxxxxxxxxxxx… 69,000 more characters
     3 + line 0
     4 + line 1
     5 + line 2
     6 + line 3
     7 + line 4
     8 + line 5
     9 + line 6
    10 + line 7
    11 + line 8
    12 + line 9
    13 + line 10
    14 + line 11
  … 15 above, 8,989 more lines (pgdn, ctrl+o)
  why: Edits need your OK in default mode
› 1 yes
  2 yes, and don't ask again here for Edit(./src/deep/made.txt)
  3 no, and say what to do instead
  enter or a digit chooses · ←→ scope of 2 · esc stops · ctrl+o all of it
/help  scripted · <n>% · <n> tokens

--- keys
press ctrl+o
< Request details
press G
< evil line
--- shows
 Request details
  8986 + line 8983
  8987 + line 8984
  8988 + line 8985
  8989 + line 8986
  8990 + line 8987
  8991 + line 8988
  8992 + line 8989
  8993 + line 8990
  8994 + line 8991
  8995 + line 8992
  8996 + line 8993
  8997 + line 8994
  8998 + line 8995
  8999 + line 8996
  9000 + line 8997
  9001 + line 8998
  9002 + line 8999
  9003 + evil line

  «don't ask again» means these rules, stored in .cutonce/settings.local.json:
    Edit(./src/deep/made.txt)

 1 of 2 · <n>%  ↑↓ PgUp PgDn g G  { } entry  / find n N  y copy  q back

--- keys
press q
< wants to create
< enter or a digit chooses
press 1
< Written.
press ctrl+d
--- exit 0
