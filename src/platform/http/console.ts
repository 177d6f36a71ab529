import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import express, { Router } from 'express';
import { escaped } from './escaped.ts';
import { addVary } from './vary.ts';

/** A server of map tiles: the address of a tile, with `{z}`, `{x}` and `{y}`, and whom to name below the map. */
export interface MapTiles {
  url: string;
  attribution: string;
}

/**
 * Only this server is loaded from or asked; no inline script, no foreign frame. @param images origins of other pictures @param frames what may be
 * framed, as what was fetched with the session is
 */
const policy = (images = '', frames = ''): string =>
  `default-src 'none';${frames && ` frame-src ${frames}; object-src ${frames};`} script-src 'self'; style-src 'self'; img-src 'self' data:${images}; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`;

/** The only page with a map, and the only one that may load its tiles. */
const MAP = '/console/day';
/** The only page with documents next to it, which it has fetched. */
const DOCUMENTS = '/console/settlements';

const PAGES = [
  '/console',
  '/console/imports',
  '/console/tickets',
  '/console/review',
  '/console/day',
  '/console/settlements',
  '/console/webhooks',
  '/console/reports',
  '/console/report',
  '/console/sign-in',
  '/console/reset-password',
  '/console/sign-up',
];

/**
 * The console: one page under `/console`, for operators and for people who follow the link in a mail, and its bundled files. Browsers may
 * keep these for ever, because their names change with their content. Whoever opens the bare address in a browser gets there, too.
 * @param folder of the bundle; without one there is no console
 */
export function consoleRouter(folder: string, tiles?: MapTiles): Router {
  const router = Router();
  const manifest = join(folder, 'manifest.json');
  if (!existsSync(manifest)) return router;
  const { script, style } = JSON.parse(readFileSync(manifest, 'utf8')) as { script: string; style: string };
  router.use('/console/assets', express.static(folder, { index: false, immutable: true, maxAge: '365d', fallthrough: true }));
  router.get('/', (req, res, next) => {
    addVary(res, 'Accept');
    // Programs and probes get what they get for any path that nobody serves.
    if (req.headers.accept?.includes('text/html')) res.redirect('/console');
    else next();
  });
  router.get(PAGES, (req, res) => {
    const map = req.path === MAP ? tiles : undefined;
    res.setHeader('Content-Security-Policy', policy(map && ` ${new URL(map.url).origin}`, req.path === DOCUMENTS ? 'blob:' : ''));
    res.setHeader('Cache-Control', 'no-cache');
    res
      .type('html')
      .send(
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Haulgate</title>' +
          (map
            ? `<meta name="haulgate-tiles" content="${escaped(map.url)}"><meta name="haulgate-tiles-attribution" content="${escaped(map.attribution)}">`
            : '') +
          `<link rel="icon" href="data:,"><link rel="stylesheet" href="/console/assets/${style}"></head><body><div id="page"></div>` +
          `<noscript>The console needs JavaScript.</noscript><script type="module" src="/console/assets/${script}"></script></body></html>`,
      );
  });
  return router;
}
