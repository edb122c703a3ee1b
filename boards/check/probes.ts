/**
 * C that compiles only if facts hold (facts/fact.ts). Each claim stands on a line of its own, so that a compiler's complaint
 * names it. What macros are replaced by is compared in a preprocessor's output.
 */
import type { Fact, Header, Members } from "./facts/fact.js";

/** What has to hold if a fact does, as a reader of a complaint would write it. */
export interface Claim {
  readonly fact: Fact;
  readonly text: string;
}

export interface Probe {
  readonly text: string;
  /** By line of `text`, which is counted from 1. */
  readonly claims: ReadonlyMap<number, Claim>;
}

interface Line {
  readonly code: string;
  readonly claim: string;
}

/** What has to be included before a header, which does not include it itself. */
const NEEDED: ReadonlyMap<string, string> = new Map([
  ...["idf_additions", "portmacro", "projdefs", "queue", "semphr", "task"].map(
    (name) => [`freertos/${name}.h`, "freertos/FreeRTOS.h"] as const,
  ),
  ["driver/i2s_common.h", "driver/i2s_std.h"],
  ["esp_netif_defaults.h", "esp_netif.h"],
  // Its macro depends on ESP-IDF's configuration of mbedTLS.
  ["mbedtls/private_access.h", "mbedtls/build_info.h"],
  ["psa/crypto_values.h", "psa/crypto.h"],
]);

function includesOf({ name }: Header): string[] {
  const needed = NEEDED.get(name);
  return [...(needed ? [needed] : []), name].map((included) => `#include "${included}"`);
}

function probeOf(start: readonly string[], header: Header, linesOf: (fact: Fact) => readonly Line[]): Probe {
  const lines = [...start];
  const claims = new Map<number, Claim>();
  for (const fact of header.facts)
    for (const { code, claim } of linesOf(fact)) {
      lines.push(code);
      claims.set(lines.length, { fact, text: claim });
    }
  return { text: `${lines.join("\n")}\n`, claims };
}

const STANDARD = ["stdarg", "stdbool", "stddef", "stdint", "sys/types", "time"].map(
  (name) => `#include <${name}.h>`,
);

/**
 * To be compiled with optimization: what initializers have is compared by code that is only left out if it is equal.
 */
export function compiledProbe(header: Header): Probe {
  const start = [
    ...[...STANDARD, ...includesOf(header)],
    'void probe_differs(void) __attribute__((error("differs")));',
  ];
  return probeOf(start, header, compiledLines);
}

function holds(condition: string, claim: string = condition): Line {
  return { code: `_Static_assert(${condition}, "differs");`, claim };
}

function isType(expression: string, type: string): Line {
  const condition = `__builtin_types_compatible_p(__typeof__(${expression}), __typeof__(${type}))`;
  return holds(condition, `${expression} is ${type}`);
}

function compiledLines(fact: Fact): Line[] {
  const { name } = fact;
  switch (fact.kind) {
    case "call":
      return [isType(name, fact.type.replace(" __attribute__((noreturn))", ""))];
    case "object":
    case "type":
      return [isType(name, fact.type)];
    case "record":
      return [holds(`sizeof(${name}) == ${fact.bytes}`), ...memberLines(name, "", fact.members)];
    case "choice":
      return [
        holds(`sizeof(${name}) > 0`),
        ...Object.entries(fact.values).map(([value, number]) => holds(`${value} == ${number}`)),
      ];
    case "constant":
      return [
        holds(`(long long)(${name}) == ${fact.value}`, `${name} == ${fact.value}`),
        ...(fact.type ? [isType(name, fact.type)] : []),
      ];
    case "text":
      return [holds(`__builtin_strcmp(${name}, ${JSON.stringify(fact.text)}) == 0`)];
    case "initializer":
      return initializerLines(fact);
    case "macro":
    case "standIn":
      return [];
    default:
      return fact satisfies never;
  }
}

function memberLines(record: string, path: string, members: Members): Line[] {
  return Object.entries(members).flatMap(([name, member]) => {
    if (typeof member !== "string") return memberLines(record, `${path}${name}.`, member.members);
    const expression = `((${record} *)0)->${path}${name}`;
    const [type, bits] = member.split(":");
    const claim = `${path}${name} is ${member}`;
    // A bit-field has no type that could be asked for.
    if (bits) return [holds(`sizeof(+${expression}) == sizeof(${type})`, claim)];
    return [{ ...isType(expression, member), claim }];
  });
}

/** Each parameter is a number of its own, in the type of the member that it is for. */
function initializerLines({
  name,
  parameters,
  type,
  values,
}: Extract<Fact, { kind: "initializer" }>): Line[] {
  const names = parameters.slice(1, -1).split(", ").filter(Boolean);
  const given = names.map((parameter, index) => {
    const member = Object.entries(values).find(([, value]) => value === parameter)?.[0];
    return member ? `(__typeof__(((${type} *)0)->${member}))${index + 1}` : "0";
  });
  const probe = `${type} probe = ${parameters ? `${name}(${given.join(", ")})` : name}`;
  const lines = Object.entries(values).map(([member, value]) => {
    const expected = typeof value === "number" ? value : given[names.indexOf(value)];
    return {
      code: `void probe_${member}_of_${name}(void) { ${probe}; if (probe.${member} != ${expected}) probe_differs(); }`,
      claim: `.${member} = ${value}`,
    };
  });
  return [
    { code: `void probe_of_${name}(void) { ${probe}; (void)probe; }`, claim: `initializes ${type}` },
    ...lines,
  ];
}

const MARK = "board_check";

/** To be preprocessed: what {@link differingMacros} reads. */
export function expandedProbe(header: Header): Probe {
  return probeOf(includesOf(header), header, (fact) => {
    if (fact.kind !== "macro" && fact.kind !== "standIn") return [];
    const { name, parameters } = fact;
    const claim = `${name}${parameters} is a macro`;
    const expansions =
      fact.kind === "standIn"
        ? [`${name}${parameters}`]
        : [
            `#define ${MARK}_${name}${parameters} ${fact.text}`,
            `${MARK} ${name} real ${name}${parameters}`,
            `${MARK} ${name} fact ${MARK}_${name}${parameters}`,
          ];
    return [`#ifndef ${name}`, `#error "not defined"`, "#endif", ...expansions].map((code) => ({
      code,
      claim,
    }));
  });
}

/** @param expanded output of a preprocessor for {@link expandedProbe} */
export function differingMacros({ facts }: Header, expanded: string): Claim[] {
  const texts = new Map(
    [...expanded.matchAll(new RegExp(`^${MARK} (\\S+) (real|fact)(.*)$`, "gm"))].map(
      ([, name, side, text]) => [`${name} ${side}`, withoutTypes(text ?? "")],
    ),
  );
  return facts.flatMap((fact) => {
    if (fact.kind !== "macro") return [];
    const [real, told] = ["real", "fact"].map((side) => texts.get(`${fact.name} ${side}`));
    return real === told ? [] : [{ fact, text: `"${told}", not "${real}"` }];
  });
}

/** What an expression says, without casts, types of numbers, parentheses and white space. */
function withoutTypes(text: string): string {
  const cast = /\(\s*[A-Za-z_]\w*(?:\s+\w+)*(?:\s*\*)*\s*\)(?=\s*[\w(])/g;
  return text
    .replaceAll(cast, " ")
    .replaceAll(/\b(0x[\da-f]+|\d+)[ul]+\b/gi, "$1")
    .replaceAll(/[()]/g, " ")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/ ?(\W) ?/g, "$1")
    .trim();
}
