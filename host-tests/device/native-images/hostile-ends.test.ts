/** Apps that end by a trap or by themselves, run as native images (docs/spec/aot.md#same). */
process.env["SVC_TEST_ENGINE"] = "aot";
await import("../apps/hostile-ends.test.js");

export {};
