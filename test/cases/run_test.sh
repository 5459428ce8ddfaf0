#!/bin/sh
# Goal: the command line does what its cases say, to the letter.
# Method: the cases are data, test/cases/*.case; a new one needs no code.  What a line is, its first
# characters say:
#
#   # a comment                  anywhere; blank lines too
#   == a window is captured      begins a case: a folder of its own, and steps to the next case
#   file window.csv              a file in that folder, there before the first step;
#   | request_id,cohort          its lines
#   $ kvcap seal model.yaml \    a step: a command of the shell, to the next line after a backslash
#   > {"artefact":...}           what it must print,
#   ! kvcap: record.draft ...    what it must print to standard error,
#   = 2                          and its exit status, 0 when none is stated
#
# `...` within a line stands for any text, `> ...` alone for any lines; what is not said must not be
# printed.  Files and steps above the first case belong to every case of the file.  $RECORDS is
# test/records, $CASES this folder.  A file without a case, a case without a step and a line that is none of the above
# are failures.  A command that prints no newline at its end prints `\ no newline` in addition.
#
# CASES, another folder of cases, and ONLY, one file of them, are for use by hand.
set -u
cases=${CASES:-$SOURCE/test/cases}
only=${ONLY:-}
LC_ALL=C RECORDS=$SOURCE/test/records CASES=$SOURCE/test/cases
export LC_ALL RECORDS CASES
mkdir -p "$WORK/bin"
ln -sf "$KVCAP" "$WORK/bin/kvcap"
PATH=$WORK/bin:$PATH

# One file of cases to a folder: for case C and step S the files C-S.cmd, C-S.out, C-S.err, C-S.rc;
# for its file F C-F.file and C-F.text; and C.name.  Nothing is written of a malformed file.
parse='
function bad(what) {
    printf "FAIL %s:%d: %s\n", shown, NR, what
    failed = 1
    exit 1
}
function put(ending, text, path) {
    path = folder "/" ending
    printf "%s", text > path
    close(path)
}
function write_case(  i, at) {
    if (name == "")
        return
    if (steps == common_steps)
        bad("the case above has no step")
    cases++
    for (i = 1; i <= files; i++) {
        put(sprintf("%03d-%02d.file", cases, i), file[i] "\n")
        put(sprintf("%03d-%02d.text", cases, i), text[i])
    }
    for (i = 1; i <= steps; i++) {
        at = sprintf("%03d-%03d.", cases, i)
        put(at "cmd", command[i] "\n")
        put(at "out", out[i])
        put(at "err", err[i])
        put(at "rc", (i in rc ? rc[i] : 0) "\n")
    }
    put(sprintf("%03d.name", cases), shown ":" line ": " name "\n")
}
function want(place) {
    if (at != place && !(place == "step" && at == "err"))
        bad("this line stands in the wrong place")
}
continued {
    command[steps] = command[steps] "\n" $0
    continued = /\\$/
    next
}
/^[ \t]*$/ || /^#/ { next }
/^== ./ {
    if (name == "") {
        common_steps = steps
        common_files = files
    }
    write_case()
    for (; steps > common_steps; steps--) {
        delete out[steps]
        delete err[steps]
        delete rc[steps]
    }
    files = common_files
    name = substr($0, 4)
    if (name in seen)
        bad("there is a case of this name already")
    seen[name] = 1
    line = NR
    at = "case"
    next
}
/^file [^ ]+$/ {
    if (steps > (name == "" ? 0 : common_steps))
        bad("files stand before the steps")
    file[++files] = $2
    text[files] = ""
    at = "file"
    next
}
/^[|]( |$)/ { want("file"); text[files] = text[files] substr($0, 3) "\n"; next }
/^[$] ./ {
    command[++steps] = substr($0, 3)
    continued = /\\$/
    at = "step"
    next
}
/^>( |$)/ { want("step"); if (steps in err) bad("what is printed stands before what is refused")
            out[steps] = out[steps] substr($0, 3) "\n"; next }
