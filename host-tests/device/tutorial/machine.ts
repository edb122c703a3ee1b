/**
 * A machine to try the tutorial on: its own network namespace, with every port free and no other host, its own home
 * directory, and a fresh clone of the committed sources.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { missingLine } from "./page.js";

const root = path.join(import.meta.dirname, "../../..");

/** A command that a shell runs, and what it has written to both outputs. */
export class Terminal {
  readonly lines: string[] = [];
  readonly ended: Promise<number | NodeJS.Signals>;
  readonly #child: ChildProcess;
  #onLine: () => void = () => undefined;

  constructor(child: ChildProcess) {
    this.#child = child;
    for (const stream of [child.stdout, child.stderr])
      if (stream)
        createInterface(stream).on("line", (line) => {
          this.lines.push(line);
          this.#onLine();
        });
    this.ended = once(child, "close").then(([status, signal]) => status ?? signal);
  }

  /** Resolves once it has printed them in this order; rejects if it ends without. */
  async prints(expected: readonly string[]): Promise<void> {
    const printed = new Promise<void>((resolve) => {
      this.#onLine = () => missingLine(expected, this.lines) ?? resolve();
      this.#onLine();
    });
    const end = this.ended.then((status) => {
      const missing = missingLine(expected, this.lines);
      if (missing === undefined) return;
      throw new Error(`Ended with ${status} without "${missing}":\n${this.lines.join("\n")}`);
    });
    await Promise.race([printed, end]);
  }

  /** Ctrl-C. */
  async close(): Promise<void> {
    const { pid, exitCode, signalCode } = this.#child;
    if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, "SIGINT");
    await this.ended;
  }
}

export class Machine {
  /** The clone. */
  readonly project: string;
  readonly #directory: string;
  readonly #network: ChildProcess;
  readonly #terminals: Terminal[] = [];

  private constructor(directory: string, network: ChildProcess) {
    this.#directory = directory;
    this.#network = network;
    this.project = path.join(directory, "svc-console");
  }

  static async create(): Promise<Machine> {
    const set = "ip link set lo up && echo up && exec cat";
    const network = spawn("unshare", ["--net", "sh", "-c", set], { stdio: ["pipe", "pipe", "inherit"] });
    await once(network.stdout, "data"); // it lasts until its input is closed
    const machine = new Machine(mkdtempSync(path.join(tmpdir(), "tutorial-")), network);
    execFileSync("git", ["clone", "--quiet", root, machine.project]);
    symlinkSync(path.join(root, "node_modules"), path.join(machine.project, "node_modules"));
    mkdirSync(path.join(machine.#directory, "home"));
    return machine;
  }

  /** Has a shell in the clone run commands; it is closed with the machine. */
  start(commands: string): Terminal {
    const target = ["--target", String(this.#network.pid), "--net", "--"];
    const child = spawn("nsenter", [...target, "bash", "-e", "-c", commands], {
      cwd: this.project,
      detached: true, // a group of its own, as a shell makes one: Ctrl-C is for all of it
      env: this.#environment,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const terminal = new Terminal(child);
    this.#terminals.push(terminal);
    return terminal;
  }

  /** A file that the commands know by its path from the clone. */
  fileOf(name: string): string {
    return path.join(this.project, name);
  }

  async close(): Promise<void> {
    for (const terminal of this.#terminals.reverse()) await terminal.close();
    const gone = once(this.#network, "exit");
    this.#network.stdin?.end();
    await gone;
    rmSync(this.#directory, { recursive: true, force: true });
  }

  get #environment(): NodeJS.ProcessEnv {
    const inherited = Object.entries(process.env).filter(([name]) => !/^(?:SVC_|VITEST|NODE_ENV)/.test(name));
    const home = path.join(this.#directory, "home");
    const quiet = { NO_COLOR: "1", npm_config_update_notifier: "false", npm_config_offline: "true" };
    return {
      ...Object.fromEntries(inherited),
      ...quiet,
      HOME: home,
      XDG_CONFIG_HOME: path.join(home, ".config"),
    };
  }
}
