/**
 * The tests that the console in the Moddable SDK's simulator has to pass: those that ask over HTTP, the WebSocket and
 * USB, and know nothing of what answers. The rest test our own simulator's C, or run programs of their own in it.
 */
const DIRECTORY = "host-tests/device";

export const SUITES = Object.freeze(
  [
    "session/session.test.ts",
    "api/conformance.test.ts",
    "api/reboot.test.ts",
    "http/http.test.ts",
    "websocket/websocket.test.ts",
    "websocket/broken-frames.test.ts",
    "usb/usb.test.ts",
    "usb/json-corpus.test.ts",
    "usb/network-change.test.ts",
    "wifi/provisioning.test.ts",
    "display/screen.test.ts",
    "apps/install.test.ts",
    "apps/examples.test.ts",
    "apps/many-apps.test.ts",
    "apps/nesting.test.ts",
    "apps/refusals.test.ts",
    "apps/trusted-keys.test.ts",
    "apps/hostile-stop.test.ts",
    "apps/hostile-together.test.ts",
    "firmware/update.test.ts",
    "firmware/first-keys.test.ts",
    "firmware/rollback.test.ts",
    "firmware/refusals.test.ts",
    "hub/hub.test.ts",
    "hub/apps.test.ts",
    "hub/firmware.test.ts",
    "hub/story.test.ts",
  ].map((name) => `${DIRECTORY}/${name}`),
);
