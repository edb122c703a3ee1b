/** Takes a module that another toolchain has made. Whoever packs it checks it as a console does. */
import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { Fault } from "../../protocol/fault.js";
import { FILE_KIND_BYTES, fileKindOf } from "../../protocol/file-kind.js";
import { withoutCustomSections } from "../../protocol/module-file.js";

/** Information for debuggers, which is not packed, may be many times as large as the code. */
const FILE_LIMIT_BYTES = 256 * 1024 * 1024;

/**
 * @returns the module without a manifest: the one beside it counts; and the source map beside it, if there is one
 * @throws {Fault} `module_invalid`, `file_too_large`
 */
export async function readyModule(file: string): Promise<{ module: Uint8Array; sourceMap?: string }> {
  const { size } = await stat(file);
  if (size > FILE_LIMIT_BYTES)
    throw new Fault("file_too_large", `Cannot use "${path.basename(file)}": it has ${size} bytes`);
  const module = await readFile(file);
  if (fileKindOf(module.subarray(0, FILE_KIND_BYTES)) !== "module")
    throw new Fault(
      "module_invalid",
      `Cannot use "${path.basename(file)}": it does not begin as a WebAssembly module does`,
    );
  const sourceMap = await readFile(`${file}.map`, "utf8").catch(() => undefined);
  return {
    module: withoutCustomSections(module, (name) => name === "svc_manifest"),
    ...(sourceMap !== undefined && { sourceMap }),
  };
}
