import { connect, createServer, type Socket } from 'node:net';

/** A way to a server that can be cut off and opened again, and on which the server can fall silent like one that hangs. */
export async function wayTo(url: URL) {
  const sockets = new Set<Socket>();
  let isSilent = false;
  const server = createServer((socket) => {
    const there = connect(Number(url.port || 5432), url.hostname);
    for (const one of [socket, there]) {
      sockets.add(one);
      one.on('error', () => undefined).on('close', () => sockets.delete(one));
    }
    if (!isSilent) socket.pipe(there).pipe(socket);
  });
  const open = (port: number) =>
    new Promise<number>((done) => server.listen(port, '127.0.0.1', () => done((server.address() as { port: number }).port)));
  const port = await open(0);
  return {
    port,
    async cut() {
      const closed = new Promise((done) => server.close(done));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    restore: () => open(port),
    /** Everybody is let in, and nobody gets an answer any more, whatever they have asked. */
    fallSilent() {
      isSilent = true;
      for (const socket of sockets) socket.unpipe().pause();
    },
    /** Clients that come from now on are answered. */
    speak() {
      isSilent = false;
    },
  };
}
