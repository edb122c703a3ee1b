/** Apps on the network: connections, and requests to web servers (docs/spec/app-abi-and-quotas.md#http-request). */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { installOverHttp } from "../../hosts/app-clients.js";
import { type AppConsole, startAppConsole } from "../../hosts/app-console.js";
import { moduleOf, packageOf } from "../../hosts/app-files.js";
import { CertificateMaker } from "../../hosts/certificates.js";
import { getJson } from "../../hosts/http-client.js";
import { isMissing } from "../../hosts/peers.js";
import { temporaryDirectory } from "../../hosts/simulator-program.js";

let console: AppConsole;
const asked: { method: string | undefined; url: string | undefined; headers: unknown; body: string }[] = [];
const server = createServer(async (request, response) => {
  let body = "";
  for await (const piece of request) body += piece;
  const { method, url, headers } = request;
  asked.push({ method, url, headers, body });
  answer(request, response);
});
let origin: string;

function answer({ url }: IncomingMessage, response: ServerResponse): void {
  if (url === "/silent") return;
  if (url === "/cut")
    response.writeHead(200, { "content-length": 100 }).write("cut", () => response.destroy());
  else if (url === "/far") response.writeHead(302, { location: "/elsewhere" }).end();
  else if (url === "/long") response.end("0123456789".repeat(10_000));
  else response.writeHead(201, { "x-words": "a, b" }).end("hello");
}

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  console = await startAppConsole();
});
afterAll(async () => {
  expect(await console.stop()).toBe(0);
  server.closeAllConnections();
  server.close();
});

const escaped = (text: string) =>
  [...Buffer.from(text)].map((byte) => `\\${byte.toString(16).padStart(2, "0")}`).join("");

/** Has the request at 0, and the name of a field at 4200; it reads to 8192 and logs from there. */
const appOf = (request: string, main: string) => `(module
  (import "svc" "http_request" (func $request (param i32 i32) (result i32)))
  (import "svc" "http_status" (func $status (param i32 i32) (result i32)))
  (import "svc" "http_field" (func $field (param i32 i32 i32 i32 i32) (result i32)))
  (import "svc" "http_read" (func $read (param i32 i32 i32 i32) (result i32)))
  (import "svc" "http_close" (func $close (param i32) (result i32)))
  (import "svc" "log" (func $log (param i32 i32 i32) (result i32)))
  (memory 1)
  (data (i32.const 0) "${escaped(request)}") (data (i32.const 4200) "X-Words")
  (func $open (result i32) (call $request (i32.const 0) (i32.const ${Buffer.byteLength(request)})))
  (func $say (param $length i32) (drop (call $log (i32.const 1) (i32.const 8192) (local.get $length))))
  (func (export "main") (result i32) (local $handle i32) (local $length i32) (local $sum i32) ${main}))`;

const ASK = `(local.set $handle (call $open))
  (if (i32.lt_s (local.get $handle) (i32.const 0)) (then (return (local.get $handle))))`;

async function run(request: string, main: string, capabilities = ["network.use"]) {
  const file = packageOf(await moduleOf(appOf(request, main)), { name: "asker", capabilities } as never);
  const installed = await installOverHttp(console, { file, signature: console.publisher.sign(file) });
  if (installed.status !== 200) return { refused: installed.body.error };
  const { next } = await getJson(`${console.http}/api/logs`);
  await console.app("start", "asker");
  const { last_exit } = await console.until(({ state }) => state === "stopped", "asker");
  const { lines } = await getJson(`${console.http}/api/logs?since=${next}`);
  const said = lines.flatMap((line: string) => / app\/asker: (.*)$/.exec(line)?.[1] ?? []);
  return { ...last_exit, said };
}

const STATUS = `(call $status (local.get $handle) (i32.const 10000))`;
const READ = `(call $read (local.get $handle) (i32.const 8192) (i32.const 2000) (i32.const 10000))`;

