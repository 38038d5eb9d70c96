`plansDirectory` puts plans into the project, and the plan file there is the only writable file (PM-40, PM-44). A folder outside the project, also
through a symlink, or inside .git is reported once, and the default is used. `plan.names: "task"` names the plan after the date and the request
(PM-51).

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}, "plansDirectory": "docs/plans"}
--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# In the project\n"}},
             {"name": "Write", "input": {"file_path": "docs/plans/other.md", "content": "# Another\n"}},
             {"name": "ExitPlanMode", "input": {}}]}
]}
--- run cutonce plan "task"
--- exit 0
--- stdout
# In the project

--- stderr
plan: <slug>
path: $WS/docs/plans/<slug>.md
sha256: 61a453974ae6ac849e8dd372bd341bd040c309cd8d252911219cee038466547e
next: cutonce implement <slug>

--- disk
created docs/plans/<slug>.md
  # In the project

--- run cutonce plans list --json
--- stdout
{"slug":"<slug>","title":"In the project","status":"submitted","revision":1,"approved":null,"sha256":"61a453974ae6ac849e8dd372bd341bd040c309cd8d252911219cee038466547e","time":"<time>","project":"$WS","session":"<id>","path":"$WS/docs/plans/<slug>.md","exists":true,"unreadable":null}

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}, "plansDirectory": "../outside"}
--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# At home\n"}}, {"name": "ExitPlanMode", "input": {}}]}
]}
--- run cutonce plan "task"
--- exit 0
--- stdout
# At home

--- stderr
cutonce: plansDirectory `../outside` is not inside the project; plans go to the default folder
plan: <slug 2>
path: $HOME/.cutonce/plans/<slug 2>.md
sha256: 94e75555a5fb5c6b54644a71639e0c3d4618d3696fbdf2d375cc43342c98c6f8
next: cutonce implement <slug 2>

--- disk
nothing changed

--- sh
mkdir -p $HOME/elsewhere .git
ln -s $HOME/elsewhere link
--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}, "plansDirectory": "link/plans"}
--- model
{"turns": [{"text": "one"}, {"text": "two"}, {"text": "three"}]}
--- run cutonce plan "task"
--- exit 1
--- stderr
cutonce: plansDirectory `link/plans` is not inside the project; plans go to the default folder
cutonce: No plan was written ($HOME/.cutonce/plans/<slug 3>.md).

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}, "plansDirectory": ".git/hooks"}
--- run cutonce plan "task"
--- exit 1
--- stderr
cutonce: plansDirectory `.git/hooks` is inside .git, where only a folder named `plans` may be used; plans go to the default folder
cutonce: No plan was written ($HOME/.cutonce/plans/<slug 4>.md).

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly", "names": "task"}}
--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Named\n"}}, {"name": "ExitPlanMode", "input": {}}]}
]}
--- run cutonce plan "Migrate the auth (it's old)!"
--- exit 0
--- stdout
# Named

--- sh
ls $HOME/.cutonce/plans | grep -qx "20[0-9][0-9]-[0-9][0-9]-[0-9][0-9]-migrate-the-auth-its-old.md"
--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Named\n"}}, {"name": "ExitPlanMode", "input": {}}]}
]}
--- run cutonce plan "Migrate the auth (it's old)!"
--- exit 0
--- sh
ls $HOME/.cutonce/plans | grep -qx "20[0-9][0-9]-[0-9][0-9]-[0-9][0-9]-migrate-the-auth-its-old-2.md"
