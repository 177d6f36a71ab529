import { createSocket } from 'node:dgram';

const TXT = 16;
const REFUSED = 5;
const NO_SUCH_NAME = 3;

/** A name server on a free port of this machine. */
export interface NameServer {
  address: string;
  /** TXT records by name; a name that is not there does not exist, and `refuse` refuses to say. */
  texts: Map<string, string[] | 'refuse'>;
  /** Names that were asked for. */
  asked: string[];
  /** Called between a question and its answer. */
  meanwhile?: (() => Promise<unknown>) | undefined;
  close(): Promise<void>;
}

/** Answers questions for TXT records over UDP, as much of RFC 1035 as that takes. */
export async function startNameServer(): Promise<NameServer> {
  const socket = createSocket('udp4');
  const self: NameServer = {
    address: '',
    texts: new Map(),
    asked: [],
    close: () => new Promise((done) => socket.close(() => done())),
  };
  socket.on('message', async (question, { port, address }) => {
    const { name, end } = nameIn(question);
    self.asked.push(name);
    await self.meanwhile?.();
    const found = self.texts.get(name);
    const answers = Array.isArray(found) && question.readUInt16BE(end) === TXT ? found.map(record) : [];
    const header = Buffer.alloc(12);
    question.copy(header, 0, 0, 2);
    // A response, recursion wanted and available, and how it went.
    header.writeUInt16BE(0x8180 | (found === 'refuse' ? REFUSED : found ? 0 : NO_SUCH_NAME), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(answers.length, 6);
    socket.send(Buffer.concat([header, question.subarray(12, end + 4), ...answers]), port, address);
  });
  await new Promise<void>((done) => socket.bind(0, '127.0.0.1', done));
  self.address = `127.0.0.1:${socket.address().port}`;
  return self;
}

function nameIn(question: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = question[at]!; length > 0; length = question[at]!) {
    labels.push(question.subarray(at + 1, at + 1 + length).toString('latin1'));
    at += length + 1;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 };
}

/** A TXT record of the name in the question; long texts go in pieces of 255 bytes. */
function record(text: string): Buffer {
  const pieces = text.match(/.{1,255}/gs)!.map((piece) => Buffer.concat([Buffer.of(piece.length), Buffer.from(piece, 'latin1')]));
  const data = Buffer.concat(pieces);
  const head = Buffer.from([0xc0, 12, 0, TXT, 0, 1, 0, 0, 0, 1, 0, 0]);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}
