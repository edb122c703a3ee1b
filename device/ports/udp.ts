/** UDP as the services see it: the part of ECMA-419 §11 (`embedded:io/socket/udp`) that they need. */
export interface UdpSocket {
  /** The actual port, on hosts where port 0 can be requested. */
  readonly port?: number;
  /** The next datagram with its source, or `undefined`. */
  read(): (ArrayBuffer & { readonly address: string; readonly port: number }) | undefined;
  /** Sends one datagram. A datagram that the network rejects is lost silently, as any other may be. */
  write(bytes: Uint8Array, address: string, port: number): unknown;
  close(): void;
}

export interface UdpOptions {
  /** Local port; a multicast port is shared with other programs of the machine. */
  readonly port: number;
  /** Address of the network interface to use. Without a multicast group, hosts may receive on this address only. */
  readonly address?: string;
  /** Multicast group to join. The socket then receives on the interface with `address` only. */
  readonly multicast?: string;
  /** IP time to live of what is sent, to the group or to one host. */
  readonly timeToLive?: number;
  onReadable(datagrams: number): void;
}

export type Udp = new (options: UdpOptions) => UdpSocket;
