/** What the client of the hub is handed in tests: Node's own, or sockets that a test plays by hand. */
import { CONNECT_TIMEOUT_MS, SILENCE_TIMEOUT_MS } from "../../../hub-client/connection.js";
import type { HubClientPorts } from "../../../hub-client/ports.js";
import { PUSH_SILENCE_MS } from "../../../hub-client/push-client.js";
import type { Timer } from "../../../protocol/ports/runtime.js";
import { EmulatedClock } from "../../hosts/emulated-clock.js";
import { NodeDigest, nodeBase64, nodeMemory, nodeRandom } from "../../hosts/node-bytes.js";
import { nodeResolver } from "../../hosts/node-resolver.js";
import { nodeTcp } from "../../hosts/node-tcp.js";
import { nodeTimer } from "../../hosts/node-timer.js";
import { ScriptedSocket } from "../../hosts/scripted-tcp.js";

const TEXT = new TextEncoder();

/** What bounds a try, and is no wait between two of them. */
const BOUNDS_MS: readonly number[] = [0, CONNECT_TIMEOUT_MS, SILENCE_TIMEOUT_MS, PUSH_SILENCE_MS];

/** Waits between tries are over at once; what bounds a try is not. */
export function hastyTimer(onWait: (milliseconds: number) => void = () => {}): Timer {
  const set: Timer["set"] = (callback, milliseconds) => {
    if (BOUNDS_MS.includes(milliseconds)) return nodeTimer.set(callback, milliseconds);
    onWait(milliseconds);
    return nodeTimer.set(callback, 0);
  };
  return { ...nodeTimer, set };
}

/** Over the network of this machine. */
export function nodePorts(ports: Partial<HubClientPorts> = {}): HubClientPorts {
  return {
    Socket: nodeTcp.Socket,
    resolver: nodeResolver,
    timer: hastyTimer(),
    clock: { uptimeMs: () => Math.floor(performance.now()) },
    random: nodeRandom,
    Digest: NodeDigest,
    base64: nodeBase64,
    memory: nodeMemory,
    ...ports,
  };
}

/** Over sockets that a test is the far end of, and a clock that it moves. */
export class ScriptedNetwork {
  readonly clock = new EmulatedClock();
  readonly sockets: ScriptedSocket[] = [];
  readonly ports: HubClientPorts;

  constructor(ports: Partial<HubClientPorts> = {}) {
    const { sockets, clock } = this;
    const Socket = class extends ScriptedSocket {
      constructor(options: ConstructorParameters<typeof ScriptedSocket>[0]) {
        super(options);
        sockets.push(this);
      }
    };
    const resolver: HubClientPorts["resolver"] = {
      resolve: (_, onResolved) => queueMicrotask(() => onResolved(undefined, "192.0.2.1")),
    };
    this.ports = nodePorts({ Socket, resolver, timer: clock, clock, ...ports });
  }

  /** The socket that was asked for last, connected. */
  async connect(): Promise<ScriptedSocket> {
    await turn();
    const socket = this.sockets.at(-1);
    if (!socket) throw new Error("There is no connection");
    socket.open(1 << 20);
    return socket;
  }
}

/** Everything that a socket was given to send, as text. */
export const sentText = (socket: ScriptedSocket): string => Buffer.from(socket.sent).toString("latin1");

export const octets = (text: string): Uint8Array => TEXT.encode(text);

/** Every promise callback that can run has run. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
