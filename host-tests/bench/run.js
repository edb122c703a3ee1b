/** `npm run bench`: bundles the benchmarks, which are TypeScript, and runs them. */
import { join } from "node:path";
import { build } from "esbuild";

for (const name of ["console", "engine"]) {
  // Two folders deep, as the modules are that import the build script by its path.
  const outfile = join(import.meta.dirname, `../../build/bench/${name}.mjs`);
  await build({
    entryPoints: [join(import.meta.dirname, `${name}.ts`)],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    packages: "external",
    external: ["../../simulator/build.js"],
  });
  await import(outfile);
}
