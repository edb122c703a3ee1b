/**
 * Stored values of apps in the browser, in a database of the player's own: one entry an app. The app itself never sees more than its
 * values; its worker has no way to the database.
 *
 * Not in `localStorage`: browsers load all of that into the process of a page that uses a part, and the tokens of the hub's page are
 * there.
 */

const DATABASE = "svc-play";
const VALUES = "values";

/** A database that does not answer keeps no app from starting. */
const PATIENCE_MS = 3_000;

let opened: Promise<IDBDatabase> | undefined;

function database(): Promise<IDBDatabase> {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(VALUES);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  return opened;
}

/**
 * Runs one request; requests run in the order of the calls.
 * @throws if the browser blocks storage, has no room, or has not answered in {@link PATIENCE_MS}
 */
async function ask<Result>(
  mode: IDBTransactionMode,
  how: (store: IDBObjectStore) => IDBRequest<Result>,
): Promise<Result> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("The database does not answer")), PATIENCE_MS);
  });
  try {
    return await Promise.race([request(mode, how), late]);
  } finally {
    clearTimeout(timer);
  }
}

async function request<Result>(
  mode: IDBTransactionMode,
  how: (store: IDBObjectStore) => IDBRequest<Result>,
): Promise<Result> {
  const transaction = (await database()).transaction(VALUES, mode);
  const request = how(transaction.objectStore(VALUES));
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve(request.result);
    transaction.onerror = () => reject(transaction.error);
    transaction.onabort = () => reject(transaction.error);
  });
}

const keyOf = (owner: string, app: string): string => `${owner}/${app}`;

/** @returns no bytes if there are none, `undefined` if the browser does not say */
export async function readValues(owner: string, app: string): Promise<Uint8Array | undefined> {
  try {
    const kept: unknown = await ask("readonly", (store) => store.get(keyOf(owner, app)));
    return kept instanceof Uint8Array ? kept : new Uint8Array(0);
  } catch {
    return undefined;
  }
}

/** @returns whether the browser has stored them */
export async function keepValues(owner: string, app: string, encoded: Uint8Array): Promise<boolean> {
  try {
    await ask("readwrite", (store) => store.put(encoded, keyOf(owner, app)));
    return true;
  } catch {
    return false;
  }
}
