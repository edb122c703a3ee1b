/** The example apps, for their tests. */
import path from "node:path";
import { compileApp } from "../../../sdk/builder/build-app.js";

/** Compiling takes a second or two, and many times that on a machine that is busy. */
export const COMPILE_TIMEOUT_MS = 60_000;

export async function compileExample(name: string): Promise<Uint8Array> {
  const app = await compileApp(path.join(import.meta.dirname, "../../../sdk/examples", name));
  return app.module;
}
