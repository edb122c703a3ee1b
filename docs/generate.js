/**
 * Makes `docs/reference/` from the tables in the code: endpoints of console and hub, errors, build options, commands of
 * the shell and of `svc`; and in `docs/board.md` the tables of what a board pays, from what was measured (host-tests/bench/rv32.json).
 * `node docs/generate.js --check` writes nothing and fails where a page is not fresh.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { boardTables, markdownOf } from "../boards/rv32/session/tables.js";
import { loadTypeScript } from "../tools/load-typescript.js";
import { hubReference } from "./hub-reference.js";
import { svcReference } from "./svc-reference.js";

const root = join(import.meta.dirname, "..");
const REFERENCE = "docs/reference";
const BOARD_PAGE = "docs/board.md";
/** Before and after what is made of the page. */
const FIGURES_MARK =
  "<!-- Between these marks: made by `npm run docs` from host-tests/bench/rv32.json. -->\n";
const TABLES = [
  "device/services/api/endpoints.ts",
  "device/services/shell/commands.ts",
  "device/services/config/options.ts",
  "protocol/fault.ts",
];

/** @typedef {import("../device/services/api/endpoint.ts").Endpoint} Endpoint */
/** @typedef {import("../device/services/shell/commands.ts").Command} Command */
/** @typedef {import("../device/services/config/options.ts").Option} Option */
/**
 * @typedef {object} Tables
 * @property {readonly Endpoint[]} ENDPOINTS
 * @property {readonly Command[]} COMMANDS
 * @property {Record<string, Option>} OPTIONS
 * @property {Record<string, number>} FAULT_STATUS
 */

const MADE = "<!-- Made by `npm run docs` from the tables in the code; do not edit. -->\n";

/** @param {Endpoint} endpoint */
function endpointSection({ method, path, summary, transport, parameters, answer }) {
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

/** @param {Tables} tables */
function pages({ ENDPOINTS, COMMANDS, OPTIONS, FAULT_STATUS }) {
  const endpoints = ENDPOINTS.map(endpointSection).join("\n");
  const faults = Object.entries(FAULT_STATUS)
    .map(([code, status]) => `| \`${code}\` | ${status} |\n`)
    .join("");
  const options = Object.entries(OPTIONS)
    .map(([name, option]) => `| \`${name}\` | ${takes(option)} | ${shown(option)} | ${option.summary} |\n`)
    .join("");
  const commands = COMMANDS.map(({ usage, summary }) => `| \`${usage}\` | ${summary} |\n`).join("");
  return {
    "endpoints.md": `${MADE}# Endpoints\n\nEach is also below \`/api/v1\`, and the same over HTTP and USB unless it says otherwise.\n\n${endpoints}`,
    "errors.md": `${MADE}# Errors\n\nEvery error answer is \`{"error":"<code>","message":"<a sentence>"}\` with the status of its code.\n\n| Code | Status |\n|---|---|\n${faults}`,
    "options.md": `${MADE}# Build options\n\n| Option | Takes | Default | Meaning |\n|---|---|---|---|\n${options}`,
    "shell.md": `${MADE}# Shell commands\n\n| Command | What it does |\n|---|---|\n${commands}`,
  };
}

/** @param {Option} option */
function takes(option) {
  if (option.type === "flag") return "`on`, `off`";
  return option.type === "integer" ? `${option.minimum} to ${option.maximum} ${option.unit}` : "text";
}

/** @param {Option} option */
function shown(option) {
  if (option.type === "flag") return option.default ? "on" : "off";
  return option.default === "" ? "empty" : String(option.default);
}

/** @returns {Promise<string>} the page of the board, with the tables in the place of those that are there */
async function boardPage() {
  const figures = JSON.parse(await readFile(join(root, "host-tests/bench/rv32.json"), "utf8"));
  const [before, , after] = (await readFile(join(root, BOARD_PAGE), "utf8")).split(FIGURES_MARK);
  if (after === undefined)
    throw new Error(`There are no two lines "${FIGURES_MARK.trim()}" in ${BOARD_PAGE}`);
  return [before, `\n${markdownOf(boardTables(figures))}\n`, after].join(FIGURES_MARK);
}

const isCheck = process.argv.includes("--check");
/** @type {Tables} */
const tables = await loadTypeScript(TABLES);
const made = { ...pages(tables), "hub.md": MADE + (await hubReference()), "svc.md": MADE + svcReference() };
const reference = Object.entries(made).map(([name, text]) => [join(REFERENCE, name), text]);
await mkdir(join(root, REFERENCE), { recursive: true });
for (const [page = "", text = ""] of [...reference, [BOARD_PAGE, await boardPage()]]) {
  const path = join(root, page);
  const present = await readFile(path, "utf8").catch(() => undefined);
  if (present === text) continue;
  if (isCheck) {
    console.error(`${page} is not fresh: run "npm run docs"`);
    process.exitCode = 1;
  } else await writeFile(path, text);
}
