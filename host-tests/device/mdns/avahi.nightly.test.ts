/** Avahi finds the console, wins its name from it, and hears it go (docs/spec/mdns.md#conflict). */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { FIRMWARE } from "../../../device/services/firmware/firmware-facts.js";
import { Avahi, foundIn } from "./avahi.js";
import { type Built, buildSimulatedConsole } from "./console-under-test.js";
import { obstacleTo } from "./obstacle.js";
import { type TwoHosts, twoHosts } from "./two-hosts.js";

const TYPE = "_svc._tcp";
/** A first build of the simulator takes its time. */
const BUILD_LIMIT_MS = 180_000;
const CONSOLE = {
  name: "Console-1A2B",
  host: "Console-1A2B.local",
  address: "10.77.0.1",
  port: 8080,
  text: ["api=v1", `fw=${FIRMWARE.version}`],
};

const missing = obstacleTo("avahi-daemon", "avahi-browse", "avahi-publish", "avahi-resolve", "dbus-daemon");
const isRequired = (process.env["SVC_TEST_REQUIRE"] ?? "").split(",").includes("avahi");
if (missing && isRequired) test("Avahi can run", () => expect.fail(missing));

describe.skipIf(missing !== undefined)(`Avahi${missing ? ` (${missing})` : ""}`, () => {
  let hosts: TwoHosts;
  let avahi: Avahi;
  let built: Built;

  beforeAll(async () => {
    built = await buildSimulatedConsole();
  }, BUILD_LIMIT_MS);
  afterAll(() => built?.remove());

  beforeEach(async () => {
    hosts = await twoHosts();
    avahi = await Avahi.start(hosts.peer);
  });
  afterEach(async () => {
    await avahi.close();
    await hosts.close();
  });

  const startConsole = () => built.start(hosts.console);
  /** Follows a type for as long as the test runs. */
  const watch = () => avahi.run("avahi-browse", "--resolve", "--parsable", TYPE);

  test("finds the console with its port, text and address", async () => {
    const watcher = watch();
    const console = await startConsole();
    expect(foundIn(await watcher.line(/^=/))).toEqual(CONSOLE);
    await console.stop();
  });

  test("finds a console that was announced before the search", async () => {
    const console = await startConsole();
    await console.line(/Advertising Console-1A2B\._svc/);
    expect(await avahi.browse(TYPE)).toEqual([CONSOLE]);
    await console.stop();
  });

  test("resolves the host name of the console", async () => {
    const console = await startConsole();
    await console.line(/Advertising Console-1A2B\.local/);
    const resolved = await avahi.run("avahi-resolve", "--name", "-4", "Console-1A2B.local").output();
    expect(resolved).toEqual(["Console-1A2B.local\t10.77.0.1"]);
    await console.stop();
  });

  test("lists the console's service type", async () => {
    const console = await startConsole();
    await console.line(/Advertising Console-1A2B\._svc/);
    const types = await avahi.run("avahi-browse", "--all", "--parsable", "--terminate").output();
    expect(types.filter((line) => line.includes(TYPE))).toEqual([`+;cable0;IPv4;Console-1A2B;${TYPE};local`]);
    await console.stop();
  });

  test("notices that the console stops", async () => {
    const watcher = watch();
    const console = await startConsole();
    await watcher.line(/^=/);
    await console.stop();
    expect(await watcher.line(/^-/)).toBe(`-;cable0;IPv4;Console-1A2B;${TYPE};local`);
  });

  test("keeps its own service name, and the console takes the next one", async () => {
    const publisher = avahi.run("avahi-publish", "-s", "Console-1A2B", TYPE, "9999", "fw=other");
    await publisher.line(/Established under name/);
    const console = await startConsole();
    await console.line(/Advertising Console-1A2B \(2\)\._svc/);
    const found = await avahi.browse(TYPE);
    expect(found.find(({ name }) => name === "Console-1A2B")?.port).toBe(9999);
    expect(found.find(({ name }) => name === "Console-1A2B (2)")).toEqual({
      ...CONSOLE,
      name: "Console-1A2B (2)",
    });
    await console.stop();
  });

  test("takes another service name if the console has the name", async () => {
    const console = await startConsole();
    await console.line(/Advertising Console-1A2B\._svc/);
    const publisher = avahi.run("avahi-publish", "-s", "Console-1A2B", TYPE, "9999");
    await publisher.line(/Established under name 'Console-1A2B #2'/);
    expect((await avahi.browse(TYPE)).find(({ name }) => name === "Console-1A2B")).toEqual(CONSOLE);
    await console.stop();
  });
});
