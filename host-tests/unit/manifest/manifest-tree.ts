/**
 * A manifest of the Moddable SDK and those that it includes, for one platform, as `mcconfig` reads them: which module
 * is made of which file, which C is compiled, and what is not where it is said to be. The SDK's own manifests are
 * named and not followed, so that none of this needs the SDK.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";

export interface ManifestTree {
  /** Files by the specifier of the module that is made of them. */
  readonly modules: ReadonlyMap<string, string>;
  /** What `build` defines, for manifests and for make. */
  readonly variables: ReadonlyMap<string, string>;
  /** C files. */
  readonly sources: ReadonlySet<string>;
  /** Where C finds headers: folders of a header that is named, and those that are named with a slash at the end. */
  readonly headerFolders: ReadonlySet<string>;
  /** Files that `~` leaves out of wildcards. */
  readonly leftOut: ReadonlySet<string>;
  /** Manifests that are included from the SDK, from its root. */
  readonly sdkManifests: ReadonlySet<string>;
  /** Specifiers that stand for files of the SDK. */
  readonly sdkModules: ReadonlySet<string>;
  readonly preload: readonly string[];
  /** By path with dots: `heap.initial`. What a later manifest says holds. */
  readonly creation: ReadonlyMap<string, number>;
  readonly config: Readonly<Record<string, unknown>>;
  /** Names in the manifests that do not exist, or exist twice. */
  readonly problems: readonly string[];
}

type Sources = string | readonly string[];

/** A manifest's part for all platforms, or for one. */
interface Properties {
  readonly build?: Readonly<Record<string, string>>;
  readonly include?: Sources;
  readonly modules?: Readonly<Record<string, Sources>>;
  readonly preload?: Sources;
  readonly creation?: Record<string, unknown>;
  readonly config?: Readonly<Record<string, unknown>>;
}

interface Manifest extends Properties {
  readonly platforms?: Readonly<Record<string, Properties>>;
}

/** @param platform as `mcconfig -p` has it: `lin`, `esp32/esp32s3` */
export function readManifestTree(file: string, platform: string): ManifestTree {
  const reader = new TreeReader(platform);
  reader.read(path.resolve(file));
  return reader;
}

const list = (sources: Sources | undefined): readonly string[] =>
  typeof sources === "string" ? [sources] : (sources ?? []);

const SCRIPT = /\.(js|mjs|ts)$/;

class TreeReader implements ManifestTree {
  readonly variables = new Map<string, string>();
  readonly modules = new Map<string, string>();
  readonly sources = new Set<string>();
  readonly headerFolders = new Set<string>();
  readonly leftOut = new Set<string>();
  readonly sdkManifests = new Set<string>();
  readonly sdkModules = new Set<string>();
  readonly preload: string[] = [];
  readonly creation = new Map<string, number>();
  readonly config: Record<string, unknown> = {};
  readonly problems: string[] = [];
  readonly #platform: string;
  readonly #read = new Set<string>();

  constructor(platform: string) {
    this.#platform = platform;
  }

