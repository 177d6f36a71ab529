import { expect, test } from '@jest/globals';
import type { RequestHandler } from 'express';
import { currentWork } from '../../../src/platform/database/request-work.ts';
import { listen } from '../../../src/platform/http/listen.ts';
import { logFailure } from '../../../src/platform/http/request-id.ts';
import { createApp } from '../../../src/platform/http/server.ts';
import { createLog } from '../../../src/platform/log.ts';

const health = {
  build: { version: '1', sha: 'abc', time: new Date() },
  parts: async () => ({ db: true, migrations: true, redis: true }),
  ready: async () => {},
};

test('what a request still does when its time is over is ended by that, and is no second failure in the log; a fault of its own is', async () => {
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => void lines.push(line) });
  const late = 'request took longer than it may';
  for (const [status, messages] of [
    [503, [late]],
    [500, [late, 'request failed']],
  ] as const) {
    // As PostgreSQL ends a statement: at once.
    const part: RequestHandler = (req) =>
      void currentWork()!.onAbandoned(() => queueMicrotask(() => logFailure(log, req, status, new Error('ended'))));
    const web = await listen(createApp({ log, health, parts: [part], timeout: 100 }), { port: 0, host: '127.0.0.1' });
    expect((await fetch(`http://127.0.0.1:${web.port}/x`)).status).toBe(503);
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(messages);
    await web.close();
    lines.length = 0;
  }
});
