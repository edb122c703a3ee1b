/**
 * Makes `docs/reference/` from the tables in the code: endpoints, errors, build options, shell commands.
 * `node docs/generate.js --check` writes nothing and fails where a page is not fresh.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { loadTypeScript } from "../simulator/builder/load-typescript.js";

const root = join(import.meta.dirname, "..");
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

const folder = join(root, "docs", "reference");
const isCheck = process.argv.includes("--check");
await mkdir(folder, { recursive: true });
/** @type {Tables} */
const tables = await loadTypeScript(TABLES);
for (const [name, text] of Object.entries(pages(tables))) {
  const path = join(folder, name);
  const present = await readFile(path, "utf8").catch(() => undefined);
  if (present === text) continue;
  if (isCheck) {
    console.error(`docs/reference/${name} is not fresh: run "npm run docs"`);
    process.exitCode = 1;
  } else await writeFile(path, text);
}
