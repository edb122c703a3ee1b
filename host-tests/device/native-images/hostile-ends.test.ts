/** Apps that end by a trap or by themselves, run as native images (docs/spec/aot.md#same). */
import { test } from "vitest";
import { areImagesPossible } from "../../hosts/image-architecture.js";

process.env["SVC_TEST_ENGINE"] = "aot";
if (areImagesPossible) await import("../apps/hostile-ends.test.js");
else test.skip("apps as machine code of this board");
