The conversation view, a list or a picker shows that something waits for an answer (UI-5, UI-14).

--- model
{"turns": [
  {"delta": 6, "delay_ms": 40, "text": "Words that give time to look at something else before the question comes, and some more.", "calls": [{"name": "Bash", "input": {"command": "touch made"}}]},
  {"text": "Not done."}
]}
--- pty 80x24 cutonce
--- keys
< ›
> go
press enter
< Words
press ctrl+o
< q back
< waiting for your answer: press esc
press q
< wants to run
< digit chooses
press 3 enter
< Not done.
press ctrl+d
--- exit 0
