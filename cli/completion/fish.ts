/** Completion for fish, with the summaries beside the words. */
import type { Option } from "../command.js";
import type { Node } from "./tree.js";

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
complete -c svc -l help -d 'say what it takes'
${nodes.flatMap(linesOf).join("\n")}
`;
}

function linesOf({ path, children, options, takesFile, choices }: Node): string[] {
  const start = `complete -c svc -n ${quoted(`__svc_is '${path}'`)}`;
  return [
    ...children.map(({ name, summary }) => `${start} -a ${name} -d ${quoted(summary)}`),
    ...(choices.length > 0 ? [`${start} -a ${quoted(choices.join(" "))}`] : []),
    ...(takesFile ? [`${start} -F`] : []),
    ...options.map((option) => `${start} -l ${option.name}${takes(option)} -d ${quoted(option.summary)}`),
  ];
}

function takes({ value, isFile, choices = [] }: Option): string {
  if (value === undefined) return "";
  if (isFile) return " -r -F";
  return choices.length > 0 ? ` -x -a ${quoted(choices.join(" "))}` : " -x";
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
