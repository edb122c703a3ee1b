/** E-mail addresses by which members are invited, and by which a server of OpenID Connect names people. */
import { Fault } from "../../protocol/fault.js";

/** RFC 5321 §4.5.3.1.3, without the brackets. */
const LIMIT_CHARACTERS = 254;

const EMAIL = /^[^\s\p{C}@]+@[^\s\p{C}@]+$/u;

/**
 * The form in which addresses are stored and compared: A to Z in lower case. No other letter: several of them have the same
 * lower case (the Kelvin sign is "k"), and an address of a stranger would become that of a member.
 * @returns `undefined` for what is no address
 */
export function readEmail(text: string): string | undefined {
  if (text.length > LIMIT_CHARACTERS || !EMAIL.test(text)) return undefined;
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** @throws {Fault} `bad_parameter` */
export function requireEmail(text: string): string {
  const email = readEmail(text);
  if (email !== undefined) return email;
  throw new Fault("bad_parameter", `"email" must be an address of at most ${LIMIT_CHARACTERS} characters`);
}
