/** UDP as the services see it: the part of ECMA-419 §11 (`embedded:io/socket/udp`) that they need. */
export interface UdpSocket {
  /** The next datagram with its source, or `undefined` when there is none. */
  read(): (ArrayBuffer & { readonly address: string; readonly port: number }) | undefined;
  /** Sends one datagram; a datagram that the network refuses is lost, as any may be. */
  write(bytes: Uint8Array, address: string, port: number): unknown;
  close(): void;
}

export interface UdpOptions {
  /** Local port; shared with other programs of the machine where it is a multicast one. */
  readonly port: number;
  /** Address of the network interface to join and send from. */
  readonly address?: string;
  /** Multicast group to join. */
  readonly multicast?: string;
  /** Time to live of multicast datagrams. */
  readonly timeToLive?: number;
  onReadable(datagrams: number): void;
}

export type Udp = new (options: UdpOptions) => UdpSocket;
