/** The set-up access point of a console, and phones that use it (docs/spec/setup.md). */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { setImmediate } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ENDPOINTS } from "../../../device/services/api/endpoints.js";
import { AirClient, type PageAnswer } from "../../hosts/air-client.js";
import { askHttp, getJson } from "../../hosts/http-client.js";
import { type Console, startConsole } from "../../hosts/simulator.js";
import { UsbClient } from "../../hosts/usb-client.js";
import { query, readMessage } from "../../unit/services/mdns/dns-messages.js";

const PASSWORD = /^[a-hjkmnp-z2-9]{12}$/;
const CLIENT_LIMIT = 8;

let simulated: Console;
let usb: UsbClient;

async function start(flags: readonly string[] = []): Promise<void> {
  simulated = await startConsole({ flags });
  usb = await UsbClient.open(simulated.usb);
}

async function stop(): Promise<void> {
  await usb.close();
  expect(await simulated.stop()).toBe(0);
}

const setup = async () => (await usb.request("GET", "/api/wifi/setup")).body;
const change = async (open: boolean) =>
  (await usb.request("POST", "/api/wifi/setup", { open: String(open) })).body;
const wifi = async () => (await usb.request("GET", "/api/wifi")).body;
const phone = ({ ssid, password }: { ssid: string; password: string }) =>
  AirClient.join(simulated.state, ssid, password);

/** The page, once the console has looked for networks. */
async function pageOf(client: AirClient, page: string): Promise<PageAnswer> {
  let answer = await client.ask(page, "/");
  while (answer.text.includes("looking for networks")) answer = await client.ask(page, "/");
  return answer;
}

const keyIn = ({ text }: PageAnswer) => /name="key" value="([^"]+)"/.exec(text)?.[1] ?? "";

function post(client: AirClient, page: string, fields: Record<string, string>, headers = {}) {
  return client.ask(page, "/join", {
    method: "POST",
    body: String(new URLSearchParams(fields)),
    ...headers,
  });
}

