/** Small programs for the bare simulator: what the tests of its natives run instead of the device. */

/** `main` around some statements, with everything native imported and the console ready at the end. */
export function program(statements: string): string {
  return `
import Listener from "embedded:io/socket/listener";
import Serial from "embedded:io/serial";
import TCP from "embedded:io/socket/tcp";
import UDP from "embedded:io/socket/udp";
import config from "svc/host";
import network from "svc/network";
import system from "svc/system";
import timer from "timer";

const say = (text) => trace(text + "\\n");

function listen(options) {
  const listener = new Listener({
    port: config.httpPort,
    address: config.address,
    onReadable() {
      for (let from = listener.read(); from; from = listener.read()) options(from);
    },
  });
  return listener;
}

/** Moves what can be read to where it can be written, as far as both counts go. */
class Pump {
  #buffer = new Uint8Array(512);
  unread = 0;
  room = 0;
  move(stream) {
    while (this.unread > 0 && this.room > 0) {
      const chunk = this.#buffer.subarray(0, Math.min(512, this.unread, this.room));
      stream.read(chunk);
      stream.write(chunk);
      this.unread -= chunk.length;
      this.room -= chunk.length;
    }
  }
}

function echo(from) {
  const pump = new Pump();
  const socket = new TCP({
    from,
    nodelay: true,
    onReadable(count) {
      pump.unread = count;
      pump.move(this);
    },
    onWritable(count) {
      pump.room = count;
      pump.move(this);
    },
    onError() {
      this.close();
    },
  });
  return socket;
}

export default function main() {
  let ports = { httpPort: config.httpPort, wsPort: config.wsPort };
  ${statements}
  system.ready({ name: "Console-TEST", ...ports });
}
`;
}

export const ECHO = program(`
  const listener = listen(echo);
  ports.httpPort = listener.port;
`);