  read(file: string): void {
    if (this.#read.has(file)) return;
    this.#read.add(file);
    if (!existsSync(file)) return void this.problems.push(`There is no manifest "${file}"`);
    const manifest = JSON.parse(readFileSync(file, "utf8")) as Manifest;
    const directory = path.dirname(file);
    const parts = [manifest, platformOf(manifest, this.#platform)];
    for (const { build = {} } of parts) this.#define(build, directory);
    for (const { include } of parts) for (const named of list(include)) this.#include(named, directory);
    for (const properties of parts) this.#merge(properties, directory);
  }

  #define(build: Readonly<Record<string, string>>, directory: string): void {
    for (const [name, value] of Object.entries(build))
      this.variables.set(name.replace(/ *\?=$/, ""), absolute(this.#expand(value), directory));
  }

  #include(named: string, directory: string): void {
    const included = this.#expand(named);
    const inSdk = /^\$\(MODDABLE\)\/(.*)$/.exec(included)?.[1];
    if (inSdk !== undefined) this.sdkManifests.add(inSdk);
    else this.read(absolute(included, directory));
  }

  #merge({ modules = {}, preload, creation = {}, config = {} }: Properties, directory: string): void {
    for (const source of list(modules["~"]))
      for (const { file } of this.#find(source, directory)) this.leftOut.add(file);
    for (const [target, sources] of Object.entries(modules).filter(([name]) => name !== "~"))
      for (const source of list(sources)) {
        if (this.#expand(source).startsWith("$(")) this.sdkModules.add(target);
        else if (source.endsWith("/")) this.#addHeaders(source, directory);
        else for (const found of this.#find(source, directory)) this.#add(target, found);
      }
    this.preload.push(...list(preload));
    for (const [name, figure] of figuresOf(creation)) this.creation.set(name, figure);
    Object.assign(this.config, config);
  }

  #add(target: string, { file, name }: Found): void {
    if (this.leftOut.has(file)) return;
    if (file.endsWith(".c")) this.#addSource(file);
    else if (file.endsWith(".h")) this.headerFolders.add(path.dirname(file));
    else if (SCRIPT.test(file) && !file.endsWith(".d.ts")) this.#addModule(target.replace("*", name), file);
  }

  /** Their object files are all in one directory. */
  #addSource(file: string): void {
    const namesake = [...this.sources].find((other) => path.basename(other) === path.basename(file));
    if (namesake !== undefined && namesake !== file)
      this.problems.push(`"${namesake}" and "${file}" are compiled to one file`);
    this.sources.add(file);
  }

  #addHeaders(source: string, directory: string): void {
    const folder = path.join(absolute(this.#expand(source), directory), ".");
    if (existsSync(folder)) this.headerFolders.add(folder);
    else this.problems.push(`Nothing is at "${source}" of "${directory}"`);
  }

  #addModule(specifier: string, file: string): void {
    const other = this.modules.get(specifier);
    if (other !== undefined && other !== file)
      this.problems.push(`Module "${specifier}" is made of "${other}" and of "${file}"`);
    this.modules.set(specifier, file);
  }

  /** The files that a source stands for: one without an extension stands for all of that name. */
  #find(source: string, directory: string): readonly Found[] {
    const pattern = this.#expand(source);
    if (pattern.startsWith("$(")) return []; // the SDK's
    const wanted = absolute(pattern, directory);
    const found = existsSync(path.dirname(wanted)) ? matching(wanted) : [];
    if (found.length === 0) this.problems.push(`Nothing is at "${source}" of "${directory}"`);
    return found;
  }

  /** With the SDK's variables left as they are. */
  #expand(text: string): string {
    const sdk = text
      .replace(/\$\(MODULES\)/g, "$(MODDABLE)/modules")
      .replace(/\$\(BUILD\)/g, "$(MODDABLE)/build");
    return sdk.replace(/\$\((\w+)\)/g, (variable, name) => this.variables.get(name) ?? variable);
  }
}

interface Found {
  readonly file: string;
  /** What stands where a target has a `*`. */
  readonly name: string;
}

function matching(wanted: string): readonly Found[] {
  const directory = path.dirname(wanted);
  const [prefix = "", rest] = path.basename(wanted).split("*");
  const files = readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isFile());
  return files.flatMap(({ name }) => {
    const { name: stem } = path.parse(name);
    const file = path.join(directory, name);
    if (rest !== undefined) return stem.startsWith(prefix) ? [{ file, name: stem.slice(prefix.length) }] : [];
    return stem === prefix || name === prefix ? [{ file, name: stem }] : [];
  });
}

/** What the manifest says for a platform: the first that matches, `...` where none does. */
function platformOf({ platforms = {} }: Manifest, platform: string): Properties {
  for (let name = platform; name !== ""; name = name.split("/").slice(0, -1).join("/"))
    for (const [pattern, properties] of Object.entries(platforms))
      if (pattern.endsWith("/*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern)
        return properties;
  return platforms["..."] ?? {};
}

function absolute(named: string, directory: string): string {
  return /^\.\.?(\/|$)/.test(named) ? path.join(directory, named) : named;
}

function figuresOf(creation: object, prefix = ""): readonly (readonly [string, number])[] {
  return Object.entries(creation).flatMap(([name, value]) =>
    typeof value === "number"
      ? [[prefix + name, value] as const]
      : typeof value === "object"
        ? figuresOf(value, `${prefix}${name}.`)
        : [],
  );
}