describe("While the set-up access point is open", () => {
  // biome-ignore lint/suspicious/noExplicitAny: the console's answer
  let opened: any;
  let client: AirClient;

  beforeAll(async () => {
    await start();
    opened = await change(true);
    client = await phone(opened);
  });
  afterAll(async () => {
    await client.leave();
    await stop();
  });

  test("its state has name, password, page and time left, over USB alone", async () => {
    expect(opened).toEqual({
      state: "open",
      ssid: simulated.name,
      password: expect.stringMatching(PASSWORD),
      clients: 0,
      client_limit: CLIENT_LIMIT,
      page: expect.stringMatching(/^http:\/\/127\.0\.4\.1:\d+\/$/),
      dns_port: expect.any(Number),
      closes_in_ms: expect.any(Number),
    });
    expect(opened.closes_in_ms).toBeGreaterThan(0);
    expect(opened.closes_in_ms).toBeLessThanOrEqual(600_000);
    for (const method of ["GET", "POST"]) {
      const answer = await askHttp(`${simulated.http}/api/wifi/setup?open=false`, { method });
      expect([answer.status, answer.body.error]).toEqual([404, "usb_only"]);
    }
    expect((await getJson(`${simulated.http}/api/system`)).features).toContain("setup_ap");
  });

  test("a phone joins with the password, and no other", async () => {
    expect([client.answer, client.address]).toEqual(["joined", "127.0.4.2"]);
    for (const password of ["wrong-password", opened.password.toUpperCase(), ""])
      expect((await phone({ ...opened, password })).answer).toBe("wrong_password");
    expect((await phone({ ...opened, ssid: "Console-FFFF" })).answer).toBe("not_found");
    expect(await setup()).toMatchObject({ clients: 1 });
  });

  test("opening it again changes nothing", async () => {
    expect(await change(true)).toMatchObject({ password: opened.password, page: opened.page, clients: 1 });
  });

  test("it takes 8 phones, refuses the ninth, and takes it when another has left", async () => {
    const others: AirClient[] = [];
    while (others.length < CLIENT_LIMIT - 1) others.push(await phone(opened));
    expect(others.map(({ answer }) => answer)).toEqual(Array(CLIENT_LIMIT - 1).fill("joined"));
    expect(await setup()).toMatchObject({ clients: CLIENT_LIMIT });
    expect((await phone(opened)).answer).toBe("refused");

    const answers = await Promise.all(
      [client, ...others].map((one) => one.ask(opened.page, "/generate_204")),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(CLIENT_LIMIT).fill(302));

    await others[0]?.leave();
    await expect.poll(async () => (await setup()).clients).toBe(CLIENT_LIMIT - 1);
    const ninth = await phone(opened);
    expect(ninth.answer).toBe("joined");
    for (const one of [...others, ninth]) await one.leave();
    await expect.poll(async () => (await setup()).clients).toBe(1);
  });

  const PROBES = [
    ["Android", "connectivitycheck.gstatic.com", "/generate_204"],
    ["Android", "www.google.com", "/gen_204"],
    ["iOS", "captive.apple.com", "/hotspot-detect.html"],
    ["iOS", "www.apple.com", "/library/test/success.html"],
    ["Windows", "www.msftconnecttest.com", "/connecttest.txt"],
    ["Windows", "www.msftconnecttest.com", "/redirect"],
    ["Windows", "www.msftncsi.com", "/ncsi.txt"],
    ["Firefox", "detectportal.firefox.com", "/canonical.html"],
    ["Firefox", "detectportal.firefox.com", "/success.txt?ipv4"],
    ["a browser", "example.org", "/any/where?it=wants"],
  ] as const;

  for (const [who, host, target] of PROBES)
    test(`${who} that asks ${host} for ${target} is sent to the page`, async () => {
      const answer = await client.query("127.0.4.1", opened.dns_port, query(`${host} A`));
      expect(readMessage(answer).answers).toEqual([`${host} A 127.0.4.1 1`]);

      for (const method of ["GET", "HEAD"])
        for (const named of [host, new URL(opened.page).host]) {
          const { status, headers } = await client.ask(opened.page, target, { method, host: named });
          expect([status, headers["location"]]).toEqual([302, opened.page]);
        }
    });

  test("names have no other records, and what is no query is not answered", async () => {
    const answer = await client.query("127.0.4.1", opened.dns_port, query("example.org AAAA"));
    expect(readMessage(answer)).toMatchObject({ answers: [], questions: ["example.org AAAA"] });

    const junk = [new Uint8Array(), new Uint8Array(600).fill(0xc0), answer];
    const next = await client.query("127.0.4.1", opened.dns_port, ...junk, query("last.example A"));
    expect(readMessage(next).questions).toEqual(["last.example A"]);
  });

  test("the page lists the networks, and needs nothing from elsewhere", async () => {
    const { status, headers, text } = await pageOf(client, opened.page);
    expect([status, headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
    expect(headers["content-security-policy"]).toContain("default-src 'none'");
    for (const name of ["Host network", "Simulated open", "Simulated", "Simulated weak"])
      expect(text).toContain(`<option value="${name}">`);
    expect(text).not.toMatch(/<script|<img|<link|https?:\/\/(?!127\.0\.4\.1)/);
    expect(text).not.toContain(opened.password);
  });

  test("no endpoint of the console is there, over GET or POST, under any host", async () => {
    for (const { method, path } of ENDPOINTS) {
      if (path === "/") continue; // the set-up page
      const isGet = method === "GET";
      const own = await client.ask(opened.page, path, { method });
      expect([path, own.status, own.headers["location"]]).toEqual(
        isGet ? [path, 302, opened.page] : [path, 404, undefined],
      );
      const foreign = await client.ask(opened.page, path, { method, host: "console.local" });
      expect([path, foreign.status]).toEqual([path, isGet ? 302 : 403]);
    }
    expect((await client.ask(opened.page, "/", { method: "PUT" })).status).toBe(405);
    const { text } = await client.ask(opened.page, "/");
    expect(text).toContain("<form");
    expect(text).not.toContain("console.js");
  });

  test("a page of another origin cannot use its forms", async () => {
    const before = await wifi();
    const key = keyIn(await pageOf(client, opened.page));
    const fields = { key, ssid: "Simulated open" };
    const own = new URL(opened.page);
    for (const origin of ["https://evil.example", "null", `http://${own.hostname}`, `https://${own.host}`])
      expect((await post(client, opened.page, fields, { origin })).status).toBe(403);
    const host = "evil.example";
    expect((await post(client, opened.page, fields, { host, origin: "http://evil.example" })).status).toBe(
      403,
    );
    const { status, text } = await post(client, opened.page, { ...fields, key: "abcdefghjkmn" });
    expect([status, text.includes('role="alert"')]).toEqual([403, true]);
    expect(await wifi()).toEqual(before);
  });

  test("a form that is not acceptable is refused, and changes nothing", async () => {
    const before = await wifi();
    const key = keyIn(await pageOf(client, opened.page));
    for (const [fields, wanted] of [
      [{ key, ssid: "" }, 400],
      [{ key, ssid: "Simulated", password: "short" }, 400],
      [{ key, other: "x".repeat(33) }, 400],
      [{ key, other: "x".repeat(1100) }, 413],
    ] as const)
      expect((await post(client, opened.page, fields)).status).toBe(wanted);
    expect(await wifi()).toEqual(before);
  });

  test("no log line has its password", () => {
    expect(simulated.stderr.join("\n")).toContain("setup: the set-up access point");
    expect(simulated.stderr.join("\n")).not.toContain(opened.password);
  });
});

describe("It ends", () => {
  // biome-ignore lint/suspicious/noExplicitAny: the console's answer
  let opened: any;
  let client: AirClient;

  beforeAll(() => start());
  afterAll(stop);
  beforeEach(async () => {
    await usb.request("POST", "/api/wifi", { forget: "true" });
    opened = await change(true);
    client = await phone(opened);
  });

  const isGone = async () => {
    await client.ended;
    expect(await setup()).toMatchObject({ state: "closed" });
    await expect(client.ask(opened.page, "/")).rejects.toThrow();
    await expect(phone(opened)).rejects.toThrow();
  };

  test("not after a wrong password, whose reason the page and the state have; then within a second of joining", async () => {
    const from = simulated.stderr.length;
    const key = keyIn(await pageOf(client, opened.page));
    const wrong = await post(client, opened.page, { key, ssid: "Simulated", password: "simulacrum" });
    expect(wrong.status).toBe(200);
    expect(wrong.text).toMatch(/role="alert">“Simulated” was not joined\. The access point did not accept/);
    expect(wrong.text).toContain('<option value="Simulated" selected>');
    expect(await setup()).toMatchObject({
      state: "open",
      password: opened.password,
      clients: 1,
      last_error: { reason: "wrong_password" },
    });

    const origin = new URL(opened.page).origin;
    const right = await post(
      client,
      opened.page,
      { key, ssid: "Simulated", password: "simulated" },
      { origin },
    );
    expect(right.status).toBe(200);
    expect(right.text).toContain("The console has joined “<bdi>Simulated</bdi>”");
    await isGone();
    expect(await setup()).toEqual({ state: "closed", ended: "joined" });
    expect(await wifi()).toMatchObject({ state: "joined", ssid: "Simulated" });

    const joined = await simulated.waitForLine(/ wifi: joined /, from);
    const closed = await simulated.waitForLine(/ setup: the set-up access point is closed/, from);
    expect(Number.parseFloat(closed) - Number.parseFloat(joined)).toBeLessThan(1);
  });

  test("when the console joins a network otherwise", async () => {
    await usb.request("POST", "/api/wifi", { ssid: "Simulated open" });
    await isGone();
    expect(await setup()).toEqual({ state: "closed", ended: "joined" });
  });

  test("when its user closes it, and has another password the next time", async () => {
    expect(await change(false)).toEqual({ state: "closed", ended: "closed" });
    await isGone();
    const again = await change(true);
    expect(again.password).not.toBe(opened.password);
    client = await phone(again);
    opened = again;
    await change(false);
    await client.ended;
  });
});

test("It ends when its time is over", async () => {
  await start(["--config", "CONFIG_SVC_SETUP_AP_TIMEOUT_S=1"]);
  const client = await phone(await change(true));
  await client.ended;
  expect(await setup()).toEqual({ state: "closed", ended: "timeout" });
  await stop();
});

test("Its network does not reach the console's other servers, wherever they listen", async () => {
  await start(["--address", "0.0.0.0"]);
  const opened = await change(true);
  const client = await phone(opened);
  for (const address of [simulated.http, simulated.ws.replace("ws:", "http:")]) {
    const there = `http://127.0.4.1:${new URL(address).port}/`;
    await expect(client.ask(there, "/api/status")).rejects.toThrow();
    const other = await client.ask(`http://127.0.0.1:${new URL(address).port}/`, "/api/status");
    expect(other.status).toBeLessThan(500);
  }
  await client.leave();
  await stop();
});

test("Its listeners do not answer other addresses of the loopback network", async () => {
  await start();
  const opened = await change(true);
  const client = await phone(opened);
  await expect(client.ask(opened.page, "/", { from: "127.0.0.1" })).rejects.toThrow();
  expect((await client.ask(opened.page, "/")).status).toBe(200);
  const stranger = createSocket("udp4").bind(0, "127.0.0.1");
  const answers: unknown[] = [];
  stranger.on("message", (answer) => answers.push(answer));
  await once(stranger, "listening");
  await new Promise((resolve) =>
    stranger.send(query("console.local A"), opened.dns_port, "127.0.4.1", resolve),
  );
  await client.query("127.0.4.1", opened.dns_port, query("console.local A"));
  await setImmediate();
  expect(answers).toEqual([]);
  stranger.close();
  await client.leave();
  await stop();
});

test("A build without it says so", async () => {
  await start(["--config", "CONFIG_SVC_SETUP_AP=off"]);
  for (const method of ["GET", "POST"])
    expect(await usb.request(method, "/api/wifi/setup", { open: "true" })).toMatchObject({
      status: 501,
      body: { error: "not_implemented" },
    });
  expect((await getJson(`${simulated.http}/api/system`)).features).not.toContain("setup_ap");
  await stop();
});
