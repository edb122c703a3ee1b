/** Each function of the ABI is one of the player's, or declared as what a browser cannot do (docs/spec/web-player.md#player-functions). */
import { expect, test } from "vitest";
import { ABI, ABI_ERRORS } from "../../../../device/wasm/abi.js";
import { HANDLERS, NOT_IN_A_BROWSER } from "../../../../web/player/app-host.js";

test("the player knows every function of the ABI, and no other", () => {
  const known = [...Object.keys(HANDLERS), ...Object.keys(NOT_IN_A_BROWSER)];
  expect(known.sort()).toEqual(ABI.map(({ name }) => name).sort());
});

test("what a browser cannot do is an error of the ABI", () => {
  const errors: readonly number[] = ABI_ERRORS.map(({ value }) => value);
  for (const [name, result] of Object.entries(NOT_IN_A_BROWSER)) expect(errors, name).toContain(result);
});

test("these functions are not in a browser", () => {
  expect(Object.keys(NOT_IN_A_BROWSER).sort()).toEqual([
    ...[
      "adc_read",
      "ble_advertise",
      "ble_stop",
      "card_delete",
      "card_list",
      "card_read",
      "card_size",
      "card_write",
    ],
    ...["console_changes", "console_read", "console_request", "display_conceal"],
    ...["http_close", "http_field", "http_read", "http_request", "http_status"],
    ...["net_close", "net_connect", "net_receive", "net_send", "pwm_write"],
  ]);
});
