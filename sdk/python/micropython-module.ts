/**
 * MicroPython's module, from the package `@micropython/micropython-webassembly-pyscript`, for passes that change it. It
 * has no names of its functions. The ones that are needed are found from its exports and imports, by what they call;
 * where the module of another version is different, finding fails with a message.
 */
import { readFileSync } from "node:fs";
import binaryen from "binaryen";

/** Name of the global with the stack pointer, as binaryen's pass `spill-pointers` expects it. */
export const STACK_POINTER = "__stack_pointer";

const { Features } = binaryen;
/** What consoles support (docs/spec/app-packages.md#features). */
export const FEATURES =
  Features.MutableGlobals |
  Features.SignExt |
  Features.NontrappingFPToInt |
  Features.BulkMemory |
  Features.BulkMemoryOpt;

/** The module has a form that the passes do not know. */
export class UnknownModuleError extends Error {}

export class MicroPython {
  readonly module: binaryen.Module;
  readonly table: string;
  /** Imported names by the names within the module. */
  private readonly imports: ReadonlyMap<string, string>;
  private readonly entries: readonly (string | undefined)[];

  /** @param file `micropython.wasm` */
  constructor(file: string) {
    this.module = readModule(file);
    this.imports = new Map(this.functions().flatMap(({ name, base }) => (base ? [[name, base]] : [])));
    const segment = binaryen.getElementSegmentInfo(this.module.getElementSegmentByIndex(0));
    this.table = segment.table;
    this.entries = [...Array(constantOf(segment.offset) ?? 0), ...segment.data];
  }

  private functions(): binaryen.FunctionInfo[] {
    return Array.from({ length: this.module.getNumFunctions() }, (_, index) =>
      binaryen.getFunctionInfo(this.module.getFunctionByIndex(index)),
    );
  }

  /** Names of the functions that are not imported. */
  ownFunctions(): string[] {
    return this.functions().flatMap(({ name, base }) => (base ? [] : [name]));
  }

  /** What the function is called in the module that it is imported from; `undefined` for the module's own. */
  importName(name: string): string | undefined {
    return this.imports.get(name);
  }

  /** Name within the module of an imported function. */
  importNamed(base: string): string {
    return found([...this.imports].find(([, imported]) => imported === base)?.[0], `the import "${base}"`);
  }

  /** Name within the module of an exported function. */
  exportNamed(name: string): string {
    const exported = this.module.getExport(name);
    if (!exported) throw new UnknownModuleError(`Cannot find the export "${name}" of MicroPython's module`);
    return binaryen.getExportInfo(exported).value;
  }

  /** The function in the table that a constant names; `undefined` where the index is no constant. */
  tableEntry(index: number): string | undefined {
    const constant = constantOf(index);
    return constant === undefined ? undefined : this.entries[constant];
  }

  /** Text of a function's body, in one line, without the name of the memory. */
  textOf(name: string): string {
    return binaryen
      .emitText(binaryen.getFunctionInfo(this.module.getFunction(name)).body)
      .replace(/\s+/g, " ")
      .replace(/ (?=\))| $/g, "")
      .replace(/((?:load|store)\w*) \$\w+/g, "$1");
  }

  /** Names of the functions with a body like this. */
  functionsLike(pattern: RegExp): string[] {
    return this.ownFunctions().filter((name) => pattern.test(this.textOf(name)));
  }

  /** Gives a function another body, without locals. */
  define(name: string, body: number): void {
    const { params, results } = binaryen.getFunctionInfo(this.module.getFunction(name));
    this.module.removeFunction(name);
    this.module.addFunction(name, params, results, [], body);
  }
}

function constantOf(expression: number): number | undefined {
  if (binaryen.getExpressionId(expression) !== binaryen.ConstId) return undefined;
  return (binaryen.getExpressionInfo(expression) as binaryen.ConstInfo).value as number;
}

/** @throws {UnknownModuleError} where there is no value */
export function found<Value>(value: Value | undefined, what: string): Value {
  if (value === undefined) throw new UnknownModuleError(`Cannot find ${what} in MicroPython's module`);
  return value;
}

/**
 * The first global is the stack pointer (Emscripten's linker). binaryen gives globals names only when it writes and
 * reads text.
 */
function readModule(file: string): binaryen.Module {
  const unnamed = binaryen.readBinaryWithFeatures(readFileSync(file), FEATURES);
  const text = unnamed
    .emitText()
    .replaceAll(/\$global\$0\b/g, `$${STACK_POINTER}`)
    .replaceAll('(import "wasi_snapshot_preview1"', '(import "env"');
  unnamed.dispose();
  const module = binaryen.parseText(text);
  module.setFeatures(FEATURES);
  return module;
}
