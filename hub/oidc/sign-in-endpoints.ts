/** The endpoint at which a page that has come back from a sign-in gets its session. */
import Type from "typebox";
import { Fault } from "../../protocol/fault.js";
import { CHOICES, NEW_SESSION } from "../../protocol/hub/answers/team.js";
import { isoTime } from "../api/answers.js";
import { type Endpoint, endpoint } from "../api/endpoint.js";
import { ROLE_SCOPES } from "../teams/scopes.js";
import { signInCookies } from "./sign-in-cookies.js";
import type { Choice } from "./sign-ins.js";

const BEGIN_SESSION = endpoint({
  method: "POST",
  path: "/auth/oidc/token",
  tag: "Teams",
  summary:
    "Begin the session of a sign-in that this browser has made. Who is invited, or a member of several accounts, chooses first.",
  access: "anyone",
  body: Type.Object({
    member_id: Type.Optional(
      Type.String({ description: "One of `choices`; not needed for the one whom you have been before" }),
    ),
  }),
  answers: {
    200: CHOICES,
    201: NEW_SESSION,
  },
  faults: ["forbidden", "member_not_found", "sign_in_expired", "sign_in_off"],
  async handle({ config, now, signIns }, { body, request, reply }) {
    const { oidc } = config;
    if (!oidc) throw new Fault("sign_in_off", "This hub has no sign-in by OpenID Connect");
    const { cookie, origin } = request.headers;
    // Pages of any origin may use the API; the cookie is for ours.
    if (origin !== undefined && origin !== new URL(oidc.hubUrl).origin)
      throw new Fault("forbidden", `Only pages at ${oidc.hubUrl} begin sessions`);
    const cookies = signInCookies({ config: { ...config, oidc }, now });
    const identity = cookies.identity.read(cookie);
    if (!identity) throw new Fault("sign_in_expired", "No sign-in is under way here: sign in again");
    const choices = await signIns.choices(identity);
    const chosen =
      body.member_id === undefined ? onlyOne(choices) : choices.find(({ id }) => id === body.member_id);
    if (!chosen && body.member_id === undefined && choices.length > 0)
      return { choices: choices.map(choiceAnswer) };
    if (!chosen) throw new Fault("member_not_found", "You are not, or no longer, this member of an account");
    const { token, expiresAt, sessionId, member } = await signIns.enter(identity, chosen);
    const { id, account_id, name, role } = member;
    // The first entry of the session in the audit log.
    request.caller = {
      kind: "account",
      accountId: account_id,
      scopes: ROLE_SCOPES[role],
      sessionId,
      member: { id, kind: "member", name },
    };
    reply.code(201).header("set-cookie", cookies.identity.clear());
    return { token, expires_at: isoTime(expiresAt), member_id: id, account_id };
  },
});

/** Anyone with an account may invite anyone: nobody finds themselves in a stranger's account without having agreed. */
function onlyOne(choices: readonly Choice[]): Choice | undefined {
  const [first, ...others] = choices;
  return first && others.length === 0 && !first.isInvited ? first : undefined;
}

function choiceAnswer({ id, account_id, name, role, isInvited }: Choice) {
  return { member_id: id, account_id, name, role, invited: isInvited };
}

export const SIGN_IN_ENDPOINTS: readonly Endpoint[] = Object.freeze([BEGIN_SESSION]);
