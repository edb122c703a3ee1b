/** Hostile apps together, at a shutdown, and refused ones, with native images. */
process.env["SVC_TEST_ENGINE"] = "aot";
await import("../apps/hostile-together.test.js");
await import("../apps/hostile-shutdown.test.js");
await import("../apps/hostile-refused.test.js");

export {};
