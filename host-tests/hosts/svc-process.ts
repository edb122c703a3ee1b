/** A running `svc` and its output lines; with `--json` each line is an event. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";

const svc = path.join(import.meta.dirname, "../../cli/svc.js");

export interface SvcEvent {
  readonly event: string;
  readonly [field: string]: unknown;
}

type Fields = Readonly<Record<string, string | boolean | RegExp>>;

export class SvcProcess {
  readonly stdout: string[] = [];
  readonly stderr: string[] = [];
  readonly ended: Promise<number | NodeJS.Signals>;
  readonly #child: ChildProcess;
  #onLine: () => void = () => undefined;
  /** Index of the first line that no wait has consumed. */
  #next = 0;

  constructor(...args: readonly string[]) {
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("SVC_"));
    const env = { ...Object.fromEntries(inherited), NO_COLOR: "1" };
    const child = spawn(process.execPath, [svc, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
    createInterface(child.stdout).on("line", (line) => {
      this.stdout.push(line);
      this.#onLine();
    });
    createInterface(child.stderr).on("line", (line) => this.stderr.push(line));
    this.#child = child;
    this.ended = once(child, "close").then(([status, signal]) => status ?? signal);
  }

  /** Waits for the next line on standard output that fits, and consumes all lines up to it. */
  async line(fits: (line: string) => boolean): Promise<string> {
    const found = new Promise<string>((resolve) => {
      this.#onLine = () => {
        while (this.#next < this.stdout.length) {
          const line = this.stdout[this.#next++] as string;
          if (!fits(line)) continue;
          this.#onLine = () => undefined; // a further line of the same piece is for the next wait
          return resolve(line);
        }
      };
      this.#onLine();
    });
    const early = this.ended.then((status) => {
      const all = [...this.stdout, ...this.stderr].join("\n");
      throw new Error(`svc ended with ${status} before the expected line:\n${all}`);
    });
    const line = await Promise.race([found, early]);
    this.#onLine = () => undefined;
    return line;
  }

  /** Waits for the next event of this kind with these fields. */
  async event(event: string, fields: Fields = {}): Promise<SvcEvent> {
    const [found] = await this.events([event, fields]);
    return found as SvcEvent;
  }

  /** Waits for these events in any order: an answer of the console and a line of its log may overtake each other. */
  async events(
    ...wanted: readonly (readonly [event: string, fields: Fields])[]
  ): Promise<readonly SvcEvent[]> {
    const found = new Map<number, SvcEvent>();
    await this.line((line) => {
      const json: SvcEvent = JSON.parse(line);
      const at = wanted.findIndex((one, index) => !found.has(index) && isWanted(json, ...one));
      if (at >= 0) found.set(at, json);
      return found.size === wanted.length;
    });
    return wanted.map((_, at) => found.get(at) as SvcEvent);
  }

  /** Sends Ctrl-C. @returns the exit status */
  interrupt(): Promise<number | NodeJS.Signals> {
    this.#child.kill("SIGINT");
    return this.ended;
  }
}

function isWanted(json: SvcEvent, event: string, fields: Fields): boolean {
  return Object.entries<string | boolean | RegExp>({ event, ...fields }).every(([name, value]) =>
    value instanceof RegExp ? value.test(String(json[name])) : json[name] === value,
  );
}
