/** Sends and receives messages. The writer owns the bytes of a message; the outlet uses them before it returns. */
export interface Outlet {
  /** To all hosts on the link. */
  multicast(message: Uint8Array): void;
  unicast(message: Uint8Array, to: Peer): void;
}

export interface Peer {
  readonly address: string;
  readonly port: number;
}
