/**
 * The state of a sign-in, which the hub keeps in the browser: a table of sign-ins that nobody ends could be filled by
 * strangers. A cookie is sealed with a key of all processes of the hub, has an end, and is for this browser alone, so that
 * nobody signs in another person as themselves (RFC 6749 §10.12). Neither cookie is a session: they grant no request but
 * the next step of the sign-in.
 */
import { SecretBox, SIGN_IN_COOKIES } from "../auth/secret-box.js";
import type { HubConfig } from "../config/read-config.js";
import type { OidcConfig } from "../config/read-oidc.js";
import type { HubContext } from "../context.js";
import { SIGN_IN_MS } from "../teams/sessions.js";

/** What the hub has sent to the server, to check what comes back: OpenID Connect Core 1.0 §3.1.2.1, RFC 7636. */
export interface PendingSignIn {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** Who has signed in, for the page that then asks for a session. */
export interface Identity {
  /** Of this sign-in, and of the one session that it may begin. */
  readonly id: string;
  readonly issuer: string;
  readonly subject: string;
  /** As `readEmail` has it, and verified by the server; `undefined` if the server has not told such an address. */
  readonly email: string | undefined;
}

/** Time that people have at the server, and then to choose an account. */
const LIFETIME_MS = SIGN_IN_MS;

interface CookieOptions {
  readonly name: string;
  /** `Strict` for what only our own page sends; a server's redirect back is a navigation from another site. */
  readonly sameSite: "Lax" | "Strict";
}

class SealedCookie<Content extends object> {
  readonly #name: string;
  readonly #attributes: string;
  readonly #box: SecretBox;
  readonly #now: () => number;

  constructor(context: SignInContext, { name, sameSite }: CookieOptions) {
    const isSecure = new URL(context.config.oidc.hubUrl).protocol === "https:";
    // With `__Host-` no neighbouring host can set it (RFC 6265bis §4.1.3.2).
    this.#name = isSecure ? `__Host-${name}` : name;
    this.#attributes = `Path=/; HttpOnly; SameSite=${sameSite}${isSecure ? "; Secure" : ""}`;
    this.#box = new SecretBox(context.config.secret, SIGN_IN_COOKIES);
    this.#now = context.now;
  }

  /** @returns the value of `Set-Cookie` */
  set(content: Content): string {
    const sealed = this.#box.seal(JSON.stringify({ content, until: this.#now() + LIFETIME_MS }), this.#name);
    return `${this.#name}=${sealed}; Max-Age=${LIFETIME_MS / 1000}; ${this.#attributes}`;
  }

  /** @returns the value of `Set-Cookie` that removes it */
  clear(): string {
    return `${this.#name}=; Max-Age=0; ${this.#attributes}`;
  }

  /** @param field `Cookie`. @returns `undefined` without a cookie of ours that is not over */
  read(field: string | undefined): Content | undefined {
    for (const pair of (field ?? "").split(";")) {
      const [name, ...rest] = pair.trim().split("=");
      if (name !== this.#name) continue;
      const content = this.#open(rest.join("="));
      if (content) return content;
    }
    return undefined;
  }

  #open(sealed: string): Content | undefined {
    try {
      const { content, until } = JSON.parse(this.#box.open(sealed, this.#name));
      return until > this.#now() ? content : undefined;
    } catch {
      return undefined; // of another hub on this host, or changed
    }
  }
}

export type SignInContext = Pick<HubContext, "now"> & {
  readonly config: Pick<HubConfig, "secret"> & { readonly oidc: OidcConfig };
};

export interface SignInCookies {
  readonly pending: SealedCookie<PendingSignIn>;
  readonly identity: SealedCookie<Identity>;
}

export function signInCookies(context: SignInContext): SignInCookies {
  return {
    pending: new SealedCookie(context, { name: "svc_sign_in", sameSite: "Lax" }),
    identity: new SealedCookie(context, { name: "svc_identity", sameSite: "Strict" }),
  };
}
