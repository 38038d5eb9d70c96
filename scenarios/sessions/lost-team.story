A session whose team file is damaged or gone says so when it is resumed (TM-2).

--- model
{"turns": [
  {"when": "You are `bob`", "text": "done", "repeat": 9},
  {"when": "Make a team", "calls": [{"name": "TeamCreate", "input": {"teamName": "red", "members": [{"name": "bob", "task": "Nothing.", "startedByUser": true}]}}]},
  {"text": "made", "repeat": 9}
]}
--- run cutonce -p --permission-mode acceptEdits "Make a team"
--- exit 0
--- sh
echo '{' > $HOME/.cutonce/teams/red/team.json
--- run cutonce -p --continue "and?"
--- exit 0
--- stderr
cutonce: The team of this session was not resumed: can't read the team: $HOME/.cutonce/teams/red/team.json: EOF while parsing an object at line 2 column 0. Ask the model to create the team again.

--- sh
rm -r $HOME/.cutonce/teams
--- run cutonce -p --continue "and?"
--- exit 0
--- stderr
cutonce: The team of this session was not resumed: its file is missing. Ask the model to create the team again.

