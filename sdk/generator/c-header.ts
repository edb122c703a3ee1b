/** The header for apps in C: `clang --target=wasm32` with `-I sdk/include`. */
import type { AbiFunction } from "../../device/wasm/abi.js";
import type { Tables } from "./tables.js";

export function cHeader({ ABI, ABI_ERRORS, ABI_MODULE, BUTTONS, CAPABILITIES }: Tables): string {
  const capabilities = CAPABILITIES.map(
    ({ constant, summary }, bit) => `#define ${constant} (1 << ${bit}) /* ${summary} */`,
  );
  const errors = ABI_ERRORS.map(
    ({ constant, value, summary }) => `#define ${constant} (${value}) /* ${summary}. */`,
  );
  const buttons = BUTTONS.map((name, bit) => `#define SVC_BUTTON_${name.toUpperCase()} (1 << ${bit})`);
  return `/*
 * What apps can ask of the console. Made by \`npm run docs\` from device/wasm/abi.ts; do not edit.
 *
 * Results below 0 are errors (SVC_ERROR_*). Text is UTF-8 and needs no zero at its end. A call without the
 * capability that it needs, or with memory that is not the app's, ends the app.
 */
#ifndef SVC_H
#define SVC_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SVC_IMPORT(name) __attribute__((import_module("${ABI_MODULE}"), import_name(#name)))

/* Functions that the console calls by name. */
#define SVC_EXPORT(name) __attribute__((export_name(#name)))

${capabilities.join("\n")}

${errors.join("\n")}

/* Bits of svc_buttons(). */
${buttons.join("\n")}

${ABI.map(declaration).join("\n\n")}

#ifdef __cplusplus
}
#endif

#endif
`;
}

function declaration(abi: AbiFunction): string {
  const needs = abi.capability ? ` Needs ${abi.capability}.` : "";
  const type =
    abi.name === "exit"
      ? "__attribute__((noreturn)) void"
      : `${abi.result === "i64" ? "int64_t" : "int32_t"}`;
  const parameters = abi.parameters.map((name) => `${parameterType(abi, name)}${name}`).join(", ");
  return `/* ${abi.summary}${needs} */
SVC_IMPORT(${abi.name}) ${type} svc_${abi.name}(${parameters || "void"});`;
}

function parameterType(abi: AbiFunction, parameter: string) {
  const range = abi.bytes?.find(({ pointer }) => pointer === parameter);
  if (!range) return "int32_t ";
  return range.access === "read" ? "const void *" : "void *";
}
