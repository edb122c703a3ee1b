/** A browser that signs in, as far as the hub and the server of OpenID Connect see it: it follows redirects and keeps cookies. */
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { get } from "node:https";
import { text } from "node:stream/consumers";
import type { Answer } from "../hosts/request.js";
import { request } from "../hosts/request.js";

/** Where the hub says that it is: each step of a sign-in may meet another of its processes there. */
export const HUB_URL = "https://hub.example";

export interface Visit {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export class Visitor {
  /** Name and value, of the hub and of the server alike. */
  readonly cookies = new Map<string, string>();

  readonly #authority: string | undefined;

  /** @param authority whose certificates the browser trusts, in PEM */
  constructor(authority?: string) {
    this.#authority = authority;
  }

  /** Requests a page and keeps its cookies. Redirects are not followed. */
  async get(address: string): Promise<Visit> {
    const headers = { cookie: this.#cookieField() };
    const visit = address.startsWith("https:")
      ? await this.#getSecurely(address, headers)
      : await visitOf(await fetch(address, { redirect: "manual", headers }));
    for (const field of visit.headers.getSetCookie()) this.#keep(field);
    return visit;
  }

  async #getSecurely(address: string, headers: Record<string, string>): Promise<Visit> {
    const [answer] = (await once(
      get(address, { headers, agent: false, ca: this.#authority }),
      "response",
    )) as [IncomingMessage];
    const answered = new Headers();
    for (const [name, values = []] of Object.entries(answer.headersDistinct))
      for (const value of values) answered.append(name, value);
    return { status: answer.statusCode ?? 0, headers: answered, text: await text(answer) };
  }

  /** Goes from the hub's process to the server, and says there who it is. @returns where the server sends it back */
  async authorize(origin: string, as: string, query = ""): Promise<string> {
    const begun = await this.get(`${origin}/auth/oidc/login${query}`);
    if (begun.status !== 303) throw new Error(`Cannot begin: ${begun.status} ${begun.text}`);
    for (let address = locationOf(begun); ; ) {
      const visit = await this.get(address);
      if (visit.status === 200)
        address += `?as=${as}`; // its page asks who we are
      else {
        address = new URL(locationOf(visit), address).href;
        if (address.startsWith(HUB_URL)) return address;
      }
    }
  }

  /** Comes back to a process of the hub. @param address as {@link authorize} returns it */
  comeBack(origin: string, address: string): Promise<Visit> {
    return this.get(address.replace(HUB_URL, origin));
  }

  /** Asks for a session, as the page does. */
  async session(origin: string, json: object = {}, headers: Record<string, string> = {}): Promise<Answer> {
    const answer = await request(origin, "POST", "/auth/oidc/token", {
      json,
      headers: { cookie: this.#cookieField(), origin: HUB_URL, ...headers },
    });
    for (const field of answer.headers.getSetCookie()) this.#keep(field);
    return answer;
  }

  /** Asks for a session, and agrees to the only invitation. */
  async enter(origin: string): Promise<Answer> {
    const answer = await this.session(origin);
    const [choice, ...others] = answer.body.choices ?? [];
    return choice && others.length === 0 ? this.session(origin, { member_id: choice.member_id }) : answer;
  }

  #cookieField(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  #keep(field: string): void {
    const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(field) ?? [];
    if (/; Max-Age=0|expires=Thu, 01 Jan 1970/i.test(field)) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}

async function visitOf(response: Response): Promise<Visit> {
  return { status: response.status, headers: response.headers, text: await response.text() };
}

function locationOf({ status, headers, text }: Visit): string {
  const location = headers.get("location");
  if (location === null) throw new Error(`There is no redirect: ${status} ${text}`);
  return location;
}
