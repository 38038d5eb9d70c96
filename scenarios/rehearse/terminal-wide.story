The same on a wide terminal: the diff of the selected file or step and the output of a check are next to the list (RH-2). Rejecting leaves every byte, mode, time and link of the workspace and of git's folder as it was (RH-1); a result that was kept by name survives that (RH-5).

--- sh
git init -q -b main && git config user.name T && git config user.email t@example.org
mkdir src; printf 'fn main() {\n    println!("one");\n}\n' > src/main.rs; ln -s main.rs src/link; echo old > c.txt; chmod 600 c.txt; git add . && git commit -qm first
list() { find . -printf '%p %y %m %n %s %T@ %l\n' | sort; find . -type f -exec sha256sum {} + | sort; }
list > ~/before.list
--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Say two\n\n## Steps\n\n1. Change the text\n   - files: src/main.rs (change)\n   - check: grep -n two src/main.rs\n2. Add a note\n   - files: notes/two.md (new)\n\n## Verification\n\n- `test -s notes/two.md`\n"}},
             {"name": "ExitPlanMode", "input": {}}]},
  {"calls": [{"name": "Bash", "input": {"command": "until [ -e ~/go ]; do sleep 0.05; done; sed -i s/one/two/ src/main.rs"}},
             {"name": "Write", "input": {"file_path": "notes/two.md", "content": "# Two\n\nIt says two.\n"}},
             {"name": "Bash", "input": {"command": "curl -s https://example.org; echo x >> c.txt"}}]},
  {"text": "rehearsed"}
]}
--- pty 120x40 cutonce --permission-mode plan
--- keys
< ⏸ plan mode on
> say two
press enter
< approve → accept edits
gone keys choose in a moment
press r
< r watches rehearsal r1: Bash curl
press r
< What it does
--- shows
 Rehearsal r1 of rev 1 running                                                             anthropic/claude-sonnet-5-5
 3 calls · your files do not change
── What it does ───────────────────────────────────────────────────────────────────────────────────────────────── 3/3 ──
  ● Bash until [ -e ~/go ]; do sleep 0.05; done; sed -i s/one/two/ src/main.rs
  ● Write notes/two.md
› ● Bash curl -s https://example.org; echo x >> c.txt
































────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
 x cancel  r another one  ? all keys  esc back to the plan

--- keys
! touch ~/go
< No drift
press down
< two"
--- shows
 Rehearsal r1 of rev 1 passed                                                              anthropic/claude-sonnet-5-5
 checks 2/2 · 2 files +4 -1 · 1 denied  no drift · $<n> ·
── Result ────────────────────────────────────────────────────────────────────────────────────────────────────── 2/10 ──
  1. Change the text                   checked  │   1   fn main() {
›  [x] src/main.rs                       +1 -1  │   2 -     println!("one");
   ✓   grep -n two src/main.rs          exit 0  │   2 +     println!("two");
  2. Add a note                        changed  │   3   }
   [x] notes/two.md                     new +3  │
  Checks of the whole plan                      │
   ✓   test -s notes/two.md             exit 0  │
  No drift: the result follows the plan.        │
  Denied: this would have asked you             │
    Bash c.txt                                  │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
 a apply exactly this  space take out or put back  enter open  s keep by name  d discard  r again  ? keys  esc back

--- keys
press down
< $ grep -n
--- shows
 Rehearsal r1 of rev 1 passed                                                              anthropic/claude-sonnet-5-5
 checks 2/2 · 2 files +4 -1 · 1 denied  no drift · $<n> ·
── Result ────────────────────────────────────────────────────────────────────────────────────────────────────── 3/10 ──
  1. Change the text                   checked  │ $ grep -n two src/main.rs
   [x] src/main.rs                       +1 -1  │ exit 0
›  ✓   grep -n two src/main.rs          exit 0  │ 2:    println!("two");
  2. Add a note                        changed  │
   [x] notes/two.md                     new +3  │
  Checks of the whole plan                      │
   ✓   test -s notes/two.md             exit 0  │
  No drift: the result follows the plan.        │
  Denied: this would have asked you             │
    Bash c.txt                                  │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
 a apply exactly this  space take out or put back  enter open  s keep by name  d discard  r again  ? keys  esc back

--- keys
press s
< kept for
press esc
gone Result
press 6
< enter confirm
press enter
< Plan kept
! list() { find . -printf '%p %y %m %n %s %T@ %l\n' | sort; find . -type f -exec sha256sum {} + | sort; }; list | diff ~/before.list -
press ctrl+d
--- exit 0
--- disk
nothing changed

--- sh
test "$(ls $LAYERS | grep -c -e layer-of)" = 0 || echo "layers are left" > left.txt
--- run cutonce rehearsals apply $SLUG-r1
--- exit 0
--- stdout
diff --git a/notes/two.md b/notes/two.md
new file mode 100644
--- /dev/null
+++ b/notes/two.md
@@ -0,0 +1,3 @@
+# Two
+
+It says two.
diff --git a/src/main.rs b/src/main.rs
--- a/src/main.rs
+++ b/src/main.rs
@@ -1,3 +1,3 @@
 fn main() {
-    println!("one");
+    println!("two");
 }

Plan <slug> (revision 1)

checked  1. Change the text
         files: 1 planned, changed src/main.rs
         check: grep -n two src/main.rs (exit 0, <time>)
changed  2. Add a note
         files: 1 planned, changed notes/two.md

Denied writes outside the plan:
  c.txt
No drift: the implementation follows the plan.
denied: Bash: c.txt

2 files changed, +4 -1 (applied)

--- disk
created notes/two.md
  # Two
  
  It says two.
changed src/main.rs
  fn main() {
      println!("two");
  }

