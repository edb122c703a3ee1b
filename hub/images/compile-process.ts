/**
 * Compiles one module in a process of its own, which a stranger's module may bring to do its worst: its time, memory and files
 * are bounded, and it ends with the request and with the hub. It knows none of the hub's settings, and no name of the
 * stranger's is in a command line or in the name of a file.
 *
 * The bound of memory is that of writable private memory (`ulimit -d`). `ulimit -v` counts addresses as well, of which the
 * engine of Node reserves gigabytes.
 */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Readable } from "node:stream";
import { FAULT_STATUS, Fault } from "../../protocol/fault.js";
import { LAUNCHER } from "../../tools/launcher.js";
import { storageFault } from "../files/content-store.js";
import {
  type CompileRefusal,
  type CompileRequest,
  DIRECTORY_PREFIX,
  IMAGE_LIMIT_BYTES,
  MODULE_FILE,
  REFUSED_STATUS,
  REQUEST_FILE,
} from "./image-request.js";

/** Other limits in tests. */
export interface CompileLimits {
  /** From start to end. */
  readonly timeMs: number;
  /** Of each process: the program, and the compiler that it starts. */
  readonly memoryBytes: number;
}

/**
 * An ordinary app takes a second. 5000 loops in one function, the worst that was found for 400 KB of machine code, take 25 s and
 * 620 MB.
 */
export const COMPILE_LIMITS: CompileLimits = Object.freeze({ timeMs: 60_000, memoryBytes: 1 << 30 });

/** Of each file: the C of a module of 1 MiB has a tenth of it. */
const FILE_LIMIT_BYTES = 256 * 1024 * 1024;

/** Heap of Node, in the program and in `wasm2c`. */
const HEAP_LIMIT_MIB = 512;

/** What the log gets of a process that has failed. */
const ERRORS_LIMIT_BYTES = 4096;

const PROGRAM = path.join(import.meta.dirname, "../../sdk/builder/native/compile-for-hub.ts");

/** Attempts to remove the directory: a process that was killed may still be about to write a file. */
const REMOVE_ATTEMPTS = 10;

export interface CompileOptions {
  readonly module: Uint8Array;
  readonly request: CompileRequest;
  /** Ends the process; the result is then the signal's reason. */
  readonly signal: AbortSignal;
  readonly limits: CompileLimits;
  /** `PATH`, in which the compilers are. */
  readonly searchPath: string;
}

/**
 * @returns the container
 * @throws {Fault} that of the module; `compile_failed` past a limit, with what the process has said as its cause;
 *   `compiler_missing`; `storage_full` or `busy` for temporary files. An `Error` if the program itself fails.
 */
export async function compileInProcess(options: CompileOptions): Promise<Uint8Array> {
  // By its real path: messages of the compiler then have no other name of it, which the program would not know.
  const directory = await mkdtemp(path.join(await realpath(tmpdir()), DIRECTORY_PREFIX));
  try {
    await writeInput(directory, options);
    return resultOf(await run(directory, options), options);
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: REMOVE_ATTEMPTS });
  }
}

async function writeInput(
  directory: string,
  { module, request }: Pick<CompileOptions, "module" | "request">,
): Promise<void> {
  try {
    await writeFile(path.join(directory, MODULE_FILE), module);
    await writeFile(path.join(directory, REQUEST_FILE), JSON.stringify(request));
  } catch (error) {
    throw storageFault(error);
  }
}

interface Ended {
  readonly status: number | null;
  readonly killedBy: NodeJS.Signals | null;
  readonly isLate: boolean;
  readonly output: BoundedOutput;
  readonly errors: BoundedOutput;
}

