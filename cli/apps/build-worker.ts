/** The worker thread of background-build.ts: builds the requested directories in sequence. */
import { parentPort } from "node:worker_threads";
import { buildApp } from "../../sdk/builder/build-app.js";

parentPort?.on("message", async (directory: string) => {
  try {
    parentPort?.postMessage({ built: await buildApp(directory) });
  } catch (error) {
    // Messages between threads drop the custom fields of errors.
    const { name, code, message, advice, sources, said } = Object(error) as Record<string, string>;
    parentPort?.postMessage({ failure: { name, code, message, advice, sources, said } });
  }
});
