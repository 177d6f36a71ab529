import { useEffect, useState } from 'react';
import { readFile } from '../server/request.ts';

/** A settlement as it is printed, next to it. The file takes the session's token, so it is fetched and shown from memory. */
export function Paper({ url, name, onFailed }: { url: string; name: string; onFailed: (error: unknown) => void }) {
  const [address, setAddress] = useState('');
  useEffect(() => {
    let made = '';
    let isCurrent = true;
    // The server may be reached under another name than the one it gives itself.
    readFile(new URL(url, location.href).pathname).then(
      (file) => {
        if (!isCurrent) return;
        made = URL.createObjectURL(file);
        setAddress(made);
      },
      (error: unknown) => isCurrent && onFailed(error),
    );
    return () => {
      isCurrent = false;
      if (made) URL.revokeObjectURL(made);
    };
  }, [url, onFailed]);
  return (
    <figure className="paper">
      {address && <iframe src={address} title={`${name} as it is printed`} />}
      <figcaption>
        {address ? (
          <a id="paper" href={address} download={`${name}.pdf`} aria-keyshortcuts="o">
            Keep the PDF
          </a>
        ) : (
          'The PDF is being made.'
        )}
      </figcaption>
    </figure>
  );
}
