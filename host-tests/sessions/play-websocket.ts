/** A scene over the WebSocket: the handshake and its answer, then frames, shown as what they mean. */
import { attach } from "./attachments.js";
import { closes, maskedAnswer, readAnswer } from "./http-answer.js";
import { masked } from "./masks.js";
import { RawConnection } from "./raw-connection.js";
import type { Attachments, WebSocketStep } from "./scene.js";
import type { Transcript } from "./transcript.js";
import { clientFrame, type Frame, readFrame, shownFrame } from "./websocket-frame.js";

export async function playWebSocket(
  address: string,
  steps: readonly WebSocketStep[],
  attachments: Attachments,
  transcript: Transcript,
): Promise<void> {
  const connection = await RawConnection.open(address);
  try {
    for (const step of steps) await play(connection, step, attachments, transcript);
  } finally {
    connection.close();
  }
}

async function play(
  connection: RawConnection,
  step: WebSocketStep,
  attachments: Attachments,
  transcript: Transcript,
): Promise<void> {
  if ("send" in step) {
    connection.send(attach(step.send, attachments));
    transcript.sent(step.send);
    const answer = await readAnswer(connection.arrived, "GET");
    transcript.received(maskedAnswer(answer));
    if (closes(answer)) await recordEnd(connection, transcript);
  } else if ("frame" in step) {
    connection.send(clientFrame(step.frame));
    transcript.sent(shownFrame(step.frame));
    const answer = await readFrame(connection.arrived);
    receive(answer, transcript);
    if (answer.opcode === "close") await recordEnd(connection, transcript);
  } else {
    let frame: Frame;
    do {
      frame = await readFrame(connection.arrived);
      receive(frame, transcript);
    } while (!step.until.test(String(frame.payload)));
  }
}

function receive(frame: Frame, transcript: Transcript): void {
  const { opcode, payload } = frame;
  transcript.received(opcode === "text" ? `text ${masked(String(payload))}` : shownFrame(frame));
}

async function recordEnd(connection: RawConnection, transcript: Transcript): Promise<void> {
  const rest = await connection.arrived.rest();
  if (rest.length > 0) transcript.received(String(rest));
  transcript.happened("the console closes the connection");
}