async function run(
  directory: string,
  { signal, limits, searchPath }: Pick<CompileOptions, "signal" | "limits" | "searchPath">,
): Promise<Ended> {
  signal.throwIfAborted();
  const child = spawn("/bin/sh", ["-c", limited(limits), "sh", process.execPath, LAUNCHER, PROGRAM], {
    cwd: directory,
    env: environmentOf(directory, searchPath),
    detached: true, // leads a group, which is killed as a whole
  });
  const kill = () => killGroup(child);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    kill();
  }, limits.timeMs);
  signal.addEventListener("abort", kill);
  child.once("exit", kill); // what the program has started and left behind
  try {
    await once(child, "spawn"); // throws without a descriptor left, where the child has no streams
    const output = new BoundedOutput(child.stdout, IMAGE_LIMIT_BYTES);
    const errors = new BoundedOutput(child.stderr, ERRORS_LIMIT_BYTES);
    const [status, killedBy] = await once(child, "close");
    return { status, killedBy, isLate, output, errors };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", kill);
  }
}

/** For `sh -c`, which then becomes the program. Limits of memory are in KiB, of files in blocks of 512 bytes. */
function limited({ timeMs, memoryBytes }: CompileLimits): string {
  return [
    "ulimit -c 0",
    `ulimit -d ${Math.floor(memoryBytes / 1024)}`,
    `ulimit -f ${FILE_LIMIT_BYTES / 512}`,
    `ulimit -t ${Math.ceil(timeMs / 1000)}`, // holds even if nothing is left that could kill the process
    'exec "$@"',
  ].join(" && ");
}

/** All that the process gets: the hub's own environment has its secret and the password of its database. */
function environmentOf(directory: string, searchPath: string): NodeJS.ProcessEnv {
  return {
    PATH: searchPath,
    TMPDIR: directory, // so that removing it removes what compilers leave
    LC_ALL: "C",
    NODE_OPTIONS: `--max-old-space-size=${HEAP_LIMIT_MIB}`,
  };
}

function killGroup({ pid }: ChildProcessWithoutNullStreams): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // The group has no process any more.
  }
}

/** Collects the first bytes of a stream, and reads on: a process that cannot write would wait. */
class BoundedOutput {
  readonly #chunks: Buffer[] = [];
  readonly #limitBytes: number;
  #byteLength = 0;

  constructor(stream: Readable, limitBytes: number) {
    this.#limitBytes = limitBytes;
    stream.on("data", (chunk: Buffer) => {
      if (!this.isOver) this.#chunks.push(chunk);
      this.#byteLength += chunk.length;
    });
  }

  /** Whether there was more than fits. */
  get isOver(): boolean {
    return this.#byteLength > this.#limitBytes;
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#chunks).subarray(0, this.#limitBytes);
  }
}

function resultOf(
  { status, killedBy, isLate, output, errors }: Ended,
  { signal, limits }: CompileOptions,
): Uint8Array {
  signal.throwIfAborted();
  if (status === 0 && !output.isOver) return output.bytes;
  if (status === 0) throw failed(`its image has more than ${IMAGE_LIMIT_BYTES} bytes`);
  if (status === REFUSED_STATUS) throw refusalIn(output.bytes);
  const cause = new Error(`The compiler's process ended with ${killedBy ?? status}: ${errors.bytes}`);
  if (isLate) throw failed(`it takes more than ${Math.ceil(limits.timeMs / 1000)} s`, cause);
  if (killedBy !== null) throw failed("it takes more memory or time than a compilation may", cause);
  throw cause;
}

function failed(reason: string, cause?: Error): Fault {
  return new Fault("compile_failed", `Cannot compile the module ahead of time: ${reason}`, { cause });
}

/** @throws {Error} for bytes that are none: the process has read a stranger's module, so its word is not taken as it is */
function refusalIn(bytes: Buffer): Fault {
  const { code, message } = JSON.parse(bytes.toString()) as CompileRefusal;
  if (!Object.hasOwn(FAULT_STATUS, code) || typeof message !== "string")
    throw new Error("The compiler's process has refused without saying why");
  return new Fault(code, message);
}
