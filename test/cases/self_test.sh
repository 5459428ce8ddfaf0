#!/bin/sh
# Goal: a case that is wrong, or that is none, does not pass.
# Method: run_test.sh is given one small file at a time, and must say of it what stands above it.
set -u
fails=0

# try WHAT: a file of cases from standard input; the report must hold WHAT, or all must pass
try() {
    mkdir -p "$WORK/try/cases"
    cat >"$WORK/try/cases/x.case"
    report=$(CASES=$WORK/try/cases WORK=$WORK/try sh "$SOURCE/test/cases/run_test.sh" 2>&1)
    status=$?
    told=no
    case $report in
    *"$1"*) [ "$status" -ne 0 ] && told=yes ;;
    *) [ "$1" = passes ] && [ "$status" -eq 0 ] && told=yes ;;
    esac
    if [ "$told" = no ]; then
        fails=$((fails + 1))
        printf 'FAIL not told: %s\n%s\n' "$1" "$report"
    fi
    rm -r "$WORK/try"
}

try passes <<'E'
# all that there is
file a/b.txt
| one
|
$ cat a/b.txt
> one
>

== dots within a line, and for lines
$ echo one two three; seq 9; echo no >&2; \
  exit 7
> one...three
> ...
> 5
> ...
! n...
= 7
== no newline at the end
$ printf "it's"
> it's
> \ no newline
E
try 'x.case:0: there is no case' </dev/null
try 'x.case:1: there is no case' <<'E'
# nothing but this
E
try 'the case above has no step' <<'E'
== empty
E
try 'x.case:3: the case above has no step' <<'E'
$ true
== empty
== not empty
$ true
E
try 'there is a case of this name already' <<'E'
== a
$ true
== a
$ true
E
try 'no line begins like this: kvcap' <<'E'
== a
kvcap
E
try 'no line begins like this: >x' <<'E'
== a
$ echo x
>x
E
try 'wrong place' <<'E'
== a
> x
E
try 'wrong place' <<'E'
== a
$ echo x
= 0
> x
E
try 'wrong place' <<'E'
== a
$ echo x; echo y >&2
! y
> x
E
try 'wrong place' <<'E'
== a
$ true
| x
E
try 'files stand before the steps' <<'E'
== a
$ true
file x
E
try 'goes on after the end' <<'E'
== a
$ true \
E
try '+ > said' <<'E'
== more is printed than is said
$ echo said
E
try '- > x' <<'E'
== less is printed than is said
$ true
> x
E
try '+ ! x' <<'E'
== standard error is not standard output
$ echo x >&2
> x
E
try '+ = 3' <<'E'
== the exit status counts
$ exit 3
E
try '- = 1' <<'E'
== also when it should not be 0
$ true
= 1
E
try '+ > \ no newline' <<'E'
== the last newline counts
$ printf x
> x
E
try '+ > b' <<'E'
== dots do not make up for a line that stands elsewhere
$ printf 'a\nb\n'
> ...
> a
E
try '+ > abd' <<'E'
== nor for letters
$ echo abd
> a...c
E
try '1 cases, 2 steps, 1 failed' <<'E'
$ false
== what is common to all fails with all
$ true
E
try '(it did not end)' <<'E'
== a step that ends everything
$ kill -9 0
E
[ "$fails" -eq 0 ]
