Secrets of the environment are removed from a provider's error before it is shown (MO-4) and logged (DU-9).

--- env DEPLOY_TOKEN=tok-9f8e7d6c5b4a
--- model
{"turns": [{"fault": {"status": 400, "message": "the header tok-9f8e7d6c5b4a is not allowed"}}]}
--- run cutonce -p "go"
--- exit 1
--- stderr
cutonce: anthropic refused the request (400): the header [redacted:DEPLOY_TOKEN] is not allowed
Sending it again would not help.

--- transcript
session {}
user {"text":"go"}
error {"message":"anthropic refused the request (400): the header [redacted:DEPLOY_TOKEN] is not allowed\nSending it again would not help."}
--- sh
grep -q 'ERROR .*refused the request (400): the header .* is not allowed' ~/.cutonce/logs/cutonce.log
! grep -q tok-9f8e ~/.cutonce/logs/cutonce.log

