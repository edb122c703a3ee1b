import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { test } from "vitest";

test("headers, bindings, reference and the engine's import table match device/wasm/abi.ts", () => {
  execFileSync(process.execPath, ["tools/launch.js", "sdk/generate.ts", "--check"], {
    cwd: join(import.meta.dirname, "../.."),
  });
});
