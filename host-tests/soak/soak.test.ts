import { expect, test } from "vitest";
import type { Variant } from "../hosts/simulator.js";
import { LEFT_LIMIT_BYTES, soak } from "./mixed-load.js";

test("A console under mixed load keeps running and stays within its limits", async () => {
  const variant = (process.env["SVC_SOAK_VARIANT"] ?? "release") as Variant;
  const report = await soak(variant, Number(process.env["SVC_SOAK_MINUTES"] ?? "10") * 60);
  console.log(JSON.stringify(report, null, 2));
  expect(report.troubles).toEqual([]);
  expect(report.liveBytesAfter - report.liveBytesBefore).toBeLessThan(LEFT_LIMIT_BYTES[variant]);
});
