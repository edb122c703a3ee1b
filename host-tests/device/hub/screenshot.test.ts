/** `svc publish` has the simulated console make a screenshot of an app that has none. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { NATIVE_FORMAT, NATIVE_HEAD_BYTES } from "../../../protocol/native-image.js";
import { buildApp } from "../../../sdk/builder/build-app.js";
import { newApp } from "../../../sdk/new-app.js";
import { moduleOf, packageOf } from "../../hosts/app-files.js";
import { countDifferences } from "../../hosts/kept-pictures.js";
import { readPng } from "../../hosts/read-png.js";
import { consoleLaunch } from "../../hosts/simulator.js";
import { temporaryDirectory } from "../../hosts/simulator-program.js";
import { appPackage, HubPublisher } from "../../hub/catalog/hub-publisher.js";
import { EMBEDDED_HUB, type HubUnderTest } from "../../hub/hosts/hub-under-test.js";
import { runSvcIn } from "../../unit/cli/run-svc.js";
import { imageOf, imagePackage, resealed } from "../../unit/services/apps/native-images.js";

/** `hlt` of x86-64 ends a process that is not the kernel. */
const FORBIDDEN_INSTRUCTION = 0xf4;

const temporary = temporaryDirectory();
let hub: HubUnderTest;
let publisher: HubPublisher;
beforeAll(async () => {
  await consoleLaunch(temporary.path); // builds the simulator, which svc takes as it is
  hub = await EMBEDDED_HUB.start();
  publisher = await HubPublisher.register(hub);
});
afterAll(async () => {
  await hub?.stop();
  temporary.remove();
});

function publish(bytes: Uint8Array, ...options: readonly string[]) {
  const file = path.join(temporary.path, "app.svcpkg");
  mkdirSync(temporary.path, { recursive: true });
  writeFileSync(file, bytes);
  writeFileSync(`${file}.sig`, publisher.key.sign(bytes));
  const environment = { SVC_HUB_URL: hub.origin, SVC_HUB_TOKEN: publisher.token };
  return runSvcIn(environment, ["publish", file, ...options]);
}

const screenshots = async (id: string) => (await publisher.get(`/catalog/${id}/page`)).body.screenshots;

test("the screenshot is what the app shows at first", async () => {
  const app = path.join(temporary.path, "square");
  await newApp(app, "assemblyscript");
  const { package: bytes } = await buildApp(app);
  expect(publish(bytes)).toMatchObject({
    status: 0,
    stderr: "making a screenshot on the simulated console\n",
  });
  expect(await screenshots("square")).toHaveLength(1);
  const { bytes: png } = await publisher.get("/catalog/square/screenshots/1");
  const kept = path.join(import.meta.dirname, "../apps/pictures/square.png");
  expect(countDifferences(kept, readPng(png))).toBe(0);
});

test("machine code does not run on the publisher's computer: a module runs in its place", async () => {
  const app = path.join(temporary.path, "careful");
  await newApp(app, "assemblyscript");
  const { manifest, module, images } = await buildApp(app, { architectures: ["native"] });
  const ending = resealed(images.native as Uint8Array, (view) => {
    const text = view.getUint32(NATIVE_FORMAT.figuresAt, true);
    for (let at = 0; at < text; at++) view.setUint8(NATIVE_HEAD_BYTES + at, FORBIDDEN_INSTRUCTION);
  });
  const bytes = packageOf(module, { ...manifest }, undefined, { native: ending });
  expect(publish(bytes)).toMatchObject({ status: 0, stderr: expect.not.stringContaining("warning") });
  expect(await screenshots("careful")).toHaveLength(1);
});

test("machine code alone has none, which is said with the reason", async () => {
  const app = path.join(temporary.path, "fast");
  await newApp(app, "assemblyscript");
  const { package: bytes } = await buildApp(app, { imageAlone: "native" });
  expect(publish(bytes)).toMatchObject({
    status: 0,
    stderr: expect.stringMatching(/published without a screenshot: it is machine code alone/),
  });
  expect(await screenshots("fast")).toEqual([]);
  const module = await moduleOf('(module (func (export "main")))');
  const rv32 = imagePackage(imageOf(module, { machine: "riscv32" }), { name: "far", target_arch: "rv32" });
  expect(publish(rv32)).toMatchObject({
    status: 0,
    stderr: expect.stringMatching(/published without a screenshot: "far" is for rv32 \(target_arch\)/),
  });
  expect(await screenshots("far")).toEqual([]);
});

test("an app that ends at once is published without one, and so is one for which none is wanted", async () => {
  expect(publish(await appPackage({ name: "brief" }))).toMatchObject({ status: 0 });
  const unwanted = publish(await appPackage({ name: "unwanted" }), "--without-screenshot");
  expect(unwanted).toMatchObject({ status: 0, stderr: "" });
  for (const id of ["brief", "unwanted"]) expect(await screenshots(id)).toEqual([]);
});
