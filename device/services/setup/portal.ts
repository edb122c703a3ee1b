/**
 * What the set-up access point answers over HTTP: the set-up page, its two forms, and a redirect to the page for
 * everything else, which is what a device asks to find out whether there is an Internet (docs/spec/setup.md#portal). Nothing of the
 * management API is reachable here.
 *
 * Every host name leads to the console, so a page of any name could believe to be of the same origin. Therefore the page
 * is served under the console's address alone, and its forms are accepted only from there and with the key that is in
 * them, which no other page can read.
 */
import { Fault, quoted } from "../../../protocol/fault.js";
import type { Answer, ByteStream, Exchange } from "../api/request.js";
import type { Guard, Opening } from "../http/conversation.js";
import { pathOf, type RequestHead } from "../http/request-head.js";
import { FormReader, type SetupForm } from "./setup-form.js";
import { pagePiece, type SetupPageState, type SetupView } from "./setup-page.js";

const HTML = "text/html; charset=utf-8";

/** Nothing from elsewhere, no script, no frame around it, and forms for this server only. */
const PAGE_LINES =
  "content-security-policy: default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'\r\n" +
  "referrer-policy: same-origin\r\n";

/** What the portal needs of the session that it belongs to. */
export interface PortalSession {
  /** Address of the page, and its port if that is not 80. */
  readonly authority: string;
  /** The page as it is now. */
  view(): SetupView;
  /** Joins a network, and answers when that has succeeded or failed. @throws {Fault} for what cannot be stored */
  join(form: SetupForm): SetupPageState | Promise<SetupPageState>;
  /** Looks for networks; settles when that has ended. */
  look(): Promise<void>;
}

export class Portal implements Guard {
  readonly #session: PortalSession;

  constructor(session: PortalSession) {
    this.#session = session;
  }

  open(head: RequestHead): Opening {
    try {
      if (head.method === "POST") return { exchange: this.#openForm(head), fieldLines: PAGE_LINES };
      if (head.method === "GET" || head.method === "HEAD") return this.#openPage(head);
      throw new Fault("method_not_allowed", "Only GET, HEAD and POST are supported");
    } catch (failure) {
      const isMethodWrong = failure instanceof Fault && failure.code === "method_not_allowed";
      const fieldLines = isMethodWrong ? "allow: GET, HEAD, POST\r\n" : "";
      return { exchange: undefined, failure, fieldLines };
    }
  }

  #openPage({ fields, target }: RequestHead): Opening {
    const isPage = this.#isOwnHost(fields.host) && pathOf(target) === "/";
    return isPage
      ? { exchange: exchangeOf(() => this.#page(200)), fieldLines: PAGE_LINES }
      : this.#redirect();
  }

  #openForm(head: RequestHead): Exchange {
    const { fields, target } = head;
    if (!this.#isOwnHost(fields.host))
      throw new Fault("foreign_host", `${quoted(fields.host ?? "")} is not the set-up page`);
    const origin = fields.single("origin")?.toLowerCase();
    if (origin !== undefined && origin !== `http://${this.#session.authority}`)
      throw new Fault("foreign_origin", `Pages of ${quoted(origin)} may not set up this console`);
    const path = pathOf(target);
    if (path !== "/join" && path !== "/scan")
      throw new Fault("not_found", `There is nothing at ${quoted(path)}`);
    return formExchange((form) => this.#submit(path, form));
  }

  async #submit(path: string, form: SetupForm): Promise<Answer> {
    if (form.key !== this.#session.view().key)
      return this.#page(403, { phase: "choosing", problem: "Try again: this page was old." });
    if (path === "/scan") {
      await this.#session.look();
      return this.#page(200);
    }
    try {
      return this.#page(200, await this.#session.join(form));
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return this.#page(error.status, { phase: "choosing", problem: error.message, ssid: form.ssid });
    }
  }

  #page(status: number, state?: SetupPageState): Answer {
    const view = this.#session.view();
    return { status, mediaType: HTML, stream: pageStream(state ? { ...view, state } : view) };
  }

  #redirect(): Opening {
    const address = `http://${this.#session.authority}/`;
    const bytes = new TextEncoder().encode(`<a href="${address}">Set up</a>`);
    const answer = { status: 302, mediaType: HTML, bytes, field: "html" };
    return { exchange: exchangeOf(() => answer), fieldLines: `location: ${address}\r\n` };
  }

  #isOwnHost(host: string | undefined): boolean {
    const { authority } = this.#session;
    return host === authority || host === `${authority}:80`;
  }
}

/** The exchange of a request without a body. */
function exchangeOf(end: () => Answer): Exchange {
  return { ignoresBody: true, write() {}, end, abort() {} };
}

function formExchange(submit: (form: SetupForm) => Promise<Answer>): Exchange {
  const form = new FormReader();
  return { write: (bytes) => form.push(bytes), end: () => submit(form.read()), abort() {} };
}

/** One piece at a time, so that the page is never in memory as a whole. */
function pageStream(view: SetupView): ByteStream {
  const encoder = new TextEncoder();
  let index = 0;
  return {
    next() {
      const piece = pagePiece(view, index++);
      return piece === undefined ? undefined : encoder.encode(piece);
    },
    close() {},
  };
}
