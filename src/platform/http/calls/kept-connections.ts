import { type AgentOptions, type ClientRequestArgs, Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Milliseconds for which a connection is kept that nobody uses: less than the five seconds after which many servers close it. */
const IDLE = 4_000;
/** Milliseconds from its opening after which no call begins on a connection, so that a name that leads elsewhere by now is looked up again. */
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
/** When connections were opened. */
const openedAt = new WeakMap<Duplex, number>();

/**
 * Has an agent keep connections between calls. Only calls of the same `sharedBy` to the same server share them, so that an answer that a server sends
 * unasked reaches nobody else. A connection leads to the address that was looked up, and checked, as it was opened.
 */
function keeping<A extends HttpAgent>(agent: A): A {
  const nameOf = agent.getName.bind(agent);
  const open = agent.createConnection.bind(agent);
  // Its type leaves out that it returns whether it is kept.
  const keep = agent.keepSocketAlive.bind(agent) as (socket: Duplex) => boolean;
  const reuse = agent.reuseSocket.bind(agent);
  agent.getName = (options) => `${(options as ClientRequestArgs & { sharedBy?: string }).sharedBy} ${nameOf(options)}`;
  agent.createConnection = (options, done) => {
    const socket = open(options, done);
    if (socket) {
      openedAt.set(socket, Date.now());
      socket.once('close', () => idle.delete(socket));
    }
    return socket;
  };
  agent.keepSocketAlive = (socket) => {
    const left = (openedAt.get(socket) ?? 0) + LONGEST - Date.now();
    const isKept = left > 0 && idle.size < MOST && keep(socket);
    if (!isKept) return false;
    // `keep` has set how long it may be idle, which a server may have made shorter.
    const { timeout } = socket as Socket;
    if (timeout === undefined || timeout > left) (socket as Socket).setTimeout(left);
    idle.add(socket);
    return true;
  };
  agent.reuseSocket = (socket, request) => {
    idle.delete(socket);
    reuse(socket, request);
  };
  return agent;
}

export const keptOverHttp = keeping(new HttpAgent(OPTIONS));
export const keptOverHttps = keeping(new HttpsAgent(OPTIONS));
