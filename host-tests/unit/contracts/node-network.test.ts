import { setTimeout as pass } from "node:timers/promises";
import { RESOLVER_CONTRACT } from "../../contracts/resolver.js";
import { TCP_CLIENT_CONTRACT } from "../../contracts/tcp-client.js";
import { nodeResolver } from "../../hosts/node-resolver.js";
import { nodeTcp } from "../../hosts/node-tcp.js";
import { runContract } from "./run-contract.js";

runContract("TCP over node:net, for clients", TCP_CLIENT_CONTRACT, () => ({ tcp: nodeTcp, pass }));
runContract("Resolver over node:dns", RESOLVER_CONTRACT, () => ({ resolver: nodeResolver, pass }));
