The composer (UI-3): several lines, undo, word keys, a long paste that folds and unfolds when sent, files after @, commands after /, earlier messages, search; an unknown command sends nothing and names the nearest (UI-9).

--- file src/session.rs
fn main() {}
--- file target/session.o
x
--- file .gitignore
target
--- model
{"turns": [{"text": "First answer."}, {"text": "Second answer."}]}
--- pty 80x30 cutonce
--- keys
< ›
> look at @ses
< src/session.rs
press tab
> and\
press enter
> this wrong
press ctrl+w
> text
paste 1\n2\n3\n4\n5\n6\n7\n8\n9\n10
< [Pasted text #1: 10 lines]
--- shows
› look at @src/session.rs and
  this text[Pasted text #1: 10 lines]

/help                                                         claude-sonnet-5-5

--- keys
press enter
< First answer.
> /hlp
press enter
< Did you mean /help?
press ctrl+u
> /co
< /compact
--- shows
> look at @src/session.rs and
  this text1
  2
  3
  4
  5
  6
  7
  8
  9
  10

● First answer.

! Unknown command /hlp; nothing was sent. Did you mean /help?

› /co
  › /compact  summarize the conversation; optional: what to keep
    /config   edit settings files
    /cost     tokens and cost so far
    /context  what fills the context window
    /copy     copy the last answer to the clipboard

/help  claude-sonnet-5-5 · <n>% · $<n> · <n> tokens

--- keys
press esc
gone /compact
press ctrl+u
press up
< › /hlp
press ctrl+u ctrl+r
> look
< search sent messages
press esc
gone search sent messages
> second
press ctrl+j
> line
press enter
< Second answer.
press ctrl+d
--- exit 0
--- seen
request 1
  user: look at @src/session.rs and
        this text1
        2
        3
        4
        5
        6
        7
        8
        9
        10
  user: <system-reminder>
        The user mentions the file src/session.rs. Its content:
        
        fn main() {}
        </system-reminder>
request 2
  assistant: First answer.
  user: second
        line

