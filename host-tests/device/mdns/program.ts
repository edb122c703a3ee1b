/** A process that a test started: its lines as they come, and its end. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

export class Program {
  readonly lines: string[] = [];
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  readonly #watchers = new Set<() => void>();

  /** Starts `file`; both of its outputs are read. */
  constructor([file, parameters]: [string, string[]], environment: NodeJS.ProcessEnv = process.env) {
    this.#child = spawn(file, parameters, { stdio: ["ignore", "pipe", "pipe"], env: environment });
    this.#exited = once(this.#child, "close");
    for (const stream of [this.#child.stdout, this.#child.stderr])
      if (stream) createInterface(stream).on("line", (line) => this.#add(line));
  }

  /** The first line that matches, waited for. @throws {Error} where the program ends without */
  line(pattern: RegExp): Promise<string> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const line = this.lines.find((candidate) => pattern.test(candidate));
        if (line === undefined) return;
        this.#watchers.delete(look);
        resolve(line);
      };
      this.#watchers.add(look);
      look();
      this.#exited.then(() => reject(new Error(`Ended without ${pattern}: ${this.lines.join("\n")}`)));
    });
  }

  /** SIGTERM, and waits for the end. */
  async stop(): Promise<void> {
    this.#child.kill("SIGTERM");
    await this.#exited;
  }

  /** Waits for the end. @returns all lines */
  async output(): Promise<string[]> {
    await this.#exited;
    return this.lines;
  }

  #add(line: string): void {
    this.lines.push(line);
    for (const look of [...this.#watchers]) look();
  }
}
