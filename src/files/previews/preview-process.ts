import { readFileSync } from 'node:fs';
import sharp, { type Sharp } from 'sharp';
import { UNREADABLE } from '../bounded-process.ts';
import { imageOf, reduced } from '../structure/image-decoders.ts';

// Run by render-preview.ts, for one file: its bytes come in, the preview goes out.

/** Pixels of the longer side. */
const SIDE = 1_024;

const bytes = readFileSync(0);
try {
  const picture = process.argv[2] === 'application/pdf' ? await drawn() : imageOf(bytes);
  process.stdout.write(await reduced(picture.autoOrient(), SIDE).jpeg({ quality: 80 }).toBuffer());
} catch (error) {
  process.stderr.write(error instanceof Error ? error.message : String(error));
  process.exitCode = UNREADABLE;
}

async function drawn(): Promise<Sharp> {
  const { firstPage } = await import('./first-page.ts');
  const { data, width, height } = await firstPage(bytes, SIDE);
  return sharp(data, { raw: { width, height, channels: 4 } });
}
