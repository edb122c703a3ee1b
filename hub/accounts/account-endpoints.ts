/** Endpoints below `/accounts` and `/account/…`. */
import Type from "typebox";
import { Fault } from "../../protocol/fault.js";
import { DEVICE_RECORD } from "../../protocol/hub/answers/devices.js";
import { ACCOUNT, NEW_ACCOUNT } from "../../protocol/hub/answers/team.js";
import { type Endpoint, endpoint } from "../api/endpoint.js";
import { callerOf } from "../auth/authentication.js";
import { addressKey, clientAddress } from "../auth/client-address.js";

const CREATE = endpoint({
  method: "POST",
  path: "/accounts",
  tag: "Accounts",
  summary: "Create an account, unless the operator alone adds accounts. Its token is returned only once.",
  access: "anyone",
  answers: { 201: NEW_ACCOUNT },
  faults: ["forbidden", "too_many_attempts"],
  handle: async ({ accounts, config, limits }, { request, reply }) => {
    if (!config.allowsSignUp)
      throw new Fault("forbidden", "Only the operator of this hub adds accounts: ask for the token of one");
    const address = addressKey(clientAddress(request.raw, config.trustsProxy));
    await limits.consume(`account ${address}`, config.registrationsPerMinute);
    reply.code(201);
    return accounts.create();
  },
});

const READ = endpoint({
  method: "GET",
  path: "/account",
  tag: "Accounts",
  summary: "Show which account a token belongs to, and what the token allows.",
  access: "account",
  answers: { 200: ACCOUNT },
  faults: [],
  handle(_services, { caller }) {
    const { accountId, member, scopes } = callerOf("account", caller);
    return { account_id: accountId, scopes: [...scopes], ...(member && { name: member.name }) };
  },
});

const ROTATE = endpoint({
  method: "POST",
  path: "/account/token",
  tag: "Accounts",
  summary:
    "Replace the account's token. The previous token becomes invalid; the new one is returned only once.",
  access: "account",
  scope: "account",
  answers: { 201: NEW_ACCOUNT },
  faults: [],
  async handle({ accounts }, { caller, reply }) {
    reply.code(201);
    return accounts.rotateToken(callerOf("account", caller).accountId);
  },
});

const END = endpoint({
  method: "DELETE",
  path: "/account",
  tag: "Accounts",
  summary:
    "End the account: release its consoles, delete what the hub keeps of it, and invalidate its token.",
  access: "account",
  scope: "account",
  answers: { 204: null },
  faults: [],
  async handle({ accounts }, { caller, reply }) {
    await accounts.end(callerOf("account", caller).accountId);
    return reply.code(204).send();
  },
});

const CLAIM_BODY = Type.Object({
  claim_code: Type.String({
    maxLength: 64,
    description: "As the console shows it, in any case, with or without the dash.",
  }),
});

const CLAIM = endpoint({
  method: "POST",
  path: "/account/devices",
  tag: "Accounts",
  summary: "Claim a console by the code that it shows.",
  access: "account",
  scope: "consoles",
  body: CLAIM_BODY,
  answers: { 200: DEVICE_RECORD },
  faults: ["claim_code_unknown", "too_many_attempts"],
  handle: async ({ accounts, config, devices }, { body, caller, request }) => {
    const { accountId } = callerOf("account", caller);
    const address = addressKey(clientAddress(request.raw, config.trustsProxy));
    return devices.record(await accounts.claim(accountId, address, body.claim_code));
  },
});

const RELEASE = endpoint({
  method: "DELETE",
  path: "/account/devices/:device_id",
  tag: "Accounts",
  summary: "Release a console, which then shows a new code. Its pending commands are cancelled.",
  access: "account",
  scope: "consoles",
  parameters: Type.Object({ device_id: Type.String() }),
  answers: { 204: null },
  faults: ["device_not_found"],
  handle: async ({ accounts }, { caller, parameters, reply }) => {
    await accounts.release(callerOf("account", caller).accountId, parameters.device_id);
    return reply.code(204).send();
  },
});

export const ACCOUNT_ENDPOINTS: readonly Endpoint[] = Object.freeze([
  CREATE,
  READ,
  ROTATE,
  END,
  CLAIM,
  RELEASE,
]);
