/** The session: every scene, in the order in which they are played. */
import type { Scene } from "./scene.js";
import { APP_SCENES } from "./scenes/apps.js";
import { FIRMWARE_SCENES } from "./scenes/firmware.js";
import { HTTP_SCENES } from "./scenes/http.js";
import { USB_SCENES } from "./scenes/usb.js";
import { WEBSOCKET_SCENES } from "./scenes/websocket.js";

export const SCENES: readonly Scene[] = [
  ...WEBSOCKET_SCENES, // before anything that is logged, so that frames are answers
  ...HTTP_SCENES,
  ...USB_SCENES,
  ...APP_SCENES,
  ...FIRMWARE_SCENES,
];
