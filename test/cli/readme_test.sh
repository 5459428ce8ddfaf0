#!/bin/sh
# Goal: every command of README.md and of doc/fit.md does what the page shows.
# Method: the console blocks of a page are run, in order, in one fresh folder; what they print must be
# what stands there, to the letter.
set -eu
bin=$WORK/bin
mkdir -p "$bin"
ln -sf "$KVCAP" "$bin/kvcap"
PATH=$bin:$PATH
failed=0

# split PAGE FOLDER: each command to N.sh, what it should print to N.expected.  A command with <<'EOF'
# runs on to EOF.  A page without a command is one that was not read.
split() {
    awk -v work="$2" '
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
    ' "$1"
}

for page in README.md doc/fit.md; do
    work=$WORK/$(basename "$page" .md)
    mkdir -p "$work/run"
    split "$SOURCE/$page" "$work" || {
        echo "$page: no command stands there"
        failed=1
        continue
    }
    cd "$work/run"
    for command in "$work"/[0-9]*.sh; do
        name=${command%.sh}
        sh "$command" >"$name.output" 2>&1 || true
        if ! diff "$name.expected" "$name.output" >"$name.diff"; then
            echo "$page: $(head -n 1 "$command")"
            cat "$name.diff"
            failed=1
        fi
    done
done
exit $failed
