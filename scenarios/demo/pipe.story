In a pipe the demo takes its choices from standard input and tells the truth after each (ON-2). Input that ends approves nothing; without any input the demo approves by itself.

--- run cutonce demo --dir left
--- talk
< your choice (a number):
> 5
< Show the result of the test (change 1)
< your choice (a number):
> 6
< ✓ not approved, so nothing was changed
--- exit 0
--- run cutonce demo --dir refused
--- talk
< your choice (a number):
> 2
< ? Edit
< 1 yes, 3 no
> 3
< ? Bash
< 1 yes, 3 no
> 1
< ✓ approved, but you refused a step, so the bug is still there
--- exit 0
--- stdin
5
--- run cutonce demo --dir ended
--- exit 0
--- run cutonce demo --dir approved
--- exit 0
--- sh
for name in left refused ended; do ! grep -q 'in "$@"' $name/src/total.sh || exit 1; done
grep -q 'in "$@"' approved/src/total.sh
