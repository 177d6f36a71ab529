import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** A self-signed certificate (X.509 version 1, RFC 5280) and its RSA key, both in PEM; Node reads certificates but makes none. */
export function keyPair(bits = 2048): { key: string; certificate: string } {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: bits });
  const sha256WithRsa = sequence(der(0x06, Buffer.from('2a864886f70d01010b', 'hex')), der(0x05, Buffer.alloc(0)));
  const name = sequence(der(0x31, sequence(der(0x06, Buffer.from('550403', 'hex')), der(0x0c, Buffer.from('idp')))));
  const time = (ms: number) => der(0x18, Buffer.from(new Date(ms).toISOString().replace(/[-:T]|\.\d+/g, '')));
  const certificate = sequence(
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    sha256WithRsa,
    name,
    sequence(time(Date.now() - 60_000), time(Date.now() + 86_400_000)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
  );
  const signature = der(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', certificate, privateKey)]));
  const lines = sequence(certificate, sha256WithRsa, signature)
    .toString('base64')
    .match(/.{1,64}/g)!
    .join('\n');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    certificate: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  };
}

export const certificate = (bits?: number): string => keyPair(bits).certificate;

const sequence = (...parts: Buffer[]) => der(0x30, Buffer.concat(parts));

function der(tag: number, content: Buffer): Buffer {
  const length = content.length;
  const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...head]), content]);
}
