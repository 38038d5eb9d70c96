A revision knows the content of the files that it names (PC-13): without a terminal `cutonce implement` refuses a plan whose files changed since, names the step, and exits 4. `--allow-stale` implements it.

--- file a.txt
one
--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Plan\n\n## Steps\n\n1. Look at it\n   - check: `test -f a.txt`\n2. Change a\n   - files: a.txt\n"}},
             {"name": "ExitPlanMode", "input": {}}]}
]}
--- run cutonce plan "change a"
--- exit 0
--- sh
echo two > a.txt
--- model
{"turns": [
  {"calls": [{"name": "Read", "input": {"file_path": "a.txt"}}]},
  {"calls": [{"name": "Write", "input": {"file_path": "a.txt", "content": "three\n"}}]},
  {"text": "done"}
]}
--- run cutonce implement $SLUG --permission-mode acceptEdits
--- exit 4
--- stdout
--- stderr
cutonce: a.txt changed under step 2
  --- a.txt
  +++ a.txt
  @@ -1 +1 @@
  -one
  +two
cutonce: the plan <slug> is stale; plan again, or use --allow-stale

--- run cutonce implement $SLUG --permission-mode acceptEdits --allow-stale
--- exit 0
--- stdout
done

--- stderr
Plan <slug> (revision 1)

checked  1. Look at it
         check: test -f a.txt (exit 0, <time>)
changed  2. Change a
         files: 1 planned, changed a.txt

No drift: the implementation follows the plan.

--- disk
changed a.txt
  three

--- run cutonce plans show $SLUG@1 --steps --json
--- exit 0
--- stdout
{"sha256":"89579927c2719e0ad892103b719b8b5a5ebe5b310eccd3877651b6a390c3f9ae","steps":[{"id":"1","title":"Look at it","lines":[5,6],"files":[],"checks":["test -f a.txt"],"after":[]},{"id":"2","title":"Change a","lines":[7,8],"files":[{"path":"a.txt","kind":"any"}],"checks":[],"after":[]}],"checks":[],"findings":[]}

--- run cutonce plans show $SLUG@9
--- exit 1
--- stderr
cutonce: <slug> has no revision 9; the only one is 1

