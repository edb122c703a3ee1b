/**
 * Benchmark of a hub's catalogue and download routes, compared with a bare server on the same framework that sends
 * the same bytes to the same requests, and of downloads through nginx, compared with files that nginx sends for anybody; rounds alternate.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { addPublisher } from "../../hub/operator.js";
import { LAUNCHER } from "../../tools/launcher.js";
import { moduleOf, packageOf } from "../hosts/app-files.js";
import { isMissing } from "../hosts/peers.js";
import { Publisher } from "../hosts/publisher.js";
import { EMBEDDED_HUB, type HubUnderTest } from "../hub/hosts/hub-under-test.js";
import { ACCELERATED, startNginx } from "../hub/hosts/nginx.js";
import { request } from "../hub/hosts/request.js";
import { inRound } from "./round.js";
import { type AddRow, mibPerSecond } from "./row.js";
import { type WrkLoad, wrk } from "./wrk.js";

const APPS = 40;
const DATA_BYTES = 768 * 1024;
const ROUNDS = inRound({ full: 5, short: 1 });
const SECONDS = inRound({ full: 2, short: 1 });
const CATALOG_LOAD = { connections: 16, seconds: SECONDS };
const DOWNLOAD_LOAD = { connections: 4, seconds: SECONDS };

export default async function measure(addRow: AddRow): Promise<void> {
  if (isMissing("wrk"))
    return addRow("catalogue and download against a bare server", "not measured: the package wrk is missing");
  const directory = mkdtempSync(path.join(tmpdir(), "bench-"));
  const hub = await EMBEDDED_HUB.start();
  try {
    const token = await publishAll(hub);
    const files = await sameBytes(hub, token, directory);
    const bare = await startBare(files);
    try {
      await compare(addRow, hub.origin, bare.origin, token);
    } finally {
      bare.process.stdin?.end();
    }
    await compareNginx(addRow);
  } finally {
    await hub.stop();
    rmSync(directory, { recursive: true });
  }
}

async function compareNginx(addRow: AddRow): Promise<void> {
  const what = "download through nginx (X-Accel-Redirect) against its sendfile";
  if (isMissing("nginx")) return addRow(what, "not measured: the package nginx-light is missing");
  const hub = await EMBEDDED_HUB.start({ environment: ACCELERATED });
  const nginx = await startNginx(hub);
  try {
    const token = await publishAll(hub);
    const { headers } = await request(hub.origin, "GET", "/catalog/app-0/download", { token });
    const stored = headers.get("x-accel-redirect");
    if (!stored) throw new Error("The hub does not leave the download to nginx");
    const files = await inTurns(
      () => wrk(`${nginx.origin}/api/v1/catalog/app-0/download`, { ...DOWNLOAD_LOAD, token }),
      () => wrk(nginx.origin + stored.replace("/svc-hub-files/", "/plain/"), DOWNLOAD_LOAD),
    );
    addRow(what, ratioOfRates(files), "≥ 0.5");
  } finally {
    await nginx.stop();
    await hub.stop();
  }
}

async function compare(addRow: AddRow, hub: string, bare: string, token: string): Promise<void> {
  const lists = await inTurns(
    () => wrk(`${hub}/api/v1/catalog`, { ...CATALOG_LOAD, token }),
    () => wrk(`${bare}/list`, { ...CATALOG_LOAD, token }),
  );
  const [ours, theirs] = lists.map(({ requestsPerSecond }) => Math.round(requestsPerSecond)) as [
    number,
    number,
  ];
  addRow("GET /catalog, 20 of 40 apps, against a bare route", ratio(ours, theirs, "/s"), "≥ 0.9");
  const tag = (await request(hub, "GET", "/catalog", { token })).headers.get("etag") ?? "";
  const checks = await inTurns(
    () => wrk(`${hub}/api/v1/catalog`, { ...CATALOG_LOAD, token, tag }),
    () => wrk(`${bare}/unchanged`, { ...CATALOG_LOAD, token, tag }),
  );
  const [checked, answered] = checks.map(({ requestsPerSecond }) => Math.round(requestsPerSecond)) as [
    number,
    number,
  ];
  addRow("GET /catalog with its tag (304), against a bare 304", ratio(checked, answered, "/s"), "≥ 0.95");
  const files = await inTurns(
    () => wrk(`${hub}/api/v1/catalog/app-0/download`, { ...DOWNLOAD_LOAD, token }),
    () => wrk(`${bare}/download`, { ...DOWNLOAD_LOAD, token }),
  );
  addRow("download of 0.75 MiB against a bare stream", ratioOfRates(files), "≥ 0.9");
}

function ratio(ours: number, theirs: number, unit: string): string {
  return `${(ours / theirs).toFixed(2)}: ${ours} / ${theirs} ${unit}`;
}

function ratioOfRates(loads: readonly WrkLoad[]): string {
  const [sent, streamed] = loads.map(({ bytesPerSecond }) => bytesPerSecond) as [number, number];
  const rates = `${mibPerSecond(sent, 1000)} / ${mibPerSecond(streamed, 1000)}`;
  return `${(sent / streamed).toFixed(2)}: ${rates}`;
}

/** Runs the loads alternately for several rounds, so that disturbances affect all; returns the best of each. */
async function inTurns(...loads: readonly (() => Promise<WrkLoad>)[]): Promise<WrkLoad[]> {
  const best: WrkLoad[] = [];
  for (let round = 0; round < ROUNDS; round++)
    for (const [index, load] of loads.entries()) {
      const measured = await load();
      if (!best[index] || measured.requestsPerSecond > best[index].requestsPerSecond) best[index] = measured;
    }
  return best;
}

