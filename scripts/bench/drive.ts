import { Agent, request } from 'node:http';

export interface Shot {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

export interface Drive {
  /** Answers per second. */
  rate: number;
  /** Milliseconds, median and 95th percentile. */
  p50: number;
  p95: number;
  bytes: number;
}

/** Sends one request and returns the whole answer. @throws Error with the body, unless the status is 2xx */
export function shoot(base: URL, shot: Shot, agent?: Agent): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = {
      ...shot.headers,
      ...(shot.body ? { 'content-type': 'application/json', 'content-length': Buffer.byteLength(shot.body) } : {}),
    };
    const req = request({ host: base.hostname, port: base.port, path: shot.path, method: shot.method, headers, agent }, (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        if (res.statusCode! >= 200 && res.statusCode! < 300) resolve(text);
        else reject(new Error(`${shot.method} ${shot.path}: ${res.statusCode} ${text.slice(0, 500)}`));
      });
      res.on('error', reject);
    });
    req.on('error', reject);
    req.end(shot.body);
  });
}

/** Keeps `clients` requests running for `seconds`. */
export async function drive(base: URL, next: () => Shot, clients: number, seconds: number): Promise<Drive> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const took: number[] = [];
  let bytes = 0;
  const started = performance.now();
  const until = started + seconds * 1000;
  const client = async () => {
    while (performance.now() < until) {
      const sent = performance.now();
      const body = await shoot(base, next(), agent);
      took.push(performance.now() - sent);
      bytes = body.length;
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  const elapsed = (performance.now() - started) / 1000;
  agent.destroy();
  took.sort((a, b) => a - b);
  return { rate: took.length / elapsed, p50: took[Math.floor(took.length / 2)]!, p95: took[Math.floor(took.length * 0.95)]!, bytes };
}

export const median = (values: number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
