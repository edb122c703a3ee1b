/**
 * Which modules a console loads: from its roots on, along every import, under the names that a manifest gives them, as
 * XS resolves them. A relative import is relative to the specifier of the module, not to its file.
 */
import path from "node:path";
import { type BuildFailure, build, type Plugin } from "esbuild";
import type { ManifestTree } from "./manifest-tree.js";
import { SDK_MODULES } from "./sdk-modules.js";

export interface ModuleGraph {
  /** Specifiers of the modules that are loaded from files of ours. */
  readonly reached: ReadonlySet<string>;
  /** Imports of missing modules, and of names that a module does not export. */
  readonly problems: readonly string[];
}

/** Types are erased, so a module imported for its types alone is not reached. */
export async function moduleGraph(tree: ManifestTree, roots: readonly string[]): Promise<ModuleGraph> {
  const reached = new Set<string>();
  const problems: string[] = [];
  await build({
    stdin: { contents: roots.map((root) => `import "${root}";`).join("\n"), resolveDir: "/" },
    plugins: [resolution(tree, reached, problems)],
    bundle: true,
    write: false,
    format: "esm",
    treeShaking: false,
    logLevel: "silent",
  }).catch(({ errors }: BuildFailure) => problems.push(...errors.map(({ text }) => text)));
  return { reached, problems };
}

function resolution(tree: ManifestTree, reached: Set<string>, problems: string[]): Plugin {
  const specifiers = new Map([...tree.modules].map(([specifier, file]) => [file, specifier]));
  return {
    name: "manifest",
    setup({ onResolve }) {
      onResolve({ filter: /.*/ }, ({ path: imported, importer: file }) => {
        const importer = specifiers.get(file) ?? "the console";
        const specifier = resolve(imported, importer);
        const found = tree.modules.get(specifier);
        if (found !== undefined) {
          reached.add(specifier);
          return { path: found, sideEffects: true };
        }
        if (!isOfSdk(specifier, tree))
          problems.push(`No manifest provides "${specifier}", which ${importer} imports`);
        return { path: specifier, external: true };
      });
    },
  };
}

function isOfSdk(specifier: string, { sdkManifests, sdkModules }: ManifestTree): boolean {
  const manifest = SDK_MODULES[specifier];
  return sdkModules.has(specifier) || (manifest !== undefined && sdkManifests.has(manifest));
}

function resolve(imported: string, importer: string): string {
  return imported.startsWith(".")
    ? path.posix.join(path.posix.dirname(importer), imported).replace(/\.js$/, "")
    : imported;
}
