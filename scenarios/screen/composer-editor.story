Ctrl+G edits the message in $EDITOR (UI-3): what was written there is the draft; an editor that crashes leaves draft and terminal as they were (UI-13); long pastes are unfolded for it.

--- file editor.sh
#!/bin/sh
if [ ! -e $HOME/crashed ]; then touch $HOME/crashed; printf half > "$1"; stty -echo raw; kill -SEGV $$; fi
cp "$1" $HOME/given
printf 'Better words,\non two lines.\n' > "$1"
--- sh
chmod +x editor.sh
--- env EDITOR=./editor.sh
--- model
{"turns": [{"text": "Read."}]}
--- pty 80x24 cutonce
--- keys
< ›
> half a thought 
paste 1\n2\n3\n4\n5\n6\n7\n8\n9\n10
< [Pasted text #1: 10 lines]
press ctrl+g
< Your draft is unchanged
--- shows



















! Your draft is unchanged: ./editor.sh was killed by signal 11

› half a thought [Pasted text #1: 10 lines]

/help                                                         claude-sonnet-5-5

--- keys
press ctrl+g
< on two lines.
--- shows


















! Your draft is unchanged: ./editor.sh was killed by signal 11

› Better words,
  on two lines.

/help                                                         claude-sonnet-5-5

--- keys
press enter
< Read.
gone interrupt
press ctrl+d
--- exit 0
--- sh
test "$(cat $HOME/given)" = "half a thought $(seq 10)"
--- seen
request 1
  user: Better words,
        on two lines.

