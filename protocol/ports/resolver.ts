/** Resolves host names to addresses, for clients that connect. A board asks the network's DNS (RFC 1035). */
export interface Resolver {
  /**
   * Calls back once, never from inside this call. A numeric address resolves to itself, without a query.
   * The network decides how long it takes: the caller sets a time-out.
   *
   * @throws {RangeError} for an invalid name: empty, longer than 253 characters, with U+0000 in it
   */
  resolve(name: string, onResolved: OnResolved): void;
}

/** @param address numeric, IPv4 where there is one; exactly one of the two is there */
export type OnResolved = (error: Error | undefined, address: string | undefined) => void;
