/**
 * Makes `docs/reference/` from the tables in the code: endpoints of console and hub, errors, build options, commands of
 * the shell and of `svc`; and in `docs/board.md` the tables of what a board pays, from what was measured (host-tests/bench/rv32.json),
 * and of boards that people have checked (docs/board-reports).
 * `node tools/launch.js docs/generate.ts --check` writes nothing and fails if a page is out of date.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { boardTables, markdownOf } from "../boards/rv32/session/tables.js";
import type { Endpoint } from "../device/services/api/endpoint.js";
import { ENDPOINTS } from "../device/services/api/endpoints.js";
import { RIGHTS, type Right } from "../device/services/auth/rights.js";
import { OPTIONS, type Option } from "../device/services/config/options.js";
import { COMMANDS } from "../device/services/shell/commands.js";
import { hubReference } from "../hub/reference/page.js";
import { shapeOf } from "../hub/reference/push-messages.js";
import type { AnswerName } from "../protocol/device/answers.js";
import * as answers from "../protocol/device/answers.js";
import { FAULT_STATUS } from "../protocol/fault.js";
import type { Schema } from "../protocol/schema.js";
import { boardRows } from "./board-rows.js";
import { CLIENT_MEANINGS, ERROR_GROUPS } from "./error-meanings.js";
import { svcReference } from "./svc-reference.js";

const root = join(import.meta.dirname, "..");
const REFERENCE = "docs/reference";
const BOARD_PAGE = "docs/board.md";
const REPORTS = "docs/board-reports";
/** Before and after what is made of the page. */
const FIGURES_MARK =
  "<!-- Between these marks: made by `npm run docs` from host-tests/bench/rv32.json. -->\n";
const REPORTS_MARK = `<!-- Between these marks: made by \`npm run docs\` from ${REPORTS}. -->\n`;

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
  return `## ${method} ${path}\n\n${summary}${where}\n\n${table}Answers 200 with\n\n\`\`\`\n${answerText(ANSWERS[answer])}\n\`\`\`\n`;
}

/** Who may do what, from the table of rights. */
function rightsSection(): string {
  const rows = (Object.keys(RIGHTS) as Right[]).map((right) => {
    const endpoints = ENDPOINTS.filter((row) => row.right === right);
    const commands = COMMANDS.filter((row) => row.right === right);
    const cells = [
      ...endpoints.map(({ method, path }) => `\`${method} ${path}\``),
      ...commands.map(({ name }) => `\`${name}\``),
    ];
    const { who, summary } = RIGHTS[right];
    return `| ${WHO[who]} | ${summary} | ${cells.join(", ")} |\n`;
  });
  return `## Who may do what\n\nAnybody is any client that gets through; where the build asks for the token, one that has it. The owner has the cable, the console in hand or the token. Rows without endpoints are for a part of what one above them does.\n\n| Who | May | By |\n|---|---|---|\n${rows.join("")}`;
}

const WHO = { anybody: "anybody", owner: "the owner", page: "anybody, always without a token" } as const;

const ANSWERS: Readonly<Record<AnswerName, Schema | string>> = { ...answers };

function answerText(answer: Schema | string): string {
  return typeof answer === "string" ? answer : shapeOf(answer);
}

function pages() {
  const endpoints = ENDPOINTS.map(endpointSection).join("\n");
  const options = Object.entries(OPTIONS)
    .map(([name, option]) => `| \`${name}\` | ${takes(option)} | ${shown(option)} | ${option.summary} |\n`)
    .join("");
  const commands = COMMANDS.map(({ usage, summary }) => `| \`${usage}\` | ${summary} |\n`).join("");
  return {
    "endpoints.md": `${MADE}# Endpoints\n\nEach is also below \`/api/v1\`, and the same over HTTP and USB unless it says otherwise.\n\n${rightsSection()}\n${endpoints}`,
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
  const page = await readFile(join(root, BOARD_PAGE), "utf8");
  const reported = between(page, REPORTS_MARK, await boardRows(join(root, REPORTS)));
  return between(reported, FIGURES_MARK, markdownOf(boardTables(figures)));
}

/** @returns the page with `made` between its two marks */
function between(page: string, mark: string, made: string): string {
  const [before, , after] = page.split(mark);
  if (after === undefined) throw new Error(`There are no two lines "${mark.trim()}" in ${BOARD_PAGE}`);
  return [before, `\n${made}\n`, after].join(mark);
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
