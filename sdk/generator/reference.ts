/** The page of the reference on the app ABI. */
import type { AbiFunction } from "../../device/wasm/abi.js";
import type { Tables } from "./tables.js";

export function reference({ ABI, ABI_ERRORS, ABI_MODULE, BUTTONS, CAPABILITIES }: Tables): string {
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
  return `<!-- Made by \`npm run docs\` from device/wasm/abi.ts; do not edit. -->
# The app ABI

What an app imports from the module \`${ABI_MODULE}\`. \`sdk/include/svc.h\` declares it for C,
\`sdk/assemblyscript/svc.ts\` for AssemblyScript.

Parameters are \`i32\`; a result may be left out of the import's type. Results below 0 are errors. Text is
UTF-8. Addresses and lengths are checked against the app's memory first: what lies outside ends the app, as
does a call without its capability.

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
${buttons.join("")}`;
}

function row({ name, parameters, result, summary }: AbiFunction): string {
  return `| \`${name}(${parameters.join(", ")}) -> ${result}\` | ${summary} |\n`;
}
