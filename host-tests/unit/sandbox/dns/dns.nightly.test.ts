/**
 * Changed datagrams, 100,000 a run and 2,000 in CI's sample: bits flipped, bytes set, pointers and pieces of others put
 * in, cut short. The seed is printed; `SVC_FUZZ_SEED` takes it back, `SVC_FUZZ_COUNT` runs longer.
 */
import { expect, test } from "vitest";
import { DnsReader, DnsWriter, openDns } from "../../../../device/services/mdns/dns-message.js";
import { inTier } from "../../../tier.js";
import { sandbox } from "../../services/mdns/dns-program.js";
import { compareChanged } from "./comparison.js";

const COUNT = Number(
  process.env["SVC_FUZZ_COUNT"] ?? inTier({ quick: 2_000, sample: 2_000, nightly: 100_000 }),
);
const SEED = Number(process.env["SVC_FUZZ_SEED"] ?? Math.floor(Math.random() * 2 ** 32)) >>> 0 || 1;

test(`the program dns agrees with dns-packet about ${COUNT} changed datagrams, seed ${SEED}`, {
  timeout: Math.max(600_000, COUNT * 10),
}, () => {
  console.log(`changed datagrams: SVC_FUZZ_SEED=${SEED}`);
  const program = openDns(sandbox);
  const [accepted = 0] = compareChanged(new DnsReader(program), new DnsWriter(program), COUNT, SEED);
  expect(accepted).toBeGreaterThan(COUNT / 4);
});
