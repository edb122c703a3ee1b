/** Completion for fish, with the summaries beside the words. */

/** @typedef {import("./tree.js").Node} Node */

/** @param {readonly Node[]} nodes @returns {string} a script to source, or to put into `completions/svc.fish` */
export function fishCompletion(nodes) {
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
complete -c svc -l help -d 'say what it takes'
${nodes.flatMap(linesOf).join("\n")}
`;
}

/** @param {Node} node */
function linesOf({ path, children, options, takesFile, choices }) {
  const start = `complete -c svc -n ${quoted(`__svc_is '${path}'`)}`;
  return [
    ...children.map(({ name, summary }) => `${start} -a ${name} -d ${quoted(summary)}`),
    ...(choices.length > 0 ? [`${start} -a ${quoted(choices.join(" "))}`] : []),
    ...(takesFile ? [`${start} -F`] : []),
    ...options.map((option) => `${start} -l ${option.name}${takes(option)} -d ${quoted(option.summary)}`),
  ];
}

/** @param {import("../command.js").Option} option */
function takes({ value, isFile, choices = [] }) {
  if (value === undefined) return "";
  if (isFile) return " -r -F";
  return choices.length > 0 ? ` -x -a ${quoted(choices.join(" "))}` : " -x";
}

/** @param {string} text */
function quoted(text) {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
