import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { test } from "vitest";

test("header, bindings, reference and the engine's own table are what device/wasm/abi.ts says", () => {
  execFileSync(process.execPath, ["tools/launch.js", "sdk/generate.ts", "--check"], {
    cwd: join(import.meta.dirname, "../.."),
  });
});
