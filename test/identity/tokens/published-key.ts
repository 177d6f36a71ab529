import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';

/** The key of an external issuer, at an address of its own. */
export interface PublishedKey {
  /** Where its public part is read (`jwksUrl`). */
  url: string;
  /** A token with these claims. */
  sign(claims: JWTPayload): Promise<string>;
  stop(): void;
}

export async function publishKey(): Promise<PublishedKey> {
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
  const body = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'RS256', use: 'sig' }] });
  const server = createServer((_req, res) => res.writeHead(200, { 'Content-Type': 'application/json' }).end(body)).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`,
    sign: (claims) => new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'k' }).sign(privateKey),
    stop: () => void server.close(),
  };
}
