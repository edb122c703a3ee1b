/** What a guest is promised, kept by the one that runs a native image. */
process.env["SVC_TEST_ENGINE"] = "aot";
await import("../guest/lifecycle.test.js");
await import("../guest/abi.test.js");
await import("../guest/abi-app.test.js");
await import("../guest/abi-buses.test.js");
await import("../guest/end.test.js");
await import("../guest/requests.test.js");
await import("../guest/log.test.js");

export {};
