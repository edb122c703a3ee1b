/**
 * Writes what editors need to know of the SDK: where the types of `"svc"` are, or `svc.h`. The paths are valid on this
 * machine only, so the file is not part of an app's sources; every build writes it anew.
 */
import path from "node:path";
import { replaceFile } from "../../tools/replace-file.js";
import { COMPILER_FLAGS } from "./c.js";

const sdk = path.dirname(import.meta.dirname);

/** An app's tsconfig.json extends it. */
const TYPESCRIPT_FILE = ".svc/tsconfig.json";
/** clangd looks for it. */
const C_FILE = "compile_flags.txt";

/** @param directory of the app */
export async function writeEditorFiles(directory: string, language: "assemblyscript" | "c"): Promise<void> {
  if (language === "c") await replaceFile(path.join(directory, C_FILE), `${COMPILER_FLAGS.join("\n")}\n`);
  else await replaceFile(path.join(directory, TYPESCRIPT_FILE), typescriptSettings());
}

function typescriptSettings(): string {
  const settings = {
    extends: path.join(sdk, "../node_modules/assemblyscript/std/assembly.json"),
    compilerOptions: { noEmit: true, paths: { svc: [path.join(sdk, "assemblyscript/svc.ts")] } },
  };
  return `${JSON.stringify(settings, undefined, 2)}\n`;
}
