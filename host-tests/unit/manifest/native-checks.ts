/** Whether the C that a manifest compiles is what its modules call, and finds the headers of ours that it includes. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { ManifestTree } from "./manifest-tree.js";

const textOf = (file: string) => readFileSync(file, "utf8");
const matches = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].map((match) => match[1] as string);

/** @returns host functions that a module names and no C file defines */
export function undefinedNatives({ modules, sources }: ManifestTree): readonly string[] {
  const defined = new Set(
    [...sources].flatMap((file) => matches(textOf(file), /^void (xs_\w+)\((?:xsMachine|void) \*\w+\)/gm)),
  );
  const named = [...modules.values()].flatMap((file) => matches(textOf(file), /\b[nN]ative\("(\w+)"\)/g));
  return [...new Set(named)].filter((name) => !defined.has(name));
}

type Native = Pick<ManifestTree, "sources" | "headerFolders">;

const includesOf = (file: string) => matches(textOf(file), /^#\s*include(?:_next)? ["<]([^">]+)[">]/gm);

/** The file that an include of another one finds, if a folder of the manifest has it. */
function foundHeader(name: string, from: string, { headerFolders }: Native): string | undefined {
  return [path.dirname(from), ...headerFolders]
    .map((folder) => path.join(folder, name))
    .find((candidate) => existsSync(candidate));
}

/** @returns headers below `root` that C includes without finding them, each with the file that includes it */
export function unreachableHeaders(native: Native, root: string): readonly string[] {
  const ours = new Set(
    readdirSync(root, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".h"))
      .map((name) => path.basename(name)),
  );
  const missing: string[] = [];
  const read = new Set(native.sources);
  for (const file of read) // which grows meanwhile
    for (const name of matches(textOf(file), /^#\s*include "([^"]+)"/gm)) {
      const found = foundHeader(name, file, native);
      if (found !== undefined) read.add(found);
      else if (ours.has(name)) missing.push(`${path.relative(root, file)}: ${name}`);
    }
  return missing;
}

const words = (text: string) => new Set(text.split(" "));

/** What C of a console calls of the C library, by the header that declares it. */
const DECLARED_IN: Readonly<Record<string, ReadonlySet<string>>> = Object.freeze({
  "math.h": words("ceil ceilf fabs floor floorf lround pow rint rintf sqrt sqrtf trunc truncf"),
  "stdio.h": words(
    "fclose fflush fopen fprintf fputs fread fwrite printf puts rename snprintf sprintf vsnprintf",
  ),
  "stdlib.h": words("abort atoi calloc exit free getenv malloc qsort realloc setenv strtod strtol strtoul"),
  "string.h": words(
    "memchr memcmp memcpy memmove memset strchr strcmp strcpy strdup strerror strlen strncmp strncpy strrchr strstr",
  ),
  "strings.h": words("strcasecmp strncasecmp"),
  "unistd.h": words("close fsync ftruncate getpid lseek read unlink usleep write"),
});

/**
 * @param root of the files to check
 * @returns calls whose header a C file does not include, itself or by a header of ours: those of the engine include some
 * of them on a desktop, and others on a board
 */
export function undeclaredCalls(native: Native, root: string): readonly string[] {
  const included = new Map<string, ReadonlySet<string>>();
  const allIncludes = (file: string): ReadonlySet<string> => {
    const known = included.get(file);
    if (known) return known;
    const all = new Set(includesOf(file));
    included.set(file, all);
    for (const name of [...all]) {
      const found = foundHeader(name, file, native);
      if (found !== undefined) for (const inner of allIncludes(found)) all.add(inner);
    }
    return all;
  };
  return [...native.sources]
    .filter((file) => file.startsWith(root + path.sep))
    .flatMap((file) => {
      const includes = allIncludes(file);
      const calls = new Set(matches(codeOf(file), /(?<![\w.>])(\w+)\(/g));
      return Object.entries(DECLARED_IN)
        .filter(([header]) => !includes.has(header))
        .flatMap(([, names]) => [...calls].filter((call) => names.has(call)))
        .map((call) => `${path.relative(root, file)}: ${call}`);
    });
}

/** Without comments and strings. */
function codeOf(file: string): string {
  return textOf(file).replace(/\/\*[\s\S]*?\*\/|\/\/.*|"(?:\\.|[^"\\\n])*"/g, "");
}
