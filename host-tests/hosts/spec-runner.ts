/** Drives build/<variant>/spec-runner (host-tests/native/spec-runner.c): one command per line, one answer per line. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { buildSpecRunner } from "../../simulator/build.js";
import { usualVariant, type Variant } from "./simulator.js";

export class SpecRunner {
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #waiting: ((line: string) => void)[] = [];
  #modules = 0;

  private constructor(executable: string) {
    this.#process = spawn(executable, { stdio: ["pipe", "pipe", "pipe"] });
    this.#process.stderr.pipe(process.stderr);
    createInterface(this.#process.stdout).on("line", (line) => this.#waiting.shift()?.(line));
    this.#process.once("close", (status, signal) => {
      for (const settle of this.#waiting) settle(`died ${status ?? signal}`);
    });
  }

  /** @param isBare use wasm3 without the engine's additions */
  static async start({
    isBare = false,
    variant = usualVariant,
  }: {
    isBare?: boolean;
    variant?: Variant;
  } = {}): Promise<SpecRunner> {
    return new SpecRunner(await buildSpecRunner({ variant, isBare }));
  }

  /** @returns the module's number, and `ok`, `trap …` or `error …` */
  async load(file: string): Promise<{ readonly id: number; readonly answer: string }> {
    const id = this.#modules++;
    return { id, answer: await this.#ask(`load ${id} ${encoded(file)}`) };
  }

  /** @param bits the arguments as bit patterns */
  invoke(id: number, name: string, bits: readonly bigint[]): Promise<string> {
    return this.#ask(["invoke", id, encoded(name), ...bits.map((value) => value.toString(16))].join(" "));
  }

  get(id: number, name: string): Promise<string> {
    return this.#ask(`get ${id} ${encoded(name)}`);
  }

  /** Returns the name that the engine shows for a function in the stack trace of a trap. */
  async nameOf(id: number, functionIndex: number): Promise<Buffer> {
    const answer = await this.#ask(`name ${id} ${encoded(String(functionIndex))}`);
    return Buffer.from(answer.slice("ok ".length), "hex");
  }

  stop(): Promise<number | null> {
    this.#process.stdin.end();
    return new Promise((resolve) => this.#process.once("close", resolve));
  }

  #ask(command: string): Promise<string> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#process.stdin.write(`${command}\n`);
    });
  }
}

function encoded(text: string): string {
  return `x${Buffer.from(text).toString("hex")}`;
}
