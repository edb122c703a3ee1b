/**
 * A scene over USB: the port is opened for it, and closed after it. Of the events that come while a step waits, those
 * that it names are recorded, in the order in which it names them: what a thread does comes before an answer or after.
 * The scene ends when the console has seen the port closed: what is no JSON would else be taken for the half line of this
 * host (docs/spec/usb.md#unplugged-quickly).
 */
import { getJson } from "../hosts/http-client.js";
import type { Console } from "../hosts/simulator.js";
import { attach } from "./attachments.js";
import { masked } from "./masks.js";
import type { Attachments, UsbStep } from "./scene.js";
import type { Transcript } from "./transcript.js";
import { UsbLines } from "./usb-lines.js";

export async function playUsb(
  { usb: path, http }: Pick<Console, "usb" | "http">,
  steps: readonly UsbStep[],
  attachments: Attachments,
  transcript: Transcript,
): Promise<void> {
  const port = await UsbLines.open(path);
  try {
    for (const step of steps) {
      await port.send(attach(step.send, attachments));
      transcript.sent(step.send);
      for (const line of await linesFor(port, step)) transcript.received(masked(line));
    }
  } finally {
    await port.close();
  }
  while ((await getJson(`${http}/api/system`)).usb_connected);
}

/** The answers in their order, then the events. */
async function linesFor(port: UsbLines, { answers: count = 1, events: wanted = [] }: UsbStep) {
  const answers: string[] = [];
  const events: (string | undefined)[] = wanted.map(() => undefined);
  while (answers.length < count || events.includes(undefined)) {
    const line = await port.line();
    if (!isEvent(line)) answers.push(line);
    else {
      const place = wanted.findIndex((pattern, index) => events[index] === undefined && pattern.test(line));
      if (place >= 0) events[place] = line;
    }
  }
  return [...answers, ...(events as string[])];
}

const isEvent = (line: string) => line.includes('"event":');
