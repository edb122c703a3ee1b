/** Names of hosts to addresses, for whoever connects to one. A board asks the network's DNS (RFC 1035). */
export interface Resolver {
  /**
   * Calls back once, never from inside this call. A numeric address is its own and is asked of nobody.
   * How long it takes is up to the network: a time-out is the caller's.
   *
   * @throws {RangeError} for what is no name: empty, longer than 253 characters, with U+0000 in it
   */
  resolve(name: string, onResolved: OnResolved): void;
}

/** @param address numeric, IPv4 where there is one; exactly one of the two is there */
export type OnResolved = (error: Error | undefined, address: string | undefined) => void;
