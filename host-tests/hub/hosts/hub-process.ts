/** Runs one process of a hub for a test: the real program, with its own environment, on a free port. */
import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";
import { createInterface } from "node:readline";
import { buildFleet } from "../../../tools/fleet-page.js";
import { LAUNCHER } from "../../../tools/launcher.js";
import { buildPlayer } from "../../../tools/player-page.js";
import { consoleOrLast } from "../../../tools/web-page.js";

export type Environment = Readonly<Record<string, string>>;

/** A program such as `env` that executes the hub, with its arguments; the hub's command line follows. */
export type Launcher = readonly string[];

/** The hub's entry, for `tools/launch.js`. */
const MAIN = path.join(import.meta.dirname, "../../../hub/main.ts");

let page: Promise<unknown> | undefined;

/** Builds the web console and the player once per test worker; takes a fraction of a second if they are up to date. */
function builtPage(): Promise<unknown> {
  page ??= Promise.all([consoleOrLast(), buildPlayer(), buildFleet()]);
  return page;
}

/** A process that ended before it was ready. */
export class HubDidNotStart extends Error {
  override readonly name = "HubDidNotStart";
  readonly status: number | NodeJS.Signals;
  readonly stderr: readonly string[];

  constructor(status: number | NodeJS.Signals, stderr: readonly string[]) {
    super(`The hub ended with ${status} before it was ready: ${stderr.join("\n")}`);
    this.status = status;
    this.stderr = stderr;
  }
}

/** The hub ends when its standard input closes, so that it does not outlive tests that were killed. */
const DIE_WITH_PARENT = `data:text/javascript,process.stdin.resume().on("end",()=>process.kill(process.pid,"SIGKILL"))`;

export class HubProcess {
  readonly #environment: Environment;
  readonly #launcher: Launcher;
  #running: Running;

  private constructor(environment: Environment, launcher: Launcher, running: Running) {
    this.#environment = environment;
    this.#launcher = launcher;
    this.#running = running;
  }

  /** @throws {HubDidNotStart} */
  static async start(environment: Environment, launcher: Launcher = []): Promise<HubProcess> {
    return new HubProcess(environment, launcher, await run(environment, launcher));
  }

  /** `http://127.0.0.1:…`; stays the same over restarts. */
  get origin(): string {
    return this.#running.url;
  }

  get pid(): number {
    return this.#running.pid;
  }

  /** Lines on standard output so far; the first one reports that the hub is ready. */
  get stdout(): readonly string[] {
    return this.#running.stdout;
  }

  /** Lines on standard error so far, which are the log. */
  get stderr(): readonly string[] {
    return this.#running.stderr;
  }

  /** Settles when the process has ended, with its exit status or the signal that ended it. */
  get exited(): Promise<number | NodeJS.Signals> {
    return this.#running.exited;
  }

  /** Sends SIGTERM and waits. @returns the exit status or the signal */
  stop(): Promise<number | NodeJS.Signals> {
    return this.#end("SIGTERM");
  }

  /** Sends SIGKILL, like a power loss of the machine. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  /** Suspends the process until `resume`, like a machine that lost its network. */
  pause(): void {
    process.kill(this.pid, "SIGSTOP");
  }

  resume(): void {
    process.kill(this.pid, "SIGCONT");
  }

  /** Restarts an ended process on the same port. */
  async restart(): Promise<void> {
    await this.exited;
    const environment = { ...this.#environment, SVC_HUB_PORT: new URL(this.origin).port };
    this.#running = await run(environment, this.#launcher);
  }

  /** Waits for the first log line from index `from` on that matches; rejects if the process ends first. */
  waitForLine(pattern: RegExp, from = 0): Promise<string> {
    return this.#running.waitForLine(pattern, from);
  }

  #end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals> {
    this.#running.child.kill(signal);
    return this.exited;
  }
}

interface Running {
  readonly child: ChildProcess;
  readonly url: string;
  readonly pid: number;
  readonly stdout: readonly string[];
  readonly stderr: readonly string[];
  readonly exited: Promise<number | NodeJS.Signals>;
  readonly waitForLine: (pattern: RegExp, from: number) => Promise<string>;
}

async function run(environment: Environment, launcher: Launcher): Promise<Running> {
  await builtPage();
  const node = [process.execPath, "--import", DIE_WITH_PARENT, LAUNCHER, MAIN];
  const [command, ...args] = [...launcher, ...node];
  const child = spawn(`${command}`, args, {
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...withoutHub(process.env), ...environment },
  });
  const exited = new Promise<number | NodeJS.Signals>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (status, signal) => resolve(status ?? signal ?? -1));
  });
  const stdout: string[] = [];
  const log = new Log(exited);
  createInterface(child.stderr).on("line", (line) => log.add(line));
  const output = createInterface(child.stdout).on("line", (line) => stdout.push(line));
  const ready = new Promise<string>((resolve) => output.once("line", resolve));
  const line = await Promise.race([ready, exited]);
  if (typeof line !== "string" || !line.startsWith("{")) throw new HubDidNotStart(await exited, log.lines);
  const { url, pid } = JSON.parse(line);
  return {
    child,
    url,
    pid,
    stdout,
    stderr: log.lines,
    exited,
    waitForLine: (...wanted) => log.wait(...wanted),
  };
}

/** Removes the developer's own hub settings from the environment of the hub under test. */
function withoutHub(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith("SVC_HUB_")));
}

/** A process's lines on standard error, and callers that wait for more. */
class Log {
  readonly lines: string[] = [];
  readonly #exited: Promise<unknown>;
  readonly #waiting = new Set<() => void>();

  constructor(exited: Promise<unknown>) {
    this.#exited = exited;
  }

  add(line: string): void {
    this.lines.push(line);
    for (const look of [...this.#waiting]) look();
  }

  wait(pattern: RegExp, from: number): Promise<string> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const line = this.lines.slice(from).find((candidate) => pattern.test(candidate));
        if (line === undefined) return;
        this.#waiting.delete(look);
        resolve(line);
      };
      this.#waiting.add(look);
      look();
      this.#exited.then(
        () => reject(new Error(`Ended without a line like ${pattern}: ${this.lines.slice(-20).join("\n")}`)),
        reject,
      );
    });
  }
}
