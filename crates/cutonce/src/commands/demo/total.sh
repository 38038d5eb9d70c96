# Adds up prices in cents.

total() {
  local sum=0 price
  for price in "${@:2}"; do
    sum=$((sum + price))
  done
  echo "$sum"
}
