import { connect, createServer, type Socket } from 'node:net';

/** A way to a server that can be cut off and opened again. */
export async function wayTo(url: URL) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const there = connect(Number(url.port || 5432), url.hostname);
    for (const one of [socket, there]) {
      sockets.add(one);
      one.on('error', () => undefined).on('close', () => sockets.delete(one));
    }
    socket.pipe(there).pipe(socket);
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
  };
}
