What the layer refuses is listed, also if the command hides its failure (RH-2): the network, secrets, files outside the workspace, and links, pipes and setuid files that are never applied.

--- sh
echo one > a.txt; mkdir -p ~/.ssh; echo key > ~/.ssh/id_rsa; echo KEY=secret > .env
mkdir -p target node_modules/x; echo KEY=built > target/key.pem; echo KEY=installed > node_modules/x/key.pem
--- file plan.md
# Change a

## Steps

1. Change a
   - files: a.txt, link, pipe, suid
--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "curl -sS http://example.org | head -1"}},
             {"name": "Bash", "input": {"command": "cat ~/.ssh/id_rsa; echo x > ~/x; true"}},
             {"name": "Bash", "input": {"command": "ln -s /etc/passwd link; mkfifo pipe; cp /bin/true suid; chmod 4755 suid; echo two > a.txt"}},
             {"name": "Bash", "input": {"command": "e=.en; cat ${e}v $WS/${e}v 2> /dev/null | grep KEY= >> a.txt; true"}},
             {"name": "Bash", "input": {"command": "e=key.pe; cat target/${e}m $WS/target/${e}m */x/${e}m $WS/*/x/${e}m 2> /dev/null | grep KEY= >> a.txt; true"}}]},
  {"text": "done"},
  {"text": "still done"}
]}
--- run cutonce rehearse plan.md
--- exit 5
--- stdout
diff --git a/a.txt b/a.txt
--- a/a.txt
+++ b/a.txt
@@ -1 +1 @@
-one
+two

Plan

changed  1. Change a
         files: 4 planned, changed a.txt

Planned but not changed:
  link
  pipe
  suid
denied: Bash: curl -sS http://example.org | head -1 (it wanted the network)
denied: Bash: cat ~/.ssh/id_rsa; echo x > ~/x; true (it wanted a secret, a protected file or one outside the workspace)
denied: layer: link is a link that leads, or could lead, out of the workspace
denied: layer: pipe is a device, pipe or socket
denied: layer: suid is a file that runs with the rights of its owner (setuid)

1 file changed, +1 -1 (not applied: not all checks passed)

--- stderr
plan: plan.md
sha256: 9a9a0dbc9f48c7f8d5bcacf20d9f35f195c3033a44229fe96a9f1f2b4c00ed28

--- disk
nothing changed

