/** Asks a web server for the fields of its answer to `HEAD /`, whatever its status. */
import type { Fields } from "../protocol/http/fields.js";
import { HttpExchange } from "./http-client.js";
import type { HubClientPorts } from "./ports.js";
import { parseWebAddress } from "./web-address.js";

export class HeadRequest {
  readonly #exchange: HttpExchange;

  /**
   * Starts immediately; no callback runs inside.
   * @param onFields called once, unless the request is closed before: with `undefined` if nothing answers
   * @throws {Fault} `bad_parameter` for an invalid address
   */
  constructor(ports: HubClientPorts, url: string, onFields: (fields: Fields | undefined) => void) {
    let isTold = false;
    const tell = (fields: Fields | undefined) => {
      if (!isTold) onFields(fields);
      isTold = true;
    };
    const request = { to: parseWebAddress(url), method: "HEAD", target: "/", fields: {} };
    this.#exchange = new HttpExchange(ports, request, {
      onHead: ({ fields }) => tell(fields),
      onBytes: () => {},
      onEnd: () => tell(undefined),
    });
  }

  /** May be called twice; no callback follows. */
  close(): void {
    this.#exchange.close();
  }
}
