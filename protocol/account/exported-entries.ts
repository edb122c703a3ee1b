/**
 * What a hub keeps of an account (docs/spec/hub-api.md#export), entry by entry. It is read from the lists that any program may
 * read, so that nothing has a second way out of the hub, a page of a list at a time: a fleet's history fits in no memory.
 */

/** How the program that exports reaches the hub. */
export interface ExportPorts {
  /**
   * Reads the answer to a GET.
   * @param path below `/api/v1`
   * @throws {Error} with the hub's error as `code`
   */
  read(path: string): Promise<object>;
  /** Waits for a while, once the token's requests are used up, of which a fleet takes many. */
  pause(): Promise<void>;
}

interface List {
  readonly path: string;
  /** Its name in the answer. */
  readonly member: string;
}

/** Entries of one request: the hub's limit. */
const PER_PAGE = 100;

/** Lists of the account, by the kind of their entries. */
const LISTS = Object.freeze({
  member: { path: "/account/members", member: "members" },
  token: { path: "/account/tokens", member: "tokens" },
  group: { path: "/account/groups", member: "groups" },
  webhook: { path: "/account/webhooks", member: "webhooks" },
  audit: { path: "/account/audit", member: "entries" },
});
const DEVICES: List = Object.freeze({ path: "/account/devices", member: "devices" });
const ROLLOUTS: List = Object.freeze({ path: "/rollouts", member: "rollouts" });

/** Lists of each console. */
const OF_DEVICE = Object.freeze({
  app: { path: "apps", member: "apps" },
  command: { path: "commands", member: "commands" },
  event: { path: "history", member: "events" },
});

/** @returns entries such as `{"command":{…},"device_id"}`. What ends meanwhile may be missing */
export async function* exportedEntries(ports: ExportPorts): AsyncGenerator<object> {
  yield { account: await patiently(ports, "/account") };
  for (const [kind, list] of Object.entries(LISTS))
    for await (const entry of entriesOf(ports, list)) yield { [kind]: entry };
  for await (const device of entriesOf(ports, DEVICES)) {
    const device_id = idIn(device, "device_id");
    yield { device };
    for (const [kind, { path, member }] of Object.entries(OF_DEVICE)) {
      const list = { path: `/devices/${device_id}/${path}`, member };
      for await (const entry of entriesOf(ports, list)) yield { [kind]: entry, device_id };
    }
  }
  for await (const rollout of entriesOf(ports, ROLLOUTS)) {
    const rollout_id = idIn(rollout, "rollout_id");
    yield { rollout };
    const list = { path: `/rollouts/${rollout_id}/devices`, member: "devices" };
    for await (const entry of entriesOf(ports, list)) yield { rollout_device: entry, rollout_id };
  }
}

async function* entriesOf(ports: ExportPorts, { path, member }: List): AsyncGenerator<object> {
  let after = "";
  do {
    const page = await patiently(ports, `${path}?per_page=${PER_PAGE}${after}`).catch(nothingIfGone);
    if (page === undefined) return;
    const { [member]: entries = [] } = page;
    if (!Array.isArray(entries)) throw new TypeError(`The hub has sent no list of ${member}`);
    yield* entries as readonly object[];
    after = page["next"] === undefined ? "" : `&after=${encodeURIComponent(`${page["next"]}`)}`;
  } while (after !== "");
}

type Answer = Readonly<Record<string, unknown>>;

async function patiently({ read, pause }: ExportPorts, path: string): Promise<Answer> {
  for (;;)
    try {
      return (await read(path)) as Answer;
    } catch (error) {
      if (codeOf(error) !== "too_many_attempts") throw error;
      await pause();
    }
}

/** The console was released, or the rollout deleted, after the list was read that named it. */
function nothingIfGone(error: unknown): undefined {
  if (["device_not_found", "rollout_not_found"].includes(`${codeOf(error)}`)) return;
  throw error;
}

function codeOf(error: unknown): unknown {
  return (error as { readonly code?: unknown }).code;
}

/** @throws {TypeError} for text that cannot be an id: `..` would make it the path of something else */
function idIn(entry: object, member: string): string {
  const id = (entry as Answer)[member];
  if (typeof id === "string" && /^[\w-]+$/.test(id)) return id;
  throw new TypeError(`The hub has sent no ${member}`);
}
