# Completion for bash: commands and their options, by what --help says of the hebatch that is typed; files elsewhere.
_hebatch() {
    local word=${COMP_WORDS[COMP_CWORD]} words=""
    if [ "$COMP_CWORD" = 1 ]; then
        words=$("$1" --help 2>/dev/null | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
        words="$words help"
    elif [ "${word#-}" != "$word" ]; then
        words=$("$1" "${COMP_WORDS[1]}" --help 2>/dev/null | sed -n 's/^  \(-., \|    \)\(--[a-z-]*\).*/\2/p')
    fi
    # shellcheck disable=SC2207 # words have no blanks
    COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _hebatch hebatch
