A wrong key, or a provider that answers with a web page, costs one message with the next step, and the session works on (ON-3, MO-3). On a small
screen, the line of a retry has its countdown only (DU-8).

--- model
{"turns": [
  {"fault": {"status": 401, "message": "invalid x-api-key"}},
  {"fault": {"status": 403, "body": "<!DOCTYPE html><html><head><title>Sign in to the hotel</title></head><body><script>alert(1)</script></body></html>"}},
  {"text": "Works again."},
  {"fault": {"status": 502, "body": "<html><h1>Bad Gateway</h1></html>", "retry_after": "50"}}
]}
--- pty 80x24 cutonce
--- keys
< ›
> one
press enter
< refused the key
--- shows
> one

✗ anthropic refused the key (401): invalid x-api-key
  Set ANTHROPIC_API_KEY to a valid key, or store one: cutonce key
  ANTHROPIC_API_KEY.

›

/help                                                         claude-sonnet-5-5

--- keys
> two
press enter
< ✗ anthropic does not allow this (403): the web page «Sign in to the hotel»
< A proxy or a login page may be in between. Is the base URL right? It is
> three
press enter
< Works again.
gone esc to
size 40x15
> four
press enter
< s · esc to interr
press esc
< Interrupted
press ctrl+d
--- exit 0
