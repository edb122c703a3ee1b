/**
 * The bindings for apps in AssemblyScript: each function as it is in the namespace `raw`, and beside it one
 * that takes strings and arrays where the ABI takes addresses and lengths.
 */
import type { AbiFunction, MemoryRange } from "../../device/wasm/abi.js";
import type { Tables } from "./tables.js";

export function assemblyScript({ ABI, ABI_ERRORS, ABI_MODULE, BUTTONS }: Tables): string {
  return `/**
 * What apps can ask of the console. Made by \`npm run docs\` from device/wasm/abi.ts; do not edit.
 *
 * Results below 0 are errors (\`Errno\`). A call without the capability that it needs ends the app.
 */

export enum Errno {
${ABI_ERRORS.map(({ constant, value, summary }) => `  /** ${summary}. */\n  ${constant.replace("SVC_ERROR_", "")} = ${value},`).join("\n")}
}

export enum LogLevel {
  DEBUG = 0,
  INFO = 1,
  WARNING = 2,
  ERROR = 3,
}

/** Bits of \`buttons()\`. */
export enum Button {
${BUTTONS.map((name, bit) => `  ${name.toUpperCase()} = 1 << ${bit},`).join("\n")}
}

/** The functions as they are, with addresses in the app's memory. */
export namespace raw {
${ABI.map((abi) => imported(abi, ABI_MODULE)).join("\n\n")}
}

${ABI.map(wrapper).join("\n\n")}
`;
}

function imported({ name, parameters, bytes, result }: AbiFunction, module: string): string {
  const pointers = new Set((bytes ?? []).map(({ pointer }) => pointer));
  const types = parameters.map((parameter) => `${parameter}: ${pointers.has(parameter) ? "usize" : "i32"}`);
  return `  @external("${module}", "${name}")
  export declare function ${name}(${types.join(", ")}): ${result};`;
}

function wrapper(abi: AbiFunction): string {
  const ranges = abi.bytes ?? [];
  const byteLengths = new Set(ranges.filter(isBytes).flatMap(({ length }) => length));
  const parameters = abi.parameters
    .filter((name) => !byteLengths.has(name))
    .map((name) => `${localOf(abi, name)}: ${typeOf(abi, name)}`);
  const encodings = ranges
    .filter(({ isText }) => isText)
    .map(
      (range) =>
        `  const ${localOf(abi, range.pointer)}Utf8 = String.UTF8.encode(${localOf(abi, range.pointer)});\n`,
    );
  const values = abi.parameters.map((name) => argumentOf(abi, name));
  const needs = abi.capability ? ` Needs \`${abi.capability}\`.` : "";
  return `/** ${abi.summary}${needs} */
export function ${camelCase(abi.name)}(${parameters.join(", ")}): ${abi.result} {
${checks(abi)}${encodings.join("")}  return raw.${abi.name}(${values.join(", ")});
}`;
}

/** An array that is shorter than the call would read must not be read past its end. */
function checks({ bytes = [] }: AbiFunction): string {
  return bytes
    .filter((range) => !isBytes(range))
    .map(
      ({ length }) =>
        `  if (${length.map((name) => `${name} > 0`).join(" && ")} && i64(${length.join(") * i64(")}) > i64(pixels.length)) return Errno.INVALID;\n`,
    )
    .join("");
}

function isBytes({ unitBytes = 1 }: MemoryRange): boolean {
  return unitBytes === 1;
}

function nameOf(abi: AbiFunction, name: string): string {
  const range = abi.bytes?.find(({ pointer }) => pointer === name);
  if (!range || name !== "ptr") return name;
  if (range.isText) return "text";
  if (!isBytes(range)) return "pixels";
  return range.access === "write" ? "into" : "bytes";
}

function typeOf(abi: AbiFunction, name: string) {
  const range = abi.bytes?.find(({ pointer }) => pointer === name);
  if (!range) return "i32";
  if (range.isText) return "string";
  return isBytes(range) ? "Uint8Array" : "Uint16Array";
}

function argumentOf(abi: AbiFunction, name: string): string {
  const pointed = abi.bytes?.find(({ pointer }) => pointer === name);
  const measured = abi.bytes?.find((range) => isBytes(range) && range.length.includes(name));
  const local = localOf(abi, (pointed ?? measured)?.pointer ?? name);
  if (pointed) return pointed.isText ? `changetype<usize>(${local}Utf8)` : `${local}.dataStart`;
  if (!measured) return camelCase(name);
  return measured.isText ? `${local}Utf8.byteLength` : `${local}.byteLength`;
}

function localOf(abi: AbiFunction, name: string): string {
  return camelCase(nameOf(abi, name));
}

function camelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
}
