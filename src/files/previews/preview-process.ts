import { readFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import sharp, { type Sharp } from 'sharp';
import { UNREADABLE } from './render-preview.ts';

// Run by render-preview.ts, for one file: its bytes come in, the preview goes out.

/** Pixels of the longer side. */
const SIDE = 1_024;
/** What uploads may have at most (image-structure.ts); memory ends most of them earlier. */
const MOST_PIXELS = 250_000_000;

// About half of the computing time of whatever somebody waits for.
setPriority(3);
// One file, one thread; nothing to keep for a second one.
sharp.concurrency(1);
sharp.cache(false);
// Of all that libvips reads, what may be uploaded and nothing else.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: ['VipsForeignLoadJpegBuffer', 'VipsForeignLoadPngBuffer', 'VipsForeignLoadWebpBuffer', 'VipsForeignLoadNsgifBuffer'],
});

const bytes = readFileSync(0);
try {
  const picture =
    process.argv[2] === 'application/pdf' ? await drawn() : sharp(bytes, { limitInputPixels: MOST_PIXELS, failOn: 'truncated' });
  process.stdout.write(await reduced(picture.autoOrient()));
} catch (error) {
  process.stderr.write(error instanceof Error ? error.message : String(error));
  process.exitCode = UNREADABLE;
}

async function drawn(): Promise<Sharp> {
  const { firstPage } = await import('./first-page.ts');
  const { data, width, height } = await firstPage(bytes, SIDE);
  return sharp(data, { raw: { width, height, channels: 4 } });
}

/** On white, because JPEG knows no transparency; without what the camera noted, for sharp keeps only what it is told to. */
function reduced(picture: Sharp): Promise<Buffer> {
  return picture
    .resize({ width: SIDE, height: SIDE, fit: 'inside', withoutEnlargement: true })
    .flatten({ background: 'white' })
    .toColourspace('srgb')
    .jpeg({ quality: 80 })
    .toBuffer();
}
