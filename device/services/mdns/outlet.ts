/** Where messages go and come from; the bytes of a message are the writer's and are taken at once. */
export interface Outlet {
  /** To everybody on the link. */
  multicast(message: Uint8Array): void;
  unicast(message: Uint8Array, to: Peer): void;
}

export interface Peer {
  readonly address: string;
  readonly port: number;
}
