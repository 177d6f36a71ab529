import type { Picture } from './review-api.ts';

/** The server's own pictures are shown; it may be reached under another name than the one it gives itself. */
function ownPath(url: string): string | undefined {
  const { pathname, search } = new URL(url, location.href);
  return /^\/v1\/tickets\/[^/]+\/image\/(file|preview)$/.test(pathname) ? pathname + search : undefined;
}

/** The picture of a ticket. One that is kept elsewhere is not loaded, only linked. */
export function TicketPicture({ of: { imageUrl, imageMimeType, previewUrl }, name }: { of: Picture; name: string }) {
  if (!imageUrl) return <p className="meaning">There is no picture.</p>;
  const own = ownPath(imageUrl);
  const shown = previewUrl ? ownPath(previewUrl) : imageMimeType === 'application/pdf' ? undefined : own;
  return (
    <figure className="picture">
      {shown && <img src={shown} alt={`Ticket ${name}`} />}
      <figcaption>
        <a id="picture" href={own ?? imageUrl} target="_blank" rel="noreferrer" aria-keyshortcuts="o">
          Open the picture{own ? '' : `, which is kept at ${new URL(imageUrl).host}`}
        </a>
      </figcaption>
    </figure>
  );
}
