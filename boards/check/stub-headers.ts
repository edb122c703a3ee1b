/**
 * The headers that our C for boards is compiled with where there is no ESP-IDF, made from facts (facts/fact.ts). With 32-bit
 * pointers, records are as large as the real ones.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type Fact, type Header, holds, type Members, selectFacts, type Target } from "./facts/fact.js";

/**
 * What a header has besides facts: functions of stand-ins, which programs of tests define, and what the real header
 * demands of who includes it.
 */
const BESIDES: ReadonlyMap<string, readonly string[]> = new Map([
  [
    "esp_log.h",
    ["void stub_log(const char *tag, const char *format, ...) __attribute__((format(printf, 2, 3)));"],
  ],
  [
    "soc/soc.h",
    [
      "void stub_register_write(uint32_t address, uint32_t value);",
      "uint32_t stub_register_read(uint32_t address);",
    ],
  ],
  ["tusb_option.h", ["#ifndef CFG_TUSB_MCU", '#error "CFG_TUSB_MCU is not defined"', "#endif"]],
]);

/** Writes a file for each header that the target has. */
export function writeStubHeaders(folder: string, all: readonly Header[], target: Target): void {
  const headers = selectFacts(all, (fact) => holds(fact, target));
  const homes = new Map(headers.flatMap(({ name, facts }) => facts.map((fact) => [fact.name, name])));
  for (const header of headers) {
    const file = path.join(folder, header.name);
    const needed = mentionedIn(header.facts).flatMap((name) => homes.get(name) ?? []);
    const includes = new Set([...header.includes, ...needed]);
    includes.delete(header.name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, textOf({ ...header, includes: [...includes] }));
  }
}

/** Types that these facts are made of: a release may include more for them than every release does. */
function mentionedIn(facts: readonly Fact[]): string[] {
  const types = facts.map((fact) =>
    "type" in fact ? fact.type : fact.kind === "record" ? membersOf(fact.members) : "",
  );
  return types.flatMap((text) => text?.match(/(?:(?:struct|union) )?\w+/g) ?? []);
}

const STANDARD = ["stdarg", "stdbool", "stddef", "stdint", "sys/types", "time"].map(
  (name) => `#include <${name}.h>`,
);

function textOf({ name, includes, facts }: Header): string {
  const lines = facts.map(declarationOf);
  return [
    `/* ${name}, from the facts of boards/check/facts. */`,
    "#pragma once",
    ...STANDARD,
    ...includes.map((included) => `#include "${included}"`),
    ...tagsOf(lines).map((tag) => `${tag};`),
    ...(BESIDES.get(name) ?? []),
    ...lines,
    "",
  ].join("\n");
}

/** A tag that appears in the parameters of a function first would be another one there. */
function tagsOf(lines: readonly string[]): string[] {
  return [...new Set(lines.flatMap((line) => line.match(/\b(?:struct|union) \w+/g) ?? []))];
}

function declarationOf(fact: Fact): string {
  const { name } = fact;
  switch (fact.kind) {
    case "call":
      return callOf(name, fact.type);
    case "object":
      return `extern __typeof__(${fact.type}) ${name};`;
    case "type":
      return fact.type === `struct ${name}`
        ? `typedef ${fact.type} ${name};`
        : `typedef __typeof__(${fact.type}) ${name};`;
    case "record":
      return recordOf(fact);
    case "choice":
      return enumerationOf(name, fact.values);
    case "constant":
      return `#define ${name} ${fact.type ? `((${fact.type})${fact.value})` : `(${fact.value})`}`;
    case "text":
      return `#define ${name} ${JSON.stringify(fact.text)}`;
    case "macro":
    case "standIn":
      return `#define ${name}${fact.parameters} ${fact.text}`;
    case "initializer": {
      const values = Object.entries(fact.values).map(([member, value]) => `.${member} = ${value}`);
      return `#define ${name}${fact.parameters} { ${values.join(", ") || "0"} }`;
    }
    default:
      return fact satisfies never;
  }
}

const NO_RETURN = " __attribute__((noreturn))";

function callOf(name: string, type: string): string {
  const returns = !type.endsWith(NO_RETURN);
  return `__typeof__(${returns ? type : type.slice(0, -NO_RETURN.length)}) ${name}${returns ? "" : NO_RETURN};`;
}

function recordOf({ name, bytes, members, isUnion }: Extract<Fact, { kind: "record" }>): string {
  const keyword = isUnion ? "union" : "struct";
  const tag = /^(struct|union) /.test(name) ? name : `${keyword} ${name}`;
  const fields = [membersOf(members), isUnion ? ` unsigned char bytes[${bytes}];` : restOf(members, bytes)];
  const record = `${tag} {${fields.join("")} }`;
  return tag === name ? `${record};` : `typedef ${record} ${name};`;
}

/** What fills a structure up to its size: nothing if pointers have 64 bits and its members are larger. */
function restOf(members: Members, bytes: number): string {
  if (Object.keys(members).length === 0) return ` unsigned char bytes[${bytes}];`;
  const size = `sizeof(struct {${membersOf(members)} })`;
  return ` unsigned char rest[${size} < ${bytes} ? ${bytes} - ${size} : 0];`;
}

function membersOf(members: Members): string {
  return Object.entries(members)
    .map(([name, member]) => {
      if (typeof member !== "string")
        return ` ${member.isUnion ? "union" : "struct"} {${membersOf(member.members)} } ${name};`;
      const [type, bits] = member.split(":");
      return bits ? ` ${type} ${name} : ${bits};` : ` __typeof__(${type}) ${name};`;
    })
    .join("");
}

/** An enumeration that `name` is the type of, or the tag of. */
function enumerationOf(name: string, values: Readonly<Record<string, number>>): string {
  const list = Object.entries(values).map(([value, number]) => `${value} = ${number}`);
  const tag = /^enum /.test(name);
  return tag ? `${name} { ${list.join(", ")} };` : `typedef enum { ${list.join(", ")} } ${name};`;
}
