/** What a board pays, in tables: for a terminal and for docs/board.md alike. */
import { BUDGETS, instructionsPerModuleByte, instructionsPerUnit, instructionsPerVerify } from "./budgets.js";

/** @typedef {import("./figures.js").BoardFigures} BoardFigures */
/** @typedef {import("./figures.js").BoardStep} BoardStep */
/** @typedef {readonly string[]} Row */
/** Its first columns are texts, the others figures. @typedef {{ title: string, head: Row, texts: number, rows: readonly Row[] }} Table */

/** As boards/rv32/kernel/clock.h has it. */
export const CYCLES_PER_INSTRUCTION = 1.5;
const KIB = 1024;
const MEGAHERTZ = Object.freeze([160, 240]);

/** @param {BoardFigures} board @returns {Table[]} */
export function boardTables(board) {
  return [budgetTable(board), flashTable(board), memoryTable(board), instructionTable(board)];
}

/** @param {BoardFigures} board @returns {Table} */
function budgetTable(board) {
  const rows = BUDGETS.map(({ what, unit, limit, measure }) => {
    const measured = measure(board);
    const show = unit === "bytes" ? kib : whole;
    return [
      what,
      show(measured),
      show(limit),
      measured > limit ? `over by ${percent(measured / limit)}` : "",
    ];
  });
  return { title: "Budgets", head: ["What", "Takes", "At most", ""], texts: 1, rows };
}

/** @param {BoardFigures} board @returns {Table} */
function flashTable({ flash }) {
  const rows = Object.entries(flash).map(([part, bytes]) => [part, whole(bytes)]);
  return { title: "Flash", head: ["Part", "Bytes"], texts: 1, rows };
}

/** @param {BoardFigures} board @returns {Table} */
function memoryTable({ steps }) {
  return {
    title: "Memory that is needed at a time, in bytes",
    head: ["Step", "Arena", "Of it slots", "Chunks", "Stack used", "C stack", "C heap"],
    texts: 1,
    rows: steps.map(({ step, needed, slots, chunks, stack, cStack, heap }) => [
      step,
      ...[needed, slots, chunks, stack, cStack, heap].map(whole),
    ]),
  };
}

/** Of each step, and of what no step does alone: a difference of two. @param {BoardFigures} board @returns {Table} */
function instructionTable(board) {
  const works = [
    ...board.steps.map((step) => ({ name: step.step, unit: unitOf(step), takes: instructionsPerUnit(step) })),
    { name: "verify", unit: "signature", takes: instructionsPerVerify(board) },
    { name: "validate, prepare", unit: "KiB of module", takes: instructionsPerModuleByte(board) * KIB },
  ];
  return {
    title: `Instructions, and milliseconds at ${CYCLES_PER_INSTRUCTION} cycles for each`,
    head: ["Step", "For each", "Instructions", ...MEGAHERTZ.map((megahertz) => `At ${megahertz} MHz`)],
    texts: 2,
    rows: works.map(({ name, unit, takes }) => {
      const times = MEGAHERTZ.map((megahertz) => milliseconds(takes, megahertz));
      return [name, unit, whole(takes), ...times];
    }),
  };
}

/** @param {BoardStep} step */
function unitOf({ unit, bytes }) {
  return bytes === undefined ? unit : `${unit}, ${whole(bytes)} bytes`;
}

/** @param {number} value */
function whole(value) {
  return Math.round(value).toLocaleString("en-US");
}

/** @param {number} bytes */
function kib(bytes) {
  return `${(bytes / KIB).toFixed(1)} KiB`;
}

/** Beyond the whole. @param {number} share */
function percent(share) {
  return `${((share - 1) * 100).toFixed(1)} %`;
}

/** @param {number} instructions @param {number} megahertz */
function milliseconds(instructions, megahertz) {
  return `${((instructions * CYCLES_PER_INSTRUCTION) / (megahertz * 1000)).toFixed(3)} ms`;
}

/** For a terminal. @param {readonly Table[]} tables @returns {string} */
export function textOf(tables) {
  return tables.map(({ title, ...table }) => `${title}\n\n${alignedRows(table)}`).join("\n");
}

/** @param {Omit<Table, "title">} table */
function alignedRows({ head, texts, rows }) {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const pad = (/** @type {string} */ cell, /** @type {number} */ column) =>
    column < texts ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  return all
    .map((row) => `  ${row.map(pad).join("  ")}`.trimEnd())
    .join("\n")
    .concat("\n");
}

/** For a page. @param {readonly Table[]} tables @returns {string} */
export function markdownOf(tables) {
  return tables
    .map(({ title, head, texts, rows }) => {
      const rule = head.map((_, column) => (column < texts ? "---" : "---:"));
      const lines = [`| ${head.join(" | ")} |`, `|${rule.join("|")}|`];
      for (const row of rows) lines.push(`| ${row.join(" | ")} |`);
      return `### ${title}\n\n${lines.join("\n")}\n`;
    })
    .join("\n");
}
