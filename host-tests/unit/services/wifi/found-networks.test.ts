/** What a scan lists (docs/spec/wifi.md#scan). */
import { expect, test } from "vitest";
import { FoundNetworks } from "../../../../device/services/wifi/scan.js";

const point = (SSID: string, RSSI: number, security = "none") => ({ SSID, RSSI, channel: 6, security });

function found(...points: ReturnType<typeof point>[]) {
  const networks = new FoundNetworks();
  for (const each of points) networks.add(each);
  return networks.networks.map(({ ssid, rssi }) => `${ssid} ${rssi}`);
}

test("Networks of a scan are sorted by strength", () => {
  expect(found(point("b", -60), point("c", -70), point("a", -40))).toEqual(["a -40", "b -60", "c -70"]);
});

test("A network of several access points is listed once, with the strongest of them", () => {
  expect(found(point("a", -60), point("b", -50), point("a", -40), point("a", -70))).toEqual([
    "a -40",
    "b -50",
  ]);
});

test("A hidden network is left out", () => {
  expect(found(point("", -30), point("a", -60))).toEqual(["a -60"]);
});

test("Of more than twenty networks the strongest are kept, in whatever order they come", () => {
  const strengths = Array.from({ length: 200 }, (_, index) => -1 - ((index * 37) % 200));
  const kept = found(...strengths.map((rssi) => point(`network${-rssi}`, rssi)));
  expect(kept).toEqual(Array.from({ length: 20 }, (_, index) => `network${index + 1} ${-1 - index}`));
});

test("A scan tells that it has left out weaker networks, and that it has not", () => {
  const networks = new FoundNetworks();
  for (let number = 1; number <= 20; number++) networks.add(point(`network${number}`, -number));
  networks.add(point("", -1));
  networks.add(point("network20", -90));
  expect(networks.hasMore).toBe(false);
  networks.add(point("network21", -90));
  expect(networks.hasMore).toBe(true);
});

test("A network has its channel, and whether it needs a password", () => {
  const networks = new FoundNetworks();
  networks.add(point("open", -40));
  networks.add(point("secured", -50, "wpa3_psk"));
  expect(networks.networks).toEqual([
    { ssid: "open", rssi: -40, channel: 6, secured: false },
    { ssid: "secured", rssi: -50, channel: 6, secured: true },
  ]);
});