test("A request is sent with its fields and its body, and answered with status, fields and body", async () => {
  const { code, said } = await run(
    `POST ${origin}/scores?of=me\nContent-Type: text/plain\n\n12 points\n\nor more`,
    `${ASK} (local.set $sum ${STATUS})
     (local.set $length (call $field (local.get $handle) (i32.const 4200) (i32.const 7) (i32.const 8192) (i32.const 100)))
     (call $say (local.get $length))
     (call $say ${READ})
     (if ${READ} (then unreachable))
     (if (call $close (local.get $handle)) (then unreachable))
     (if (i32.ne (call $close (local.get $handle)) (i32.const -2)) (then unreachable))
     (local.get $sum)`,
  );
  expect([code, said]).toEqual([201, ["a, b", "hello"]]);
  expect(asked.at(-1)).toMatchObject({
    method: "POST",
    url: "/scores?of=me",
    body: "12 points\n\nor more",
    headers: { host: origin.slice(7), "content-type": "text/plain", "content-length": "18" },
  });
});

test("A long answer is read to its end in pieces, and a redirect is an answer", async () => {
  const { code } = await run(
    `GET ${origin}/long`,
    `${ASK} (drop ${STATUS})
     (loop $again
       (local.set $length ${READ})
       (if (i32.lt_s (local.get $length) (i32.const 0)) (then (return (local.get $length))))
       (local.set $sum (i32.add (local.get $sum) (local.get $length)))
       (br_if $again (local.get $length)))
     (local.get $sum)`,
  );
  expect(code).toBe(100_000);
  expect(await run(`GET ${origin}/far`, `${ASK} ${STATUS}`)).toMatchObject({ code: 302 });
});

test.each([
  ["an answer that breaks off", "/cut", `${ASK} (drop ${READ}) ${READ}`, -5],
  ["a server that is silent", "/silent", `${ASK} (call $status (local.get $handle) (i32.const 200))`, -16],
  ["a third request", "/silent", `(drop (call $open)) (drop (call $open)) (call $open)`, -28],
  ["a handle that there is not", "/", "(call $status (i32.const 7) (i32.const 100))", -2],
  ["a negative time", "/", `${ASK} (call $status (local.get $handle) (i32.const -1))`, -22],
  [
    "a field that there is not",
    "/far",
    `${ASK} (drop ${STATUS}) (call $field (local.get $handle) (i32.const 4200) (i32.const 7) (i32.const 8192) (i32.const 9))`,
    -2,
  ],
  [
    "a name that is none",
    "/",
    `${ASK} (call $field (local.get $handle) (i32.const 4200) (i32.const 0) (i32.const 8192) (i32.const 9))`,
    -22,
  ],
])("%s has its error", async (_, target, main, code) => {
  expect(await run(`GET ${origin}${target}`, main)).toMatchObject({ reason: "exit", code });
});

test("No server, no request and the console itself have errors of their own", async () => {
  expect(await run("GET http://127.0.0.1:9/", `${ASK} ${STATUS}`)).toMatchObject({ code: -5 });
  expect(await run("GET", `${ASK} (i32.const 0)`)).toMatchObject({ code: -22 });
  expect(await run(`GET ${origin}/\n${"a".repeat(4096)}: b`, `${ASK} (i32.const 0)`)).toMatchObject({
    code: -22,
  });
  expect(await run(`GET ${console.http}/api/status`, `${ASK} ${STATUS}`)).toMatchObject({ code: -1 });
});

test.skipIf(isMissing("openssl"))(
  "A server over TLS is asked, and one with a stranger's certificate is not",
  async () => {
    const directory = temporaryDirectory();
    const maker = new CertificateMaker(directory.path);
    const authority = maker.make({ commonName: "Authority", isAuthority: true });
    const known = maker.make({ commonName: "known", names: ["DNS:localhost"], issuer: authority });
    const stranger = maker.make({ commonName: "stranger", names: ["DNS:localhost"] });
    const secure = await Promise.all(
      [known, stranger].map(async ({ cert, key }) => {
        const listener = createSecureServer({ cert, key }, (_request, response) => response.end("secret"));
        await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
        return { listener, url: `https://localhost:${(listener.address() as AddressInfo).port}/` };
      }),
    );
    const other = console;
    console = await startAppConsole({ flags: ["--hub-ca", maker.save(authority)] });
    const main = `${ASK} (local.set $sum ${STATUS}) (call $say ${READ}) (local.get $sum)`;
    expect(await run(`GET ${secure[0]?.url}`, main)).toMatchObject({ code: 200, said: ["secret"] });
    expect(await run(`GET ${secure[1]?.url}`, `${ASK} ${STATUS}`)).toMatchObject({ code: -5 });
    expect(await console.stop()).toBe(0);
    console = other;
    for (const { listener } of secure) listener.close();
    directory.remove();
  },
);

