/** What HTTP/1.1 is, whatever is asked for: connections, bodies, methods and everything that is refused. */
import { head } from "../requests.js";
import type { HttpStep, Scene } from "../scene.js";

/** Requests after which the console closes the connection, each of them on one of its own. */
const REFUSED: readonly { readonly title: string; readonly step: HttpStep }[] = [
  { title: "a line that is not a request", step: { send: "Hello\r\n\r\n", methods: ["GET"] } },
  { title: "a line feed without a carriage return", step: { send: "GET / HTTP/1.1\nHost: localhost\n\n" } },
  { title: "another version of HTTP", step: { send: "GET / HTTP/2.0\r\nHost: localhost\r\n\r\n" } },
  { title: "no Host", step: { send: "GET /api/status HTTP/1.1\r\n\r\n" } },
  { title: "a space before the colon", step: { send: head("GET /", "X-Name : value") } },
  {
    title: "two lengths",
    step: { send: `${head("POST /api/reboot", "Content-Length: 1", "Content-Length: 2")}xy` },
  },
  {
    title: "a length and chunks",
    step: { send: `${head("POST /api/reboot", "Content-Length: 5", "Transfer-Encoding: chunked")}0\r\n\r\n` },
  },
  {
    title: "a chunk size that is none",
    step: {
      send: `${head("POST /api/apps/install", "Transfer-Encoding: chunked")}five\r\nhello\r\n0\r\n\r\n`,
    },
  },
  {
    title: "an unknown coding",
    step: { send: head("POST /api/apps/install", "Transfer-Encoding: gzip") },
  },
  { title: "a target that is too long", step: { send: head("GET /«9000 letters»") } },
  { title: "a head that is too long", step: { send: head("GET /", "X-Long: «9000 letters»") } },
  {
    title: "an expectation that cannot be met",
    step: { send: head("GET /api/status", "Expect: wonders") },
  },
];

export const HTTP_SCENES: readonly Scene[] = [
  {
    title: "requests over one connection, the last one closing it",
    over: "HTTP",
    steps: [
      { send: head("GET /api/status") },
      { send: head("GET /api/v1/system") },
      { send: head("GET /api/cmd?c=help") },
      { send: head("GET /api/status", "Connection: close") },
    ],
  },
  {
    title: "requests in one piece are answered in their order",
    over: "HTTP",
    steps: [
      {
        send: `${head("GET /api/cmd?c=1")}${head("HEAD /api/cmd?c=2")}${head("GET /api/cmd?c=3")}`,
        methods: ["GET", "HEAD", "GET"],
      },
    ],
  },
  {
    title: "HTTP/1.0",
    over: "HTTP",
    steps: [{ send: "GET /api/cmd?c=ls HTTP/1.0\r\n\r\n" }],
  },
  {
    title: "methods",
    over: "HTTP",
    steps: [
      { send: head("HEAD /api/apps/list") },
      { send: head("OPTIONS /api/status") },
      { send: head("OPTIONS /api/apps/install") },
      { send: head("POST /api/status", "Content-Length: 0") },
      { send: head("DELETE /api/apps/list") },
      { send: head("BREW /api/status") },
    ],
  },
  {
    title: "what is not there, and parameters that are wrong",
    over: "HTTP",
    steps: [
      { send: head("GET /elsewhere") },
      { send: head("GET /api/nothing") },
      { send: head("GET /api/auth/token") },
      { send: head("GET /api/cmd") },
      { send: head("GET /api/cmd?c=ls&c=ls") },
      { send: head("GET /api/cmd?c=%zz") },
      { send: head("GET /api/cmd?c=gr%C3%B6%C3%9Fe+%F0%9F%98%80") },
      { send: head("GET /api/logs?since=many") },
      { send: head("POST /api/buttons?pressed=16", "Content-Length: 0") },
      { send: head("POST /api/buttons?pressed=1024", "Content-Length: 0") },
    ],
  },
  {
    title: "bodies that are not expected",
    over: "HTTP",
    steps: [
      { send: `${head("POST /api/nothing", "Content-Length: 5")}hello` },
      {
        send: `${head("POST /api/buttons?pressed=0", "Transfer-Encoding: chunked")}5\r\nhello\r\n0\r\n\r\n`,
      },
      { send: head("POST /api/apps/install") },
    ],
  },
  {
    title: "pages elsewhere",
    over: "HTTP",
    steps: [{ send: "GET /api/status HTTP/1.1\r\nHost: evil.example\r\n\r\n" }],
  },
  {
    title: "a page elsewhere, which asks before it asks",
    over: "HTTP",
    steps: [
      {
        send: head(
          "OPTIONS /api/reboot",
          "Origin: https://evil.example",
          "Access-Control-Request-Method: POST",
        ),
      },
    ],
  },
  {
    title: "the display, on which nothing was drawn",
    over: "HTTP",
    steps: [{ send: head("GET /api/screen") }],
  },
  ...REFUSED.map(({ title, step }): Scene => ({ title: `refused: ${title}`, over: "HTTP", steps: [step] })),
];
