/**
 * Completion scripts for bash, zsh and fish. Each finds the command in the words typed so far, and offers the
 * possible next words; zsh and fish show the summaries beside them.
 */
import type { Option } from "./command.js";
import type { Node } from "./commands/completion.js";

/** @returns a script to source */
export function bashCompletion(nodes: readonly Node[]): string {
  const paths = nodes.filter(({ path }) => path !== "").map(({ path }) => path);
  return `# Completion of svc for bash. In ~/.bashrc: source <(svc completion bash)
_svc() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]}
  local path= words= files= at
  for ((at = 1; at < COMP_CWORD; at++)); do
    case "$path/\${COMP_WORDS[at]}" in
      ${paths.join(" | ")}) path="$path/\${COMP_WORDS[at]}" ;;
    esac
  done
  case "$path $previous" in
${nodes.flatMap(bashValueCases).join("\n")}
    *)
      case "$path" in
${nodes.map(bashNodeCase).join("\n")}
      esac
      ;;
  esac
  if [[ -n $files && $current != -* ]]; then
    COMPREPLY=()
    compopt -o default 2>/dev/null
  else
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  fi
}
complete -F _svc svc
`;
}

/** Cases for the value of an option. */
function bashValueCases({ path, options }: Node): string[] {
  return options.flatMap(({ name, value, isFile, choices }) => {
    if (value === undefined) return [];
    const offer = isFile ? "files=1" : `words='${(choices ?? []).join(" ")}'`;
    return [`    '${path} --${name}') ${offer} ;;`];
  });
}

function bashNodeCase({ path, children, options, takesFile, choices }: Node): string {
  const flags = options.map(({ name }) => `--${name}`);
  const words = [...children.map(({ name }) => name), ...choices, ...flags, "--help"];
  return `        '${path}') words='${words.join(" ")}'${takesFile ? " files=1" : ""} ;;`;
}

/** @returns a script to source, or to put where zsh looks for functions */
export function zshCompletion(nodes: readonly Node[]): string {
  const paths = nodes.filter(({ path }) => path !== "").map(({ path }) => path);
  return `#compdef svc
# Completion of svc for zsh. In ~/.zshrc, after compinit: source <(svc completion zsh)
_svc() {
  local node= files= at
  local -a offered options
  for ((at = 2; at < CURRENT; at++)); do
    case "$node/$words[at]" in
      ${paths.join(" | ")}) node="$node/$words[at]" ;;
    esac
  done
  case "$node $words[CURRENT-1]" in
${nodes.flatMap(zshValueCases).join("\n")}
  esac
  case "$node" in
${nodes.map(zshNodeCase).join("\n")}
  esac
  if [[ $PREFIX == -* ]]; then
    _describe option options
  elif (( $#offered )); then
    _describe command offered
  elif [[ -n $files ]]; then
    _files
  fi
}
if [[ $funcstack[1] == _svc ]]; then
  _svc "$@"
else
  compdef _svc svc
fi
`;
}

/** Cases for the value of an option. */
function zshValueCases({ path, options }: Node): string[] {
  return options.flatMap(({ name, value, isFile, choices = [] }) => {
    if (value === undefined) return [];
    const offer = isFile ? "_files" : choices.length > 0 ? `compadd -- ${choices.join(" ")}` : "true";
    return [`    ${quotedInZsh(`${path} --${name}`)}) ${offer}; return ;;`];
  });
}

function zshNodeCase({ path, children, options, takesFile, choices }: Node): string {
  const offered = [
    ...children.map(({ name, summary }) => quotedInZsh(`${name}:${summary}`)),
    ...choices.map((choice) => quotedInZsh(choice)),
  ];
  const help = { name: "help", summary: "show the usage" };
  const flags = [...options, help].map(({ name, summary }) => quotedInZsh(`--${name}:${summary}`));
  const files = takesFile ? " files=1" : "";
  return `    ${quotedInZsh(path)}) offered=(${offered.join(" ")}) options=(${flags.join(" ")})${files} ;;`;
}

function quotedInZsh(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** @returns a script to source, or to put into `completions/svc.fish` */
export function fishCompletion(nodes: readonly Node[]): string {
  const paths = nodes.filter(({ path }) => path !== "").map(({ path }) => path);
  return `# Completion of svc for fish: svc completion fish > ~/.config/fish/completions/svc.fish
function __svc_is
    set -l node
    set -l before (commandline -opc)
    for word in $before[2..-1]
        switch "$node/$word"
            case ${paths.join(" ")}
                set node "$node/$word"
        end
    end
    test "$node" = "$argv[1]"
end
complete -c svc -f
complete -c svc -l help -d 'show the usage'
${nodes.flatMap(fishLinesOf).join("\n")}
`;
}

function fishLinesOf({ path, children, options, takesFile, choices }: Node): string[] {
  const start = `complete -c svc -n ${quotedInFish(`__svc_is '${path}'`)}`;
  return [
    ...children.map(({ name, summary }) => `${start} -a ${name} -d ${quotedInFish(summary)}`),
    ...(choices.length > 0 ? [`${start} -a ${quotedInFish(choices.join(" "))}`] : []),
    ...(takesFile ? [`${start} -F`] : []),
    ...options.map(
      (option) => `${start} -l ${option.name}${fishValueOptions(option)} -d ${quotedInFish(option.summary)}`,
    ),
  ];
}

function fishValueOptions({ value, isFile, choices = [] }: Option): string {
  if (value === undefined) return "";
  if (isFile) return " -r -F";
  return choices.length > 0 ? ` -x -a ${quotedInFish(choices.join(" "))}` : " -x";
}

function quotedInFish(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
