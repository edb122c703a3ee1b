/** Compiles a part of the home screen with exports for a test. */
import path from "node:path";
import { compileHomeModule } from "../../../tools/home-app.js";
import { type Imports, instantiate, type WasmMemory } from "../sdk/web-assembly.js";

const root = path.join(import.meta.dirname, "../../..");

export type ModuleExports = Readonly<Record<string, (...args: number[]) => number>> & {
  readonly memory: WasmMemory;
};

/** @param name of a file in `modules` */
export async function loadPart(name: string, svc: Imports[string] = {}): Promise<ModuleExports> {
  const module = await compileHomeModule(root, `host-tests/unit/home/modules/${name}.ts`);
  const missing = () => {
    throw new Error("This part calls nothing of the console but what the test gives");
  };
  const everything = new Proxy(svc, { get: (functions, name) => functions[String(name)] ?? missing });
  return instantiate(module, { svc: everything }) as unknown as ModuleExports;
}
