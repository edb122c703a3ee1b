/** Programs over sockets, of which one is the console of native/script-console.c, which scripts are played to. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { buildKernelProgram, type Program, runKernelProgram } from "./kernel-program.js";

const KERNEL = [
  "awaited",
  "descriptors",
  "eventfd",
  "far-memory",
  "internet-address",
  "poll",
  "script",
  "script-channels",
  "script-failure",
  "script-file",
  "script-reader",
  "sockets",
  "transcript",
  "usb",
  "wire",
];

/** All that sockets need, but for threads and time. */
const SOCKET_SOURCES = [
  ...KERNEL.map((name) => `boards/rv32/kernel/${name}.c`),
  "host-tests/rv32/native/kernel-doubles.c",
];

/** What runs on Linux too. */
const PORTABLE = ["process/event-loop", "process/load", "network/linger", "network/socket-address"].map(
  (name) => `device/hosts/posix/native/${name}.c`,
);
const FLAGS = [
  ...["network", "process", "usb"].map((part) => `-Idevice/hosts/posix/native/${part}`),
  "-Idevice/hosts/common/native",
];

/** Runs native/NAME-test.c. @returns by its name, what each of its scenes has said */
export async function playScenes(name: string) {
  const tests = ["tell.c", `${name}-test.c`].map((file) => `host-tests/rv32/native/${file}`);
  const { status, lines } = await runKernelProgram(
    await buildKernelProgram(name, [...SOCKET_SOURCES, ...tests]),
  );
  const scenes = new Map<string, string[]>();
  for (const line of lines) {
    if (line.startsWith("# ")) scenes.set(line.slice(2), []);
    else [...scenes.values()].at(-1)?.push(line);
  }
  return { status, scenes };
}

export async function buildScriptConsole(): Promise<Program> {
  const sources = [
    ...SOCKET_SOURCES,
    ...PORTABLE,
    "boards/rv32/native/usb-port.c",
    "host-tests/rv32/native/script-console.c",
  ];
  return buildKernelProgram("script", sources, FLAGS);
}

/** What a run has left. */
export type Played = {
  readonly status: number | null;
  /** On standard error. */
  readonly lines: readonly string[];
  readonly transcript: string;
};

/** Plays a script of the console's, byte for byte in Latin-1, as is the transcript. */
export async function playScript(console: Program, script: string): Promise<Played> {
  const folder = mkdtempSync(path.join(console.folder, "run-"));
  try {
    writeFileSync(path.join(folder, "script"), script, "latin1");
    const { status, lines } = await runKernelProgram({ elf: console.elf, folder });
    return { status, lines, transcript: readFileSync(path.join(folder, "transcript"), "latin1") };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
