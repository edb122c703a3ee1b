/** Who counts as the console's owner over HTTP (docs/spec/http.md#owner). */
import { expect, test } from "vitest";
import { HttpCodec } from "../../../../device/services/http/http-codec.js";
import { HttpServer } from "../../../../device/services/http/http-server.js";
import { BearerAuthenticator, RequestGuard } from "../../../../device/services/http/request-guard.js";
import { EmulatedClock } from "../../../hosts/emulated-clock.js";
import { EmulatedTcp } from "./emulated-tcp.js";
import { sandbox } from "./head.js";
import { SampleApi } from "./sample-api.js";
import { SILENT_LOG } from "./served.js";

class OwnerApi extends SampleApi {
  readonly owners: boolean[] = [];

  override open(...[request]: Parameters<SampleApi["open"]>) {
    this.owners.push(request.isOwner);
    return super.open(request);
  }
}

function serve() {
  const clock = new EmulatedClock();
  const tcp = new EmulatedTcp();
  const api = new OwnerApi();
  const token = { value: "the-token" };
  const bearer = new BearerAuthenticator({ isRequired: false, token, clock });
  const guard = new RequestGuard({ api, bearer, rules: { allowedOrigins: [] } });
  const ports = { tcp, api, guard, clock, codec: new HttpCodec(sandbox), timer: clock };
  new HttpServer({ ...ports, log: SILENT_LOG, port: 8080 });
  const client = tcp.connect();
  const ask = (field: string) => client.send(`GET /hello HTTP/1.1\r\nHost: 10.0.0.1\r\n${field}\r\n`);
  return { api, ask, token };
}

const AUTHORIZATIONS = [
  { name: "without a token", field: "", isOwner: false },
  { name: "with the token", field: "Authorization: Bearer the-token\r\n", isOwner: true },
  { name: "with another token", field: "Authorization: Bearer the-tokem\r\n", isOwner: false },
  { name: "with another scheme", field: "Authorization: Basic the-token\r\n", isOwner: false },
];
for (const { name, field, isOwner } of AUTHORIZATIONS)
  test(`a request ${name} ${isOwner ? "is" : "is not"} the owner's, where no token is required`, () => {
    const { api, ask } = serve();
    ask(field);
    expect(api.owners).toEqual([isOwner]);
  });

test("the same head is no longer the owner's once the token has been replaced", () => {
  const { api, ask, token } = serve();
  ask("Authorization: Bearer the-token\r\n");
  token.value = "another-token";
  ask("Authorization: Bearer the-token\r\n");
  expect(api.owners).toEqual([true, false]);
});
