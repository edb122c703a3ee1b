/** How the page finds out whether it came from a console. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, test, vi } from "vitest";
import { askOwnOrigin, OWN_ORIGIN_LIMIT_MS } from "../../../../web/connection/own-origin.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const PAGE = new URL("http://192.168.1.20:8080/#device");
const sent = new Response(null);
const status = () => Response.json({ fw_version: "1.0.0" });
const silence = (signal: AbortSignal) =>
  new Promise<Response>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

type Answers = readonly ((signal: AbortSignal) => Response | Promise<Response>)[];

/** @param answers to the requests, in order; a further request fails the test */
function serve(answers: Answers): void {
  const left = [...answers];
  vi.stubGlobal("fetch", async (_: string, { signal }: { signal: AbortSignal }) => {
    const answer = left.shift();
    assert.ok(answer, "One request more than expected");
    return answer(signal);
  });
}

const refused = (): Promise<Response> => Promise.reject(new TypeError("Failed to fetch"));

const CASES: readonly { readonly name: string; readonly answers: Answers; readonly kind: string }[] = [
  { name: "a console, by its status", answers: [() => sent, status], kind: "console" },
  {
    name: "a hub, by the tag of its page, without a further request",
    answers: [() => new Response(null, { headers: { etag: '"1"' } })],
    kind: "none",
  },
  {
    name: "another server, by its 404",
    answers: [() => sent, () => new Response("Not found", { status: 404 })],
    kind: "none",
  },
  {
    name: "a console that requires a token, by its refusal",
    answers: [
      () => sent,
      () => Response.json({ error: "unauthorized", message: "It wants a token" }, { status: 401 }),
    ],
    kind: "refused",
  },
  { name: "silent, if nothing answers", answers: [refused], kind: "silent" },
];
for (const { name, answers, kind } of CASES)
  test(`the page's server is recognized as ${name}`, async () => {
    serve(answers);
    assert.equal((await askOwnOrigin(PAGE, undefined)).kind, kind);
  });

test("a server that answers just before the limit is recognized as a console", async () => {
  const late = async () => {
    await new Promise((resolve) => setTimeout(resolve, OWN_ORIGIN_LIMIT_MS / 2 - 1));
  };
  serve([() => late().then(() => sent), () => late().then(status)]);
  const asked = askOwnOrigin(PAGE, undefined);
  await vi.advanceTimersByTimeAsync(OWN_ORIGIN_LIMIT_MS);
  assert.equal((await asked).kind, "console");
});

for (const [name, answers] of [
  ["its page", [silence]],
  ["its status", [() => sent, silence]],
] as const)
  test(`a server that withholds ${name} is abandoned at the limit, with the reason`, async () => {
    serve(answers);
    const asked = askOwnOrigin(PAGE, undefined);
    await vi.advanceTimersByTimeAsync(OWN_ORIGIN_LIMIT_MS);
    const own = await asked;
    assert.ok(own.kind === "silent");
    assert.equal(own.error.code, "device_timeout");
    assert.match(own.error.message, /^http:\/\/192\.168\.1\.20:8080 has not answered for 10 s$/);
  });

test("a page from a local file has no console of its own", async () => {
  serve([]);
  assert.deepEqual(await askOwnOrigin(new URL("file:///index.html"), undefined), { kind: "none" });
});
