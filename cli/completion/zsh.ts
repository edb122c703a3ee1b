/** Completion for zsh, with the summaries beside the words. */
import type { Node } from "./tree.js";

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
${nodes.flatMap(valueCases).join("\n")}
  esac
  case "$node" in
${nodes.map(nodeCase).join("\n")}
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

/** What may follow an option. */
function valueCases({ path, options }: Node): string[] {
  return options.flatMap(({ name, value, isFile, choices = [] }) => {
    if (value === undefined) return [];
    const offer = isFile ? "_files" : choices.length > 0 ? `compadd -- ${choices.join(" ")}` : "true";
    return [`    ${quoted(`${path} --${name}`)}) ${offer}; return ;;`];
  });
}

function nodeCase({ path, children, options, takesFile, choices }: Node): string {
  const offered = [
    ...children.map(({ name, summary }) => quoted(`${name}:${summary}`)),
    ...choices.map((choice) => quoted(choice)),
  ];
  const help = { name: "help", summary: "say what it takes" };
  const flags = [...options, help].map(({ name, summary }) => quoted(`--${name}:${summary}`));
  const files = takesFile ? " files=1" : "";
  return `    ${quoted(path)}) offered=(${offered.join(" ")}) options=(${flags.join(" ")})${files} ;;`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
