/** Plays every scene of the session against a console, one after the other, and writes down what was said. */
import type { Publisher } from "../hosts/publisher.js";
import type { Console } from "../hosts/simulator.js";
import { sessionAttachments } from "./attachments.js";
import { playHttp } from "./play-http.js";
import { playUsb } from "./play-usb.js";
import { playWebSocket } from "./play-websocket.js";
import type { Attachments, Scene } from "./scene.js";
import { SCENES } from "./scenes.js";
import { Transcript } from "./transcript.js";

/**
 * Flags of the console, so that its name and its display are the same each time: the home screen shows the free memory.
 */
export const SESSION_FLAGS: readonly string[] = [
  ...["--mac", "02:00:00:00:1A:2B"],
  ...["--config", "CONFIG_SVC_HOME_SCREEN=off"],
];

/**
 * @param console freshly started, without earlier requests
 * @param publisher whom it trusts
 * @returns the recording
 */
export async function replaySession(
  console: Pick<Console, "http" | "ws" | "usb">,
  publisher: Publisher,
): Promise<string> {
  const attachments = await sessionAttachments(publisher);
  const transcript = new Transcript();
  for (const scene of SCENES) {
    transcript.scene(`${scene.over}: ${scene.title}`);
    await play(scene, console, attachments, transcript).catch((cause) => {
      throw new Error(`Cannot go on with "${scene.title}", after\n${transcript.text}`, { cause });
    });
  }
  return transcript.text;
}

function play(
  scene: Scene,
  console: Pick<Console, "http" | "ws" | "usb">,
  attachments: Attachments,
  transcript: Transcript,
): Promise<void> {
  switch (scene.over) {
    case "HTTP":
      return playHttp(console.http, scene.steps, attachments, transcript);
    case "WebSocket":
      return playWebSocket(console.ws, scene.steps, attachments, transcript);
    case "USB":
      return playUsb(console, scene.steps, attachments, transcript);
  }
}
