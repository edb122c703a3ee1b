/** Completion for zsh, with the summaries beside the words. */

/** @typedef {import("./tree.js").Node} Node */

/** @param {readonly Node[]} nodes @returns {string} a script to source, or to put where zsh looks for functions */
export function zshCompletion(nodes) {
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

/** What may follow an option. @param {Node} node */
function valueCases({ path, options }) {
  return options.flatMap(({ name, value, isFile, choices = [] }) => {
    if (value === undefined) return [];
    const offer = isFile ? "_files" : choices.length > 0 ? `compadd -- ${choices.join(" ")}` : "true";
    return [`    ${quoted(`${path} --${name}`)}) ${offer}; return ;;`];
  });
}

/** @param {Node} node */
function nodeCase({ path, children, options, takesFile, choices }) {
  const offered = [
    ...children.map(({ name, summary }) => quoted(`${name}:${summary}`)),
    ...choices.map((choice) => quoted(choice)),
  ];
  const help = { name: "help", summary: "say what it takes" };
  const flags = [...options, help].map(({ name, summary }) => quoted(`--${name}:${summary}`));
  const files = takesFile ? " files=1" : "";
  return `    ${quoted(path)}) offered=(${offered.join(" ")}) options=(${flags.join(" ")})${files} ;;`;
}

/** @param {string} text */
function quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
