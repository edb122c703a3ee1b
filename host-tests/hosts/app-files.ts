/** Builds WebAssembly modules from text, and packages from a module and manifest fields. */
import wabt from "wabt";
import { type PackageContents, writePackage } from "../../protocol/package/package-writer.js";

let loaded: ReturnType<typeof wabt> | undefined;

/** Assembles WebAssembly text. The module keeps its function names, so that trap messages show them. */
export async function moduleOf(text: string): Promise<Uint8Array> {
  loaded ??= wabt();
  const parsed = (await loaded).parseWat("app.wat", text, { bulk_memory: true, multi_value: true });
  try {
    parsed.resolveNames();
    return parsed.toBinary({ write_debug_names: true }).buffer;
  } finally {
    parsed.destroy();
  }
}

export interface TestManifest {
  readonly name: string;
  readonly version: string;
  readonly capabilities: readonly string[];
  readonly memory_quota: number;
  readonly [field: string]: unknown;
}

export function manifestOf(fields: Partial<TestManifest> = {}): TestManifest {
  return { name: "tetris", version: "1.0.0", capabilities: [], memory_quota: 65536, ...fields };
}

/** Writes a package of `module` with the default test manifest, changed by `fields`. */
export function packageOf(
  module: Uint8Array,
  fields: Partial<TestManifest> = {},
  icon?: Uint8Array,
  variants?: PackageContents["variants"],
): Uint8Array {
  const manifest = new TextEncoder().encode(JSON.stringify(manifestOf(fields)));
  return writePackage({ module, manifest, ...(icon && { icon }), ...(variants && { variants }) });
}