/** Publishes all apps. @returns the token of an account that can read the catalogue */
async function publishAll(hub: HubUnderTest): Promise<string> {
  const publisher = new Publisher();
  const { token } = await addPublisher(hub.environment, "bench", publisher.pem);
  // Incompressible data, so that the package has about the same size.
  const data = [...randomBytes(DATA_BYTES)].map((byte) => `\\${byte.toString(16).padStart(2, "0")}`).join("");
  const large = await moduleOf(`(module (memory 16) (data (i32.const 0) "${data}") (func (export "main")))`);
  const small = await moduleOf('(module (func (export "main")))');
  for (let index = 0; index < APPS; index++) {
    const fields = { name: `app-${index}`, description: `What app ${index} is about`, author: "bench" };
    const file = packageOf(index === 0 ? large : small, { ...fields, memory_quota: 1 << 20 });
    const form = new FormData();
    form.set("package", new Blob([Buffer.from(file)]), "app.svcpkg");
    form.set("signature", publisher.sign(file));
    const { status, body } = await request(hub.origin, "POST", "/catalog/publish", { token, form });
    if (status !== 201) throw new Error(`Publishing was answered ${status}: ${JSON.stringify(body)}`);
  }
  return (await request(hub.origin, "POST", "/accounts")).body.account_token;
}

/** Saves the answers of the two routes, for the bare server to send. @returns the files' paths */
async function sameBytes(hub: HubUnderTest, token: string, directory: string): Promise<readonly string[]> {
  const paths = ["/catalog", "/catalog/app-0/download"];
  return Promise.all(
    paths.map(async (route, index) => {
      const file = path.join(directory, String(index));
      writeFileSync(file, (await request(hub.origin, "GET", route, { token })).bytes);
      return file;
    }),
  );
}

async function startBare(files: readonly string[]): Promise<{ process: ChildProcess; origin: string }> {
  const program = path.join(import.meta.dirname, "bare-server.ts");
  const child = spawn(process.execPath, [LAUNCHER, program, ...files], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const [origin] = await once(createInterface(child.stdout), "line");
  return { process: child, origin };
}
