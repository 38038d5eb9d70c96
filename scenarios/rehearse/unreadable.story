An order for a rehearsal whose fields can't be read starts nothing (RH-1): a budget must not be lost on the way.

--- stdin
{"type": "control_request", "request_id": "r1", "request": {"subtype": "rehearse", "budgetUsd": "0.5"}}
{"type": "control_request", "request_id": "r2", "request": {"subtype": "rehearse", "steps": ["1"]}}
{"type": "control_request", "request_id": "r3", "request": {"subtype": "rehearse", "budget": 0.5}}
{"type": "control_request", "request_id": "r4", "request": {"subtype": "cancel_rehearsal", "rehearsal_id": 1}}
{"type": "control_request", "request_id": "r5", "request": {"subtype": "keep_rehearsal", "rehearsal_id": "r1", "name": 1}}
--- run cutonce -p --input-format stream-json --output-format stream-json
--- frames
{"type":"control_response","response":{"subtype":"error","request_id":"r1","error":"the rehearsal can't be read: budgetUsd: invalid type: string \"0.5\", expected f64"},"message":null,"event":{"message":null}}
{"type":"control_response","response":{"subtype":"error","request_id":"r2","error":"the rehearsal can't be read: steps: invalid type: sequence, expected a map"},"message":null,"event":{"message":null}}
{"type":"control_response","response":{"subtype":"error","request_id":"r3","error":"the rehearsal can't be read: budget: unknown field `budget`, expected one of `steps`, `model`, `budgetUsd`, `revision`"},"message":null,"event":{"message":null}}
{"type":"control_response","response":{"subtype":"error","request_id":"r4","error":"`rehearsal_id` is not text"},"message":null,"event":{"message":null}}
{"type":"control_response","response":{"subtype":"error","request_id":"r5","error":"`name` is not text"},"message":null,"event":{"message":null}}

--- disk
nothing changed
