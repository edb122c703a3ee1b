/**
 * Builds apps in a worker thread: a compiler blocks its thread, so requests to the console would time out. The thread
 * stays alive, which keeps the compilers loaded. Compilers may end it: by a crash, by an exit, or for lack of memory. That ends one
 * build, and the next one has a new thread (docs/spec/cli.md#app-dev).
 */
import path from "node:path";
import { Worker } from "node:worker_threads";
import type { BuiltApp } from "../../sdk/builder/build-app.js";
import { SdkError } from "../../sdk/sdk-error.js";
import { LAUNCHER } from "../../tools/launcher.js";

type Answer = { built: BuiltApp } | { failure: Record<string, string | undefined> };

interface RunningBuild {
  resolve(built: BuiltApp): void;
  reject(error: Error): void;
}

export class BackgroundBuild {
  readonly #program: string;
  #worker: Worker | undefined;
  #running: RunningBuild | undefined;

  /** @param program of the thread; answers each message, a directory, by an {@link Answer} */
  constructor(program = path.join(import.meta.dirname, "build-worker.ts")) {
    this.#program = program;
    this.#worker = this.#start(); // now, since it loads for as long as svc searches for the console
  }

  /**
   * Builds an app; calls must not overlap.
   * @throws {Error} with the fields of the error that `buildApp` throws; `compile_failed` if the thread ends
   */
  build(directory: string): Promise<BuiltApp> {
    return new Promise((resolve, reject) => {
      this.#running = { resolve, reject };
      this.#worker ??= this.#start();
      this.#worker.postMessage(directory);
    });
  }

  /** Cancels a running build. May be called twice. */
  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(LAUNCHER, { argv: [this.#program] });
    let cause: unknown;
    worker.on("message", (answer: Answer) => this.#take(answer));
    // An error can overtake the answer that was sent before it; the exit that follows it comes after all messages.
    worker.on("error", (error) => {
      cause = error;
    });
    worker.on("exit", () => this.#lose(worker, cause));
    return worker;
  }

  #take(answer: Answer): void {
    const running = this.#running;
    this.#running = undefined;
    if ("built" in answer) running?.resolve(answer.built);
    else running?.reject(Object.assign(new Error(answer.failure["message"]), answer.failure));
  }

  #lose(worker: Worker, cause: unknown): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    const running = this.#running;
    this.#running = undefined;
    const reason = cause instanceof Error ? `: ${cause.message}` : "";
    running?.reject(
      new SdkError("compile_failed", `The compiler ended without an answer${reason}`, { cause }),
    );
  }
}
