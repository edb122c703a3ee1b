/**
 * `embedded:io/socket/udp`: the Moddable SDK's class, adapted to the port. The SDK's class joins a multicast group in
 * `add()`, the port's in its constructor. The SDK's class throws if the network rejects a datagram; for the port such a
 * datagram is lost.
 */
import LwipUdp from "svc/lwip-udp";
import type { UdpOptions } from "../../../../../../ports/udp.js";

export default class Udp extends LwipUdp {
  constructor(options: UdpOptions) {
    super(options);
    if (options.multicast !== undefined) this.add(options.multicast);
  }
  override write(bytes: Uint8Array, address: string, port: number): void {
    try {
      super.write(bytes, address, port);
    } catch (error) {
      // Errors of the caller: the socket is closed, or the address is invalid.
      if (error instanceof TypeError || error instanceof RangeError) throw error;
    }
  }
}
