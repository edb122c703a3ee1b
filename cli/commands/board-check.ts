/** `svc board check`: guides whoever has a board through ten minutes of checks, and writes the report of it. */
import type { SystemInfo } from "../../protocol/device/answers.js";
import {
  type BoardReport,
  type MemoryState,
  REPORT_FORMAT,
  REPORT_LIMIT_BYTES,
  readReport,
  STEP_NAMES,
  type StepReport,
  TEXT_LIMIT,
} from "../board-check/board-report.js";
import { BoardCheck, type Firmware } from "../board-check/check.js";
import type { Call, Command } from "../command.js";
import { deviceError } from "../device/client.js";
import {
  FIRMWARE_FILE_LIMIT_BYTES,
  readContent,
  readIfThere,
  requireDirectory,
  writeOutput,
} from "../files.js";
import { SvcError } from "../svc-error.js";
import { textTable } from "../terminal/format.js";
import { Questions } from "../terminal/questions.js";

const REPORT_FILE = "board-report.json";

export const boardCheck: Command = Object.freeze<Command>({
  name: "board check",
  summary: "Check a board step by step, with your answers, and write a report to send.",
  parameters: [],
  options: [
    { name: "out", value: "FILE", summary: `JSON file of the report; default: ${REPORT_FILE}`, isFile: true },
    { name: "continue", summary: "go on with that file: repeat what has not passed yet" },
    {
      name: "firmware",
      value: "FILE",
      summary: "also try this bundle (.svcfw): run it on trial, and return to the present firmware",
      isFile: true,
    },
    {
      name: "http",
      value: "URL",
      summary: "address of the console in the network; default: the one that it tells",
    },
  ],
  isForConsole: true,
  notes: [
    "Works over USB only. Takes about ten minutes; answer yes, no or skip. The report is written after each step, so you can stop with Ctrl-C and continue.",
    "It changes nothing on the console, but restarts it. The report has no address, network or name of yours.",
  ],
  run: check,
});

async function check(call: Call) {
  const { values, flags, signal, output } = call;
  const { out = REPORT_FILE, http } = values;
  requireDirectory(out);
  const earlier = await earlierReport(out, flags.has("continue"));
  const firmware = await firmwareOf(values["firmware"]);
  const device = await call.device();
  if (device.transport.kind !== "usb")
    throw await deviceError("usb_only", "A board is checked over USB only");
  const system = await device.system(signal);
  const questions = new Questions({ signal, advice: "Go on with `svc board check --continue`." });
  call.defer(() => questions.close());
  let report = earlier ? continued(earlier, system, out) : reportOf(system, await askHardware(questions));
  const onState = (state: MemoryState, now: SystemInfo) => {
    report = withMemory(report, state, now);
  };
  if (!earlier) onState("start", system);
  const picture = `${out.replace(/\.json$/, "")}.png`;
  const board = new BoardCheck({ call, questions, device, system, http, picture, firmware, onState });
  for (const name of STEP_NAMES) {
    if (isDone(report, name)) continue;
    output.note(`${name} (${STEP_NAMES.indexOf(name) + 1} of ${STEP_NAMES.length})`);
    const finding = await board.perform(name);
    report = withStep(report, { name, ...finding });
    await writeOutput(out, `${JSON.stringify(report, undefined, 2)}\n`);
    output.note(textTable([rowOf({ name, ...finding })]));
  }
  const text = `${textTable(report.steps.map(rowOf))}\n\n${out} is the report: send it as docs/board.md says`;
  return { text, json: report };
}

/** @throws {SvcError} `config_invalid`, `wrong_usage`, `file_not_found` */
async function earlierReport(file: string, isToContinue: boolean): Promise<BoardReport | undefined> {
  const bytes = await readIfThere(file, REPORT_LIMIT_BYTES);
  if (!isToContinue && bytes)
    throw new SvcError("wrong_usage", `There is a "${file}" already`, {
      advice: "Go on with it by --continue, or choose another file by --out.",
    });
  if (!isToContinue) return undefined;
  if (!bytes) throw new SvcError("file_not_found", `Cannot continue "${file}": there is none`);
  try {
    return readReport(bytes.toString());
  } catch (cause) {
    const why = (cause as Error).message;
    throw new SvcError("config_invalid", `"${file}" is not a report: ${why}`, {
      cause,
      advice: "Begin another report: choose another file by --out.",
    });
  }
}

async function firmwareOf(file: string | undefined): Promise<Firmware | undefined> {
  if (file === undefined) return undefined;
  return { file, bytes: new Uint8Array(await readContent(file, FIRMWARE_FILE_LIMIT_BYTES)) };
}

async function askHardware(questions: Questions): Promise<string> {
  const question = "Which board, module and display are they, as printed on them or sold? In one line:";
  return (await questions.line(question)).slice(0, TEXT_LIMIT);
}

function reportOf(system: SystemInfo, hardware: string): BoardReport {
  const { board, cpu, firmware, features, heap, psram, storage } = system;
  return {
    board_report: REPORT_FORMAT,
    date: today(),
    hardware,
    board,
    chip: cpu.model,
    firmware: firmware.version,
    features,
    heap_bytes: heap.total_bytes,
    ...(psram && { psram_bytes: psram.total_bytes }),
    storage_bytes: storage.total_bytes,
    memory: [],
    steps: [],
  };
}

/** @throws {SvcError} `wrong_usage`: one report is of one board with one firmware */
function continued(report: BoardReport, { board, firmware }: SystemInfo, file: string): BoardReport {
  if (report.board === board && report.firmware === firmware.version) return report;
  throw new SvcError(
    "wrong_usage",
    `"${file}" is of firmware ${report.firmware} on ${report.board}, and this is ${firmware.version} on ${board}`,
    { advice: "Begin another report: choose another file by --out." },
  );
}

/** An update without its rollback is repeated: the trial is over. */
function isDone(report: BoardReport, name: StepReport["name"]): boolean {
  const result = report.steps.find((step) => step.name === name)?.result;
  if (name === "update" && !isDone(report, "rollback")) return false;
  return result === "passed" || result === "absent";
}

function withStep(report: BoardReport, step: StepReport): BoardReport {
  const steps = STEP_NAMES.flatMap((name) =>
    name === step.name ? [step] : report.steps.filter((other) => other.name === name),
  );
  return { ...report, date: today(), steps };
}

function withMemory(report: BoardReport, state: MemoryState, { heap, psram }: SystemInfo): BoardReport {
  const now = {
    state,
    heap_free_bytes: heap.free_bytes,
    heap_minimum_free_bytes: heap.minimum_free_bytes,
    ...(psram && { psram_free_bytes: psram.free_bytes }),
  };
  return { ...report, memory: [...report.memory.filter((entry) => entry.state !== state), now] };
}

function rowOf({ name, result, note = "" }: StepReport): string[] {
  return [name, result, note];
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
}
