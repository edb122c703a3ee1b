/**
 * Reads what a native image needs of an executable that was linked with its relocations kept (`ld --emit-relocs`): the
 * bytes of its sections, its functions and variables, and the words that hold addresses. ELF of 32 or 64 bits,
 * little-endian (System V ABI, chapter 4).
 */
export interface ElfSymbol {
  readonly name: string;
  readonly address: number;
  readonly isFunction: boolean;
}

export interface ElfRelocation {
  readonly address: number;
  readonly type: number;
  /** Name of the section that it is in. */
  readonly section: string;
  /** Name of the section that its symbol is in; empty for one that is in none. */
  readonly pointsTo: string;
}

interface Section {
  readonly name: string;
  readonly type: number;
  readonly flags: number;
  readonly address: number;
  readonly offset: number;
  readonly byteLength: number;
  readonly link: number;
  readonly info: number;
}

const MAGIC = 0x464c_457f;
const CLASS_64 = 2;
const SYMBOLS = 2;
const RELOCATIONS_WITH_ADDEND = 4;
/** The addend is in the place itself, as on Arm. */
const RELOCATIONS = 9;
const NO_BITS = 8;
const IN_MEMORY = 2;
const FUNCTION = 2;

export class ElfFile {
  readonly #bytes: Buffer;
  readonly #is64: boolean;
  readonly #sections: readonly Section[];

  /** @throws {Error} for a file that is no ELF */
  constructor(bytes: Buffer) {
    if (bytes.readUInt32LE(0) !== MAGIC) throw new Error("Cannot read the linker's output: it is not ELF");
    this.#bytes = bytes;
    this.#is64 = bytes[4] === CLASS_64;
    this.#sections = this.#readSections();
  }

  /** The bytes of a section that is loaded; none where it has none. */
  content(name: string): Uint8Array {
    const section = this.#find(name);
    return section && section.type !== NO_BITS ? this.#contentOf(section) : new Uint8Array();
  }

  /** First address and length of a section; a missing one is empty. */
  extent(name: string): { readonly address: number; readonly byteLength: number } {
    const { address = 0, byteLength = 0 } = this.#find(name) ?? {};
    return { address, byteLength };
  }

  /** Names of the sections that are loaded. */
  get loaded(): readonly string[] {
    return this.#sections
      .filter(({ flags, byteLength }) => flags & IN_MEMORY && byteLength > 0)
      .map(({ name }) => name);
  }

  symbols(): ElfSymbol[] {
    const table = this.#sections.find(({ type }) => type === SYMBOLS);
    if (!table) return [];
    const names = this.#sections[table.link] as Section;
    const size = this.#is64 ? 24 : 16;
    return Array.from({ length: table.byteLength / size }, (_, index) => {
      const at = table.offset + index * size;
      const info = this.#bytes.readUInt8(at + (this.#is64 ? 4 : 12));
      return {
        name: this.#textAt(names.offset + this.#bytes.readUInt32LE(at)),
        address: this.#word(at + (this.#is64 ? 8 : 4)),
        isFunction: (info & 15) === FUNCTION,
      };
    });
  }

  /** Relocations of the sections that are loaded. */
  relocations(): ElfRelocation[] {
    return this.#sections.flatMap((section) => {
      const target = this.#sections[section.info];
      const hasAddends = section.type === RELOCATIONS_WITH_ADDEND;
      if (!(hasAddends || section.type === RELOCATIONS) || !target || !(target.flags & IN_MEMORY)) return [];
      const size = (hasAddends ? 3 : 2) * (this.#is64 ? 8 : 4);
      return Array.from({ length: section.byteLength / size }, (_, index) => {
        const at = section.offset + index * size;
        const type = this.#is64 ? this.#bytes.readUInt32LE(at + 8) : this.#bytes.readUInt8(at + 4);
        const symbol = this.#is64
          ? this.#bytes.readUInt32LE(at + 12)
          : this.#bytes.readUInt32LE(at + 4) >>> 8;
        const pointsTo = this.#sectionOfSymbol(section.link, symbol);
        return { address: this.#word(at), type, section: target.name, pointsTo };
      });
    });
  }

  #sectionOfSymbol(table: number, symbol: number): string {
    const at = (this.#sections[table]?.offset ?? 0) + symbol * (this.#is64 ? 24 : 16);
    return this.#sections[this.#bytes.readUInt16LE(at + (this.#is64 ? 6 : 14))]?.name ?? "";
  }

  #find(name: string): Section | undefined {
    return this.#sections.find((section) => section.name === name);
  }

  #contentOf({ offset, byteLength }: Section): Uint8Array {
    return this.#bytes.subarray(offset, offset + byteLength);
  }

  #readSections(): Section[] {
    const head = this.#is64
      ? { table: 0x28, size: 0x3a, count: 0x3c, names: 0x3e }
      : { table: 0x20, size: 0x2e, count: 0x30, names: 0x32 };
    const table = this.#word(head.table);
    const size = this.#bytes.readUInt16LE(head.size);
    const count = this.#bytes.readUInt16LE(head.count);
    const sections = Array.from({ length: count }, (_, index) => this.#readSection(table + index * size));
    const names = sections[this.#bytes.readUInt16LE(head.names)] as Section & { nameAt: number };
    return sections.map(({ nameAt, ...section }) => ({
      ...section,
      name: this.#textAt(names.offset + nameAt),
    }));
  }

  #readSection(at: number): Section & { nameAt: number } {
    const fields = this.#is64
      ? { flags: 8, address: 16, offset: 24, size: 32, link: 40, info: 44 }
      : { flags: 8, address: 12, offset: 16, size: 20, link: 24, info: 28 };
    return {
      name: "",
      nameAt: this.#bytes.readUInt32LE(at),
      type: this.#bytes.readUInt32LE(at + 4),
      flags: this.#word(at + fields.flags),
      address: this.#word(at + fields.address),
      offset: this.#word(at + fields.offset),
      byteLength: this.#word(at + fields.size),
      link: this.#bytes.readUInt32LE(at + fields.link),
      info: this.#bytes.readUInt32LE(at + fields.info),
    };
  }

  /** An address or length, as wide as the file's. */
  #word(at: number): number {
    return this.#is64 ? Number(this.#bytes.readBigUInt64LE(at)) : this.#bytes.readUInt32LE(at);
  }

  #textAt(at: number): string {
    return this.#bytes.toString("latin1", at, this.#bytes.indexOf(0, at));
  }
}
