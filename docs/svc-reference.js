/** `docs/reference/svc.md`: the table of commands of `svc`. */
import { optionsOf, optionText, parameterText } from "../cli/command.js";
import { COMMANDS } from "../cli/commands.js";

const INTRODUCTION = `# svc

Every command takes \`--json\`: then what it prints is one line of JSON, and an error is \`{"error","message","advice"?}\` on
standard error, which is \`svc: CODE: message\` for people. Exit status: 0 done, 1 refused or failed, 2 wrong usage, 130 after Ctrl-C.
\`--json\`, \`--device\` and \`--token\` may stand before the command or after it, all other options after it.

Commands for a console take \`--device\`: \`http://192.168.1.20:8080\`, \`usb:/dev/ttyACM0\`, or the console's name, which is
looked for at USB ports and by mDNS. Left out, it is what SVC_DEVICE says, else the one console that is plugged in (a
simulated one counts whose \`.console\` is in the current directory), else the one in the network; where there are several,
none is taken.
`;

/** @returns {string} Markdown */
export function svcReference() {
  return [INTRODUCTION, ...COMMANDS.map(sectionOf)].join("\n");
}

/** @param {import("../cli/command.js").Command} command */
function sectionOf(command) {
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

/** Its summary, and what it accepts. @param {import("../cli/command.js").Option} taken */
function aboutOf({ summary, choices, isRequired }) {
  const accepted = choices === undefined ? summary : `${summary}; one of ${choices.join(", ")}`;
  return isRequired ? `${accepted} (required)` : accepted;
}

/** @param {string} text @param {string} summary */
function row(text, summary) {
  return `| \`${text}\` | ${summary.replaceAll("|", "\\|")} |\n`;
}
