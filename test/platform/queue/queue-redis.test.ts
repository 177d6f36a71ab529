import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { freePort } from '../../../src/platform/database/embedded.ts';
import { beeWaker } from '../../../src/platform/queue/bee-waker.ts';
import type { Waker } from '../../../src/platform/queue/waker.ts';
import { until } from '../../helpers/until.ts';
import { where } from '../../helpers/where.ts';

/** These tests kill their Redis, so they start one of their own; .ci/run installs it, elsewhere they run when it is there. */
const installed = spawnSync('redis-server', ['--version']).status === 0;
const withRedis = where(installed, 'no redis-server: wakes between processes are not tested');

let port: number;
let redis: ChildProcess | undefined;
let wakers: Waker[] = [];
let reports: string[] = [];

beforeEach(async () => {
  port = await freePort();
  reports = [];
});
afterEach(async () => {
  await Promise.all(wakers.map((waker) => waker.close()));
  wakers = [];
  await stopRedis();
});

withRedis('a wake of one process reaches a listener in another', async () => {
  await startRedis();
  const heard = listener();
  const sender = open();
  await until(() => heard.count > 0);
  const before = heard.count;
  sender.wake();
  await until(() => heard.count > before);
  expect(await keys()).not.toContain('jobs');
});

withRedis('however many wakes come, few jobs lie in Redis while nobody listens', async () => {
  await startRedis();
  const sender = open();
  await sleep(100);
  for (let i = 0; i < 2_000; i++) {
    sender.wake();
    if (i % 20 === 0) await sleep(1);
  }
  await sleep(1_100);
  for (let i = 0; i < 2_000; i++) sender.wake();
  await sleep(100);
  expect(Number(redisCli('llen', 'bq:test:waiting'))).toBeLessThan(500);
});

withRedis('after a restart of Redis, which forgets the scripts, wakes arrive again', async () => {
  await startRedis();
  const heard = listener();
  const sender = open();
  await until(() => heard.count > 0);
  await stopRedis();
  sender.wake();
  await sleep(300);
  await startRedis();
  await until(() => reports.filter((report) => report === 'back').length === 2);
  const before = heard.count;
  sender.wake();
  await until(() => heard.count > before);
  expect(reports.filter((report) => report === 'lost').length).toBe(2);
});

withRedis('after flushall and script flush wakes arrive again', async () => {
  await startRedis();
  const heard = listener();
  const sender = open();
  await until(() => heard.count > 0);
  redisCli('flushall');
  redisCli('script', 'flush');
  const before = heard.count;
  // The first meets NOSCRIPT and makes the supervisor open a fresh Queue.
  for (let i = 0; i < 20 && heard.count === before; i++) {
    sender.wake();
    await sleep(100);
  }
  expect(heard.count).toBeGreaterThan(before);
});

test('without a Redis at its URL, a Waker neither throws nor waits, and closes', async () => {
  const waker = open();
  waker.listen(() => undefined);
  waker.wake();
  await sleep(300);
  waker.wake();
  expect(reports).toEqual(['lost']);
});

function open(): Waker {
  const waker = beeWaker({ name: 'test', redisUrl: `redis://127.0.0.1:${port}`, report: (state) => reports.push(state) });
  wakers.push(waker);
  return waker;
}

function listener(): { count: number } {
  const heard = { count: 0 };
  open().listen(() => heard.count++);
  return heard;
}

async function startRedis(): Promise<void> {
  redis = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'], { stdio: 'ignore' });
  await until(() => redisCli('ping') === 'PONG');
}

async function stopRedis(): Promise<void> {
  const child = redis;
  redis = undefined;
  if (!child || child.exitCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
}

const redisCli = (...args: string[]) => spawnSync('redis-cli', ['-p', String(port), ...args], { encoding: 'utf8' }).stdout.trim();
const keys = async () => {
  await sleep(50);
  return redisCli('keys', 'bq:test:*')
    .split('\n')
    .map((key) => key.replace('bq:test:', ''));
};
