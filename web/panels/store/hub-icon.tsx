/** The icon of an app in the catalogue, read as a file: a page may show no pictures from elsewhere. */
import { useEffect, useState } from "preact/hooks";
import type { CatalogEntry } from "../../hub/hub-answers.js";
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
        () => undefined, // the picture for all stays
      );
    return () => {
      isShown = false;
    };
  }, [client, id, iconUrl]);
  return <BitmapIcon bitmap={bitmap} />;
}
