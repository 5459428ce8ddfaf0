#!/bin/sh
# Goal: doc/engines.md says what the program knows.
# Method: the program prints it, and the file must be that, to the letter; and every release, change and
# sizing setting of the JSON stands in it.
set -eu
"$KVCAP" engines --markdown >"$WORK/engines.md"
if ! diff -u "$SOURCE/doc/engines.md" "$WORK/engines.md" >"$WORK/difference"; then
    head -n 40 "$WORK/difference"
    echo "doc/engines.md is not what the program prints: kvcap engines --markdown > doc/engines.md"
    exit 1
fi
"$KVCAP" engines --json >"$WORK/engines.json"
for kind in '"version":' '"sentence":' '"sizes":true'; do
    count=$(tr '{' '\n' <"$WORK/engines.json" | grep -c "$kind" || true)
    [ "$count" -gt 20 ] || {
        echo "the JSON has $count of $kind"
        exit 1
    }
done
rows=$(grep -c '^| ' "$WORK/engines.md")
told=$(tr '{' '\n' <"$WORK/engines.json" | grep -c -e '"version":' -e '"sentence":' -e '"sizes":true')
heads=$(grep -c '^| \(release\|since\|name\) ' "$WORK/engines.md")
[ "$((rows - heads))" -eq "$told" ] || {
    echo "$((rows - heads)) rows in the file, $told in the JSON"
    exit 1
}
