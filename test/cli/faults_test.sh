#!/bin/sh
# Goal: when the world fails, or the input is hostile, kvcap says so and ends: exit 2 or 4, no crash,
# no hang, nothing half written.
# Method: each fault is made for real - a full device, a closed pipe, a folder where a file is due, a
# limit of memory - and the exit status and the slug are compared.  Garbage is made by awk from a seed.
set -u
LC_ALL=C
export LC_ALL
records=$SOURCE/test/records
fails=0
checks=0
fail() {
    fails=$((fails + 1))
    echo "FAIL $*"
}

# expect STATUS SLUG COMMAND...: runs it for at most 20 seconds; what it says begins with SLUG and is one
# line; "-" wants nothing said, "any" asks for nothing
expect() {
    want_status=$1 want_slug=$2
    shift 2
    checks=$((checks + 1))
    timeout 20 "$@" >"$WORK/printed" 2>"$WORK/refused"
    status=$?
    first='' second=''
    { IFS= read -r first; IFS= read -r second; } <"$WORK/refused"
    told=no
    case $want_slug:$first in
    any:* | -:) told=yes ;;
    *:"kvcap: $want_slug"* | *:'{"error":{"at":'*"\"code\":\"$want_slug"*) told=yes ;;
    esac
    [ "$status" -eq "$want_status" ] || fail "$*: exit $status, not $want_status: $first"
    [ "$told" = yes ] || fail "$*: no $want_slug: $first"
    [ -z "$second" ] || fail "$*: told twice: $second"
}

# run STATUS SLUG 'SCRIPT': the same for a line of the shell
run() {
    expect "$1" "$2" sh -c "$3"
}

