/**
 * Small settings that survive a restart: the part of ECMA-419's key-value storage
 * (`embedded:storage/key-value`) that services need. On a board this is NVS: a domain path and a key
 * have at most 15 characters each, and a value 3999 bytes. A write is complete when the call returns, and
 * atomic.
 */
export interface KeyValueStorage {
  open(options: { readonly path: string; readonly format: "string" }): KeyValueDomain;
}

export interface KeyValueDomain {
  read(key: string): string | undefined;
  write(key: string, value: string): void;
  /** Does nothing if the key does not exist. */
  delete(key: string): void;
  close(): void;
}
