import { type AgentOptions, type ClientRequestArgs, Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Duplex } from 'node:stream';

/** Milliseconds for which a connection is kept that nobody uses: less than the five seconds after which many servers close it. */
const IDLE = 4_000;
/** Milliseconds after which a connection is used no more, so that a name that leads elsewhere by now is looked up again. */
const LONGEST = 30_000;
/** Connections that are kept without being used: those to one server for one of those who share them, and all of a process. */
const MOST_OF_ONE = 25;
const MOST = 500;

// A new connection verifies the certificate anew, and resumes no session.
const OPTIONS: AgentOptions & { maxCachedSessions: number } = {
  ...{ keepAlive: true, timeout: IDLE, maxFreeSockets: MOST_OF_ONE, scheduling: 'lifo', maxCachedSessions: 0 },
};

/** The connections that wait for another call. */
const idle = new Set<Duplex>();
/** When connections were used first. */
const since = new WeakMap<Duplex, number>();

/**
 * Has an agent keep connections between calls. Only calls of the same `sharedBy` to the same server share them, so that an answer that a server sends
 * unasked reaches nobody else. A connection leads to the address that was looked up, and checked, as it was opened.
 */
function keeping<A extends HttpAgent>(agent: A): A {
  const nameOf = agent.getName.bind(agent);
  // Its type leaves out that it returns whether it is kept.
  const keep = agent.keepSocketAlive.bind(agent) as (socket: Duplex) => boolean;
  const reuse = agent.reuseSocket.bind(agent);
  agent.getName = (options) => `${(options as ClientRequestArgs & { sharedBy?: string }).sharedBy} ${nameOf(options)}`;
  agent.keepSocketAlive = (socket) => {
    if (!since.has(socket)) {
      since.set(socket, Date.now());
      socket.once('close', () => idle.delete(socket));
    }
    const isKept = idle.size < MOST && Date.now() - since.get(socket)! < LONGEST && keep(socket);
    if (isKept) idle.add(socket);
    return isKept;
  };
  agent.reuseSocket = (socket, request) => {
    idle.delete(socket);
    reuse(socket, request);
  };
  return agent;
}

export const keptOverHttp = keeping(new HttpAgent(OPTIONS));
export const keptOverHttps = keeping(new HttpsAgent(OPTIONS));
