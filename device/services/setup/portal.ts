/**
 * What the set-up access point answers over HTTP: the set-up page, its two forms, and a redirect to the page for
 * everything that a device asks to find out whether there is an Internet (docs/spec/setup.md#portal). Nothing of the
 * management API is reachable here.
 *
 * Every host name leads to the console, so a page of any name could believe to be of the same origin. Therefore the page
 * is served under the console's address alone, and its forms are accepted only from there and with the key that is in
 * them, which no other page can read.
 */
import { Fault, quoted } from "../../../protocol/fault.js";
import type { Answer, ByteStream, Exchange } from "../api/request.js";
import { type Guard, mediaType, type Opening } from "../http/request-guard.js";
import { pathOf, type RequestHead } from "../http/request-head.js";
import { FormReader, type SetupForm } from "./setup-form.js";
import { pagePiece, type SetupPageState, type SetupView } from "./setup-page.js";

/**
 * What operating systems and browsers ask a new network for. Another answer than the one they expect makes them show the
 * page behind it.
 */
const PROBES: ReadonlySet<string> = new Set([
  "/generate_204", // Android
  "/gen_204",
  "/hotspot-detect.html", // iOS and macOS
  "/library/test/success.html",
  "/connecttest.txt", // Windows
  "/ncsi.txt",
  "/redirect",
  "/canonical.html", // Firefox
  "/success.txt",
]);

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
      throw new Fault("method_not_allowed", "The set-up page supports GET, HEAD and POST");
    } catch (failure) {
      const isMethodWrong = failure instanceof Fault && failure.code === "method_not_allowed";
      const fieldLines = isMethodWrong ? "allow: GET, HEAD, POST\r\n" : "";
      return { exchange: undefined, failure, fieldLines };
    }
  }

  #openPage({ fields, target }: RequestHead): Opening {
    const path = this.#isOwnHost(fields.host) ? pathOf(target) : "";
    if (path === "/") return { exchange: exchangeOf(() => this.#page(200)), fieldLines: PAGE_LINES };
    if (path === "" || PROBES.has(path)) return this.#redirect(302);
    throw notFound(path);
  }

  #openForm(head: RequestHead): Exchange {
    const { fields, target } = head;
    if (!this.#isOwnHost(fields.host))
      throw new Fault("foreign_host", `${quoted(fields.host ?? "")} is not the set-up page`);
    const origin = fields.single("origin")?.toLowerCase();
    if (origin !== undefined && origin !== `http://${this.#session.authority}`)
      throw new Fault("foreign_origin", `Pages of ${quoted(origin)} may not set up this console`);
    const path = pathOf(target);
    if (path !== "/join" && path !== "/scan") throw notFound(path);
    const type = mediaType(fields.single("content-type") ?? "");
    if (type !== "application/x-www-form-urlencoded")
      throw new Fault("media_type_unsupported", "The set-up page accepts its forms only");
    return new FormExchange((form) => this.#submit(path, form));
  }

  async #submit(path: string, form: SetupForm): Promise<Answer> {
    if (form.key !== this.#session.view().key)
      return this.#page(403, { phase: "choosing", problem: "This page was out of date. Try again." });
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
    const stream = new PageStream(state ? { ...view, state } : view);
    return { status, mediaType: HTML, stream };
  }

  #redirect(status: number): Opening {
    const address = `http://${this.#session.authority}/`;
    const bytes = new TextEncoder().encode(`<!doctype html><a href="${address}">Set up the console</a>\n`);
    const answer = { status, mediaType: HTML, bytes, field: "html" };
    return { exchange: exchangeOf(() => answer), fieldLines: `location: ${address}\r\n` };
  }

  #isOwnHost(host: string | undefined): boolean {
    const { authority } = this.#session;
    return host === authority || host === `${authority}:80`;
  }
}

function notFound(path: string): Fault {
  return new Fault("not_found", `There is nothing at ${quoted(path)}; the set-up page is at "/"`);
}

function exchangeOf(end: () => Answer): Exchange {
  return {
    ignoresBody: true,
    write() {},
    end,
    abort() {},
  };
}

class FormExchange implements Exchange {
  readonly #form = new FormReader();
  readonly #submit: (form: SetupForm) => Promise<Answer>;

  constructor(submit: (form: SetupForm) => Promise<Answer>) {
    this.#submit = submit;
  }

  write(bytes: Uint8Array): void {
    this.#form.push(bytes);
  }

  end(): Promise<Answer> {
    return this.#submit(this.#form.read());
  }

  abort(): void {
    // Nothing has been done yet.
  }
}

/** One piece at a time, so that the page is never in memory as a whole. */
class PageStream implements ByteStream {
  readonly #view: SetupView;
  #index = 0;

  constructor(view: SetupView) {
    this.#view = view;
  }

  next(): Uint8Array | undefined {
    const piece = pagePiece(this.#view, this.#index++);
    return piece === undefined ? undefined : new TextEncoder().encode(piece);
  }

  close(): void {
    // Nothing is held.
  }
}
