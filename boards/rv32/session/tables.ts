/** The costs of a board as tables, for a terminal and for docs/board.md. */
import { BUDGETS, instructionsPerModuleByte, instructionsPerUnit, instructionsPerVerify } from "./budgets.js";
import type { BoardFigures, BoardStep } from "./figures.js";

type Row = readonly string[];
/** The first `texts` columns are texts, the others figures. */
type Table = { title: string; head: Row; texts: number; rows: readonly Row[] };

/** As in boards/rv32/kernel/clock.h. */
export const CYCLES_PER_INSTRUCTION = 1.5;
const KIB = 1024;
const MEGAHERTZ = Object.freeze([160, 240]);

export function boardTables(board: BoardFigures): Table[] {
  return [budgetTable(board), flashTable(board), memoryTable(board), instructionTable(board)];
}

function budgetTable(board: BoardFigures): Table {
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

function flashTable({ flash }: BoardFigures): Table {
  const rows = Object.entries(flash).map(([part, bytes]) => [part, whole(bytes)]);
  return { title: "Flash", head: ["Part", "Bytes"], texts: 1, rows };
}

function memoryTable({ steps }: BoardFigures): Table {
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

/** The cost of each step, and of work that is the difference of two steps. */
function instructionTable(board: BoardFigures): Table {
  const works = [
    ...board.steps.map((step) => ({ name: step.step, unit: unitOf(step), takes: instructionsPerUnit(step) })),
    { name: "verify", unit: "signature", takes: instructionsPerVerify(board) },
    { name: "module in an install", unit: "KiB", takes: instructionsPerModuleByte(board) * KIB },
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

function unitOf({ unit, bytes }: BoardStep): string {
  return bytes === undefined ? unit : `${unit}, ${whole(bytes)} bytes`;
}

function whole(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

function kib(bytes: number): string {
  return `${(bytes / KIB).toFixed(1)} KiB`;
}

/** The excess over 100 %. */
function percent(share: number): string {
  return `${((share - 1) * 100).toFixed(1)} %`;
}

function milliseconds(instructions: number, megahertz: number): string {
  return `${((instructions * CYCLES_PER_INSTRUCTION) / (megahertz * 1000)).toFixed(3)} ms`;
}

/** For a terminal. */
export function textOf(tables: readonly Table[]): string {
  return tables.map(({ title, ...table }) => `${title}\n\n${alignedRows(table)}`).join("\n");
}

function alignedRows({ head, texts, rows }: Omit<Table, "title">): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const pad = (cell: string, column: number) =>
    column < texts ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  return all
    .map((row) => `  ${row.map(pad).join("  ")}`.trimEnd())
    .join("\n")
    .concat("\n");
}

/** For a page. */
export function markdownOf(tables: readonly Table[]): string {
  return tables
    .map(({ title, head, texts, rows }) => {
      const rule = head.map((_, column) => (column < texts ? "---" : "---:"));
      const lines = [`| ${head.join(" | ")} |`, `|${rule.join("|")}|`];
      for (const row of rows) lines.push(`| ${row.join(" | ")} |`);
      return `### ${title}\n\n${lines.join("\n")}\n`;
    })
    .join("\n");
}
