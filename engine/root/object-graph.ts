/** What functions and constants of object files refer to, as the linker sees it: each has a section of its own. */
import { readFile } from "node:fs/promises";
import { type ElfFile, readElf } from "./elf.js";

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
  return objectGraph(
    await Promise.all(objects.map(async (object) => [object, readElf(await readFile(object))] as const)),
  );
}

/** @param files by path */
export function objectGraph(files: readonly (readonly [path: string, file: ElfFile])[]): ObjectGraph {
  const objects = files.map(([path, file]) => new ObjectFile(path, file));
  const symbols = new Map(objects.flatMap((object) => [...object.exported]));
  for (const object of objects) object.resolve(symbols);
  return { objects: new Map(objects.map((object) => [object.path, object.sections])), symbols };
}

interface OpenSection extends Section {
  readonly needs: Section[];
}

class ObjectFile {
  readonly path: string;
  readonly exported = new Map<string, Section>();
  readonly #file: ElfFile;
  readonly #sections = new Map<string, OpenSection>();

  constructor(path: string, file: ElfFile) {
    this.path = path;
    this.#file = file;
    for (const { name, section, isGlobal } of file.symbols)
      if (section !== undefined && isGlobal) this.exported.set(name, this.#section(section));
  }

  get sections(): readonly Section[] {
    return [...this.#sections.values()];
  }

  resolve(symbols: ReadonlyMap<string, Section>): void {
    for (const { section, symbol } of this.#file.references) {
      if (section.startsWith(".debug")) continue;
      const needed = symbol.section === undefined ? symbols.get(symbol.name) : this.#section(symbol.section);
      if (needed) this.#section(section).needs.push(needed);
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
