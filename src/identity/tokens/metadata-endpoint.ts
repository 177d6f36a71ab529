import type { RequestHandler } from 'express';
import { type HttpEndpoint, publicOperation } from '../../platform/http/http-endpoints.ts';
import { publicUrl } from '../../platform/public-url.ts';
import { PERMISSIONS } from '../access/permissions.ts';
import { issuerOf } from '../settings.ts';
import { type AuthServices, JWKS_PATH, TOKEN_PATH } from './token-endpoint.ts';

const METADATA_PATH = '/.well-known/oauth-authorization-server';

const texts = { type: 'array', items: { type: 'string' } };
const address = { type: 'string', format: 'uri' };

/** The metadata by which clients find the token endpoint (RFC 8414). */
export const metadataEndpoints: HttpEndpoint<AuthServices>[] = [
  {
    method: 'get',
    path: METADATA_PATH,
    handlers: (services) => [answer(services)],
    openapi: publicOperation({
      id: 'GetAuthorizationServerMetadata',
      summary: 'Metadata of the token endpoint',
      tag: 'identity',
      description: 'RFC 8414.',
      schema: {
        type: 'object',
        required: ['issuer', 'token_endpoint', 'jwks_uri', 'grant_types_supported', 'response_types_supported'],
        properties: {
          issuer: address,
          token_endpoint: address,
          jwks_uri: address,
          service_documentation: address,
          token_endpoint_auth_methods_supported: texts,
          grant_types_supported: texts,
          response_types_supported: texts,
          scopes_supported: texts,
        },
      },
    }),
  },
];

const answer =
  ({ em, count }: AuthServices): RequestHandler =>
  async (req, res) => {
    await count(req, res);
    const baseUrl = publicUrl.of(em);
    res.set('Cache-Control', 'public, max-age=300').json({
      issuer: issuerOf(em),
      token_endpoint: baseUrl + TOKEN_PATH,
      jwks_uri: baseUrl + JWKS_PATH,
      service_documentation: `${baseUrl}/docs`,
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      grant_types_supported: ['client_credentials'],
      // Required by the RFC: there is no authorization endpoint.
      response_types_supported: [],
      scopes_supported: PERMISSIONS,
    });
  };
