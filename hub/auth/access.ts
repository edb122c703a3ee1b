/** Checks whether a caller may use a row of the table at all. The handler checks who owns the device or app. */
import { Fault } from "../../protocol/fault.js";
import type { Access } from "../api/endpoint.js";
import type { Caller } from "./caller.js";

/**
 * @param deviceId the path's, where it has one
 * @throws {Fault} `forbidden`
 */
export function requireAccess(access: Access, caller: Caller, deviceId: string | undefined): void {
  if (access === "anyone" || access === "bearer") return;
  const wanted = access === "device" && deviceId !== "me" ? "account" : access;
  if (caller.kind !== wanted) throw new Fault("forbidden", REASONS[wanted]);
}

const REASONS = Object.freeze({
  device: "Only a device has this: name one by its id",
  account: "This is for the account that holds the device",
  publisher: "This is for publishers",
});
