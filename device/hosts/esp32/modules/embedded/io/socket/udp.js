/**
 * `embedded:io/socket/udp`: the Moddable SDK's class, which joins a multicast group where it is told to and not when it
 * is made, and throws where the network refuses a datagram, which the port takes for one that is lost.
 */
import LwipUdp from "svc/lwip-udp";

/** @typedef {import("../../../../../../ports/udp.js").UdpOptions} UdpOptions */

export default class Udp extends LwipUdp {
  /** @param {UdpOptions} options */
  constructor(options) {
    super(options);
    if (options.multicast !== undefined) this.add(options.multicast);
  }
  /** @override @param {Uint8Array} bytes @param {string} address @param {number} port */
  write(bytes, address, port) {
    try {
      super.write(bytes, address, port);
    } catch (error) {
      // What is wrong with the call is one of these two: the socket is closed, or the address is none.
      if (error instanceof TypeError || error instanceof RangeError) throw error;
    }
  }
}
