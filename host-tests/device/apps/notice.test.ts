/** The example `notice` asks a web server for a text (docs/notice.md). */
import { cpSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildApp } from "../../../sdk/builder/build-app.js";
import { installOverHttp } from "../../hosts/app-clients.js";
import { type AppConsole, startAppConsole } from "../../hosts/app-console.js";
import { askHttp } from "../../hosts/http-client.js";
import { temporaryDirectory } from "../../hosts/simulator-program.js";
import { showsPicture } from "./app-picture.js";

const examples = path.join(import.meta.dirname, "../../../sdk/examples");
const temporary = temporaryDirectory();
const TIMEOUT_MS = 120_000;

/** What the server has; a file of an hour ago, as the fields of HTTP tell it. */
let notice = { text: "", changed: "" };
/** The field `if-modified-since` of each request. */
const asked: (string | undefined)[] = [];
const server = createServer(({ headers }, response) => {
  const since = headers["if-modified-since"];
  asked.push(since);
  if (since === notice.changed) response.writeHead(304).end();
  else response.writeHead(200, { "last-modified": notice.changed }).end(notice.text);
});

let console: AppConsole;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  console = await startAppConsole();
});
afterAll(async () => {
  expect(await console.stop()).toBe(0);
  server.closeAllConnections();
  server.close();
  temporary.remove();
});

const [A, SELECT] = [1 << 4, 1 << 9];
const press = (bits: number) => askHttp(`${console.http}/api/buttons?pressed=${bits}`, { method: "POST" });

/** Installs the example with another address, which is its one setting. */
async function installFor(address: string): Promise<void> {
  const directory = path.join(temporary.path, "notice");
  cpSync(path.join(examples, "notice"), directory, { recursive: true });
  writeFileSync(path.join(directory, "address.ts"), `export const ADDRESS = "${address}";\n`);
  const { package: file } = await buildApp(directory);
  expect(await installOverHttp(console, { file, signature: console.publisher.sign(file) })).toMatchObject({
    status: 200,
  });
}

/** Starts the app, or lets it ask again, and waits for what it says of the answer. */
async function says(outcome: string, ask: () => Promise<unknown>): Promise<void> {
  const from = console.stderr.length;
  await ask();
  await console.waitForLine(new RegExp(`app/notice: ${outcome}$`), from);
  await press(0);
}

test("notice shows a text, asks again for what has changed alone, and says that no server answers", {
  timeout: TIMEOUT_MS,
}, async () => {
  const { port } = server.address() as AddressInfo;
  await installFor(`http://127.0.0.1:${port}/notice.txt`);
  const start = () => console.app("start", "notice");
  const again = () => press(A);
  const lines = ["Café, at four:", "", "whoever comes late gets what the others have left of it."];
  notice = { text: lines.join("\n"), changed: "Thu, 26 Nov 2026 08:41:45 GMT" };
  await says(`${notice.text.length} letters`, start);
  await showsPicture(console, "notice");
  await says("still the same", again);
  expect(asked).toEqual([undefined, notice.changed]);
  await showsPicture(console, "notice-same");
  notice = { text: "x".repeat(3000), changed: "Thu, 26 Nov 2026 08:45:00 GMT" };
  await says("2048 letters", again);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await says("no server answers", again);
  server.listen(port, "127.0.0.1");
  await says("2048 letters", again);
  expect(asked.at(-1)).toBeUndefined(); // after a failure it asks for all of it
  await press(SELECT);
  const { last_exit } = await console.until(({ state }) => state === "stopped", "notice");
  expect(last_exit).toMatchObject({ reason: "exit", code: 0 });
  await press(0);
  expect(await console.app("uninstall", "notice")).toMatchObject({ status: 200 });
});

test("notice says that its address is the console's own", { timeout: TIMEOUT_MS }, async () => {
  await installFor(`${console.http}/notice.txt`);
  await says("that is this console", () => console.app("start", "notice"));
  expect(await console.app("uninstall", "notice")).toMatchObject({ status: 200 });
});
