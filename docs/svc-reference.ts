/** `docs/reference/svc.md`: the table of commands of `svc`. */
import { type Command, type Option, optionsOf, optionText, parameterText } from "../cli/command.js";
import { COMMANDS } from "../cli/commands.js";

const INTRODUCTION = `# svc

With \`--json\`, a command prints its result as one line of JSON, and an error as \`{"error","message","advice"?}\` on standard
error; without it, an error is \`svc: CODE: message\`. [The errors](errors.md) explain the codes.

Exit status: 0 success, 1 refused or failed, 2 wrong usage, 130 after Ctrl-C.

\`--json\`, \`--device\` and \`--token\` go before or after the command, all other options after it.

Commands for a console accept \`--device\`: an address such as \`http://192.168.1.20:8080\` or \`usb:/dev/ttyACM0\`, or the
console's name, which \`svc\` searches at USB ports and by mDNS. Without it, \`svc\` uses SVC_DEVICE, else the only console at a
USB port (a simulated console counts if its \`.console\` is in the current directory), else the only console in the local
network. If there are several, the command fails with \`device_ambiguous\`.
`;

/** @returns Markdown */
export function svcReference(): string {
  return [INTRODUCTION, ...COMMANDS.map(sectionOf)].join("\n");
}

function sectionOf(command: Command): string {
  const { name, summary, parameters, notes = [] } = command;
  const usage = ["svc", name, ...parameters.map(parameterText), "[options]"].join(" ");
  const rows = [
    ...parameters.map((parameter) => row(parameterText(parameter), aboutOf(parameter))),
    ...optionsOf(command)
      .filter(({ name: option }) => option !== "json")
      .map((option) => row(optionText(option), aboutOf(option))),
  ];
  const table = rows.length > 0 ? `\n| | |\n|---|---|\n${rows.join("")}` : "";
  const paragraphs = notes.map((note) => `\n${note}\n`).join("");
  return `## svc ${name}\n\n${summary}\n\n\`\`\`\n${usage}\n\`\`\`\n${table}${paragraphs}`;
}

/** Its summary, and what it accepts. */
function aboutOf({ summary, choices, isRequired }: Option): string {
  const accepted = choices === undefined ? summary : `${summary}; one of ${choices.join(", ")}`;
  return isRequired ? `${accepted} (required)` : accepted;
}

function row(text: string, summary: string): string {
  return `| \`${text}\` | ${summary.replaceAll("|", "\\|")} |\n`;
}
