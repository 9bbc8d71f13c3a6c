# Completion for bash: commands, their options and pages of help, by what --help says of the hebatch that is typed; presets,
# by params list; words that options take; files elsewhere.
_hebatch_values() { # OPTION: the words that it takes; tests/cli/package.sh finds each in the help of some command
    case $1 in
    --bootstrap) echo auto never twice ;;
    --charset) echo utf-8 latin-1 windows-1252 utf-16 ;;
    --clock) echo wall cpu ;;
    --compact) echo off ;;
    --compress | -c) echo none zlib zstd ;;
    --cost) echo interactive moderate sensitive ;;
    --date-format) echo d.m.y m/d/y ;;
    --decimal) echo comma point ;;
    --delimiter) echo comma semicolon tab pipe ;;
    --device) echo auto cpu gpu ;;
    --encoding) echo slots coefficients ;;
    --errors) echo gaussian binomial ;;
    --eval-mod) echo cubic sure light fine fine-sure ;;
    --exchange) echo auto nccl mpi ;;
    --fold) echo all ;;
    --gpu-check) echo auto always full ;;
    --header) echo names none ;;
    --leave) echo all tables none ;;
    --limb-ranks) echo auto ;;
    --missing) echo mask drop refuse ;;
    --noise) echo worst drawn expected unknown ;;
    --ntt-plan) echo auto off ;;
    --pack) echo columns rows auto ;;
    --rotations) echo sum all ;;
    --scheme) echo bfv ckks ;;
    --security) echo 128 192 256 128q 192q 256q ;;
    --security-table) echo 2024 2018 ;;
    --time-of-day) echo refuse drop seconds minutes hours ;;
    esac
}
_hebatch_columns() { # OPTION WORD..: columns of the first CSV among the words, with = where a value stands behind them
    local file line sign="" option=$1
    case $option in
    --decimal | --missing | --na | --scale | --time-of-day) sign="=" ;;
    --category | --columns | --date | --fold | --percent) ;;
    *) return ;;
    esac
    shift
    for file in "$@"; do
        case $file in
        *.csv | *.tsv) ;;
        *) continue ;;
        esac
        [ -f "$file" ] || file=${file#*=} # NAME=FILE
        if [ -f "$file" ] && IFS= read -r line <"$file"; then # names that stand in quotes are left out
            printf '%s\n' "${line#$'\xEF\xBB\xBF'}" | sed 's/"[^"]*"//g' | tr -d '\r' | tr ',;\t|' '\n' |
                sed -n "s/^ *\([A-Za-z_][A-Za-z0-9_]*\) *\$/\1$sign/p"
            return
        fi
    done
}
_hebatch() {
    local program=$1 word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} at=$COMP_CWORD words="" before="" start="" column=""
    # OPTION=VALUE and OPTION COLUMN=VALUE: bash makes words of their own of "=" and what is beside it, unless it is told
    # not to by COMP_WORDBREAKS; then what stands before the value is part of the words.
    case $word in
    =) word="" at=$((at + 1)) ;;
    --*=*) before=${word%%=*} start=$before= word=${word#*=} ;;
    esac
    case $word in
    [!-]*=*) start=$start${word%=*}= word=${word##*=} column=yes ;;
    esac
    [ -n "$before" ] || before=${COMP_WORDS[at - 1]}
    while [ "$before" = = ]; do # to the option, behind which a column may stand
        before=${COMP_WORDS[at - 2]}
        case $before in
        -*) ;;
        *) at=$((at - 2)) before=${COMP_WORDS[at - 1]} column=yes ;;
        esac
    done
    if [ "$COMP_CWORD" = 1 ] || { [ "$COMP_CWORD" = 2 ] && [ "$command" = help ]; }; then
        words="$("$program" --help 2>/dev/null | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p') help"
        [ "$COMP_CWORD" = 1 ] || words="$words $("$program" --help 2>/dev/null |
            sed -n '/prints a page:/,/ codes /{/prints a page:/d; s/([^)]*)//g; s/\. .*//; s/,/ /g; p;}')"
    elif [ "$before" = --params ] || [ "$before" = -p ] || { [ "$command" = params ] && [ "$before" = show ]; }; then
        words=$("$program" params list 2>/dev/null | sed -n 's/^\([a-z]*-[a-z0-9-]*\) .*/\1/p')
    elif [ "$command" = params ] && [ "$COMP_CWORD" = 2 ]; then
        words="list show check suggest"
    elif [ "$command" = bench ] && [ "${word#-}" = "$word" ] && [ "${before#-}" = "$before" ]; then
        words=$("$program" bench --help 2>/dev/null | sed -n '1s/.*\[\(ntt .*\)\].*/\1/p' | tr -d '|')
    elif [ "${word#-}" != "$word" ]; then
        words=$("$program" "$command" --help 2>/dev/null | sed -n 's/^  \(-., \|    \)\(--[a-z-]*\).*/\2/p')
    else
        words=$(_hebatch_columns "$before" "${COMP_WORDS[@]}")
        case $words,$word in
        ?*,*,*) start=$start${word%,*}, word=${word##*,} column="" ;; # the next of a list
        esac
        [ -z "$column" ] || words=""
        words="$(_hebatch_values "$before") $words"
    fi
    # shellcheck disable=SC2207 # words have no blanks
    COMPREPLY=($(compgen -P "$start" -W "$words" -- "$word"))
    case ${COMPREPLY[0]-} in
    *=) compopt -o nospace 2>/dev/null ;; # its value comes next
    esac
}
complete -o default -F _hebatch hebatch hebatch-client
