/**
 * Builds apps in a worker thread. A compiler blocks its thread: requests to the console would be late, and time out.
 * The thread stays alive, which keeps the compilers warm.
 */
import path from "node:path";
import { Worker } from "node:worker_threads";
import type { BuiltApp } from "../../sdk/builder/build-app.js";
import { LAUNCHER } from "../../tools/launcher.js";

type Answer = { built: BuiltApp } | { failure: Record<string, string | undefined> };

export class BackgroundBuild {
  #worker = new Worker(LAUNCHER, { argv: [path.join(import.meta.dirname, "build-worker.ts")] });

  /**
   * One at a time.
   * @throws {Error} as `buildApp`, with the same fields
   */
  build(directory: string): Promise<BuiltApp> {
    return new Promise((resolve, reject) => {
      const settle = () => {
        this.#worker.off("message", onAnswer);
        this.#worker.off("error", onError);
        this.#worker.off("exit", onExit);
      };
      const onAnswer = (answer: Answer) => {
        settle();
        if ("built" in answer) resolve(answer.built);
        else reject(Object.assign(new Error(answer.failure["message"]), answer.failure));
      };
      const onError = (error: unknown) => {
        settle();
        reject(error);
      };
      const onExit = () => onError(new Error("Build cancelled"));
      this.#worker.on("message", onAnswer);
      this.#worker.on("error", onError);
      this.#worker.on("exit", onExit);
      this.#worker.postMessage(directory);
    });
  }

  /** What is under way is given up. May be called twice. */
  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}
