/** The icon of an app, 32 by 32 pixels, drawn unsmoothed. Hidden from screen readers: the name stands beside it. */
import { useEffect, useState } from "preact/hooks";
import { Icon } from "../parts/icon.js";
import "./bitmap-icon.css";

/** @param bitmap a BMP; where there is none, or one that the browser cannot read, there is a picture for all */
export function BitmapIcon({ bitmap }: { bitmap: Uint8Array | undefined }) {
  const url = useObjectUrl(bitmap);
  const [broken, setBroken] = useState<string>();
  return (
    <span class="bitmap-icon">
      {url === undefined || url === broken ? (
        <Icon name="apps" size={24} />
      ) : (
        <img src={url} alt="" width={48} height={48} onError={() => setBroken(url)} />
      )}
    </span>
  );
}

function useObjectUrl(bitmap: Uint8Array | undefined): string | undefined {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (!bitmap) return setUrl(undefined);
    const created = URL.createObjectURL(new Blob([bitmap as Uint8Array<ArrayBuffer>], { type: "image/bmp" }));
    setUrl(created);
    return () => URL.revokeObjectURL(created);
  }, [bitmap]);
  return url;
}
