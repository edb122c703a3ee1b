/**
 * C that compiles only if facts hold (facts/fact.ts): an assertion for each, on a line of its own, so that a compiler's
 * complaint names the fact. It has to be compiled with optimization: the values of initializers are compared by code that
 * is only left out if they are equal.
 */
import type { Fact, Header, Members } from "./facts/fact.js";

export interface Probe {
  readonly text: string;
  /** By line of `text`, which is counted from 1. */
  readonly facts: ReadonlyMap<number, Fact>;
}

/** What has to be included before a header, which does not include it itself. */
const NEEDED: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ...["idf_additions", "portmacro", "projdefs", "queue", "semphr", "task"].map((name): [string, string[]] => [
    `freertos/${name}.h`,
    ["freertos/FreeRTOS.h"],
  ]),
  ["driver/i2s_common.h", ["driver/i2s_std.h"]],
  ["esp_netif_defaults.h", ["esp_netif.h"]],
]);

/** @param facts those of the header that hold for the release and chip */
export function probeOf(header: Header, facts: readonly Fact[]): Probe {
  const lines = [
    "#include <stddef.h>",
    "#include <stdint.h>",
    "#include <stdbool.h>",
    "#include <stdarg.h>",
    "#include <time.h>",
    "#include <sys/types.h>",
    ...(NEEDED.get(header.name) ?? []).map((name) => `#include "${name}"`),
    `#include "${header.name}"`,
    'void probe_differs(void) __attribute__((error("differs")));',
  ];
  const byLine = new Map<number, Fact>();
  for (const fact of facts)
    for (const line of linesOf(fact)) {
      lines.push(line);
      byLine.set(lines.length, fact);
    }
  return { text: `${lines.join("\n")}\n`, facts: byLine };
}

const holds = (condition: string) => `_Static_assert(${condition}, "differs");`;
const isType = (expression: string, type: string) =>
  holds(`__builtin_types_compatible_p(__typeof__(${expression}), __typeof__(${type}))`);

let count = 0;

function linesOf(fact: Fact): string[] {
  const { name } = fact;
  switch (fact.kind) {
    case "call":
      return [isType(name, fact.type.replace(" __attribute__((noreturn))", ""))];
    case "object":
      return [isType(name, fact.type)];
    case "type":
      return [isType(name, fact.type)];
    case "record":
      return [holds(`sizeof(${name}) == ${fact.bytes}`), ...memberLines(`((${name} *)0)->`, fact.members)];
    case "choice":
      return Object.entries(fact.values).map(([value, number]) => holds(`${value} == ${number}`));
    case "constant":
      return [
        holds(`(long long)(${name}) == ${fact.value}`),
        ...(fact.type ? [isType(name, fact.type)] : []),
      ];
    case "text":
      return [holds(`__builtin_strcmp(${name}, ${JSON.stringify(fact.text)}) == 0`)];
    case "macro":
    case "standIn":
      return [`#ifndef ${name}\n#error "${name} is not defined"\n#endif`].flatMap((text) => text.split("\n"));
    case "initializer": {
      const inner = fact.parameters.slice(1, -1).split(", ").filter(Boolean);
      const given = inner.map(() => "(void *)0");
      const fixed = Object.entries(fact.values).filter(([, value]) => typeof value === "number");
      const differs = fixed.map(([member, value]) => `probe.${member} != ${value}`).join(" || ") || "0";
      const values = given.map((value, index) => (needsNumber(fact, inner[index] ?? "") ? "1" : value));
      return [
        `void probe_${count++}(void) { ${fact.type} probe = ${name}(${values.join(", ")}); if (${differs}) probe_differs(); }`,
      ];
    }
    default:
      return fact satisfies never;
  }
}

/** A parameter that is a number; others are pointers. */
const needsNumber = (fact: Extract<Fact, { kind: "initializer" }>, parameter: string) =>
  fact.name.startsWith("I2S_") || parameter === "host";

function memberLines(path: string, members: Members): string[] {
  return Object.entries(members).flatMap(([name, member]) => {
    if (typeof member !== "string") return memberLines(`${path}${name}.`, member.members);
    if (member.endsWith(":1")) return [holds(`sizeof(+${path}${name}) == 4`)];
    return [isType(`${path}${name}`, member)];
  });
}
