/** The worker thread of background-build.js: builds the requested directories in sequence. */
import { parentPort } from "node:worker_threads";
import { buildApp } from "../../sdk/builder/build-app.js";

parentPort?.on("message", async (/** @type {string} */ directory) => {
  try {
    parentPort?.postMessage({ built: await buildApp(directory) });
  } catch (error) {
    // Of an error's own fields, threads hand on none.
    const { name, code, message, advice, sources, said } = /** @type {Record<string, string>} */ (
      Object(error)
    );
    parentPort?.postMessage({ failure: { name, code, message, advice, sources, said } });
  }
});
