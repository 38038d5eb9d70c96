The composer is there at once and takes keys, also with a provider that does not answer (UI-12). Esc stops the waiting (AG-4); what is sent meanwhile is queued (AG-5).

--- env ANTHROPIC_BASE_URL=http://127.0.0.1:9
--- pty 80x24 cutonce
--- keys
> typed at once
< typed at once
press enter
< esc to interrupt
> and this
press enter
< queued: and this
press esc
< Removed from the queue
press esc
< Interrupted
press ctrl+c ctrl+c
--- exit 0
