/** Apps that never end, run as native images: they are stopped as others are. */
process.env["SVC_TEST_ENGINE"] = "aot";
await import("../apps/hostile-stop.test.js");

export {};
