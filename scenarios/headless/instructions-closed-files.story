A repository's instruction files can't send closed files to the model, whatever links or imports they use (SB-6). The folder is not trusted.

--- file .env
KEY=closed-value-1
--- file deploy/server.key
closed-value-2
--- file AGENTS.md
Words for the model, and @notes.md
--- sh
ln -s .env CLAUDE.md
ln -s deploy/server.key notes.md
--- model
{"turns": [{"when": "closed-value", "text": "leaked"}, {"when": "Words for the model", "text": "only the words"}]}
--- run cutonce -p "go"
--- stdout
only the words

