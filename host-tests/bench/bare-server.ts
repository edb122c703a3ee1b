/**
 * The baseline for the hub's routes: a server on the same framework that sends the same bytes and does nothing else.
 * Takes the path of a file for each route, and prints its URL once it listens.
 */
import { createReadStream, readFileSync, statSync } from "node:fs";
import Fastify from "fastify";

const [listFile = "", packageFile = ""] = process.argv.slice(2);
const list = readFileSync(listFile);
const server = Fastify();

server.get("/list", (_request, reply) => reply.type("application/json").send(list));
server.get("/unchanged", (_request, reply) => reply.code(304).header("etag", '"a tag"').send());
server.get("/download", (_request, reply) =>
  reply
    .type("application/octet-stream")
    .header("content-length", statSync(packageFile).size)
    .send(createReadStream(packageFile)),
);

const address = await server.listen({ host: "127.0.0.1", port: 0 });
console.log(address);
process.stdin.resume().on("end", () => process.exit(0)); // ends together with its parent process
