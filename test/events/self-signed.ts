import { generateKeyPairSync, sign } from 'node:crypto';

/** A DER value. */
const der = (tag: number, ...content: Buffer[]): Buffer => {
  const body = Buffer.concat(content);
  const { length } = body;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), body]);
};
const sequence = (...content: Buffer[]): Buffer => der(0x30, ...content);
const time = (year: string): Buffer => der(0x17, Buffer.from(`${year}0101000000Z`));
const bytesOf = (address: string): Buffer => Buffer.from(address.split('.').map(Number));

interface Certified {
  /** The address of IPv4 that it certifies. */
  address?: string;
  /** The year, of two digits, at whose beginning it expires. */
  until?: string;
}

/** Makes a key and a certificate that only it vouches for (X.509), in PEM. */
export function selfSigned({ address = '127.0.0.1', until = '49' }: Certified = {}): { key: string; cert: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const ecdsaWithSha256 = sequence(Buffer.from('06082a8648ce3d040302', 'hex'));
  const commonName = Buffer.from('0603550403', 'hex');
  const name = sequence(der(0x31, sequence(commonName, der(0x0c, Buffer.from(address)))));
  const version = der(0xa0, der(0x02, Buffer.from([2])));
  const serial = der(0x02, Buffer.from([1]));
  const validity = sequence(time('20'), time(until));
  // Names are looked for among the alternative ones, and the certificate may vouch for itself.
  const alternatives = sequence(Buffer.from('0603551d11', 'hex'), der(0x04, sequence(der(0x87, bytesOf(address)))));
  const authority = sequence(Buffer.from('0603551d13', 'hex'), der(0x04, sequence(der(0x01, Buffer.from([0xff])))));
  const extensions = der(0xa3, sequence(authority, alternatives));
  const key = publicKey.export({ type: 'spki', format: 'der' });
  const content = sequence(version, serial, ecdsaWithSha256, name, validity, name, key, extensions);
  const signature = der(0x03, Buffer.from([0]), sign('sha256', content, privateKey));
  const bytes = sequence(content, ecdsaWithSha256, signature).toString('base64');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${bytes.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
  };
}
