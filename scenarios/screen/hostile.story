Hostile text (TL-10, UI-2): escape sequences, direction marks, invisible characters, invalid UTF-8 and long lines of model, tool and file names do no harm to the screen and are shown.

--- sh
printf '\033[2J\033[1;1Hgone\033]0;title\007\342\200\256evil\377\n' > hostile.txt
head -c 1000000 /dev/zero | tr '\0' x > long.txt
touch "$(printf 'name\033[31m.txt')"
--- model
{"turns": [
  {"text": "Before \u001b[2J\u001b]52;c;ZXZpbA==\u0007 after \u202egnal\u200b.", "calls": [{"name": "Bash", "input": {"command": "cat hostile.txt; head -c 3000 long.txt; echo; ls"}}]},
  {"text": "End \u009b31m."}
]}
--- pty 80x24 cutonce
--- keys
< ›
> show it
press enter
< End
gone interrupt
--- shows
> show it

● Before \u{1b}[2J\u{1b}]52;c;ZXZpbA==\u{7} after \u{202e}gnal\u{200b}.

● Bash cat hostile.txt; head -c 3000 long.txt; echo; ls
  gone\u{202e}evil
  xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…
  hostile.txt
  long.txt
  name.txt

● End \u{9b}31m.

›

/help  claude-sonnet-5-5 · <n>% · $<n> · <n> tokens

--- keys
press ctrl+d
--- exit 0
