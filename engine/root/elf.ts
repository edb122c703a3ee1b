/**
 * Reads ELF files of 32 bits, little-endian, as compilers and linkers of every processor write them: sections, symbols and
 * relocations. So neither objdump nor nm has to know the processor.
 */
const SECTION_BYTES = 40;
const SYMBOL_BYTES = 16;
const RELOCATION_BYTES = Object.freeze({ 4: 12, 9: 8 } as const); // SHT_RELA, SHT_REL
const SYMBOL_TABLE = 2;
const UNDEFINED = 0;
const COMMON = 0xfff2;
const FIRST_RESERVED = 0xff00;

/** In a section, or `undefined` for what another file has, and for a number. */
export interface ElfSymbol {
  readonly name: string;
  readonly address: number;
  readonly byteLength: number;
  readonly isGlobal: boolean;
  /** Name of its section; "*COM*" for a variable that the linker places. */
  readonly section: string | undefined;
}

/** A word of `section` that is the address of `symbol`, or near it. */
interface ElfReference {
  readonly section: string;
  readonly symbol: ElfSymbol;
}

export interface ElfFile {
  readonly symbols: readonly ElfSymbol[];
  readonly references: readonly ElfReference[];
}

/** @throws {Error} for a file of another kind */
export function readElf(bytes: Uint8Array): ElfFile {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (file.length < 52 || file.readUInt32BE(0) !== 0x7f454c46 || file[4] !== 1 || file[5] !== 1)
    throw new Error("it is no ELF file of 32 bits, little-endian");
  const sections = sectionsOf(file);
  const table = sections.find(({ type }) => type === SYMBOL_TABLE);
  const symbols = table ? symbolsOf(file, table, sections) : [];
  const references = sections.flatMap((section) => referencesOf(file, section, sections, symbols));
  return { symbols, references };
}

interface ElfSection {
  readonly name: string;
  readonly type: number;
  readonly offset: number;
  readonly byteLength: number;
  /** Indices of other sections, by the type of this one. */
  readonly link: number;
  readonly info: number;
}

function sectionsOf(file: Buffer): ElfSection[] {
  const offset = file.readUInt32LE(32);
  const count = file.readUInt16LE(48);
  const headers = Array.from({ length: count }, (_, index) => {
    const at = offset + index * SECTION_BYTES;
    const word = (field: number) => file.readUInt32LE(at + field * 4);
    return {
      name: word(0),
      type: word(1),
      offset: word(4),
      byteLength: word(5),
      link: word(6),
      info: word(7),
    };
  });
  const names = headers[file.readUInt16LE(50)]?.offset ?? 0;
  return headers.map((header) => ({ ...header, name: textAt(file, names + header.name) }));
}

function symbolsOf(file: Buffer, table: ElfSection, sections: readonly ElfSection[]): ElfSymbol[] {
  const names = sections[table.link]?.offset ?? 0;
  return Array.from({ length: table.byteLength / SYMBOL_BYTES }, (_, index) => {
    const at = table.offset + index * SYMBOL_BYTES;
    const section = sectionName(file.readUInt16LE(at + 14), sections);
    return {
      // The symbol of a section has no name of its own.
      name: textAt(file, names + file.readUInt32LE(at)) || (section ?? ""),
      address: file.readUInt32LE(at + 4),
      byteLength: file.readUInt32LE(at + 8),
      isGlobal: file.readUInt8(at + 12) >> 4 !== 0,
      section,
    };
  });
}

function sectionName(index: number, sections: readonly ElfSection[]): string | undefined {
  if (index === COMMON) return "*COM*";
  return index === UNDEFINED || index >= FIRST_RESERVED ? undefined : sections[index]?.name;
}

function referencesOf(
  file: Buffer,
  { type, offset, byteLength, info }: ElfSection,
  sections: readonly ElfSection[],
  symbols: readonly ElfSymbol[],
): ElfReference[] {
  if (type !== 4 && type !== 9) return [];
  const step = RELOCATION_BYTES[type];
  const section = sections[info]?.name ?? "";
  return Array.from({ length: byteLength / step }, (_, index) => {
    const symbol = symbols[file.readUInt32LE(offset + index * step + 4) >>> 8];
    return symbol && { section, symbol };
  }).filter((reference) => reference !== undefined);
}

function textAt(file: Buffer, offset: number): string {
  return file.toString("latin1", offset, file.indexOf(0, offset));
}
