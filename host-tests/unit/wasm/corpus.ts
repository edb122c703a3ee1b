/** The WebAssembly core test suite and wasm3's own modules, where `../shared/testdata` is. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { isMissing } from "../../hosts/peers.js";

const ROOT = path.join(import.meta.dirname, "../../../../shared/testdata");

export interface CorpusModule {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export type ScriptCommand = {
  readonly type: string;
  readonly line: number;
  readonly filename?: string;
  readonly module_type?: string;
  readonly name?: string;
  readonly as?: string;
  readonly text?: string;
  readonly action?: ScriptAction;
  readonly expected?: readonly ScriptValue[];
};

export interface ScriptAction {
  readonly type: string;
  readonly module?: string;
  readonly field: string;
  readonly args?: readonly ScriptValue[];
}

export interface ScriptValue {
  readonly type: string;
  readonly value?: string;
}

export interface Script {
  readonly name: string;
  readonly directory: string;
  readonly commands: readonly ScriptCommand[];
}

export const isCorpusMissing = isMissing("testdata");

function filesBelow(directory: string, extension: string): string[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(extension))
    .map((file) => path.join(directory, file))
    .sort();
}

export function readModule(file: string): CorpusModule {
  return { name: path.relative(ROOT, file), bytes: Uint8Array.from(readFileSync(file)) };
}

export function readCorpus(): readonly CorpusModule[] {
  return ["wasm-core-testsuite", "wasm3"]
    .flatMap((part) => filesBelow(path.join(ROOT, part), ".wasm"))
    .map(readModule);
}

export function readScripts(): readonly Script[] {
  return filesBelow(path.join(ROOT, "wasm-core-testsuite"), ".json").map((file) => ({
    name: path.relative(ROOT, file),
    directory: path.dirname(file),
    commands: (JSON.parse(readFileSync(file, "utf8")) as { commands: ScriptCommand[] }).commands,
  }));
}
