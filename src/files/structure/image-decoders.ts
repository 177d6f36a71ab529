import { setPriority } from 'node:os';
import sharp, { type Sharp } from 'sharp';

// For processes that look at strangers' images (bounded-process.ts); nothing that serves requests may load it.

/** The limits of uploads (image-structure.ts); memory ends most of them earlier. */
const MOST_PIXELS = 250_000_000;

// About half of the computing time of whatever somebody waits for.
setPriority(3);
// One file, one thread; nothing is kept for a second one.
sharp.concurrency(1);
sharp.cache(false);
// Of all the formats that libvips reads, only those that may be uploaded.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: ['VipsForeignLoadJpegBuffer', 'VipsForeignLoadPngBuffer', 'VipsForeignLoadWebpBuffer', 'VipsForeignLoadNsgifBuffer'],
});

/** A stranger's image. */
export const imageOf = (bytes: Uint8Array): Sharp => sharp(bytes, { limitInputPixels: MOST_PIXELS, failOn: 'truncated' });

/** On white, because JPEG has no transparency; without the camera's metadata, because sharp keeps only what it is asked to keep. */
export const reduced = (picture: Sharp, side: number): Sharp =>
  picture
    .resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })
    .flatten({ background: 'white' })
    .toColourspace('srgb');
