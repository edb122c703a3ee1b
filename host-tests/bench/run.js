/** `npm run bench`: bundles the benchmarks, which are TypeScript, and runs them. */
import { join } from "node:path";
import { build } from "esbuild";

const outfile = join(import.meta.dirname, "../../build/bench.mjs");
await build({
  entryPoints: [join(import.meta.dirname, "console.ts")],
  outfile,
  bundle: true,
  format: "esm",
  platform: "node",
  packages: "external",
  external: ["*/simulator/build.js"],
});
await import(outfile);
