`cutonce plans` finds, shows, compares, opens, exports and removes plans of all sessions and projects without reading a transcript (PM-46). The editor
is $VISUAL, and its failure is reported (PM-25). Unknown names, and files that are missing, changed, not UTF-8 or full of escape sequences, are
reported and do no harm. Removing asks, and no answer means no. A submitted version that was changed on disk is not shown.

--- file ~/.cutonce/plans/calm-reading-owl.md
# Migrate auth

1. Read the code
2. Move the tokens
3. Not submitted yet
--- file ~/.cutonce/plans/.reserved/calm-reading-owl
{"path":"$HOME/.cutonce/plans/calm-reading-owl.md","project":"$WS","session":"s1","time":"2020-01-02T03:04:05.000Z"}
--- file ~/.cutonce/plans/.revisions/calm-reading-owl/index.json
{"revisions":[
 {"number":1,"sha256":"661ed390e0a568a86e52c6bf223ba5f09fb7ccb11eae6dda8dceff1d5a76c1b1","time":"2020-01-02T03:04:06.000Z","outcome":"rejected","project":"$WS","session":"s1","title":"Migrate auth"},
 {"number":2,"sha256":"f8d23682bfa047e7922ff9637d5835975f5e24c4016c5b3bf9dd01a390d18c2c","time":"2020-01-02T03:04:07.000Z","outcome":"approved","project":"$WS","session":"s1","title":"Migrate auth"}
]}
--- file ~/.cutonce/plans/.revisions/calm-reading-owl/0001.md
# Migrate auth

1. Read the code
--- file ~/.cutonce/plans/.revisions/calm-reading-owl/0002.md
# Migrate auth

