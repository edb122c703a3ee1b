/** A thread of background-build.ts that ends in the way that its message names; `build` is answered. */
import { parentPort } from "node:worker_threads";

const ENDINGS: Readonly<Record<string, () => void>> = {
  exits: () => process.exit(1),
  throws: () => {
    throw new Error("not expected");
  },
  "rejects a promise": () => void Promise.reject(new Error("not expected")),
  "ends after its answer": () => {
    answer();
    setImmediate(() => process.exit(1));
  },
  "throws after its answer": () => {
    answer();
    setImmediate(() => ENDINGS["throws"]?.());
  },
};

function answer(): void {
  parentPort?.postMessage({ built: "built" });
}

parentPort?.on("message", (word: string) => (ENDINGS[word] ?? answer)());