mkdir -p "$WORK/bin" "$WORK/in"
ln -sf "$KVCAP" "$WORK/bin/kvcap"
PATH=$WORK/bin:$PATH
cd "$WORK/in" || exit 1
cp "$records"/reference/* .
for draft in model.yaml contract.yaml evidence.json; do
    kvcap seal "$draft" -o "$WORK/${draft%.*}.json" || exit 1
done
mv "$WORK"/*.json .
cp model.json whole.json
kvcap plan contract.json evidence.json -o plan.json || exit 1
printf '%s\n' request_id,cohort,tenant,prompt_tokens,max_output_tokens,sequences r-1,chat,acme,100,64,1 >w.csv
cat >capture <<'E'
exec kvcap evidence contract.json "$@" --from 2026-08-11T09:00:00Z --to 2026-08-11T09:05:00Z \
    --captured-by x --reported-device-bytes 80GiB --reported-cache-bytes 40GiB
E
size='kvcap size --layers 1 --kv-heads 1 --head-dim 1 --tokens 1'

# ---- Standard output: full, closed, a pipe that nobody reads.
for command in "$size" "$size --json" 'kvcap plan --example' 'kvcap plan --example --json' kvcap \
    'kvcap --man' 'kvcap --completion' 'kvcap plan --help' 'kvcap inspect model.json' \
    'kvcap seal model.yaml' 'sh capture w.csv' 'sh capture w.csv --stream' 'kvcap verify plan.json' \
    'kvcap diff plan.json plan.json' 'kvcap export --canonical plan.json' \
    'kvcap models' 'kvcap models --json' 'kvcap devices --explain' 'kvcap devices --json' \
    'kvcap contract --model model.json --device-bytes 1GiB --weights 0 --sequence-tokens-max 1'; do
    run 4 file.write "$command >/dev/full"
done
run 4 file.write "$size >&-"
run 4 file.write 'kvcap seal model.yaml >&-'
run 4 file.write 'mkfifo p; exec 3<>p 4>p 3<&-; kvcap plan --example >&4'
run 4 file.write 'exec 3<>p 4>p 3<&-; kvcap verify model.json contract.json >&4'
# Where the answer is no, and cannot be told either, the world goes before it.
run 4 file.write 'sed s/16/17/ plan.json >altered; kvcap verify altered >/dev/full'

# ---- Standard input and standard error closed.
run 4 file.read 'kvcap seal - <&-'
run 0 - 'kvcap seal model.yaml -o out <&-; cmp out whole.json'
run 2 any 'kvcap seal w.csv -o out2 2>&-'
[ ! -e out2 ] || fail "a refusal that could not be told left a file"

# ---- -o: the disk, a limit of size; what was there stays, and nothing is left beside it.
echo old >kept
run 4 file.write 'ulimit -f 1; kvcap seal contract.yaml -o kept'
run 4 file.write 'ulimit -f 1; kvcap plan --example --bundle kept'
run 4 file.write 'kvcap seal model.yaml -o /dev/full'
run 4 file.write 'sh capture w.csv -o /dev/full'
run 4 file.write 'kvcap seal model.yaml -o nowhere/out'
run 4 file.write 'sh capture w.csv -o nowhere/out'
run 4 file.write 'kvcap plan --example --bundle nowhere/out'
run 2 usage.missing_flag 'kvcap contract --model model.json --device-bytes 1GiB -o kept'
run 2 csv.header 'sh capture model.yaml -o kept'
run 2 csv.syntax '(cat w.csv; echo "r,") >x.csv; sh capture x.csv -o kept'
[ "$(cat kept)" = old ] || fail "a refusal replaced the file of -o"

# ---- Inputs that cannot be read, one after the other through every verb.
ln -s nowhere dangling
ln -s loop loop
long=$(awk 'BEGIN { for (i = 0; i < 5000; i++) printf "a" }')
for path in . dangling loop model.json/x nowhere/x "$long" ''; do
    slug='file'
    expect 4 $slug kvcap inspect "$path/config.json"
    expect 4 $slug kvcap seal "$path"
    expect 4 $slug kvcap verify "$path"
    expect 4 $slug kvcap plan "$path" evidence.json
    expect 4 $slug kvcap plan contract.json "$path"
    expect 4 $slug kvcap diff "$path" plan.json
    expect 4 $slug kvcap diff plan.json "$path"
    expect 4 $slug kvcap export --in-toto "$path"
    expect 4 $slug kvcap contract --model "$path/config.json" --device-bytes 1GiB
    expect 4 $slug sh capture "$path"
done
expect 0 - kvcap verify plan.json --records nowhere # all that it names lies beside it
mkdir alone
cp plan.json alone
expect 4 file.open kvcap verify alone/plan.json --records nowhere
expect 4 file.open kvcap verify alone/plan.json --records "$long"

# ---- A folder of records that holds everything.
mkfifo alone/0.json alone/0.yaml
mkdir alone/1.json
ln -s nowhere alone/2.json
ln -s /dev/zero alone/3.json
printf '{"id":' >alone/4.json
cat plan.json plan.json >alone/5.json
awk 'BEGIN { while (i++ < 100000) printf "[" }' >alone/6.json
printf '\000\001\377' >alone/7.yml
expect 3 - kvcap verify alone/plan.json
cp model.json contract.json evidence.json alone
expect 0 - kvcap verify alone/plan.json
mkdir many
awk 'BEGIN { for (i = 0; i < 20000; i++) {
    name = sprintf("many/%05d.json", i); print "{\"id\":\"kv-model@sha256:" i "\"}" >name; close(name) } }'
mkdir far
cp plan.json far
cp model.json many/99997.json
cp contract.json many/99998.json
cp evidence.json many/99999.json
expect 0 - kvcap verify far/plan.json --records many
rm -r many

# ---- A window that changes between its two readings.  Opening a pipe waits for its reader, so the
# file is changed while -o waits; where the machine is slow the first reading may not be over, and it
# is tried again.
changes() {
    mkfifo held
    for try in 1 2 3 4 5 6 7 8; do
        cp "$2" "$3"
        sh -c "$1 -o held" 2>refused &
        sleep 0."$try"
        sed 's/100/101/; s/3072/3073/' "$2" >changed
        mv changed "$3"
        cat held >/dev/null
        wait "$!"
        status=$?
        grep -q file.changed refused && break
    done
    rm held
    checks=$((checks + 1))
    { [ "$status" -eq 4 ] && grep -q '^kvcap: file.changed' refused; } ||
        fail "$1: a change was not seen: exit $status, $(cat refused)"
}
sed 's/"id": "[^"]*", //' evidence.jsonl >draft.jsonl
changes 'exec sh capture now.csv' w.csv now.csv
changes 'exec sh capture now.csv --stream' w.csv now.csv
changes 'exec kvcap seal now.jsonl' draft.jsonl now.jsonl

# ---- Memory: at every limit the answer is the right one or memory.full.
awk 'BEGIN { print "request_id,cohort,tenant,prompt_tokens,max_output_tokens,sequences"
    for (i = 0; i < 20000; i++) print "request-" i ",chat,acme,100,64,1" }' >many.csv
sed 's/"requests_max":1000/"requests_max":100000/; s/"id":"kv[^"]*",//' contract.json >d.json
kvcap seal d.json -o large.json || exit 1
sed 's/contract.json/large.json/' capture >capture.large
sh capture.large many.csv -o many.json || exit 1
if grep -q __asan_init "$KVCAP"; then
    echo "not tried under AddressSanitizer: limits of memory"
else
    full=0
    for kilobytes in 8000 12000 16000 20000 24000 32000 48000 64000 96000; do
        (ulimit -v "$kilobytes" && kvcap --version) >/dev/null 2>&1 || continue
        for command in 'kvcap verify many.json' 'kvcap plan large.json many.json' \
            'sh capture.large many.csv -o out' 'kvcap seal model.yaml'; do
            checks=$((checks + 1))
            timeout 20 sh -c "ulimit -v $kilobytes; exec $command" >printed 2>refused
            status=$?
            case $status in
            0 | 1) ;;
            4) if grep -q '^kvcap: memory.full' refused; then full=$((full + 1)); else
                fail "$command in $kilobytes KiB: $(head -n 1 refused)"
            fi ;;
            126 | 127) ;; # there is not even room for the program
            *) fail "$command in $kilobytes KiB: exit $status, $(head -n 1 refused)" ;;
            esac
        done
    done
    [ "$full" -gt 0 ] || fail "no limit of memory was met"
fi

# ---- Texts: too deep, too long, with NUL.
# nested OPEN TEXT CLOSE N
nested() {
    awk -v open="$1" -v text="$2" -v close_="$3" -v n="$4" 'BEGIN {
        for (i = 0; i < n; i++) printf "%s", open
        printf "%s", text
        for (i = 0; i < n; i++) printf "%s", close_
        print "" }'
}
nested '{"a":' 1 '}' 64 >deep.json
expect 2 record.missing_key kvcap seal deep.json
nested '{"a":' 1 '}' 65 >deep.json
expect 2 record.too_deep kvcap seal deep.json
expect 2 record.too_deep kvcap verify deep.json
expect 2 json.too_deep kvcap inspect deep.json
expect 2 record.too_deep kvcap plan deep.json evidence.json
nested '[' '' ']' 1000000 >deep.json
expect 2 record.too_deep kvcap seal deep.json
nested '[' '' ']' 1000000 >deep.yaml
expect 2 any kvcap seal deep.yaml
nested '- ' x '' 1000000 >deep.yaml
expect 2 any kvcap seal deep.yaml
nested '[' '' '' 1000000 >deep.jsonl
expect 2 any sh capture deep.jsonl

# padded FROM TO BYTES: the file, made longer by blanks
padded() {
    cp "$1" "$2"
    awk -v n=$(($3 - $(wc -c <"$1"))) 'BEGIN {
        for (line = " "; length(line) < 65536;) line = line line
        for (; n > 65536; n -= 65536) printf "%s", line
        printf "%s", substr(line, 1, n) }' >>"$2"
}
padded model.json long.json $((16 * 1024 * 1024))
expect 0 - kvcap verify long.json
expect 0 - kvcap inspect long.json
printf ' ' >>long.json
expect 2 record.too_large kvcap verify long.json
expect 2 record.too_large kvcap inspect long.json
expect 2 record.too_large kvcap export --canonical long.json
sed 's/"id":"kv[^"]*",//' model.json >d.json
padded d.json long.json $((16 * 1024 * 1024 + 1))
expect 2 record.too_large kvcap seal long.json
mv long.json long.yaml
expect 2 record.too_large kvcap seal long.yaml
rm long.*
cat model.json contract.json >bundle.jsonl
awk 'BEGIN { for (line = " "; length(line) < 65535;) line = line line
    while (i++ < 1024) print substr(line, 1, 65535) }' >>bundle.jsonl
expect 2 record.too_large kvcap verify bundle.jsonl
expect 2 record.too_large kvcap plan bundle.jsonl evidence.json
run 2 record.too_large 'kvcap verify - <bundle.jsonl'
run 2 record.too_large 'cat bundle.jsonl | kvcap plan - evidence.json'
rm bundle.jsonl
(cat w.csv; nested a '' '' 70000) >x.csv
expect 2 evidence.line_too_long sh capture x.csv
(cat evidence.jsonl; nested ' ' '{}' '' 70000) >x.jsonl
expect 2 evidence.line_too_long kvcap plan contract.json x.jsonl

for place in 1 20 200; do
    for file in model.json evidence.jsonl model.yaml w.csv; do
        head -c "$place" "$file" >nul.${file##*.}
        printf '\000' >>nul.${file##*.}
        tail -c +"$((place + 1))" "$file" >>nul.${file##*.}
    done
    expect 2 any kvcap verify nul.json
    expect 2 any kvcap inspect nul.json
    expect 2 any kvcap verify nul.jsonl
    expect 2 any kvcap seal nul.yaml
    expect 2 any sh capture nul.csv
done

# ---- Garbage: bytes at random, and letters of JSON at random.
mkdir garbage
awk -v seed=20260811 -v count=200 'BEGIN {
    srand(seed)
    split("{ } [ ] : , \" \\ 0 -1 1e9 1.5 null true \"id\" \"kind\" \"kv-model\" \"version\" 1 \"requests\" \n", word, " ")
    word[21] = "\n"
    for (i = 0; i < count; i++) {
        name = sprintf("garbage/%03d.%s", i, substr("jsonyamlcsv jsonl", 1 + 4 * (i % 3), i % 3 == 2 ? 3 : 4))
        length_ = int(rand() * rand() * 2000)
        printf "" >name
        for (j = 0; j < length_; j++)
            if (i % 2)
                printf "%c", int(rand() * 256) >name
            else
                printf "%s", word[1 + int(rand() * 21)] >name
        close(name)
    }
}'
[ "$(ls garbage | wc -l)" -eq 200 ] || fail "there is no garbage"

# ---- And records that were damaged: a byte changed, a piece cut out, a piece doubled.
mkdir damaged
for file in model.json contract.json evidence.jsonl plan.json w.csv model.yaml; do
    awk -v seed=20260812 -v file="$file" -v count=10 'BEGIN {
        RS = "\001"
        getline text <file
        srand(seed)
        ending = file
        sub(/.*[.]/, "", ending)
        for (i = 0; i < count; i++) {
            at = 1 + int(rand() * length(text))
            size = 1 + int(rand() * 40)
            if (i % 3 == 0) middle = sprintf("%c", 32 + int(rand() * 95))
            else if (i % 3 == 1) middle = ""
            else middle = substr(text, at, size) substr(text, at, size)
            if (i % 3 == 0) size = 1
            name = "damaged/" file "." i "." ending
            printf "%s", substr(text, 1, at - 1) middle substr(text, at + size) >name
            close(name)
        }
    }'
done

# A line for each command that did not end as it should; in one shell, since there are many.
cat >each <<'E'
check() {
    "$@" >/dev/null 2>>refused
    status=$?
    case $kind$status in
    garbage[24] | damaged[01234]) ;;
    *) echo "$*: exit $status" ;;
    esac
}
capture() {
    check kvcap evidence "$1" "$2" --from 2026-08-11T09:00:00Z --to 2026-08-11T09:05:00Z \
        --captured-by x --reported-device-bytes 80GiB --reported-cache-bytes 40GiB
}
kind=$1 n=0
for file in "$kind"/*; do
    n=$((n + 1))
    check kvcap seal "$file"
    case $kind$((n % 5)) in # each verb has its share
    *0) check kvcap plan "$file" evidence.json; check kvcap plan contract.json "$file" ;;
    *1) check kvcap diff "$file" model.json; check kvcap diff plan.json "$file" ;;
    *2) check kvcap export --canonical "$file"; check kvcap export --in-toto "$file" ;;
    *3) capture contract.json "$file"; capture "$file" w.csv ;;
    *4) check kvcap inspect "$file"; check kvcap contract --model "$file" --device-bytes 1GiB --weights 0 ;;
    esac
done
check kvcap verify "$kind"/*
check kvcap verify plan.json "$kind"/* --records "$kind" --json
[ -z "$(tr -d '\n -~\200-\377' <refused)" ] || echo "a control character reached standard error"
E
for kind in garbage damaged; do
    checks=$((checks + 1))
    : >refused
    timeout 400 sh each "$kind" >bad || fail "$kind: the whole took too long"
    [ ! -s bad ] || fail "$(wc -l <bad) of $kind: $(head -n 5 bad)"
done

left=$(find . -name '.kvcap-*' | wc -l)
[ "$left" -eq 0 ] || fail "$left files were left beside the output"
echo "$checks checks, $fails failed"
[ "$fails" -eq 0 ]
