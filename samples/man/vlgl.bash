# SPDX-License-Identifier: MIT
# Completion of the vlgl command for bash: commands and options come from its own help.
_vlgl() {
    local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]}
    if [ "$COMP_CWORD" -eq 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "$(vlgl help 2>/dev/null | sed -n 's/^  \([a-z]*\) .*/\1/p') help" -- "$word")
        return
    fi
    case ${COMP_WORDS[COMP_CWORD - 1]} in
    --view) mapfile -t COMPREPLY < <(compgen -W 'overdraw cycles depth mip batches tiles texture-reads' -- "$word"); return ;;
    --stage) mapfile -t COMPREPLY < <(compgen -W 'vertex fragment' -- "$word"); return ;;
    esac
    if [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(vlgl "$command" --help 2>/dev/null | grep -oE -- '(^|[ ,])--?[a-z][a-z-]*' | tr -d ' ,')" -- "$word")
        return
    fi
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
    case $command in
    render | trace)
        local samples
        mapfile -t samples < <(compgen -W "$(vlgl list 2>/dev/null | awk '{print $1}')" -- "$word")
        COMPREPLY+=("${samples[@]}")
        ;;
    esac
}
complete -o filenames -F _vlgl vlgl
