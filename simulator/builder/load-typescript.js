/** TypeScript modules for programs on Node: what consoles run too, compiled in memory. */
import path from "node:path";
import { build } from "esbuild";

const root = path.join(import.meta.dirname, "../..");

/**
 * Whoever calls says what the exports are: esbuild knows no types.
 *
 * @template Exports
 * @param {readonly string[]} modules paths from the root of the project
 * @returns {Promise<Exports>} everything that they export
 */
export async function loadTypeScript(modules) {
  const { outputFiles } = await build({
    stdin: {
      contents: modules.map((module) => `export * from "./${module}";`).join("\n"),
      resolveDir: root,
      loader: "ts",
    },
    bundle: true,
    format: "esm",
    write: false,
  });
  const source = Buffer.from(outputFiles[0]?.contents ?? []).toString("base64");
  return import(`data:text/javascript;base64,${source}`);
}
