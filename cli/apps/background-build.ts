/**
 * Builds apps in a worker thread: a compiler blocks its thread, so requests to the console would time out. The thread
 * stays alive, which keeps the compilers loaded.
 */
import path from "node:path";
import { Worker } from "node:worker_threads";
import type { BuiltApp } from "../../sdk/builder/build-app.js";
import { LAUNCHER } from "../../tools/launcher.js";

type Answer = { built: BuiltApp } | { failure: Record<string, string | undefined> };

export class BackgroundBuild {
  #worker = new Worker(LAUNCHER, { argv: [path.join(import.meta.dirname, "build-worker.ts")] });

  /**
   * Builds an app; calls must not overlap.
   * @throws {Error} with the fields of the error that `buildApp` throws
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

  /** Cancels a running build. May be called twice. */
  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}
