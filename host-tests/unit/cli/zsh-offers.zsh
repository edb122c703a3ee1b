# What zsh offers at a terminal: zsh zsh-offers.zsh SCRIPT LINE, where SCRIPT is its completion and LINE has been typed
# when Tab is pressed. Completion works in the line editor alone, so that a shell of its own has a terminal here.
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'PROMPT=; autoload -Uz compinit; compinit -D -u'
zpty -w shell "source ${(q)1}"
# Each word is printed that would have been shown.
zpty -w shell 'compadd() { local -a words; builtin compadd -A words "$@"; print -rl -- "offer:"$^words }'
zpty -w shell 'zle -C offer complete-word _main_complete; show() { zle offer; print end:; exit }; zle -N show'
zpty -w shell 'bindkey "^I" show; print ready:'
zpty -r -m shell typed $'*ready:*\n*ready:*' # the command's echo, and what it prints
zpty -w -n shell "$2"$'\t'
zpty -r -m shell shown '*end:*'
print -r -- $shown
zpty -d shell