test("Requests need network.use, and memory of the app's own", async () => {
  expect(await run(`GET ${origin}/`, `${ASK} (i32.const 0)`, [])).toEqual({ refused: "capability_missing" });
  const beyond = "(call $request (i32.const 65530) (i32.const 10))";
  expect(await run(`GET ${origin}/`, beyond)).toMatchObject({ reason: "trap" });
});

/** Each call with its result; the exit code has the number of the first call with another one, in thousands, and that result. */
const connectionsOf = (port: number) => {
  const connect = (at: number, byteLength: number, to = port) =>
    `(call $connect (i32.const ${at}) (i32.const ${byteLength}) (i32.const ${to}))`;
  const opens = (call: string) => [`(i32.gt_s (local.tee $handle ${call}) (i32.const 0))`, 1] as const;
  const send = (at: number, byteLength: number) =>
    `(call $send (i32.const 1) (i32.const ${at}) (i32.const ${byteLength}))`;
  const receive = (byteLength: number, timeoutMs = 5000) =>
    `(call $receive (i32.const 1) (i32.const 100) (i32.const ${byteLength}) (i32.const ${timeoutMs}))`;
  const FIRST = "(i32.const 1)";
  const close = (handle: string) => `(call $close ${handle})`;
  const steps = [
    [connect(0, 9), 1],
    ...[[send(18, 5), 5] as const, [receive(64), 5] as const],
    ["(i32.load8_u (i32.const 104))", "o".charCodeAt(0)],
    ...[[send(18, 5), 5] as const, [receive(3), 3] as const, [receive(64), 2] as const],
    ...[[receive(8, 0), -16] as const, [receive(8, 10), -16] as const],
    ...[[send(18, 5), 5] as const, [receive(64), 5] as const],
    ...[[send(23, 3), 3] as const, [receive(64), 0] as const], // the server has closed it
    ...[
      [close(FIRST), 0] as const,
      [close(FIRST), -2] as const,
      [send(18, 5), -2] as const,
      [receive(8), -2] as const,
    ],
    ...[[connect(0, 9, 9), -5] as const, [connect(0, 0), -22] as const],
    ...[0, -1, 65_536].map((invalid) => [connect(0, 9, invalid), -22] as const),
    ...[opens(connect(9, 9)), opens(connect(0, 9)), opens(connect(0, 9)), opens(connect(0, 9))],
    ...[[connect(0, 9), -28] as const, [close("(local.get $handle)"), 0] as const, opens(connect(0, 9))],
  ] as const;
  const checks = steps.map(
    ([call, result], at) => `(local.set $result ${call})
      (if (i32.ne (local.get $result) (i32.const ${result}))
        (then (return (i32.add (i32.const ${1000 * (at + 1)}) (local.get $result)))))`,
  );
  return `(module
    (import "svc" "net_connect" (func $connect (param i32 i32 i32) (result i32)))
    (import "svc" "net_send" (func $send (param i32 i32 i32) (result i32)))
    (import "svc" "net_receive" (func $receive (param i32 i32 i32 i32) (result i32)))
    (import "svc" "net_close" (func $close (param i32) (result i32)))
    (memory 1) (data (i32.const 0) "127.0.0.1localhosthellobye")
    (func (export "main") (result i32) (local $result i32) (local $handle i32) ${checks.join("\n")} (i32.const 0)))`;
};

test("An app connects by name and address, sends and receives in pieces, and learns of each failure", async () => {
  const echo = createTcpServer((peer) => {
    peer.on("error", () => {});
    peer.on("data", (bytes) => (String(bytes) === "bye" ? peer.end() : peer.write(bytes)));
  });
  await new Promise<void>((resolve) => echo.listen(0, "127.0.0.1", resolve));
  const module = await moduleOf(connectionsOf((echo.address() as AddressInfo).port));
  const file = packageOf(module, { name: "asker", capabilities: ["network.use"] });
  await installOverHttp(console, { file, signature: console.publisher.sign(file) });
  await console.app("start", "asker");
  const { last_exit } = await console.until(({ state }) => state === "stopped", "asker");
  expect(last_exit).toMatchObject({ reason: "exit", code: 0 });
  echo.close();
});
