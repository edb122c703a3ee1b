/** What the code of a console may not use: names that only Node has, and syntax that the older XS does not know. */
import { readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { type TransformOptions, transform } from "esbuild";

/** Names that Node, or a browser, has and a console has not. */
const FOREIGN_NAMES: readonly string[] = [
  ...["Buffer", "process", "require", "module", "exports", "global", "__dirname", "__filename"],
  ...["setTimeout", "setInterval", "setImmediate", "clearTimeout", "clearInterval", "queueMicrotask"],
  ...["console", "performance", "fetch", "URL", "URLSearchParams", "structuredClone", "crypto", "Intl"],
  ...["window", "document", "navigator", "atob", "btoa", "AbortController", "Event", "WebAssembly"],
];

const MARK = "FOREIGN_NAME_";
/** esbuild puts these in the place of names that are free: of no property, and of nothing that the module declares. */
const MARKED = Object.fromEntries(FOREIGN_NAMES.map((name) => [name, MARK + name]));

const NODE_MODULES: readonly string[] = builtinModules;
/** The compiler for a console lowers `using` in TypeScript; JavaScript is used unchanged. */
const LOWERED = { using: false };

const read = (file: string, options: TransformOptions) =>
  transform(readFileSync(file, "utf8"), { loader: file.endsWith(".ts") ? "ts" : "js", ...options });

/** @returns what of Node's a file uses, or imports, types included */
export async function foreignNames(file: string): Promise<readonly string[]> {
  const { code } = await read(file, { define: MARKED });
  const names = [...code.matchAll(new RegExp(`${MARK}(\\w+)`, "g"))].map(([, name]) => name as string);
  return [...new Set([...names, ...importsOf(file).filter(isOfNode)])];
}

const isOfNode = (specifier: string) => specifier.startsWith("node:") || NODE_MODULES.includes(specifier);

const IMPORTS: readonly RegExp[] = [
  /^(?:import|export)\b[\w\s{},*$]*?\bfrom\s*["']([^"']+)["']/gm,
  /^import\s*["']([^"']+)["']/gm,
  /\bimport\(\s*["']([^"']+)["']/g,
];

/** Every specifier that a file imports from, for values or for types. */
export function importsOf(file: string): readonly string[] {
  const text = readFileSync(file, "utf8");
  return IMPORTS.flatMap((pattern) =>
    [...text.matchAll(pattern)].map(([, specifier]) => specifier as string),
  );
}

/** Whether a file has syntax newer than ES2022 once its types are erased. */
export async function hasNewSyntax(file: string): Promise<boolean> {
  const supported = file.endsWith(".ts") ? LOWERED : {};
  const compile = (target: string) => read(file, { target, supported, logLevel: "silent" });
  try {
    const [old, newest] = await Promise.all([compile("es2022"), compile("esnext")]);
    return old.code !== newest.code || old.warnings.length > newest.warnings.length;
  } catch {
    return true; // there is no way to say it in ES2022
  }
}

/**
 * @returns fields and private methods of classes over C, as `Class.#name`: the SDK's XS, which makes the object in C,
 *   gives it none, and to use one throws. Ours gives it some.
 */
export function fieldsOfNatives(file: string): readonly string[] {
  const classes = readFileSync(file, "utf8").split(/^(?=(?:export default )?class )/m);
  return classes.flatMap((text) => {
    const name = /^(?:export default )?class (\w+) extends Native\(/.exec(text)?.[1];
    const body = text.split(/^\}/m)[0] ?? "";
    const fields = [...body.matchAll(/^ {2}(#\w+|\w+(?= =|;))/gm)].map((match) => `${name}.${match[1]}`);
    return name === undefined ? [] : fields;
  });
}
