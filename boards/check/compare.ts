/** Compares facts (facts/fact.ts) with the headers that a compiler finds. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { ask, type Compiler, type Complaint } from "./compiler.js";
import type { Header } from "./facts/fact.js";
import { type Claim, compiledProbe, differingMacros, expandedProbe, type Probe } from "./probes.js";

/**
 * @param headers those of one target
 * @returns a line for each claim that does not hold; it begins with the header and the fact
 */
export async function compareHeaders(compiler: Compiler, headers: readonly Header[]): Promise<string[]> {
  const folder = mkdtempSync(path.join(tmpdir(), "board-check-"));
  try {
    const found: string[] = [];
    for (const header of headers) found.push(...(await compareHeader(compiler, folder, header)));
    return found;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function compareHeader(compiler: Compiler, folder: string, header: Header): Promise<string[]> {
  const file = path.join(folder, "probe.c");
  const dependencies = path.join(folder, "probe.d");
  const askAbout = async (probe: Probe, flags: readonly string[]) => {
    writeFileSync(file, probe.text);
    const { output, complaints } = await ask(compiler, ["-w", ...flags, file]);
    return { output, lines: complaints.map((complaint) => lineOf(header, probe, file, complaint)) };
  };
  const expanded = await askAbout(expandedProbe(header), ["-E", "-P", "-MD", "-MF", dependencies]);
  // A header that is not there, or is complained about, is so whatever is asked.
  if (expanded.lines.length > 0) return [...new Set(expanded.lines)];
  const macros = differingMacros(header, expanded.output).map((claim) => claimed(header, claim, "differs"));
  const missing = missingIncludes(header, readFileSync(dependencies, "utf8"));
  const compiled = await askAbout(compiledProbe(header), ["-O2", "-S", "-o", "/dev/null"]);
  return [...new Set([...macros, ...missing, ...compiled.lines])];
}

function lineOf(header: Header, probe: Probe, file: string, complaint: Complaint): string {
  const { message } = complaint;
  const claim = complaint.file === file ? probe.claims.get(complaint.line) : undefined;
  if (claim) return claimed(header, claim, message);
  const position = complaint.file === file ? "" : `${complaint.file}:${complaint.line}: `;
  return `${header.name}: ${position}${message}`;
}

const claimed = ({ name }: Header, { fact, text }: Claim, message: string) =>
  `${name}: ${fact.kind} ${fact.name}: expected ${text}: ${message}`;

/** @param dependencies rules for make, which name every file that the header includes */
function missingIncludes({ name, includes }: Header, dependencies: string): string[] {
  const files = dependencies.split(/\s+/);
  return includes
    .filter((included) => !files.some((file) => file.endsWith(`/${included}`)))
    .map((included) => `${name}: include ${included}: expected in what it includes: missing`);
}
