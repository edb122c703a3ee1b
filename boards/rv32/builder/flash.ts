/** The parts of the flash, by the linker's map: code, constants, initial values of variables, and the root. */
import { readFile } from "node:fs/promises";
import { MEMORY } from "./toolchain.js";

/**
 * In bytes. `engine` is XS, `interpreter` wasm3, `libraries` the C library, `program` the root (built-ins and
 * program), `sandbox` the sandboxed programs, and `host` our C.
 */
export type Flash = {
  engine: number;
  interpreter: number;
  libraries: number;
  program: number;
  sandbox: number;
  host: number;
};

/** An input section: name, address, size and file; a long name is on a line of its own. */
const SECTION = /^ (\.\S+)\s+0x([0-9a-f]+)\s+0x([0-9a-f]+) (\S+)$/gm;
const MEMORY_MAP = "Linker script and memory map";

/** Sections of RAM whose initial values are in flash. */
const INITIALIZED = /^\.(s?data|tdata)/;

/** @param map file */
export async function flashOf(map: string): Promise<Flash> {
  const text = await readFile(map, "utf8");
  const flash = { engine: 0, interpreter: 0, libraries: 0, program: 0, sandbox: 0, host: 0 };
  for (const { name, address, size, file } of sectionsOf(text))
    if (isInFlash(address) || INITIALIZED.test(name)) flash[partOf(name, file)] += size;
  return flash;
}

function sectionsOf(map: string) {
  const placed = map.slice(map.indexOf(MEMORY_MAP));
  return [...placed.matchAll(SECTION)].map(([, name = "", address = "", size = "", file = ""]) => ({
    name,
    address: Number.parseInt(address, 16),
    size: Number.parseInt(size, 16),
    file,
  }));
}

function isInFlash(address: number): boolean {
  return address >= MEMORY.flash && address < MEMORY.flash + MEMORY.flashBytes;
}

/** @param name of the section */
function partOf(name: string, file: string): keyof Flash {
  if (name === ".root") return "program";
  if (/\/host\/sandbox-[^/]+\.o$/.test(file)) return "sandbox";
  const part = /\/(engine|interpreter|host)\/[^/]+\.o$/.exec(file)?.[1];
  return (part ?? "libraries") as keyof Flash;
}
