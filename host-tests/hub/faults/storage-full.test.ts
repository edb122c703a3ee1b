/** A disk that is full: what does not fit is refused with `storage_full`, leaves nothing, and costs nothing else. */
import { readdirSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, assert, beforeAll, describe, test } from "vitest";
import { bitmap } from "../../hosts/bitmap.js";
import { isMissing } from "../../hosts/peers.js";
import { madeAccount } from "../api/people.js";
import { appPackage, freshName, HubPublisher } from "../catalog/hub-publisher.js";
import { formOf, nativeBundle, newPublisher } from "../firmware/bringing.js";
import type { Launcher } from "../hosts/hub-process.js";
import { EMBEDDED_HUB, HUBS, type HubUnderTest } from "../hosts/hub-under-test.js";
import { request } from "../hosts/request.js";

/** What a file in memory takes at least. */
const PAGE_BYTES = 4096;

/** In a namespace of its own with a small disk below its storage, which is gone when the process is. */
const onSmallDisk =
  (sizeKib: number, directory = "") =>
  (storagePath: string): Launcher => [
    ...["unshare", "-m", "sh", "-c"],
    `mkdir -p "$0" && mount -t tmpfs -o size=${sizeKib}k none "$0" && exec "$@"`,
    path.join(storagePath, directory),
  ];

/** The disk as the hub sees it. */
const diskOf = ({ processes: [process], storagePath }: HubUnderTest) =>
  `/proc/${process?.pid}/root${storagePath}`;

for (const { name: kind, missing, start } of HUBS)
  describe.skipIf(isMissing("tmpfs") || missing)(`A hub on ${kind} with too little room for files`, () => {
    let hub: HubUnderTest;
    beforeAll(async () => {
      hub = await start({ launcher: onSmallDisk(256, "files") });
    });
    afterAll(() => hub.stop());

    test("rejects a package with 507, stores nothing of it, and accepts one that fits", async () => {
      const publisher = await HubPublisher.register(hub);
      const name = freshName();
      const [origin = ""] = hub.origins; // each has a disk of its own
      const tooLarge = await publisher.publish(await appPackage({ name }, { noiseBytes: 300_000 }), origin);
      assert.deepEqual([tooLarge.status, tooLarge.body.error], [507, "storage_full"]);
      assert.deepEqual(readdirSync(path.join(diskOf(hub), "files")), []);
      assert.equal((await publisher.get(`/catalog/${name}`)).status, 404);
      const fitting = await publisher.publish(await appPackage({ name }, { noiseBytes: 1000 }), origin);
      assert.equal(fitting.status, 201);
    });

    test("rejects a package whose icon does not fit, and stores neither", async () => {
      const publisher = await HubPublisher.register(hub);
      const name = freshName();
      const [origin = ""] = hub.origins;
      const file = await appPackage({ name }, { icon: bitmap({ shade: 3 }), noiseBytes: PAGE_BYTES });
      const files = path.join(diskOf(hub), "files");
      const before = readdirSync(files);
      const filler = path.join(files, "filler");
      fill(filler);
      truncateSync(filler, statSync(filler).size - Math.ceil(file.length / PAGE_BYTES) * PAGE_BYTES);
      const refused = await publisher.publish(file, origin);
      assert.deepEqual([refused.status, refused.body.error], [507, "storage_full"]);
      assert.equal((await publisher.get(`/catalog/${name}`)).status, 404);
      rmSync(filler);
      assert.deepEqual(readdirSync(files), before);
      assert.equal((await publisher.publish(file, origin)).status, 201);
    });

    test("rejects firmware with 507, stores nothing of it, and accepts firmware that fits", async () => {
      const publisher = await newPublisher(hub);
      const [origin = ""] = hub.origins;
      const bring = (bytes: number) =>
        request(origin, "POST", "/firmware", {
          token: publisher.token,
          form: formOf(nativeBundle("1.0.0", publisher, bytes)),
        });
      const before = readdirSync(path.join(diskOf(hub), "files"));
      const tooLarge = await bring(300_000);
      assert.deepEqual([tooLarge.status, tooLarge.body.error], [507, "storage_full"]);
      assert.deepEqual(readdirSync(path.join(diskOf(hub), "files")), before);
      const latest = await request(origin, "GET", "/firmware/latest", { token: publisher.token });
      assert.equal(latest.body.error, "firmware_not_found");
      assert.equal((await bring(1000)).status, 201);
    });
  });

describe.skipIf(isMissing("tmpfs"))("A hub with too little room for its database", () => {
  let hub: HubUnderTest;
  beforeAll(async () => {
    hub = await EMBEDDED_HUB.start({ launcher: onSmallDisk(4096) });
  });
  afterAll(() => hub.stop());

  test("rejects writes with 507, keeps its data, and continues once there is room", async () => {
    const before = await madeAccount(hub);
    const filler = path.join(diskOf(hub), "filler");
    fill(filler);
    const tokens = [before.token];
    for (;;) {
      const { status, body } = await request(hub.origin, "POST", "/accounts");
      if (status !== 201) {
        assert.deepEqual([status, body.error], [507, "storage_full"]);
        break;
      }
      tokens.push(body.account_token);
    }
    assert.equal((await request(hub.origin, "GET", "//health/live")).status, 200);
    assert.equal((await request(hub.origin, "GET", "//health/ready")).body.store, "down");
    rmSync(filler);
    tokens.push((await madeAccount(hub)).token);
    for (const token of tokens)
      assert.equal((await request(hub.origin, "GET", "/account/devices", { token })).status, 200);
  });
});

/** To the last byte. */
function fill(file: string): void {
  for (const size of [65_536, 4096])
    try {
      for (;;) writeFileSync(file, new Uint8Array(size), { flag: "a" });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
    }
}
