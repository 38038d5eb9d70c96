# The shop's one test: a basket of three things.
. src/total.sh

want=600
got=$(total 100 200 300)
if [ "$got" = "$want" ]; then
  echo "ok: total is $got"
else
  echo "FAILED: total is $got, expected $want"
  exit 1
fi
