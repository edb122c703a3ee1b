/**
 * Builds apps in a worker thread. A compiler blocks its thread: requests to the console would be late, and time out.
 * The thread stays alive, which keeps the compilers warm.
 */
import { Worker } from "node:worker_threads";

/** @typedef {import("../../sdk/builder/build-app.js").BuiltApp} BuiltApp */
/** @typedef {{ built: BuiltApp } | { failure: Record<string, string | undefined> }} Answer */

export class BackgroundBuild {
  #worker = new Worker(new URL("./build-worker.js", import.meta.url));

  /**
   * One at a time.
   *
   * @param {string} directory
   * @returns {Promise<BuiltApp>}
   * @throws {Error} as `buildApp`, with the same fields
   */
  build(directory) {
    return new Promise((resolve, reject) => {
      const settle = () => {
        this.#worker.off("message", onAnswer);
        this.#worker.off("error", onError);
        this.#worker.off("exit", onExit);
      };
      const onAnswer = (/** @type {Answer} */ answer) => {
        settle();
        if ("built" in answer) resolve(answer.built);
        else reject(Object.assign(new Error(answer.failure["message"]), answer.failure));
      };
      const onError = (/** @type {unknown} */ error) => {
        settle();
        reject(error);
      };
      const onExit = () => onError(new Error("The build was given up"));
      this.#worker.on("message", onAnswer);
      this.#worker.on("error", onError);
      this.#worker.on("exit", onExit);
      this.#worker.postMessage(directory);
    });
  }

  /** What is under way is given up. May be called twice. */
  async close() {
    await this.#worker.terminate();
  }
}
