/**
 * The form of the set-up page, as browsers send it: `application/x-www-form-urlencoded`, collected up to a limit and then
 * read (docs/spec/setup.md#form).
 */
import { Fault } from "../../../protocol/fault.js";
import { parseTarget } from "../http/request-head.js";

/**
 * Longest form: a name of 32 bytes twice and a password of 64, each byte as three characters, take 384 with 60 for
 * names and the key.
 */
const FORM_LIMIT_BYTES = 1024;

export interface SetupForm {
  /** Value that only the set-up page knows; `""` if it is missing. */
  readonly key: string;
  readonly ssid: string;
  readonly password: string;
}

export class FormReader {
  #bytes = new Uint8Array();

  /** @throws {Fault} `body_too_large` past the limit */
  push(bytes: Uint8Array): void {
    const length = this.#bytes.length;
    if (length + bytes.length > FORM_LIMIT_BYTES)
      throw new Fault("body_too_large", `A form must have at most ${FORM_LIMIT_BYTES} bytes`);
    const longer = new Uint8Array(length + bytes.length);
    longer.set(this.#bytes);
    longer.set(bytes, length);
    this.#bytes = longer;
  }

  /**
   * Read the form. A name that was typed takes the place of the one that was chosen.
   * @throws {Fault} `bad_encoding`, `duplicate_parameter`, `bad_request` for too many fields
   */
  read(): SetupForm {
    const { parameters } = parseTarget(`/?${asciiOf(this.#bytes)}`);
    const field = (name: string) => parameters.get(name) ?? "";
    return { key: field("key"), ssid: field("other") || field("ssid"), password: field("password") };
  }
}

/** A form in ASCII, as the encoding demands; other bytes are no form. */
function asciiOf(bytes: Uint8Array): string {
  if (bytes.some((byte) => byte >= 0x80)) throw new Fault("bad_encoding", "A form must be percent-encoded");
  return new TextDecoder().decode(bytes);
}
