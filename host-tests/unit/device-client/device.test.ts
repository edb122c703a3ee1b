/** The table of endpoints as methods, over a transport with the test's answers. */
import { expect, test } from "vitest";
import { Device } from "../../../device-client/device.js";
import type { DeviceAnswer, DeviceRequest, Transport } from "../../../device-client/transport.js";

/** A console that answers one request after the other, and its requests. */
function consoleWith(...answers: DeviceAnswer[]) {
  const asked: DeviceRequest[] = [];
  const request = async (each: DeviceRequest) => {
    asked.push(each);
    return answers[asked.length - 1] ?? { status: 500, body: { error: "internal_error", message: "" } };
  };
  return { device: new Device({ request } as unknown as Transport), asked };
}

const refusal = (status: number, error: string) => ({ status, body: { error, message: "Not so" } });
const PRINTED = { status: 200, body: { output: "heap" } };

for (const { name, refused } of [
  { name: "rejects POST", refused: refusal(405, "method_not_allowed") },
  { name: "does not know POST", refused: refusal(404, "not_found") },
])
  test(`A command falls back to GET for an older console that ${name}`, async () => {
    const { device, asked } = consoleWith(refused, PRINTED);
    expect(await device.shell("free")).toEqual(PRINTED.body);
    expect(asked.map(({ method, path, parameters }) => [method, path, parameters?.["c"]])).toEqual([
      ["POST", "/api/cmd", "free"],
      ["GET", "/api/cmd", "free"],
    ]);
    expect(asked[1]?.timeoutMs).toBe(asked[0]?.timeoutMs);
  });

test("A command that succeeds, or is refused for another reason, is sent once", async () => {
  const { device, asked } = consoleWith(PRINTED, refusal(401, "unauthorized"));
  expect(await device.shell("free")).toEqual(PRINTED.body);
  await expect(device.shell("free")).rejects.toMatchObject({ code: "unauthorized" });
  expect(asked.map(({ method }) => method)).toEqual(["POST", "POST"]);
});

test("A refusal of the GET to an older console is reported", async () => {
  const { device } = consoleWith(refusal(405, "method_not_allowed"), refusal(404, "not_found"));
  await expect(device.shell("free")).rejects.toMatchObject({ code: "not_found", status: 404 });
});
