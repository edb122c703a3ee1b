/** What functions and constants of object files refer to, as the linker sees it: each has a section of its own. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

const OBJDUMP = "riscv64-unknown-elf-objdump";

/** `name:     file format elf32-littleriscv`. */
const FILE = /^(\S+): +file format /gm;
/** Of a symbol: whether others see it, its section, and its name. */
const SYMBOL = /^[0-9a-f]{8} (.).{6} (\S+)\t[0-9a-f]{8} +(?:\.hidden )?(\S+)$/gm;
const RELOCATIONS = /^RELOCATION RECORDS FOR \[(.+)\]:$/m;
/** A word of a section that is the address of a symbol, or near it. */
const RELOCATION = /^[0-9a-f]{8} R_RISCV_\S+ +(\S+?)(?:[+-]0x[0-9a-f]+)?$/gm;

export interface Section {
  /** Path of the object. */
  readonly object: string;
  readonly name: string;
  /** Sections that it needs. */
  readonly needs: readonly Section[];
}

export interface ObjectGraph {
  /** By path of the object. */
  readonly objects: ReadonlyMap<string, readonly Section[]>;
  /** By the name of a symbol that all objects see. */
  readonly symbols: ReadonlyMap<string, Section>;
}

export async function readObjects(objects: readonly string[]): Promise<ObjectGraph> {
  const { stdout } = await run(OBJDUMP, ["--syms", "--reloc", ...objects], { maxBuffer: 1 << 30 });
  return objectGraph(stdout);
}

/** @param dump what `objdump --syms --reloc` prints */
export function objectGraph(dump: string): ObjectGraph {
  const files = partsOf(dump, FILE).map(({ name, text }) => new ObjectFile(name, text));
  const symbols = new Map(files.flatMap((file) => [...file.exported]));
  for (const file of files) file.resolve(symbols);
  return { objects: new Map(files.map((file) => [file.path, file.sections])), symbols };
}

/** The texts after each match of a pattern, up to the next, by its first group. */
function partsOf(text: string, pattern: RegExp): { name: string; text: string }[] {
  const heads = [...text.matchAll(new RegExp(pattern, "gm"))];
  return heads.map(({ 0: head, 1: name = "", index }, at) => ({
    name,
    text: text.slice(index + head.length, heads[at + 1]?.index),
  }));
}

interface OpenSection extends Section {
  readonly needs: Section[];
}

class ObjectFile {
  readonly path: string;
  readonly exported = new Map<string, Section>();
  readonly #symbols = new Map<string, Section>();
  readonly #sections = new Map<string, OpenSection>();
  readonly #relocations: { name: string; text: string }[];

  constructor(path: string, text: string) {
    this.path = path;
    this.#relocations = partsOf(text, RELOCATIONS).filter(({ name }) => !name.startsWith(".debug"));
    for (const [, binding, section = "", symbol = ""] of text.matchAll(SYMBOL)) {
      if (section.startsWith("*") && section !== "*COM*") continue; // of another file, or a number
      this.#symbols.set(symbol, this.#section(section));
      if (binding !== "l") this.exported.set(symbol, this.#section(section));
    }
  }

  get sections(): readonly Section[] {
    return [...this.#sections.values()];
  }

  resolve(symbols: ReadonlyMap<string, Section>): void {
    for (const { name, text } of this.#relocations)
      for (const [, symbol = ""] of text.matchAll(RELOCATION)) {
        const needed = this.#symbols.get(symbol) ?? symbols.get(symbol);
        if (needed) this.#section(name).needs.push(needed);
      }
  }

  #section(name: string): OpenSection {
    const known = this.#sections.get(name);
    if (known) return known;
    const section = { object: this.path, name, needs: [] };
    this.#sections.set(name, section);
    return section;
  }
}
