#!/bin/sh
# Goal: every command of the README does what the README shows.
# Method: its console blocks are run, in order, in one fresh folder; what they print must be what
# stands there, to the letter.
set -eu
bin=$WORK/bin
mkdir -p "$bin" "$WORK/run"
ln -sf "$KVCAP" "$bin/kvcap"
PATH=$bin:$PATH

# Each command to N.sh, what it should print to N.expected.  A command with <<'EOF' runs on to EOF.
awk -v work="$WORK" '
/^```console$/ { inside = 1; next }
/^```$/ { inside = 0; next }
!inside { next }
heredoc { print > file; if ($0 == "EOF") heredoc = 0; next }
/^\$ / {
    if (file != "") close(file)
    n++
    file = sprintf("%s/%03d.sh", work, n)
    expected = sprintf("%s/%03d.expected", work, n)
    printf "" > expected
    print substr($0, 3) > file
    heredoc = /<<.EOF.$/
    next
}
{ print > expected }
END { exit n == 0 }
' "$SOURCE/README.md"

failed=0
cd "$WORK/run"
for command in "$WORK"/[0-9]*.sh; do
    name=${command%.sh}
    sh "$command" >"$name.output" 2>&1 || true
    if ! diff "$name.expected" "$name.output" >"$name.diff"; then
        echo "README.md: $(head -n 1 "$command")"
        cat "$name.diff"
        failed=1
    fi
done
exit $failed
