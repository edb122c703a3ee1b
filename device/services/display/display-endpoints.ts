/** `GET /api/screen` and `POST /api/buttons`. */
import { Fault } from "../../../protocol/fault.js";
import { BUTTONS } from "../../wasm/abi.js";
import type { Call, Services } from "../api/endpoint.js";
import type { JsonAnswer, StreamedAnswer } from "../api/request.js";

const EVERY_BUTTON = (1 << BUTTONS.length) - 1;

/** @throws {Fault} `busy` or `out_of_memory` */
export function showScreen({ display }: Pick<Services, "display">): StreamedAnswer {
  return { status: 200, mediaType: "image/png", field: "png", stream: display.picture() };
}

/** @throws {Fault} `bad_parameter` where there are not so many buttons */
export function pressButtons({ buttons }: Pick<Services, "buttons">, { parameters }: Call): JsonAnswer {
  const pressed = parameters.integer("pressed") ?? 0;
  if (pressed > EVERY_BUTTON)
    throw new Fault(
      "bad_parameter",
      `Parameter "pressed" takes ${BUTTONS.length} bits, 0 to ${EVERY_BUTTON}`,
    );
  buttons.press(pressed);
  return { status: 200, body: { pressed } };
}
