/** Which pages of a long list are read. */
import { expect, test } from "vitest";
import type { DeviceRecord } from "../../../../protocol/hub/answers/devices.js";
import { DevicePages } from "../../../../web/fleet/device-pages.js";

const TOTAL = 10_000;

function device(index: number): DeviceRecord {
  return {
    device_id: `${index}`,
    name: `Console ${index}`,
    mac: "",
    arch: "native",
    firmware_version: "1.0.0",
    online: true,
    claimed: true,
    last_seen_at: null,
    status: null,
    tags: [],
  };
}

/** @param fails the requests that fail, counted from 0 */
function listOver(fails: readonly number[] = []) {
  const asked: number[] = [];
  const client = {
    devices: async (_filter: unknown, page: number) => {
      asked.push(page);
      if (fails.includes(asked.length - 1)) throw new Error("away");
      return {
        total: TOTAL,
        devices: Array.from({ length: 100 }, (_, at) => device((page - 1) * 100 + at)),
      };
    },
  };
  return { asked, pages: new DevicePages(client, {}) };
}

const settled = () => new Promise((resolve) => setTimeout(resolve));

test("Pages in sight are read once, and their rows are at their places", async () => {
  const { asked, pages } = listOver();
  pages.show(0, 20);
  await settled();
  pages.show(5, 25);
  pages.show(9990, 9999);
  pages.show(195, 205);
  await settled();
  expect(asked).toEqual([1, 100, 2, 3]);
  expect([pages.total.value, pages.row(9999)?.name, pages.row(205)?.name, pages.row(400)]).toEqual([
    ...[TOTAL, "Console 9999", "Console 205", undefined],
  ]);
});

test("A page that could not be read is read when it is in sight again", async () => {
  const { asked, pages } = listOver([0]);
  pages.show(0, 20);
  await settled();
  expect([pages.error.value?.message, pages.total.value]).toEqual(["away", undefined]);
  pages.show(1, 21);
  await settled();
  expect([asked, pages.error.value, pages.total.value]).toEqual([[1, 1], undefined, TOTAL]);
});

test("Reading again reads what is in sight, and the rest once it comes into sight", async () => {
  const { asked, pages } = listOver();
  pages.show(0, 20);
  pages.show(500, 520);
  await settled();
  asked.length = 0;
  await pages.reload();
  expect(asked).toEqual([6]);
  pages.show(0, 20);
  await settled();
  expect(asked).toEqual([6, 1]);
});
