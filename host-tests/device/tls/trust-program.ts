/** Connects once to a server of the command line that is for `localhost`, and traces what came of it. */
import Socket from "embedded:io/socket/tcp";
import config from "svc/host";
import Tls from "svc/tls";
import timer from "timer";
import { SecureSocket } from "../../../hub-client/secure-socket.js";

export default function main(): void {
  if (!Tls) throw new Error("There is no TLS");
  const { echo } = JSON.parse(String(config.options?.["SERVERS"]));
  const say = (text: string) => {
    socket.close();
    trace(`${text}\ndone\n`);
  };
  const socket = new SecureSocket({
    Socket,
    Tls,
    timer,
    address: "127.0.0.1",
    port: echo,
    serverName: "localhost",
    onWritable: () => say("open"),
    onError: (problem) => say(problem ?? "end"),
  });
}
