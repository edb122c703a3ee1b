/**
 * Holds the page's hub and account, which all panels share and the browser stores; and suggests a hub before the user
 * has chosen one.
 */
import { batch, computed, type ReadonlySignal, signal } from "@preact/signals";
import { tokenText } from "../../device-client/token-text.js";
import { addressSpaceOf, isMixed, isNearByName } from "../connection/http-failure.js";
import type { Session } from "../session/session.js";
import { type Keeper, type KeptHub, keepHub, readKeptHub, typedAddress } from "./hub-address.js";
import { HubClient } from "./hub-client.js";
import { HubError } from "./hub-error.js";

const SESSION_TOKEN = /^svcs_/;

export class HubAccess {
  readonly #hub = signal<KeptHub | undefined>(readKeptHub(keeper()));
  readonly #isKept = signal(true);
  #isForgotten = false;

  readonly client: ReadonlySignal<HubClient | undefined> = computed(() => {
    const hub = this.#hub.value;
    return hub && new HubClient({ ...hub, fetch: fetchFromHub });
  });

  get hub(): ReadonlySignal<KeptHub | undefined> {
    return this.#hub;
  }

  /** Whether this browser stores the hub; if not, a reload of the page loses it. */
  get isKept(): ReadonlySignal<boolean> {
    return this.#isKept;
  }

  /** Whether a member has signed in, for a time; other tokens stay valid until somebody ends them. */
  get isSession(): boolean {
    return SESSION_TOKEN.test(this.#hub.value?.token ?? "");
  }

  /** Whether the user has chosen to use no hub; the page then no longer selects one automatically. */
  get isForgotten(): boolean {
    return this.#isForgotten;
  }

  /**
   * Switches to the hub at a typed address, signed out.
   * @throws {Fault} `bad_parameter`
   * @throws {HubError} if no hub answers there
   */
  async use(text: string): Promise<void> {
    const address = typedAddress(text);
    await new HubClient({ address, fetch: fetchFromHub }).identify();
    this.#keep({ address });
  }

  /** @throws {HubError} `token_unknown`, `forbidden` for a token of a publisher or console, or if no hub answers */
  async signIn(given: string): Promise<void> {
    const token = tokenText(given);
    const { address } = this.#current();
    await new HubClient({ address, token, fetch: fetchFromHub }).devices().catch(toldAtSignIn);
    this.#keep({ address, token });
  }

  async createAccount(): Promise<void> {
    const { address } = this.#current();
    const { account_token } = await new HubClient({ address, fetch: fetchFromHub }).createAccount();
    this.#keep({ address, token: account_token });
  }

  /** Signs in with a token that the hub at the address has just given. */
  accept(hub: Required<KeptHub>): void {
    this.#keep(hub);
  }

  /** Also ends the session that the token is of, if a member has signed in. */
  signOut(): void {
    const hub = this.#current();
    const wasSession = this.isSession;
    this.drop();
    if (!wasSession) return;
    new HubClient({ ...hub, fetch: fetchFromHub }).endSession().catch(() => {
      // A session that cannot be ended now ends by itself.
    });
  }

  /** Drops a token that is no longer valid. */
  drop(): void {
    this.#keep({ address: this.#current().address });
  }

  /** Removes the hub and its token from the page and from the browser's storage. */
  forget(): void {
    this.#isForgotten = true;
    this.#keep(undefined);
  }

  #current(): KeptHub {
    const hub = this.#hub.peek();
    if (!hub) throw new Error("Cannot sign in without a hub");
    return hub;
  }

  #keep(hub: KeptHub | undefined): void {
    batch(() => {
      this.#hub.value = hub;
      this.#isKept.value = keepHub(keeper(), hub);
    });
  }
}

/** Replaces `unauthorized`, whose advice is to sign out: during sign-in the user is not signed in yet. */
function toldAtSignIn(error: unknown): never {
  if (error instanceof HubError && error.code === "unauthorized")
    throw new HubError("token_unknown", "The hub rejected this token", { cause: error });
  throw error;
}

/** In a browser that blocks storage, `window.localStorage` itself throws: read it inside the methods, not before. */
function keeper(): Keeper {
  return {
    getItem: (key) => window.localStorage.getItem(key),
    setItem: (key, value) => window.localStorage.setItem(key, value),
    removeItem: (key) => window.localStorage.removeItem(key),
  };
}

/** A page on https may request a nearby hub over plain HTTP only if the request names the target's address space. */
function fetchFromHub(url: string, init: RequestInit): Promise<Response> {
  const target = new URL(url);
  const isNear = isMixed(location.protocol, target) && isNearByName(target.hostname);
  return fetch(
    url,
    isNear ? Object.assign({ targetAddressSpace: addressSpaceOf(target.hostname) }, init) : init,
  );
}

const PROBE_MS = 1500;

/** @returns the address of the hub that serves this page, or else of the connected console's hub */
export async function likelyHub(session: Session): Promise<string | undefined> {
  return (await ownHub(session)) ?? (await hubOfConsole(session));
}

/** A proxy may have the hub below a path, and a page of its own beside the hub. */
async function ownHub(session: Session): Promise<string | undefined> {
  const { origin, protocol, href } = window.location;
  const isOwnConsole = session.device.peek()?.transport.address === origin;
  if (!protocol.startsWith("http") || isOwnConsole) return undefined;
  const places = new Set([new URL(".", href).href, `${origin}/`]);
  for (const place of places) if (await isHub(place)) return place.slice(0, -1);
  return undefined;
}

async function isHub(place: string): Promise<boolean> {
  try {
    const answer = await fetch(`${place}api/v1/health/live`, { signal: AbortSignal.timeout(PROBE_MS) });
    const { status } = Object(await answer.json());
    return status === "live";
  } catch {
    return false;
  }
}

async function hubOfConsole(session: Session): Promise<string | undefined> {
  try {
    return (await session.device.peek()?.hub())?.url || undefined;
  } catch {
    return undefined; // the console has disconnected
  }
}
