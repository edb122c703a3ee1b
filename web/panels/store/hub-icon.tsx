/** The icon of an app in the catalogue, downloaded with `fetch`: the page's CSP blocks images of other origins. */
import { useEffect, useState } from "preact/hooks";
import type { CatalogEntry } from "../../../protocol/hub/answers/catalog.js";
import type { HubClient } from "../../hub/hub-client.js";
import { BitmapIcon } from "../../install/plan-view.js";

export function HubIcon({ client, entry }: { client: HubClient; entry: CatalogEntry }) {
  const { id, icon_url: iconUrl } = entry;
  const [bitmap, setBitmap] = useState<Uint8Array>();
  useEffect(() => {
    let isShown = true;
    setBitmap(undefined);
    if (iconUrl !== "")
      client.icon(id).then(
        (bytes) => isShown && setBitmap(bytes),
        () => undefined, // the generic icon stays
      );
    return () => {
      isShown = false;
    };
  }, [client, id, iconUrl]);
  return <BitmapIcon bitmap={bitmap} />;
}
