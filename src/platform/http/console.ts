import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import express, { Router } from 'express';

/** Only this server is loaded from or asked; no inline script, no foreign frame. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

const PAGES = ['/console', '/console/imports', '/console/tickets', '/console/sign-in', '/console/reset-password', '/console/sign-up'];

/**
 * The console: one page under `/console`, for operators and for people who follow the link in a mail, and its bundled files. Browsers may
 * keep these for ever, because their names change with their content.
 * @param folder of the bundle; without one there is no console
 */
export function consoleRouter(folder: string): Router {
  const router = Router();
  const manifest = join(folder, 'manifest.json');
  if (!existsSync(manifest)) return router;
  const { script, style } = JSON.parse(readFileSync(manifest, 'utf8')) as { script: string; style: string };
  router.use('/console/assets', express.static(folder, { index: false, immutable: true, maxAge: '365d', fallthrough: true }));
  router.get(PAGES, (_req, res) => {
    res.setHeader('Content-Security-Policy', POLICY);
    res.setHeader('Cache-Control', 'no-cache');
    res
      .type('html')
      .send(
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Haulgate</title>' +
          `<link rel="icon" href="data:,"><link rel="stylesheet" href="/console/assets/${style}"></head><body><div id="page"></div>` +
          `<noscript>The console needs JavaScript.</noscript><script type="module" src="/console/assets/${script}"></script></body></html>`,
      );
  });
  return router;
}
