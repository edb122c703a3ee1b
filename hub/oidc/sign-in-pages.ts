/**
 * The way of a browser through a sign-in (docs/spec/hub-api.md#sign-in): to the server of OpenID Connect, back, and on to the
 * pages of fleets, which ask for a session; and to the server's sign-out. No address has a parameter that leads elsewhere. What
 * goes wrong is a page, since a person reads it.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Fault } from "../../protocol/fault.js";
import { faultOf, refuse } from "../api/refusals.js";
import { addressKey, clientAddress } from "../auth/client-address.js";
import type { OidcConfig } from "../config/read-oidc.js";
import { TokenBuckets } from "../limits/token-buckets.js";
import type { HubServices } from "../services.js";
import { type Markup, markup } from "../store/html.js";
import { CALLBACK_PATH, type FailureKind, Issuer, SignInFailure } from "./issuer.js";
import { type SignInCookies, signInCookies } from "./sign-in-cookies.js";

export const LOGIN_PATH = "/auth/oidc/login";
export const LOGOUT_PATH = "/auth/oidc/logout";

/** Steps of an address in each process: a team behind one address begins its day. Each may be a request to the server. */
const STEPS_PER_MINUTE = 240;

/** Of each answer here: `code` and `state` are in the address of one of them. */
const FIELDS = Object.freeze({
  "content-security-policy":
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
});

interface Page {
  readonly status: number;
  readonly title: string;
  readonly content: Markup;
}

const AGAIN = markup`<p><a href="login">Sign in again</a></p>`;
const AS_ANOTHER = markup`<p><a href="login?another=1">Sign in as someone else</a></p>`;

/** @returns the paths of the pages; none without `SVC_HUB_OIDC_ISSUER` */
export function addSignIn(server: FastifyInstance, services: HubServices): readonly string[] {
  const { config, logger, now } = services;
  const { oidc } = config;
  if (!oidc) return [];
  const issuer = new Issuer(oidc, logger);
  const cookies = signInCookies({ config: { ...config, oidc }, now });
  const steps = new TokenBuckets(STEPS_PER_MINUTE);
  const onRequest = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => {
    reply.headers(FIELDS);
    try {
      steps.take(addressKey(clientAddress(request.raw, config.trustsProxy)));
      done();
    } catch (error) {
      done(error as Error);
    }
  };
  const errorHandler = (error: Error, request: FastifyRequest, reply: FastifyReply) =>
    showError(oidc, error, request, reply);
  server.get(LOGIN_PATH, { onRequest, errorHandler }, (request, reply) =>
    sendToServer(issuer, cookies, request, reply),
  );
  server.get(CALLBACK_PATH, { onRequest, errorHandler }, (request, reply) =>
    comeBack({ oidc, issuer, cookies, logger, signIns: services.signIns }, request, reply),
  );
  server.get(LOGOUT_PATH, { onRequest, errorHandler }, (_request, reply) => signOut(oidc, issuer, reply));
  return [LOGIN_PATH, CALLBACK_PATH, LOGOUT_PATH];
}

async function sendToServer(
  issuer: Issuer,
  cookies: SignInCookies,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { address, pending } = await issuer.begin(queryOf(request) === "another=1");
  reply.header("set-cookie", cookies.pending.set(pending));
  return reply.redirect(address.href, 303);
}

interface Parts extends Pick<HubServices, "logger" | "signIns"> {
  readonly oidc: OidcConfig;
  readonly issuer: Issuer;
  readonly cookies: SignInCookies;
}

async function comeBack(
  { oidc, issuer, cookies, logger, signIns }: Parts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const pending = cookies.pending.read(request.headers.cookie);
  if (!pending) return show(reply, NOT_BEGUN);
  reply.header("set-cookie", cookies.pending.clear()); // a sign-in has one answer, whatever it is
  const identity = await issuer.finish(queryOf(request), pending);
  if ((await signIns.choices(identity)).length === 0) {
    const { subject, email } = identity;
    logger.info({ subject, has_email: email !== undefined }, "an identity that is no member has signed in");
    return show(reply, noMember(oidc, email));
  }
  reply.header("set-cookie", cookies.identity.set(identity)); // besides the other one
  return reply.redirect(`${oidc.hubUrl}/fleet/#/signed-in`, 303);
}

/** Ends nothing here: a page elsewhere may have sent the browser, and the server asks the person. */
async function signOut(oidc: OidcConfig, issuer: Issuer, reply: FastifyReply): Promise<FastifyReply> {
  const address = await issuer.signOutAddress();
  return address ? reply.redirect(address.href, 303) : show(reply, noSignOut(oidc));
}

function noSignOut({ name }: OidcConfig): Page {
  return {
    status: 404,
    title: `${name} offers no sign-out here`,
    content: markup`<p>Sign out at ${name} itself.</p>`,
  };
}

const NOT_BEGUN: Page = {
  status: 400,
  title: "This sign-in is over",
  content: markup`<p>It has taken too long, was used already, or was not begun in this browser.</p>${AGAIN}`,
};

function noMember({ name }: OidcConfig, email: string | undefined): Page {
  const advice =
    email === undefined
      ? markup`<p>${name} does not say that it has verified an e-mail address of yours, by which you could be invited. Ask an owner of
an account for a token, or those who run ${name} to verify your address.</p>`
      : markup`<p>Ask an owner of an account to invite <strong>${email}</strong>.</p>`;
  return {
    status: 403,
    title: "You are no member of an account here",
    content: markup`<p>You have signed in at ${name}, but no account of this hub has you as a member.</p>${advice}${AS_ANOTHER}`,
  };
}

function failurePage({ name }: OidcConfig, kind: FailureKind): Page {
  switch (kind) {
    case "refused":
      return {
        status: 403,
        title: `${name} has not signed you in`,
        content: markup`<p>It was cancelled, or you may not use this hub.</p>${AGAIN}`,
      };
    case "unreachable":
      return {
        status: 503,
        title: `${name} does not answer`,
        content: markup`<p>Try again in a moment. Tokens work meanwhile.</p>${AGAIN}`,
      };
    case "unconfirmed":
      return {
        status: 400,
        title: "The sign-in cannot be confirmed",
        content: markup`<p>What came from ${name} does not belong to this sign-in, or does not hold. The hub's log says why.</p>${AGAIN}`,
      };
    default:
      return kind satisfies never;
  }
}

/** A failure of the hub is answered and logged as everywhere. */
function showError(
  oidc: OidcConfig,
  error: Error,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  if (error instanceof SignInFailure) return show(reply, failurePage(oidc, error.kind));
  const fault: Fault = faultOf(error);
  if (fault.code !== "too_many_attempts") return refuse(error, request, reply);
  reply.header("retry-after", String(fault.details?.["retry_after_s"]));
  const content = markup`<p>${fault.message}.</p>${AGAIN}`;
  return show(reply, { status: fault.status, title: "Please wait a moment", content });
}

function show(reply: FastifyReply, { status, title, content }: Page): FastifyReply {
  const page = markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="stylesheet" href="../../fleet/fleet.css">
</head>
<body>
<div class="fleet">
<main class="main">
<h1>${title}</h1>
${content}
<p><a href="../../fleet/">Back to the fleet</a></p>
</main>
</div>
</body>
</html>
`;
  return reply.code(status).type("text/html; charset=utf-8").send(page.text);
}

function queryOf({ url }: FastifyRequest): string {
  const at = url.indexOf("?");
  return at < 0 ? "" : url.slice(at + 1);
}
