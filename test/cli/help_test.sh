#!/bin/sh
# Goal: help, man page and completion know every flag of every verb, and every flag they know is
# taken.
# Method: the words of the completion are looked for in the other two, and given to the program, which
# must know them; and the flags that the help lists are looked for in the completion.
set -u
fails=0
fail() {
    fails=$((fails + 1))
    echo "FAIL $*"
}

cd "$WORK" || exit 1
"$KVCAP" >program || fail "kvcap alone"
"$KVCAP" --man >man || fail "kvcap --man"
"$KVCAP" --completion >completion || fail "kvcap --completion"
verbs=$(sed -n 's/^  kvcap \([a-z]*\) .*/\1/p' program)
[ "$(echo "$verbs" | wc -l)" -ge 9 ] || fail "kvcap alone lists too few verbs"

# The man page writes each dash as \-.
tr -d '\\' <man >man.plain

# check_flag VERB FLAG: the flag stands in the help and in the man page's part, and is taken
check_flag() {
    grep -q "^  $2 " "$1.help" || fail "help of $1 does not tell $2"
    grep -qxE "[.]B $2( fI.*)?" "$1.man" || fail "the man page does not tell $1 $2"
    value=$(sed -n "s/^  $2 \([^ ][^ ]*\)  .*/\1/p" "$1.help")
    if [ -n "$value" ]; then
        "$KVCAP" "$1" --help "$2" 1 >out 2>&1 || fail "$1 does not take $2 $value"
        "$KVCAP" "$1" --help "$2" >out 2>&1 && [ "$2" != --help ] && fail "$1 takes $2 alone"
    elif [ "$2" != --help ]; then
        "$KVCAP" "$1" --help "$2" >out 2>&1 || fail "$1 does not take $2"
        "$KVCAP" "$1" --help "$2=1" >out 2>&1 && fail "$1 takes a value for $2"
    fi
}

for verb in $verbs; do
    "$KVCAP" "$verb" --help >"$verb.help" || fail "$verb --help"
    head -n 1 "$verb.help" | grep -q "^  [$] kvcap $verb " || fail "help of $verb begins with no example"
    grep -q "^usage: kvcap $verb " "$verb.help" || fail "help of $verb has no form"
    awk -v from=".SS kvcap $verb " '/^[.]S/ { inside = index($0, from) == 1 } inside' man.plain \
        >"$verb.man"
    flags=$(sed -n "s/^    $verb) .*-W \"\([^\"]*\)\".*/\1/p" completion)
    [ -n "$flags" ] || fail "the completion knows no flag of $verb"
    for flag in $flags; do
        check_flag "$verb" "$flag"
    done
    for flag in $(sed -n 's/^  \(--*[a-z][a-z-]*\) .*/\1/p' "$verb.help"); do
        case " $flags " in
        *" $flag "*) ;;
        *) fail "the completion does not know $verb $flag" ;;
        esac
    done
done

# The verbs of the completion's first word.
grep -q "compgen -W \"$(echo $verbs)\"" completion || fail "the completion does not know every verb"

if command -v bash >/dev/null; then
    bash -n completion || fail "bash does not parse the completion"
    bash -c '. ./completion; COMP_WORDS=(kvcap pl); COMP_CWORD=1; _kvcap; echo "${COMPREPLY[@]}"
        COMP_WORDS=(kvcap size --tok); COMP_CWORD=2; _kvcap; echo "${COMPREPLY[@]}"' >completed 2>&1
    printf 'plan\n--tokens\n' | cmp -s - completed || fail "the completion completes: $(cat completed)"
fi
if command -v groff >/dev/null; then
    groff -ww -man -Tutf8 man >formatted 2>warnings || fail "groff refuses the man page"
    [ ! -s warnings ] || fail "groff warns: $(head -n 3 warnings)"
    [ -s formatted ] || fail "groff writes nothing"
fi
if command -v man >/dev/null && command -v groff >/dev/null; then
    LC_ALL=C.UTF-8 MANROFFSEQ='' MANWIDTH=80 man --warnings -l man >formatted 2>warnings ||
        fail "man refuses the page"
    [ ! -s warnings ] || fail "man warns: $(head -n 3 warnings)"
fi
[ "$fails" -eq 0 ]
