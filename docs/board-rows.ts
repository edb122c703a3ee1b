/** The table of docs/board.md of boards that people have checked, from their reports (docs/board-reports). */
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { type BoardReport, RESULTS, readReport } from "../cli/board-check/board-report.js";

const KIB = 1024;

/**
 * @param directory with reports, one JSON file each
 * @returns Markdown
 * @throws {Error} that names the file, and says where it is not a report
 */
export async function boardRows(directory: string): Promise<string> {
  const files = (await readdir(directory)).filter((name) => name.endsWith(".json")).sort();
  if (files.length === 0) return "No board has been reported yet.\n";
  const rows = await Promise.all(
    files.map(async (name) => rowOf(await reportIn(path.join(directory, name)))),
  );
  const head = ["Board", "Firmware", "Day", "Passed", "Failed", "Skipped or absent", "Free at start, KiB"];
  return [line(head), line(head.map(() => "---")), ...rows.map(line), ""].join("\n");
}

async function reportIn(file: string): Promise<BoardReport> {
  try {
    return readReport(await readFile(file, "utf8"));
  } catch (cause) {
    throw new Error(`${path.basename(file)} is not a report of a board: ${(cause as Error).message}`, {
      cause,
    });
  }
}

function rowOf({ hardware, board, firmware, date, steps, memory }: BoardReport): string[] {
  const [passed, failed, skipped, absent] = RESULTS.map((result) =>
    steps
      .filter((step) => step.result === result)
      .map(({ name, note }) => (result === "failed" && note ? `${name} (${plain(note)})` : name)),
  ) as [string[], string[], string[], string[]];
  const start = memory.find(({ state }) => state === "start");
  const free = start ? [start.heap_free_bytes, start.psram_free_bytes] : [];
  return [
    `${plain(hardware)} (${plain(board)})`,
    plain(firmware),
    date,
    ...[passed, failed, [...skipped, ...absent]].map((names) => names.join(", ")),
    free.flatMap((bytes) => (bytes === undefined ? [] : [String(Math.floor(bytes / KIB))])).join(", PSRAM "),
  ];
}

/** What a stranger has written, as text of a cell: no markup, no link, no second cell. */
function plain(text: string): string {
  return text.replaceAll(/[\p{Cc}\s]+/gu, " ").replaceAll(/[\\`*_{}[\]<>|~&]/g, "\\$&");
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}