1. Read the code
2. Move the tokens
--- sh
cd "$HOME/.cutonce/plans"
printf '# Evil \033]0;title\007\033[31mred\n' > sly-painting-fox.md
printf '# Not \377 UTF-8\n' > broken-flying-kite.md
mkdir -p .revisions/lost-sailing-boat
printf '# Lost at sea\n' > .revisions/lost-sailing-boat/0001.md
echo x > .reserved/only-reserved-name
touch -d 2020-02-02T00:00:01Z sly-painting-fox.md .revisions/lost-sailing-boat/0001.md
touch -d 2020-02-02T00:00:02Z broken-flying-kite.md
touch -d 2020-02-02T00:00:03Z calm-reading-owl.md
--- run cutonce plans
--- stdout
calm-reading-owl    draft       r2  2020-02-02 00:00  Migrate auth  [$WS]
broken-flying-kite  draft        -  2020-02-02 00:00  (no title)  [-]  (unreadable: not UTF-8 after byte 6)
lost-sailing-boat   submitted   r1  2020-02-02 00:00  Lost at sea  [-]  (file missing)
sly-painting-fox    draft        -  2020-02-02 00:00  Evil \u{1b}]0;title\u{7}\u{1b}[31mred  [-]

--- run cutonce plans list --json auth
--- stdout
{"slug":"calm-reading-owl","title":"Migrate auth","status":"draft","revision":2,"approved":2,"sha256":"cc43c20cbf503de4618d028fefc95d43d389d9b9e306cd51a60a9e9e12e29006","time":"<time>","project":"$WS","session":"s1","path":"$HOME/.cutonce/plans/calm-reading-owl.md","exists":true,"unreadable":null}

--- run cutonce plans list --here
--- stdout
calm-reading-owl  draft       r2  2020-02-02 00:00  Migrate auth  [$WS]

--- run cutonce plans list nothing-like-this
--- stdout
--- stderr
No plan matches.

--- run cutonce plans show calm-reading-owl
--- stdout
# Migrate auth

1. Read the code
2. Move the tokens
3. Not submitted yet

--- run cutonce plans show calm-reading-owl --revision 1
--- stdout
# Migrate auth

1. Read the code

--- run cutonce plans show calm-reading-owl -r 9
--- exit 1
--- stderr
cutonce: calm-reading-owl has no revision 9; the last one is 2

--- run cutonce plans show lost-sailing-boat
--- stdout
# Lost at sea

--- stderr
cutonce: $HOME/.cutonce/plans/lost-sailing-boat.md is missing or empty; showing revision 1

--- run cutonce plans show sly-painting-fox
--- stdout
# Evil red

--- run cutonce plans show broken-flying-kite
--- exit 1
--- stderr
cutonce: can't read $HOME/.cutonce/plans/broken-flying-kite.md: not UTF-8 after byte 6

--- run cutonce plans show calm-reading-owi
--- exit 1
--- stderr
cutonce: no plan is called `calm-reading-owi`; did you mean `calm-reading-owl`?

--- run cutonce plans show ../../../etc/passwd
--- exit 1
--- stderr
cutonce: no plan is called `../../../etc/passwd`; `cutonce plans list` lists them

--- run cutonce plans diff lost-sailing-boat
--- exit 1
--- stderr
cutonce: lost-sailing-boat has not changed since it was first submitted; there is nothing to compare

--- run cutonce plans diff sly-painting-fox
--- exit 1
--- stderr
cutonce: sly-painting-fox was never submitted; there is nothing to compare

--- file editor.sh
#!/bin/sh
echo "4. Added in the editor" >> "$1"
--- sh
chmod +x editor.sh
--- env VISUAL=$WS/editor.sh
--- run cutonce plans open calm-reading-owl
--- stdout
Opened plan in editor: $HOME/.cutonce/plans/calm-reading-owl.md

--- run cutonce plans show calm-reading-owl
--- stdout
# Migrate auth

1. Read the code
2. Move the tokens
3. Not submitted yet
4. Added in the editor

--- env VISUAL=no-such-editor --wait
--- run cutonce plans open calm-reading-owl
--- exit 1
--- stderr
cutonce: Failed to open plan in editor: $VISUAL is `no-such-editor --wait`, but the program `no-such-editor` was not found

--- run cutonce plans open lost-sailing-boat
--- exit 1
--- stderr
cutonce: the file of lost-sailing-boat is missing; `cutonce plans export lost-sailing-boat FILE` writes its last revision to a file

--- run cutonce plans export calm-reading-owl --revision 2
--- stdout
# Migrate auth

1. Read the code
2. Move the tokens

--- run cutonce plans export calm-reading-owl out.md --revision 1
--- exit 0
--- run cutonce plans export calm-reading-owl out.md
--- exit 1
--- stderr
cutonce: out.md exists; --force overwrites it

--- run cutonce plans export calm-reading-owl out.md --force
--- exit 0
--- run cutonce plans export calm-reading-owl no/such/folder/out.md
--- exit 1
--- stderr
cutonce: can't write no/such/folder/out.md: the folder no/such/folder does not exist

--- sh
test "$(tail -n 1 out.md)" = "4. Added in the editor"

--- stdin
no
--- run cutonce plans rm calm-reading-owl
--- exit 1
--- stderr
Remove calm-reading-owl (Migrate auth), its file $HOME/.cutonce/plans/calm-reading-owl.md and its 2 revisions? [y/N] Cancelled; nothing was removed.

--- stdin
y
--- run cutonce plans rm lost-sailing-boat
--- exit 0
--- stderr
Remove lost-sailing-boat (Lost at sea), its file $HOME/.cutonce/plans/lost-sailing-boat.md and its revision? [y/N] Removed lost-sailing-boat.

--- sh
echo forged >> "$HOME/.cutonce/plans/.revisions/calm-reading-owl/0001.md"
--- run cutonce plans show calm-reading-owl --revision 1
--- exit 1
--- stderr
cutonce: revision 1 of calm-reading-owl is no longer what was submitted: its file was changed

--- run cutonce plans rm calm-reading-owl --yes
--- exit 0
--- stderr
Removed calm-reading-owl.

--- run cutonce plans
--- stdout
broken-flying-kite  draft        -  2020-02-02 00:00  (no title)  [-]  (unreadable: not UTF-8 after byte 6)
sly-painting-fox    draft        -  2020-02-02 00:00  Evil \u{1b}]0;title\u{7}\u{1b}[31mred  [-]

