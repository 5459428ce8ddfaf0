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
# printed.  A command that prints no newline at its end prints `\ no newline` in addition.  Files and
# steps above the first case belong to every case of the file.  $RECORDS is test/records, $SEALED/NAME
# the records of its folder NAME, sealed.  A file without a case, a case without a step and a line
# that is none of the above are failures.
#
# By hand, ONLY=plan runs plan.case alone, and CASES is another folder of cases.
set -u
cases=${CASES:-$SOURCE/test/cases}
LC_ALL=C RECORDS=$SOURCE/test/records SEALED=$WORK/sealed
export LC_ALL RECORDS SEALED
mkdir -p "$WORK/bin"
ln -sf "$KVCAP" "$WORK/bin/kvcap"
PATH=$WORK/bin:$PATH

# ---- Reading: a file of cases to a script of the shell, and for step S of case C to the files
# C-S.out and C-S.err.  They lie in one folder, with a line a step in `index`.
read_cases='
function bad(what) {
    printf "FAIL %s:%d: %s\n", shown, NR, what
    failed = 1
    exit 1
}
function put(name, text) {
    printf "%s", text > (folder "/" name)
    close(folder "/" name)
}
function quoted(text) {
    gsub(/\047/, "\047\\\047\047", text)
    return "\047" text "\047"
}
function end_case(  i, c, at) {
    if (name == "")
        return
    if (steps == common_steps)
        bad("the case above has no step")
    c = sprintf("%03d", ++cases)
    folders = folders " " c
    script = script "(\ncd " c "\n"
    for (i = 1; i <= files; i++) {
        if (file[i] ~ /\//)
            script = script "mkdir -p \"$(dirname " quoted(file[i]) ")\"\n"
        script = script "printf %s " quoted(text[i]) " >" quoted(file[i]) "\n"
    }
    for (i = 1; i <= steps; i++) {
        at = sprintf("%s-%03d", c, i)
        script = script "(\n" command[i] "\n) </dev/null >../" at ".printed 2>../" at ".refused\n" \
            "echo " at " $? >>../status\n" \
            "echo \\\\ >>../" at ".printed\necho \\\\ >>../" at ".refused\n"
        put(at ".cmd", command[i] "\n")
        put(at ".out", out[i])
        put(at ".err", err[i])
        index_ = index_ at " " ((i in rc) ? rc[i] : 0) " " shown ":" line ": " name "\n"
    }
    script = script ")\n"
}
function want(place) {
    if (at != place)
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
    end_case()
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
    if (steps > common_steps + 0)
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
/^>( |$)/ { want("step"); out[steps] = out[steps] substr($0, 3) "\n"; next }
/^!( |$)/ {
    if (at == "step")
        at = "err"
    want("err")
    err[steps] = err[steps] substr($0, 3) "\n"
    next
}
/^= [0-9]+$/ {
    if (at == "err")
        at = "step"
    want("step")
    rc[steps] = $2
    at = "end"
    next
}
{ bad("no line begins like this: " $0) }
END {
    if (failed)
        exit 1
    if (continued)
        bad("the last command goes on after the end")
    end_case()
    if (cases == 0)
        bad("there is no case")
    put("script", "mkdir" folders "\n" script)
    put("index", index_)
}'

# ---- Judging: `index` and what the script left to a line a failing case, and what differs.
judge='
# The lines of a file as list[1..]; a file that was printed ends in a line of a backslash, which
# tells whether the line before it was ended.
function lines_of(path, list, is_printed,  n, line) {
    n = 0
    while ((getline line < path) > 0)
        list[++n] = line
    close(path)
    if (!is_printed)
        return n
    if (list[n] == "\\")
        return n - 1
    sub(/\\$/, "", list[n])
    list[n + 1] = "\\ no newline"
    return n + 1
}
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
function all_fit(patterns, lines,  p, l, resume_p, resume_l) {
    p = l = 1
    resume_p = 0
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
            return 0
        }
    }
    while (p <= patterns && pattern[p] == "...")
        p++
    return p > patterns
}
function differs(step, wanted, printed, mark,  i, patterns, lines) {
    patterns = lines_of(folder "/" step wanted, pattern, 0)
    lines = lines_of(folder "/" step printed, line, 1)
    if (all_fit(patterns, lines))
        return 0
    report(step)
    for (i = 1; i <= patterns || i <= lines; i++) {
        if (i <= patterns && i <= lines && fits(pattern[i], line[i]))
            continue
        if (i <= patterns)
            print "  - " mark " " pattern[i]
        if (i <= lines)
            print "  + " mark " " line[i]
    }
    return 1
}
function report(step,  command) {
    if (reported == step)
        return
    reported = step
    print "FAIL " title
    while ((getline command < (folder "/" step ".cmd")) > 0)
        print "  $ " command
}
FILENAME ~ /status$/ { status[$1] = $2; next }
{
    case_ = substr($1, 1, 3)
    steps++
    cases += !(case_ in seen)
    seen[case_] = 1
    if (case_ in failed)
        next
    title = $0
    sub(/^[^ ]+ [^ ]+ /, "", title)
    bad = differs($1, ".out", ".printed", ">")
    bad += differs($1, ".err", ".refused", "!")
    if (!($1 in status) || status[$1] != $2) {
        report($1)
        print "  - = " $2 "\n  + = " (($1 in status) ? status[$1] : "(it did not end)")
        bad = 1
    }
    if (bad)
        failed[case_] = 1
}
END {
    for (case_ in failed)
        fails++
    print cases + 0, steps + 0, fails + 0 > (folder "/count")
}'

# The drafts of test/records, sealed once for all; a stream keeps its name.  Where they name the
# reference model, that lies beside them.
seal_records() {
    for folder in "$RECORDS"/*/; do
        sealed=$SEALED/$(basename "$folder")
        drafts=$sealed/drafts
        mkdir -p "$drafts"
        cp "$RECORDS/reference/model.yaml" "$drafts"
        for draft in "$folder"*; do
            sed 's|file:\.\./reference/|file:|' "$draft" >"$drafts/${draft##*/}"
        done
        for draft in "$drafts"/*; do
            name=${draft##*/}
            case $name in
            *.jsonl) cp "$draft" "$sealed" ;;
            *) kvcap seal "$draft" -o "$sealed/${name%.*}.json" ;;
            esac
        done
        rm -r "$drafts"
    done
}

# run_file FILE: what fails, to standard output; cases, steps and failures to `count` in its folder
run_file() {
    name=$(basename "$1" .case)
    folder=$WORK/run/$name
    mkdir -p "$folder"
    echo 0 0 1 >"$folder/count"
    awk -v shown="$name.case" -v folder="$folder" "$read_cases" "$1" || return
    : >"$folder/status"
    (cd "$folder" && timeout 300 sh script)
    awk -v folder="$folder" "$judge" "$folder/status" "$folder/index"
}

# The files do not know of each other, and run side by side.
grep -q SEALED "$cases"/${ONLY:-*}.case && seal_records
mkdir -p "$WORK/run"
for file in "$cases"/${ONLY:-*}.case; do
    run_file "$file" >"$WORK/run/$(basename "$file").report" 2>&1 &
done
wait
cat "$WORK"/run/*.report
cat "$WORK"/run/*/count | awk '{ cases += $1; steps += $2; failed += $3 }
    END { print cases " cases, " steps " steps, " failed " failed"; exit failed > 0 || cases == 0 }'
