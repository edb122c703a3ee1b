/** Vite configuration: builds the web console, and serves it for development (`npm run console`). */
import path from "node:path";
import { defineConfig } from "vite";

const ENTRY = path.join(import.meta.dirname, "main.tsx");

/**
 * Assigns each module to one of two scripts with fixed names, which servers know: the page's startup, and the rest. By
 * default the bundler would put shared modules into a third script.
 * @param id id of a module
 */
function scriptOf(
  id: string,
  context: { getModuleInfo(id: string): { importedIds: readonly string[] } | null },
) {
  const needed = new Set([ENTRY]);
  for (const each of needed)
    for (const imported of context.getModuleInfo(each)?.importedIds ?? []) needed.add(imported);
  return needed.has(id) ? "console" : null;
}

export default defineConfig({
  root: import.meta.dirname,
  base: "./",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    target: "es2022",
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: 100_000,
    rolldownOptions: {
      preserveEntrySignatures: false,
      output: {
        entryFileNames: "entry.js", // all of which the group takes
        chunkFileNames: ({ name }) => (name === "console" ? "console.js" : "panels.js"),
        codeSplitting: { groups: [{ name: scriptOf }] },
      },
    },
  },
});
