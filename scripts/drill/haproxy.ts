import { execFileSync, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { stop } from '../bench/start.ts';
import { blockOfGuide, type Programs, replaced } from './debian.ts';
import { folderFor, type Undo } from './stage.ts';

/** The configuration that operators add to Debian's. */
const CONFIGURATION = 'docs/balancer/haproxy.cfg';
/** Milliseconds in which HAProxy must notice what becomes of a server, on a busy machine. */
const PATIENCE = 120_000;

/** The state of a server as HAProxy sees it, and the number of sessions that it has led there since it began. */
export interface SeenServer {
  isUp: boolean;
  sessions: number;
}

export interface HaProxy {
  /** @param name `one` or `two`, as the configuration calls it */
  server(name: string): Promise<SeenServer>;
  /** Resolves when it sees a server as that. @throws Error if it takes too long */
  sees(name: string, isUp: boolean): Promise<void>;
}

/** Starts HAProxy with the configuration of the guide, whose addresses alone are those of this machine, and without TLS. */
export async function startHaProxy(
  { haproxy }: Pick<Programs, 'haproxy'>,
  { port, servers }: { port: number; servers: readonly [number, number] },
  undo: Undo,
): Promise<HaProxy> {
  const guide = readFileSync(CONFIGURATION, 'utf8');
  if (blockOfGuide('# at the end of /etc/haproxy/haproxy.cfg') !== guide)
    throw new Error(`docs/operations.md does not show what ${CONFIGURATION} has`);
  const folder = folderFor('haproxy', undo);
  const socket = join(folder, 'admin.sock');
  let own = replaced(guide, /bind :443 ssl crt \S+/, `bind 127.0.0.1:${port}`);
  for (const [at, name] of ['one', 'two'].entries())
    own = replaced(own, new RegExp(`server ${name} \\S+`), `server ${name} 127.0.0.1:${servers[at]}`);
  // The settings that Debian's file has in front of it, but for the log and the user.
  const defaults = 'defaults\n  mode http\n  option dontlognull\n  timeout connect 5000\n  timeout client 50000\n  timeout server 50000\n';
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(file, `global\n  stats socket ${socket} mode 600 level user\n${defaults}${own}`);
  execFileSync(haproxy, ['-c', '-q', '-f', file], { stdio: ['ignore', 'ignore', 'inherit'] });
  const child = spawn(haproxy, ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said = `${said}${chunk.toString()}`.slice(-4_000);
  });
  undo.push(() => stop(child, 'SIGTERM'));
  const started: HaProxy = {
    server: (name) => seen(socket, name),
    async sees(name, isUp) {
      for (const end = performance.now() + PATIENCE; ; await sleep(200)) {
        if (child.exitCode !== null) throw new Error(`HAProxy ended: ${said}`);
        if ((await seen(socket, name).catch(() => undefined))?.isUp === isUp) return;
        if (performance.now() > end) throw new Error(`HAProxy has not noticed that ${name} is ${isUp ? 'up' : 'down'}: ${said}`);
      }
    },
  };
  return started;
}

/** Asks HAProxy for its figures, which are lines of CSV. */
async function seen(socket: string, name: string): Promise<SeenServer> {
  const asking = connect(socket);
  asking.end('show stat\n');
  const [head = '', ...lines] = (await text(asking)).replace(/^# /, '').split('\n');
  const columns = head.split(',');
  const row = lines.map((line) => line.split(',')).find((values) => values[0] === 'haulgate' && values[1] === name);
  if (!row) throw new Error(`HAProxy knows no server ${name}`);
  const value = (column: string) => row[columns.indexOf(column)]!;
  return { isUp: value('status').startsWith('UP'), sessions: Number(value('stot')) };
}
