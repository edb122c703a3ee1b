/** `svc` as a child process, by default in a directory without a simulated console. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "vitest";

export const SVC = path.join(import.meta.dirname, "../../../cli/svc.js");

export interface SvcOptions {
  readonly cwd?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Its whole standard input; undefined means none. */
  readonly input?: string;
  /** Leaves standard input open for the test to write to. */
  readonly isTyped?: boolean;
  /** Wraps the command, to run it in another network or at a terminal. */
  readonly within?: (...command: string[]) => [string, string[]];
}

export interface SvcEnd {
  readonly status: number | NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The environment without variables that change how `svc` behaves. */
function cleanEnvironment(added: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const unwanted = (name: string) => name.startsWith("SVC_") || name === "NO_COLOR" || name === "FORCE_COLOR";
  const inherited = Object.entries(process.env).filter(([name]) => !unwanted(name));
  const XDG_CONFIG_HOME = path.join(tmpdir(), "svc-without-config"); // neither logins nor paired consoles
  return { ...Object.fromEntries(inherited), TERM: "xterm", XDG_CONFIG_HOME, ...added };
}

export class Svc {
  readonly child: ChildProcess;
  /** Settles when it has ended and all of its output has been read. */
  readonly ended: Promise<SvcEnd>;
  #stdout = "";
  #stderr = "";
  readonly #watchers = new Set<() => void>();

  constructor(
    args: readonly string[],
    { cwd, environment, input, isTyped = false, within }: SvcOptions = {},
  ) {
    const command: [string, string[]] = [process.execPath, [SVC, ...args]];
    const [file, parameters] = within ? within(command[0], ...command[1]) : command;
    this.child = spawn(file, parameters, {
      cwd: cwd ?? tmpdir(),
      env: cleanEnvironment(environment),
      stdio: [input === undefined && !isTyped ? "ignore" : "pipe", "pipe", "pipe"],
    });
    if (!isTyped) this.child.stdin?.end(input);
    this.child.stdout?.on("data", (bytes) => this.#add("stdout", String(bytes)));
    this.child.stderr?.on("data", (bytes) => this.#add("stderr", String(bytes)));
    this.ended = once(this.child, "close").then(([status, signal]) => {
      return { status: status ?? signal, stdout: this.#stdout, stderr: this.#stderr };
    });
  }

  get stdout(): string {
    return this.#stdout;
  }

  get stderr(): string {
    return this.#stderr;
  }

  /** Waits until `holds`. @throws {Error} if the process ends first */
  until(holds: (svc: Svc) => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const check = () => {
        if (!holds(this)) return;
        this.#watchers.delete(check);
        resolve();
      };
      this.#watchers.add(check);
      check();
      this.ended.then((end) => (holds(this) ? resolve() : reject(new Error(JSON.stringify(end)))));
    });
  }

  /** Sends SIGINT like Ctrl-C, and waits for the end. */
  interrupt(): Promise<SvcEnd> {
    this.child.kill("SIGINT");
    return this.ended;
  }

  #add(stream: "stdout" | "stderr", text: string): void {
    if (stream === "stdout") this.#stdout += text;
    else this.#stderr += text;
    for (const check of [...this.#watchers]) check();
  }
}

/** Runs `svc` to its end. */
export function svc(args: readonly string[], options?: SvcOptions): Promise<SvcEnd> {
  return new Svc(args, options).ended;
}

/** Runs `svc --json`; expects success and empty standard error. @returns the value that it prints */
// biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came
export async function svcJson(args: readonly string[], options?: SvcOptions): Promise<any> {
  const { status, stdout, stderr } = await svc([...args, "--json"], options);
  expect([status, stderr, stdout.split("\n").length]).toEqual([0, "", 2]);
  return JSON.parse(stdout);
}

/** Runs `svc --json`; expects status 1. @returns the error that it prints */
export async function svcFailure(
  args: readonly string[],
  options?: SvcOptions,
): Promise<{ readonly error: string; readonly message: string; readonly advice?: string }> {
  const { status, stdout, stderr } = await svc([...args, "--json"], options);
  expect([status, stdout, stderr.split("\n").length]).toEqual([1, "", 2]);
  return JSON.parse(stderr);
}

/** Runs a command at a terminal of 80 columns, with both outputs on standard output. */
export const atTerminal = (...command: string[]): [string, string[]] => [
  "script",
  ["--quiet", "--return", "--flush", "--command", command.map(quoted).join(" "), "/dev/null"],
];

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

export function temporaryFolder(): { readonly path: string; remove(): void } {
  const folder = mkdtempSync(path.join(tmpdir(), "svc-"));
  return { path: folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