/^!( |$)/ { want("step"); err[steps] = err[steps] substr($0, 3) "\n"; next }
/^= [0-9]+$/ { want("step"); rc[steps] = $2; at = "end"; next }
{ bad("no line begins like this: " $0) }
END {
    if (failed)
        exit 1
    if (continued)
        bad("the last command goes on after the end")
    write_case()
    if (cases == 0)
        bad("there is no case")
}'

# Whether the lines of the second file are as the first one says.
match='
function fits(pattern, line,  parts, n, i, at) {
    n = split(pattern, parts, /[.][.][.]/)
    if (pattern == line || n < 2)
        return pattern == line
    if (substr(line, 1, length(parts[1])) != parts[1])
        return 0
    line = substr(line, length(parts[1]) + 1)
    for (i = 2; i < n; i++) {
        at = parts[i] == "" ? 1 : index(line, parts[i])
        if (at == 0)
            return 0
        line = substr(line, at + length(parts[i]))
    }
    at = length(line) - length(parts[n])
    return at >= 0 && substr(line, at + 1) == parts[n]
}
FILENAME == ARGV[1] { pattern[++patterns] = $0; next }
{ line[++lines] = $0 }
END {
    p = l = 1
    while (l <= lines) {
        if (p <= patterns && pattern[p] == "...") {
            resume_p = ++p
            resume_l = l
        } else if (p <= patterns && fits(pattern[p], line[l])) {
            p++
            l++
        } else if (resume_p) {
            p = resume_p
            l = ++resume_l
        } else {
            exit 1
        }
    }
    while (pattern[p] == "...")
        p++
    exit p <= patterns
}'

# compare EXPECTED ACTUAL: as `diff` does, but for the dots
compare() {
    cmp -s "$1" "$2" && return
    if [ -s "$2" ] && [ -n "$(tail -c 1 "$2")" ]; then
        printf '\n\\ no newline\n' >>"$2"
    fi
    awk "$match" "$1" "$2" && return
    diff "$1" "$2" | sed 's/^/    /'
    return 1
}

# run_step PREFIX: in the folder of the case; prints what differs, or nothing
run_step() {
    timeout 60 sh -c "$(cat "$1.cmd")" </dev/null >"$1.printed" 2>"$1.refused"
    status=$?
    step_fails=0
    compare "$1.out" "$1.printed" || step_fails=1
    compare "$1.err" "$1.refused" || step_fails=1
    if [ "$status" != "$(cat "$1.rc")" ]; then
        echo "    exit status $status, not $(cat "$1.rc")"
        step_fails=1
    fi
    return "$step_fails"
}

# run_case PREFIX: its files, then its steps, to the first that fails
run_case() {
    mkdir -p "$1"
    cd "$1" || return
    for file in "$1"-*.file; do
        [ -e "$file" ] || continue
        path=$(cat "$file")
        case $path in */*) mkdir -p "${path%/*}" ;; esac
        cp "${file%.file}.text" "$path"
    done
    for command in "$1"-*.cmd; do
        steps=$((steps + 1))
        if ! run_step "${command%.cmd}" >"$WORK/differs"; then
            echo "FAIL $(cat "$1.name")"
            sed 's/^/  $ /' "$command"
            cat "$WORK/differs"
            failed=$((failed + 1))
            return
        fi
    done
}

count=0 steps=0 failed=0
for source in "$cases"/${only:-*}.case; do
    name=$(basename "$source" .case)
    folder=$WORK/$name
    mkdir -p "$folder"
    if ! awk -v shown="$name.case" -v folder="$folder" "$parse" "$source"; then
        failed=$((failed + 1))
        continue
    fi
    for case in "$folder"/*.name; do
        count=$((count + 1))
        run_case "${case%.name}"
    done
done
echo "$count cases, $steps steps, $failed failed"
[ "$failed" -eq 0 ] && [ "$count" -gt 0 ]
