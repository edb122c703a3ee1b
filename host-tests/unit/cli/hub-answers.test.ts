/** Who is no hub is taken for none, whatever it answers; and tokens as they come from files (docs/spec/cli.md#hub-answers, #secrets). */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { svc, svcFailure, temporaryFolder } from "../../device/cli/svc-process.js";
import { SVC_TIMEOUT_MS } from "./run-svc.js";

const CATALOG = JSON.stringify({ apps: [], total: 0, page: 1, per_page: 1 });

let server: Server;
let url: string;
let answer: { readonly status: number; readonly body?: string };
let tokens: (string | undefined)[];
beforeAll(async () => {
  server = createServer((request, response) => {
    tokens.push(request.headers.authorization);
    response.writeHead(answer.status, { "content-type": "application/json" }).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

let folder: ReturnType<typeof temporaryFolder>;
const loginFile = () => path.join(folder.path, "svc", "hub.json");
beforeEach(() => {
  folder = temporaryFolder();
  tokens = [];
});
afterEach(() => folder.remove());

describe("A server that is no hub", { timeout: SVC_TIMEOUT_MS }, () => {
  const COMMANDS = [
    "catalog",
    "push app --device-id dev_1",
    "hub account create",
    "hub account end acc_1",
    "hub claim ABCD-1234",
    "hub devices",
    "hub token rotate",
    "hub token rotate dev_1",
    "hub account members list",
    "hub account members add name --role viewer",
    "hub account members role mem_1 viewer",
    "hub account members token mem_1",
    "hub account members sign-out mem_1",
    "hub account members remove mem_1",
    "hub account tokens list",
    "hub account tokens create name --scope read",
    "hub account tokens revoke tok_1",
    "hub account audit",
    "hub account webhooks list",
    "hub account webhooks add https://example.com/",
    "hub account webhooks deliveries web_1",
    "hub account webhooks remove web_1",
    "hub account webhooks test web_1",
  ];
  const NO_ANSWERS = [
    { what: "{}", status: 200, body: "{}", commands: COMMANDS },
    { what: "a list", status: 200, body: "[]", commands: ["catalog", "hub account create", "hub devices"] },
    {
      what: "a page",
      status: 200,
      body: "<html>Sign in</html>",
      commands: ["catalog", "hub account create"],
    },
    {
      what: "an error with a success",
      status: 200,
      body: '{"error":"x","message":"y"}',
      commands: ["hub devices"],
    },
    {
      what: "nothing (204)",
      status: 204,
      commands: ["catalog", "hub account create", "hub devices", "hub token rotate"],
    },
  ];
  const CASES = NO_ANSWERS.flatMap(({ commands, ...given }) =>
    commands.map((command) => ({ command, ...given })),
  );
  test.each(CASES)("that answers everything with $what is refused by: $command", async (given) => {
    answer = given;
    const environment = { SVC_HUB_URL: url, SVC_HUB_TOKEN: "svca_secret" };
    expect(await svcFailure(given.command.split(" "), { environment })).toMatchObject({
      error: "hub_refused",
      message: expect.stringContaining("not like a hub"),
    });
  });

  test.each([{ status: 200, body: "{}" }, { status: 204 }])("is not logged in to: $status", async (given) => {
    answer = given;
    const environment = { XDG_CONFIG_HOME: folder.path };
    const args = ["hub", "login", "--url", url, "--token", "svca_secret"];
    expect(await svcFailure(args, { environment })).toMatchObject({ error: "hub_refused" });
    expect(existsSync(loginFile())).toBe(false);
  });
});

describe("A token is taken without what is around it", { timeout: SVC_TIMEOUT_MS }, () => {
  const AROUND = [
    { what: "a byte order mark and CR LF", text: "\ufeffsvca_secret\r\n" },
    { what: "characters without width", text: "\u200bsvca_secret\u200b\n" },
    { what: "spaces and empty lines after it", text: " \u00a0svca_secret \n\n" },
  ];
  beforeEach(() => {
    answer = { status: 200, body: CATALOG };
  });

  test.each(AROUND)("from standard input: $what", async ({ text }) => {
    const environment = { XDG_CONFIG_HOME: folder.path };
    const { status } = await svc(["hub", "login", "--url", url], { environment, input: text });
    expect(status).toBe(0);
    expect(JSON.parse(readFileSync(loginFile(), "utf8"))).toEqual({ url, account_token: "svca_secret" });
  });

  test.each(AROUND)("from an option and from the environment: $what", async ({ text }) => {
    const environment = { XDG_CONFIG_HOME: folder.path };
    await svc(["hub", "login", "--url", url, "--token", text], { environment });
    const { status } = await svc(["catalog"], { environment: { SVC_HUB_URL: url, SVC_HUB_TOKEN: text } });
    expect(status).toBe(0);
    expect(tokens).toEqual(["Bearer svca_secret", "Bearer svca_secret"]);
  });

  test("for a console over the network", async () => {
    answer = { status: 404, body: "{}" };
    const [{ text } = { text: "" }] = AROUND;
    await svc(["status", "--device", url, "--token", text]);
    await svc(["status", "--device", url], { environment: { SVC_DEVICE_TOKEN: text } });
    expect(new Set(tokens)).toEqual(new Set(["Bearer svca_secret"]));
  });
});

test("A token that is nowhere to be read is asked for by the name of its option", async () => {
  for (const input of [undefined, ""])
    expect(
      await svc(["hub", "login", "--url", url], { ...(input !== undefined && { input }) }),
    ).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(
        /^svc: wrong_usage: There is no token on standard input\n.*--token TOKEN/,
      ),
    });
});

describe("What is no package is not published, and named as what it is", { timeout: SVC_TIMEOUT_MS }, () => {
  const FILES = [
    { file: "new.svcfw", content: "AKFW\x01rest", message: /is firmware$/, advice: /svc ota upload/ },
    { file: "app.wasm", content: "\0asm\x01\0\0\0", message: /is no package$/, advice: /svc app pack/ },
    { file: "notes.svcpkg", content: "no package", message: /is no package$/, advice: /svc app pack/ },
  ];
  test.each(FILES)("$file", async ({ file, content, message, advice }) => {
    const place = path.join(folder.path, file);
    writeFileSync(place, content, "latin1");
    const environment = { SVC_HUB_URL: url, SVC_HUB_TOKEN: "svcp_secret" };
    expect(await svcFailure(["publish", place], { environment })).toMatchObject({
      error: "media_type_unsupported",
      message: expect.stringMatching(message),
      advice: expect.stringMatching(advice),
    });
    expect(tokens).toEqual([]);
  });
});
