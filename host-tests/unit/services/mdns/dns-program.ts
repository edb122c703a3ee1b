/** Readers and writers over the sandboxed program `dns`, each with a program of its own. */
import { DnsReader, DnsWriter, openDns } from "../../../../device/services/mdns/dns-message.js";
import { loadSandbox } from "../../../../tools/sandbox.js";

export const sandbox = await loadSandbox(["dns"]);

export const newReader = () => new DnsReader(openDns(sandbox));

export const newWriter = () => new DnsWriter(openDns(sandbox));
