A team is created, exchanges messages and is deleted (TM-1): invalid names are refused by name, messages arrive in order, plan mode denies creating
and deleting a team, and after TeamDelete only the transcripts remain.

--- model
{"turns": [
  {"when": "You are `ann`", "calls": [{"name": "SendMessage", "input": {"to": "bob", "text": "PEER-WORDS"}}, {"name": "SendMessage", "input": {"to": "nobody", "text": "x"}}]},
  {"when": "the team has no member \"nobody\"; its members are bob, team-lead", "text": "Said.", "repeat": 2},
  {"when": "PEER-WORDS", "calls": [{"name": "SendMessage", "input": {"to": "*", "text": "BOB-HEARD"}}]},
  {"when": "You are `bob`", "text": "Waiting.", "repeat": 5},
  {"when": "You are `ann`", "text": "Fine.", "repeat": 5},
  {"when": "The team red was deleted.", "text": "Over."},
  {"when": "BOB-HEARD", "calls": [{"name": "TeamDelete", "input": {}}]},
  {"when": "Lead this.", "calls": [
     {"name": "TeamCreate", "input": {"teamName": "../red", "members": [{"name": "ann", "task": "x"}]}},
     {"name": "TeamCreate", "input": {"teamName": "red", "members": [{"name": "team-lead", "task": "x"}]}},
     {"name": "SendMessage", "input": {"to": "ann", "text": "too early"}},
     {"name": "TeamCreate", "input": {"teamName": "red", "members": [{"name": "bob", "task": "Wait."}, {"name": "ann", "task": "Talk to bob."}]}}]},
  {"when": "Lead this.", "text": "Noted.", "repeat": 9}
]}
--- run cutonce --plain "Lead this."
--- talk
< Over.
! test ! -e $HOME/.cutonce/teams/red
--- exit 0
--- disk
nothing changed
