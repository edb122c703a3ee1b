/** Generates the reference page of the app ABI. */
import type { AbiFunction } from "../../device/wasm/abi.js";
import type { Tables } from "./c.js";

export function reference({
  ABI,
  ABI_ERRORS,
  ABI_MODULE,
  BUTTONS,
  CAPABILITIES,
  SOUND_SHAPES,
}: Tables): string {
  const groups = [undefined, ...CAPABILITIES.map(({ name }) => name)].map((capability) => {
    const functions = ABI.filter((abi) => abi.capability === capability);
    const heading = capability ? `\`${capability}\`` : "For every app";
    return `## ${heading}\n\n| Function | Meaning |\n|---|---|\n${functions.map(row).join("")}`;
  });
  const capabilities = CAPABILITIES.map(
    ({ name, constant, summary }, bit) => `| \`${name}\` | \`${constant}\` | ${bit} | ${summary} |\n`,
  );
  const errors = ABI_ERRORS.map(
    ({ constant, value, summary }) => `| ${value} | \`${constant}\` | ${summary} |\n`,
  );
  const buttons = BUTTONS.map((name, bit) => `| ${bit} | ${name} |\n`);
  const shapes = SOUND_SHAPES.map((name, number) => `| ${number} | ${name} |\n`);
  return `<!-- Made by \`npm run docs\` from device/wasm/abi.ts; do not edit. -->
# The app ABI

Functions that an app imports from the module \`${ABI_MODULE}\`. \`sdk/include/svc.h\` declares it for C,
\`sdk/assemblyscript/svc.ts\` for AssemblyScript, \`sdk/rust/svc.rs\` for Rust and \`sdk/zig/svc.zig\` for Zig.

Parameters are \`i32\`; the import's type may omit the result. Results below 0 are errors. Text is UTF-8. The
console first checks addresses and lengths against the app's memory: a range outside it ends the app, as does a
call without the required capability.

${groups.join("\n")}
## Capabilities

| Name | Constant | Bit | What it allows |
|---|---|---|---|
${capabilities.join("")}
## Errors

| Result | Constant | Meaning |
|---|---|---|
${errors.join("")}
## Buttons

| Bit | Button |
|---|---|
${buttons.join("")}
## Shapes of a wave

| Number | Shape |
|---|---|
${shapes.join("")}`;
}

function row({ name, parameters, result, summary }: AbiFunction): string {
  return `| \`${name}(${parameters.join(", ")}) -> ${result}\` | ${summary} |\n`;
}
