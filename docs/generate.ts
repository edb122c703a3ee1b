/**
 * Makes `docs/reference/` from the tables in the code: endpoints of console and hub, errors, build options, commands of
 * the shell and of `svc`; and in `docs/board.md` the tables of what a board pays, from what was measured (host-tests/bench/rv32.json).
 * `node tools/launch.js docs/generate.ts --check` writes nothing and fails if a page is out of date.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { boardTables, markdownOf } from "../boards/rv32/session/tables.js";
import type { Endpoint } from "../device/services/api/endpoint.js";
import { ENDPOINTS } from "../device/services/api/endpoints.js";
import { OPTIONS, type Option } from "../device/services/config/options.js";
import { COMMANDS } from "../device/services/shell/commands.js";
import { hubReference } from "../hub/reference/page.js";
import { FAULT_STATUS } from "../protocol/fault.js";
import { CLIENT_MEANINGS, ERROR_GROUPS } from "./error-meanings.js";
import { svcReference } from "./svc-reference.js";

const root = join(import.meta.dirname, "..");
const REFERENCE = "docs/reference";
const BOARD_PAGE = "docs/board.md";
/** Before and after what is made of the page. */
const FIGURES_MARK =
  "<!-- Between these marks: made by `npm run docs` from host-tests/bench/rv32.json. -->\n";

const MADE = "<!-- Made by `npm run docs` from the tables in the code; do not edit. -->\n";

function endpointSection({ method, path, summary, transport, parameters, answer }: Endpoint): string {
  const where = transport === "http" ? " WiFi only." : transport === "usb" ? " USB only." : "";
  const rows = (parameters ?? []).map(
    ({ name, type, isRequired, summary: what }) =>
      `| \`${name}\` | ${type} | ${isRequired ? "yes" : "no"} | ${what} |\n`,
  );
  const table = rows.length
    ? `| Parameter | Type | Required | Meaning |\n|---|---|---|---|\n${rows.join("")}\n`
    : "";
  return `## ${method} ${path}\n\n${summary}${where}\n\n${table}Answers 200 with\n\n\`\`\`\n${answer}\n\`\`\`\n`;
}

function pages() {
  const endpoints = ENDPOINTS.map(endpointSection).join("\n");
  const options = Object.entries(OPTIONS)
    .map(([name, option]) => `| \`${name}\` | ${takes(option)} | ${shown(option)} | ${option.summary} |\n`)
    .join("");
  const commands = COMMANDS.map(({ usage, summary }) => `| \`${usage}\` | ${summary} |\n`).join("");
  return {
    "endpoints.md": `${MADE}# Endpoints\n\nEach is also below \`/api/v1\`, and the same over HTTP and USB unless it says otherwise.\n\n${endpoints}`,
    "errors.md": MADE + errorReference(),
    "options.md": `${MADE}# Build options\n\n| Option | Takes | Default | Meaning |\n|---|---|---|---|\n${options}`,
    "shell.md": `${MADE}# Shell commands\n\n| Command | What it does |\n|---|---|\n${commands}`,
  };
}

function errorReference(): string {
  const statuses: Readonly<Record<string, number>> = FAULT_STATUS;
  const groups = ERROR_GROUPS.map(({ title, meanings }) => {
    const rows = Object.entries(meanings).map(
      ([code, { meaning, action }]) => `| \`${code}\` | ${statuses[code]} | ${meaning} | ${action} |\n`,
    );
    return `## ${title}\n\n| Code | Status | Meaning | What to do |\n|---|---|---|---|\n${rows.join("")}`;
  });
  const clients = Object.entries(CLIENT_MEANINGS).map(
    ([code, { meaning, action }]) => `| \`${code}\` | ${meaning} | ${action} |\n`,
  );
  return `# Errors

Every error answer of a console or hub is \`{"error":"<code>","message":"<a sentence>"}\` with the HTTP status of its code.
Programs read the code, which is stable; people read the message. \`svc\` prints both, and what to do.

${groups.join("\n")}
## Codes of \`svc\` and its tools

\`svc\` and the web console report these by themselves; no console or hub answers with them.

| Code | Meaning | What to do |
|---|---|---|
${clients.join("")}`;
}

function takes(option: Option): string {
  if (option.type === "flag") return "`on`, `off`";
  return option.type === "integer" ? `${option.minimum} to ${option.maximum} ${option.unit}` : "text";
}

function shown(option: Option): string {
  if (option.type === "flag") return option.default ? "on" : "off";
  return option.default === "" ? "empty" : String(option.default);
}

/** @returns the page of the board, with the tables in the place of those that are there */
async function boardPage(): Promise<string> {
  const figures = JSON.parse(await readFile(join(root, "host-tests/bench/rv32.json"), "utf8"));
  const [before, , after] = (await readFile(join(root, BOARD_PAGE), "utf8")).split(FIGURES_MARK);
  if (after === undefined)
    throw new Error(`There are no two lines "${FIGURES_MARK.trim()}" in ${BOARD_PAGE}`);
  return [before, `\n${markdownOf(boardTables(figures))}\n`, after].join(FIGURES_MARK);
}

const isCheck = process.argv.includes("--check");
const made = { ...pages(), "hub.md": MADE + hubReference(), "svc.md": MADE + svcReference() };
const reference = Object.entries(made).map(([name, text]) => [join(REFERENCE, name), text]);
await mkdir(join(root, REFERENCE), { recursive: true });
for (const [page = "", text = ""] of [...reference, [BOARD_PAGE, await boardPage()]]) {
  const path = join(root, page);
  const present = await readFile(path, "utf8").catch(() => undefined);
  if (present === text) continue;
  if (isCheck) {
    console.error(`${page} is out of date: run "npm run docs"`);
    process.exitCode = 1;
  } else await writeFile(path, text);
}
