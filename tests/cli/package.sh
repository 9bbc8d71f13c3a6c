#!/bin/sh
# The Debian package: what is in it, and that it works from another folder. Given besides: BUILD (the build folder), CPACK.
# Exits with 77 where the programs that make one are missing.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
for program in "$CPACK" dpkg-deb dpkg-shlibdeps file man; do
    command -v "$program" >/dev/null || {
        echo "skipped: no $program" >&2
        exit 77
    }
done
# Without the programs that it is made with there is none, and no package without dependencies.
mkdir bin
ln -s "$(command -v dpkg-deb)" "$(command -v file)" bin/
code=0
cmake=$(command -v cmake)
tools=$(sed -n 's/^set(CPACK_PROJECT_CONFIG_FILE "\(.*\)")$/\1/p' "$BUILD/CPackConfig.cmake")
PATH=$PWD/bin "$cmake" -DCPACK_GENERATOR=DEB -DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF -P "$tools" >out 2>err || code=$?
[ $code != 0 ] || fail "cpack begins without dpkg-shlibdeps"
complains "cpack -G DEB needs dpkg-shlibdeps: jobs/install-dependencies --package"
expect 0 "$cmake" -DCPACK_GENERATOR=DEB -P "$tools"
export MANWIDTH=120 MAN_DISABLE_SECCOMP=1 # the same on any terminal; containers may refuse what the filter takes
expect 0 "$CPACK" --config "$BUILD/CPackConfig.cmake" -G DEB -B made
package=$(ls made/*.deb)
expect 0 dpkg-deb --field "$package" Package Version Depends
says "^Package: hebatch$"
says "^Version: $("$HEBATCH" --version | sed -n 's/^hebatch //p')$"
for library in libc6 libhdf5 libsodium libjansson libmpfr zlib libzstd; do
    says "^Depends: .*$library"
done
expect 0 dpkg-deb -x "$package" root
for file in bin/hebatch bin/hebatch-client share/doc/hebatch/copyright share/doc/hebatch/README.md share/doc/hebatch/changelog.gz \
    share/doc/hebatch/jobs/slurm/hebatch.sbatch share/doc/hebatch/jobs/examples/weighted-score \
    share/bash-completion/completions/hebatch share/bash-completion/completions/hebatch-client; do
    [ -s "root/usr/$file" ] || fail "there is no $file"
done
gzip -dc root/usr/share/doc/hebatch/changelog.gz >changelog
expect 0 dpkg-parsechangelog -l changelog
says "^Source: hebatch$"
says "^Version: $("$HEBATCH" --version | sed -n 's/^hebatch //p')$" # also: the program is what CHANGELOG.md begins with
[ ! -s err ] || fail "the changes are not in Debian's form"

# A page for the program and for each command, with all options that its help has.
commands=$("$HEBATCH" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
[ "$(echo "$commands" | wc -l)" -gt 10 ] || fail "the help has no commands"
for command in $commands client; do
    MANROFFOPT=-ww LC_ALL=C man --warnings -l -P cat "root/usr/share/man/man1/hebatch-$command.1.gz" >page 2>warnings ||
        fail "there is no page of $command"
    [ ! -s warnings ] || fail "$command: $(cat warnings)"
    grep -q "^EXAMPLES" page && grep -q "^ *hebatch[ -]$command \|; do hebatch-$command " page ||
        fail "the page of $command has no example"
    grep -q "^EXIT STATUS" page && grep -q "^ *75 *stopped on request" page || fail "the page of $command has no codes"
    [ "$command" != client ] || continue # whose options are those of commands
    "$HEBATCH" "$command" --help | grep -o '^ *\(-., \)\?--[a-z-]*' | grep -o -- '--[a-z-]*' >options
    while read -r option; do
        grep -q -- "^ .*$option" page || fail "the page of $command lacks $option"
    done <options
done
# Narrow: the examples of a help stay lines that a shell takes, and no word is divided.
for page in root/usr/share/man/man1/*.gz root/usr/share/man/man7/*.gz; do
    MANWIDTH=80 LC_ALL=C.UTF-8 man -l -P cat "$page" >page 2>/dev/null
    ! grep -n "[a-z]$(printf '\342\200\220')\$" page || fail "$page divides words"
done
MANWIDTH=80 LC_ALL=C.UTF-8 man -l -P cat root/usr/share/man/man1/hebatch-ask.1.gz >page 2>/dev/null
"$HEBATCH" ask --help | sed -n 's/^  \(hebatch ask .*\)/\1/p' >examples.txt
[ "$(wc -l <examples.txt)" -ge 5 ] || fail "ask --help has no examples"
while read -r example; do
    grep -qF -- "$example" page || fail "the page of ask divides: $example"
done <examples.txt
man -l -P cat root/usr/share/man/man1/hebatch.1.gz >page 2>/dev/null || fail "there is no page of the program"
for command in $commands; do
    grep -q "^ *$command" page || fail "the page of the program lacks $command"
done
grep -q "^EXAMPLES" page && grep -q "^ *hebatch keygen " page || fail "the page of the program has no example"

# The page of the language has every function.
MANROFFOPT=-ww LC_ALL=C.UTF-8 man --warnings -l -P cat root/usr/share/man/man7/hebatch-language.7.gz >page 2>warnings ||
    fail "there is no page of the language"
[ ! -s warnings ] || fail "language: $(cat warnings)"
grep -q "^EXAMPLES" page && grep -q "^ *hebatch ask " page || fail "the page of the language has no example"
"$HEBATCH" help functions | sed -n 's/^\* `\([a-z0-9]*\)(.*/\1/p' >names
[ "$(wc -l <names)" -gt 30 ] || fail "help has no functions"
while read -r function; do
    grep -q "^ *$function(" page || fail "the page of the language lacks $function"
done <names

# The examples of the pages run.
mkdir examples
PATH="$(dirname "$HEBATCH"):$PATH"
export PATH
(cd examples && HEBATCH_QUIET=1 sh -eu "$SOURCE/jobs/packages/examples" >out 2>err) || fail "$(cat examples/err)"

# Completions of a shell.
complete() {
    PATH="$work/root/usr/bin:$PATH" bash -c '. root/usr/share/bash-completion/completions/hebatch
        COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _hebatch hebatch; echo "${COMPREPLY[@]}"' bash "$@"
}
if command -v bash >/dev/null; then
    [ "$(complete hebatch ev)" = eval ] || fail "no command is completed"
    [ "$(complete hebatch eval x --limb)" = --limb-ranks ] || fail "no option is completed"
    [ "$(complete hebatch help aggr)" = aggregates ] || fail "no page of help is completed"
    [ "$(complete hebatch keygen --params bfv-81)" = bfv-8192 ] || fail "no preset is completed"
    [ "$(complete hebatch params sug)" = suggest ] || fail "no word of params is completed"
    [ "$(complete hebatch eval --device "")" = "auto cpu gpu" ] || fail "no value is completed"
    [ "$(complete hebatch keygen --params = bfv-81)" = bfv-8192 ] || fail "no preset is completed behind ="
    [ "$(complete hebatch keygen --params=bfv-81)" = --params=bfv-8192 ] || fail "no preset is completed in one word"
    [ "$(complete hebatch keygen --params =)" = "$(complete hebatch keygen --params "")" ] || fail "= is no place"
    [ "$(complete hebatch encrypt --missing kg = ma)" = mask ] || fail "no value of a column is completed"
    [ "$(complete hebatch encrypt --missing kg =)" = "mask drop refuse" ] || fail "no values of a column are completed"
    [ "$(complete hebatch encrypt --missing = kg = d)" = drop ] || fail "no value of a column is completed behind ="
    [ "$(complete hebatch encrypt --missing kg=ma)" = kg=mask ] || fail "no value of a column is completed in one word"
    [ "$(complete hebatch encrypt --missing=kg=ma)" = --missing=kg=mask ] || fail "no value of one word is completed"
    printf 'ward;kg;"odd; name";age\n' >"$work/columns.csv"
    for option in decimal na missing scale time-of-day; do
        [ "$(complete hebatch encrypt "$work/columns.csv" --$option kg)" = kg= ] || fail "no column of --$option is completed"
        [ "$(complete hebatch ask q "h=$work/columns.csv" --$option age=x,kg)" = age=x,kg= ] || fail "no column of a list"
    done
    for option in columns fold percent date category; do
        [ "$(complete hebatch encrypt "$work/columns.csv" --$option kg)" = kg ] || fail "no column of --$option is completed"
    done
    [ "$(complete hebatch encrypt "$work/columns.csv" --decimal kg = "")" = "comma point" ] || fail "columns behind ="
    [ "$(complete hebatch encrypt "$work/columns.csv" --decimal kg = comma,ag)" = comma,age= ] || fail "no next column"
    [ "$(complete hebatch encrypt "$work/columns.csv" --decimal "")" = "comma point ward= kg= age=" ] || fail "other columns"
    [ "$(complete hebatch encrypt --fold a)" = all ] || fail "all is not completed"
    [ "$(complete hebatch encrypt --pack a)" = auto ] || fail "auto is not completed"
    [ "$(complete hebatch bench ntt enco)" = encode ] || fail "no part of bench is completed"
    # Every value is one that the help of some command has for the option.
    for command in $commands; do "$HEBATCH" "$command" --help; done >helps
    values=root/usr/share/bash-completion/completions/hebatch
    for option in $(sed -n 's/^    \(--[a-z-]*\).*) echo.*/\1/p' $values); do
        awk -v row="^ *(-., )?$option( |$)" '$0 ~ row { shown = 1; print; next } /^ *(-., )?--/ { shown = 0 } shown' helps >rows
        for value in $(bash -c '. "$1"; _hebatch_values "$2"' bash $values "$option"); do
            grep -qw -e "$value" rows || fail "$option is completed by $value, which no help has"
        done
    done
fi

# Without a launcher, which the package recommends only.
expect 0 env PATH="$work/root/usr/bin:$PATH" HEBATCH= MPIRUN=/nowhere/mpirun root/usr/share/doc/hebatch/jobs/examples/weighted-score
says "Equal to the plain computation"
