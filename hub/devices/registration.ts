/** The body of a console's registration (docs/spec/hub-api.md#register), read strictly. */
import { createHmac, timingSafeEqual } from "node:crypto";
import Type, { type Static } from "typebox";
import { Fault } from "../../protocol/fault.js";
import { isVariantArchitecture, VARIANT_ARCHITECTURES } from "../../protocol/file-kind.js";
import { isMacAddress } from "../../protocol/hub/device-token.js";
import { parseVersion } from "../../protocol/version.js";
import { readDeviceToken } from "../auth/tokens.js";

const NAME_LIMIT = 64;
const BINDING = /^[0-9a-f]{64}$/;
/** Invisible joiners, which emoji and scripts such as Persian need. */
const JOINERS = /[\u200c\u200d]/g;
/** Not allowed in a name: control characters, lone surrogates, and marks that reverse the text after them. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

export const REGISTRATION = Type.Object({
  device_token: Type.String({ description: "A UUID v4" }),
  mac: Type.String({ description: "`02:00:00:00:1A:2B`" }),
  binding: Type.String({
    description: "HMAC-SHA256 with the MAC's bytes as key and the token as data, hexadecimal",
  }),
  name: Type.String({ description: `1 to ${NAME_LIMIT} characters` }),
  arch: Type.String({ description: VARIANT_ARCHITECTURES.map((name) => `\`${name}\``).join(", ") }),
  firmware_version: Type.String({ description: "MAJOR.MINOR.PATCH" }),
});

/** The body with which a device sends its new token. */
export const NEXT_TOKEN = Type.Object({
  device_token: Type.Optional(
    Type.String({ description: "The new token, a UUID v4; only from the device itself" }),
  ),
  binding: Type.Optional(Type.String({ description: "Of the new token, as in a registration" })),
});

export type Registration = Static<typeof REGISTRATION>;

/**
 * Validates a registration, and normalizes token, MAC and binding for comparison. A token may be in either case; its
 * binding is computed from the token as it was sent, or in lower case.
 * @throws {Fault} `bad_parameter`; `binding_invalid` for the binding of another token or MAC
 */
export function readRegistration(body: Registration): Registration {
  const mac = body.mac.toUpperCase();
  const binding = body.binding.toLowerCase();
  const device_token = readDeviceToken(body.device_token);
  if (device_token === undefined) throw malformed("device_token", "a UUID v4");
  if (!isMacAddress(mac)) throw malformed("mac", 'six octets such as "02:00:00:00:1A:2B"');
  if (!BINDING.test(binding)) throw malformed("binding", "64 hexadecimal digits");
  if (!isName(body.name)) throw malformed("name", `1 to ${NAME_LIMIT} visible characters`);
  if (!isVariantArchitecture(body.arch)) throw malformed("arch", VARIANT_ARCHITECTURES.join(", "));
  if (!parseVersion(body.firmware_version)) throw malformed("firmware_version", "MAJOR.MINOR.PATCH");
  requireBinding(binding, [body.device_token, device_token], mac);
  return { ...body, device_token, mac, binding };
}

/**
 * Validates the new token of the device with this MAC.
 * @throws {Fault} `missing_parameter`, `bad_parameter`, `binding_invalid`
 */
export function readNextToken(body: Static<typeof NEXT_TOKEN>, mac: string): string {
  for (const name of ["device_token", "binding"] as const)
    if (body[name] === undefined) throw new Fault("missing_parameter", `"${name}" is missing`);
  const { device_token: written = "", binding = "" } = body;
  const token = readDeviceToken(written);
  if (token === undefined) throw malformed("device_token", "a UUID v4");
  if (!BINDING.test(binding.toLowerCase())) throw malformed("binding", "64 hexadecimal digits");
  requireBinding(binding.toLowerCase(), [written, token], mac);
  return token;
}

function requireBinding(binding: string, tokens: readonly string[], mac: string): void {
  const given = Buffer.from(binding, "hex");
  if (!tokens.some((token) => timingSafeEqual(bindingBytes(token, mac), given)))
    throw new Fault("binding_invalid", `Cannot register: the binding does not match the token and ${mac}`);
}

function isName(text: string): boolean {
  const visible = text.replace(JOINERS, "");
  return visible.trim() !== "" && [...text].length <= NAME_LIMIT && !INVISIBLE.test(visible);
}

function bindingBytes(deviceToken: string, mac: string): Buffer {
  const key = Buffer.from(mac.replaceAll(":", ""), "hex");
  return createHmac("sha256", key).update(deviceToken).digest();
}

function malformed(name: string, wanted: string): Fault {
  return new Fault("bad_parameter", `"${name}" must be ${wanted}`);
}
