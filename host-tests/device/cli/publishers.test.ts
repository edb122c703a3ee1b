/**
 * `svc install` of an app with another publisher, a new key, or an older version
 * (docs/spec/apps.md#publisher-mismatch).
 */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AppConsole, startAppConsole } from "../../hosts/app-console.js";
import { moduleOf, packageOf } from "../../hosts/app-files.js";
import { Publisher } from "../../hosts/publisher.js";
import { svc, svcFailure, svcJson, temporaryFolder } from "./svc-process.js";

const [old, next] = [new Publisher(), new Publisher()];
const folder = temporaryFolder();
const fileOf = (name: string) => path.join(folder.path, name);

let console: AppConsole;
beforeAll(async () => {
  console = await startAppConsole();
  writeFileSync(path.join(console.state, "lfs/hub/trusted_keys.pem"), old.pem + next.pem);
  writeFileSync(fileOf("old.pem"), old.privatePem);
  writeFileSync(fileOf("new.pem"), next.privatePem);
  writeFileSync(fileOf("new.pub.pem"), next.pem);
  const module = await moduleOf('(module (memory 1) (func (export "main")))');
  for (const version of ["1.0.0", "2.0.0"])
    writeFileSync(fileOf(`${version}.svcpkg`), packageOf(module, { version }));
});
afterAll(async () => {
  await console?.stop();
  folder.remove();
});

const install = (version: string, key: string, ...more: string[]) => [
  ...["install", fileOf(`${version}.svcpkg`), "--key", fileOf(key), "--device", console.http, ...more],
];

test("svc install advises what to do about another publisher's app, and svc key succeed allows the update", async () => {
  expect(await svcJson(install("1.0.0", "old.pem"))).toMatchObject({ publisher: old.hex.slice(0, 16) });
  const refused = await svcFailure(install("2.0.0", "new.pem"));
  expect(refused).toMatchObject({
    error: "publisher_mismatch",
    advice: expect.stringMatching(/svc key succeed.*svc uninstall NAME/),
  });
  const out = ["--out", fileOf("2.0.0.svcpkg.succession")];
  await svc(["key", "succeed", "--old", fileOf("old.pem"), "--new", fileOf("new.pub.pem"), ...out]);
  expect(await svcJson(install("2.0.0", "new.pem"))).toMatchObject({ publisher: next.hex.slice(0, 16) });
});

test("svc install --downgrade installs an older version over USB only", async () => {
  const overCable = [...install("1.0.0", "new.pem").slice(0, -1), `usb:${console.usb}`];
  expect(await svcFailure(install("1.0.0", "new.pem", "--downgrade"))).toMatchObject({
    error: "version_older",
    advice: expect.stringContaining("--downgrade"),
  });
  expect(await svcFailure(overCable)).toMatchObject({ error: "version_older" });
  expect(await svcJson([...overCable, "--downgrade"])).toMatchObject({ version: "1.0.0" });
});
