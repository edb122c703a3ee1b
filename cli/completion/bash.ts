/** Completion for bash: a function that finds the command in the words so far, and offers the possible next words. */
import type { Node } from "./tree.js";

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
${nodes.flatMap(valueCases).join("\n")}
    *)
      case "$path" in
${nodes.map(nodeCase).join("\n")}
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

/** What may follow an option. */
function valueCases({ path, options }: Node): string[] {
  return options.flatMap(({ name, value, isFile, choices }) => {
    if (value === undefined) return [];
    const offer = isFile ? "files=1" : `words='${(choices ?? []).join(" ")}'`;
    return [`    '${path} --${name}') ${offer} ;;`];
  });
}

function nodeCase({ path, children, options, takesFile, choices }: Node): string {
  const flags = options.map(({ name }) => `--${name}`);
  const words = [...children.map(({ name }) => name), ...choices, ...flags, "--help"];
  return `        '${path}') words='${words.join(" ")}'${takesFile ? " files=1" : ""} ;;`;
}
