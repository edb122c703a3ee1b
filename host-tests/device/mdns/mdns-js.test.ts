/** The calls of mdns-js on XS: the types are those of the package, and a browser finds a service over real sockets. */
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { serviceTypeLines } from "../../contracts/service-types.js";
import { buildProgram, temporaryDirectory } from "../../hosts/simulator-program.js";
import { published } from "../../unit/mdns-js/package.js";

const directory = temporaryDirectory();
let seen: readonly { readonly name: string; readonly value: unknown }[] = [];
beforeAll(async () => {
  const program = await buildProgram(path.join(import.meta.dirname, "mdns-js-program.ts"), directory.path);
  const { lines } = await program.run({ state: path.join(directory.path, "state") });
  seen = lines.map((line) => JSON.parse(line));
});
afterAll(() => directory.remove());

test("service types on XS are those of the package in Node", () => {
  const types = seen.filter(({ name }) => name === "type").map(({ value }) => value);
  expect(types).toEqual([...serviceTypeLines(published)]);
});

test("a browser on XS finds a service, and hears it go", () => {
  expect(seen.filter(({ name }) => name !== "type" && name !== "flood")).toEqual([
    { name: "ready", value: 0 },
    {
      name: "update",
      value: {
        addresses: ["127.0.0.1"],
        type: "_mdns-js-test._tcp",
        port: 9876,
        txt: ["txtvers=1"],
        host: true,
        query: [],
        interfaceIndex: 0,
        networkInterface: "127.0.0.1",
      },
    },
    { name: "stopped", value: "" },
    { name: "down", value: true },
  ]);
});

test("a flood of large services takes 48 KiB of the heap at most", () => {
  const values = seen.filter(({ name }) => name === "flood").map(({ value }) => value);
  const [{ updates, takenBytes }] = values as [{ updates: number; takenBytes: number }];
  expect(updates).toBe(11); // 16 KiB of records
  expect(takenBytes).toBeLessThan(48 * 1024);
  expect(takenBytes).toBeGreaterThan(32 * 1024);
});
