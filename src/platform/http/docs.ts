import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type RequestHandler, type Response, Router } from 'express';

const require = createRequire(import.meta.url);

/** Nothing outside this server may be loaded or requested: the pages work without the internet and do not reveal that they are open. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Pages and document are kept by browsers and servers in between for five minutes, and compared by their ETag from then on. */
const KEPT = 'public, max-age=300';

/** File of each package under `/docs/assets/<name>`; nothing else of a package can be asked for. */
const ASSETS: Record<string, string> = {
  'swagger-ui.css': 'swagger-ui-dist/swagger-ui.css',
  'swagger-ui.js': 'swagger-ui-dist/swagger-ui-bundle.js',
  'graphiql.css': 'graphiql/graphiql.min.css',
  'graphiql.js': 'graphiql/graphiql.min.js',
  'react.js': 'react/umd/react.production.min.js',
  'react-dom.js': 'react-dom/umd/react-dom.production.min.js',
};

/** The query with which the workbench opens: the day of the company, page by page below it. */
const FIRST_QUERY = `# The day of your company. Sign in at the top right, or write a token into the headers below.
query Today {
  dayBoard {
    date
    timeZone
    jobsByState {
      state
      count
    }
  }
  loads(first: 5, sort: { unloadedAt: desc }) {
    nodes {
      loadId
      state
      job {
        driver {
          lastName
        }
      }
    }
    count {
      value
      precision
    }
  }
}
`;

const SCRIPTS: Record<string, string> = {
  'reference-start.js': `SwaggerUIBundle({ url: '/docs/openapi.json', dom_id: '#page', deepLinking: true, docExpansion: 'none', validatorUrl: null, queryConfigEnabled: false });`,
  'graphiql-start.js': `const KEY = 'haulgate.session';
const session = () => { try { return JSON.parse(sessionStorage.getItem(KEY)); } catch { return null; } };
const send = (body, headers, signal) => fetch(location.pathname, { method: 'POST', body: JSON.stringify(body), headers, signal });
const refresh = async () => {
  const response = await fetch('/v1/auth/refresh', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ refresh_token: session().refresh_token }) });
  if (!response.ok) { sessionStorage.removeItem(KEY); return false; }
  const { data } = await response.json();
  sessionStorage.setItem(KEY, JSON.stringify({ session_jwt: data.session_jwt, refresh_token: data.refresh_token }));
  return true;
};
const fetcher = async (body, options) => {
  const given = Object.fromEntries(Object.entries((options && options.headers) || {}).filter(([, value]) => String(value).trim() !== 'Bearer'));
  const named = Object.keys(given).some((name) => name.toLowerCase() === 'authorization');
  const headers = () => ({ 'Content-Type': 'application/json', Accept: 'application/graphql-response+json, application/json;q=0.9',
    ...(named || !session() ? {} : { Authorization: 'Bearer ' + session().session_jwt }), ...given });
  let response = await send(body, headers());
  if (response.status === 401 && !named && session() && (await refresh())) response = await send(body, headers());
  return response.json();
};
const query = ${JSON.stringify(FIRST_QUERY)};
ReactDOM.createRoot(document.getElementById('page')).render(React.createElement(GraphiQL, {
  fetcher, defaultQuery: query, storage: sessionStorage, shouldPersistHeaders: true, isHeadersEditorEnabled: true, defaultHeaders: '{ "Authorization": "Bearer " }' },
  React.createElement(GraphiQL.Logo, null, session() ? 'Haulgate, signed in' : React.createElement('a', { href: '/console?then=graphql' }, 'Sign in'))));`,
};

/**
 * `/docs`, the REST reference in a browser, and the assets that it and `graphiqlPage` load, all from installed packages.
 * @param openapi path of the OpenAPI document, which is read when the first client wants it: most servers are never asked for these megabytes
 * @param asyncapi that of the catalogue of what webhooks send
 */
export function docsRouter({ openapi, asyncapi }: { openapi: string; asyncapi: string }): Router {
  const router = Router();
  router.get('/docs', (_req, res) => {
    sendPage(res, 'Haulgate REST', ['swagger-ui.css'], ['swagger-ui.js', 'reference-start.js']);
  });
  for (const [name, path] of Object.entries({ openapi, asyncapi })) {
    let small: Promise<Document> | undefined;
    router.get(`/docs/${name}.json`, async (_req, res) => {
      small ??= smallest(path);
      const { bytes, etag } = await small;
      res.setHeader('Cache-Control', KEPT).setHeader('ETag', etag).type('json').send(bytes);
    });
  }
  for (const [name, file] of Object.entries(ASSETS)) {
    const path = assetPath(file);
    router.get(`/docs/assets/${name}`, (_req, res) => res.sendFile(path, { maxAge: '1d' }));
  }
  for (const [name, script] of Object.entries(SCRIPTS)) {
    const etag = etagOf(script);
    router.get(
      `/docs/assets/${name}`,
      (_req, res) => void res.setHeader('Cache-Control', KEPT).setHeader('ETag', etag).type('js').send(script),
    );
  }
  return router;
}

interface Document {
  bytes: Buffer;
  etag: string;
}

/** The file is indented for its readers in the repository, which doubles its size. */
async function smallest(path: string): Promise<Document> {
  const bytes = Buffer.from(JSON.stringify(JSON.parse(await readFile(path, 'utf8'))));
  return { bytes, etag: etagOf(bytes) };
}

/** Weak, because an answer that is compressed has other bytes. Express compares it. */
const etagOf = (content: Buffer | string): string => `W/"${hash('sha256', content, 'base64url').slice(0, 22)}"`;

/** GraphiQL for `GET /graphql` in a browser; requests that do not ask for HTML, or carry a query, go on to the next handler. */
export const graphiqlPage: RequestHandler = (req, res, next) => {
  const wantsPage = req.method === 'GET' && req.query.query === undefined && req.accepts(['json', 'html']) === 'html';
  if (!wantsPage) return next();
  sendPage(res, 'Haulgate GraphQL', ['graphiql.css'], ['react.js', 'react-dom.js', 'graphiql.js', 'graphiql-start.js']);
};

function sendPage(res: Response, title: string, styles: string[], scripts: string[]): void {
  res.setHeader('Cache-Control', KEPT);
  res.setHeader('Content-Security-Policy', POLICY);
  res.setHeader('X-Content-Type-Options', 'nosniff');
  res.setHeader('Referrer-Policy', 'no-referrer');
  const page =
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>` +
    '<link rel="icon" href="data:,">' +
    styles.map((name) => `<link rel="stylesheet" href="/docs/assets/${name}">`).join('') +
    '<style>body{margin:0}#page{min-height:100vh}.graphiql-container{height:100vh!important}</style></head><body><div id="page"></div>' +
    scripts.map((name) => `<script src="/docs/assets/${name}"></script>`).join('') +
    '</body></html>';
  res.setHeader('ETag', etagOf(page)).type('html').send(page);
}

function assetPath(file: string): string {
  const [name = '', ...rest] = file.split('/');
  // By package.json, because `exports` of a package may hide its bundles.
  return join(dirname(require.resolve(`${name}/package.json`)), ...rest);
}
