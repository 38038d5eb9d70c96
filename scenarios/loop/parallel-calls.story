Calls that are safe to run together run in parallel, a write waits for the calls before it, and the results keep the order of the calls (AG-3).

--- file a.txt
alpha
--- file b.txt
beta
--- model
{"turns": [
  {"calls": [{"name": "Read", "input": {"file_path": "b.txt"}}, {"name": "Read", "input": {"file_path": "a.txt"}},
             {"name": "Write", "input": {"file_path": "c.txt", "content": "gamma\n"}}, {"name": "Read", "input": {"file_path": "c.txt"}}]},
  {"text": "done"}
]}
--- run cutonce -p "go" --permission-mode acceptEdits
--- exit 0
--- stdout
done

--- disk
created c.txt
  gamma

--- seen
request 1
  user: go
request 2
  assistant: call Read {"file_path":"b.txt"}
  assistant: call Read {"file_path":"a.txt"}
  assistant: call Write {"file_path":"c.txt","content":"gamma\n"}
  assistant: call Read {"file_path":"c.txt"}
  user: result: 1	beta
  user: result: 1	alpha
  user: result: Created c.txt (1 line).
  user: result: 1	gamma

