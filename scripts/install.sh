#!/bin/sh
# Installs cutonce from a release tarball.
#
# usage: install.sh [--prefix DIR] TARBALL
#
# The prefix is /usr/local for root and ~/.local otherwise. If a SHA256SUMS file of the release is next to the tarball, the tarball must match it.
set -eu

fail() {
    echo "install: $1" >&2
    exit 1
}

prefix=
tarball=
while [ $# -gt 0 ]; do
    case "$1" in
    --prefix)
        [ $# -gt 1 ] || fail "--prefix needs a folder"
        prefix=$2
        shift 2
        ;;
    -*) fail "unknown option $1; usage: install.sh [--prefix DIR] TARBALL" ;;
    *)
        [ -z "$tarball" ] || fail "one tarball only; usage: install.sh [--prefix DIR] TARBALL"
        tarball=$1
        shift
        ;;
    esac
done
[ -n "$tarball" ] || fail "usage: install.sh [--prefix DIR] TARBALL"
[ -f "$tarball" ] || fail "$tarball does not exist"
if [ -z "$prefix" ]; then
    if [ "$(id -u)" = 0 ]; then prefix=/usr/local; else prefix=$HOME/.local; fi
fi

name=$(basename "$tarball")
folder=$(cd "$(dirname "$tarball")" && pwd)
for sums in "$folder"/SHA256SUMS*; do
    [ -f "$sums" ] || continue
    expected=$(sed -n "s/^\([0-9a-f]*\)  $name\$/\1/p" "$sums")
    [ -n "$expected" ] || continue
    if command -v sha256sum >/dev/null; then
        found=$(sha256sum "$tarball" | cut -d' ' -f1)
    else
        found=$(shasum -a 256 "$tarball" | cut -d' ' -f1)
    fi
    [ "$expected" = "$found" ] || fail "$name does not match $(basename "$sums"); download it again"
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tar -xzf "$tarball" -C "$work" || fail "$name can't be unpacked; download it again"
unpacked=$work/${name%.tar.gz}
[ -x "$unpacked/bin/cutonce" ] || fail "$name is not a cutonce tarball"
"$unpacked/bin/cutonce" --version >/dev/null || fail "this binary does not run here; build from source with cargo instead"

# The paths that are printed and go into PATH must not depend on the current folder.
mkdir -p "$prefix"
prefix=$(cd "$prefix" && pwd)
(cd "$unpacked" && find bin share -type f) | while read -r file; do
    mkdir -p "$prefix/$(dirname "$file")"
    mode=644
    case "$file" in bin/*) mode=755 ;; esac
    # A running program keeps its old file.
    cp "$unpacked/$file" "$prefix/$file.new"
    chmod "$mode" "$prefix/$file.new"
    mv -f "$prefix/$file.new" "$prefix/$file"
done

echo "Installed $("$prefix/bin/cutonce" --version) in $prefix."
case ":$PATH:" in
*":$prefix/bin:"*) echo "Start with: cutonce" ;;
*) echo "$prefix/bin is not in your PATH. Add it: export PATH=\"$prefix/bin:\$PATH\"" ;;
esac
