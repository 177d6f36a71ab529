import { expect, test } from '@jest/globals';
import { openApiDocument } from '../../../../src/platform/http/openapi/document.ts';
import { checkDocuments, compileDocuments } from '../../../../src/platform/http/rest/compile.ts';
import { documentFolder } from './pile-server.ts';
import { DOCUMENTS, pileSchema } from './piles.ts';

/** The problems of one document among the good ones, as `line:column message`. */
function problemsOf(text: string, name = 'Wrong'): string[] {
  const folder = documentFolder({ ...DOCUMENTS, [`yard/${name}.graphql`]: text });
  return checkDocuments(pileSchema, folder).problems.map((p) => `${p.line}:${p.column} ${p.message}`);
}

test('valid documents have no problems', () => {
  expect(checkDocuments(pileSchema, documentFolder(DOCUMENTS)).problems).toEqual([]);
});

test.each([
  ['query Wrong { data: pile(id: "1") { id } }', '1:7 the operation has no @rest(method, path)'],
  ['query Wrong @rest(method: GET, path: "/v1/x") { pile(id: "1") { id } }', '1:49 the root field must be aliased: data: pile'],
  [
    'query Wrong @rest(method: GET, path: "/v1/x") { data: pile(id: "1") { id\n colour } }',
    '2:2 Cannot query field "colour" on type "Pile".',
  ],
  [
    'query Other @rest(method: GET, path: "/v1/x") { data: pile(id: "1") { id } }',
    '1:7 the operation must have the name of its file, Wrong',
  ],
  [
    'query Wrong @rest(method: GET, path: "/v1/x/{pile-id}") { data: pile(id: "1") { id } }',
    '1:1 {pile-id} of the path needs a variable $pileId',
  ],
  [
    'query Wrong($id: ID!) @rest(method: GET, path: "/v1/piles/{id}") { data: pile(id: $id) { id } }',
    '1:1 GET /v1/piles/{id} is already served by',
  ],
  ['query Wrong @rest(method: GET, path: "/v1/x") { data: pile(id: "1") @page { id } }', '1:49 @page needs a connection, Pile is none'],
  ['mutation Wrong @rest(method: GET, path: "/v1/x") { data: breakPile }', '1:1 GET is safe: it takes a query, not a mutation'],
  [
    'query Wrong @rest(method: GET, path: "/v1/x", scoped: true) { data: pile(id: "1") { id } }',
    '1:1 scoped: true needs the variable $companyId: ID',
  ],
  ['mutation Wrong @rest(method: PUT, path: "/v1/x", status: 204) { data: breakPile }', '1:1 204 and reply: NONE belong together'],
  ['mutation Wrong @rest(method: PUT, path: "/v1/Order List") { data: breakPile }', 'is not made of snake_case steps'],
  ['mutation Wrong @rest(method: FETCH, path: "/v1/x") { data: breakPile }', 'Value "FETCH" does not exist in "RestMethod" enum.'],
  ['mutation Wrong @rest(method: PUT, path: "/v1/x") @cache { data: breakPile }', '1:50 Unknown directive "@cache".'],
  ['mutation Wrong @rest(method: PUT, path: "/v1/x") { data: breakPile again: breakPile }', '1:68 a document has exactly one root field'],
  ['query Wrong @rest(method: GET, path: "/v1/x") { data: pile(id: "1") { ownId: id } }', '1:71 an alias is the name on the wire: own_id'],
  ['query Wrong @rest(method: GET, path: "/v1/x") {', 'Syntax Error: Expected Name, found <EOF>.'],
])('%s', (text, problem) => {
  expect(problemsOf(text).join('\n')).toContain(problem);
});

test('the start fails with every problem, each with file, line and column', () => {
  const folder = documentFolder({
    'fragments/Pile.graphql': 'fragment Pile on Pile {\n  id\n  colour\n}',
    'yard/ShowPile.graphql': DOCUMENTS['yard/ShowPile.graphql'] as string,
    'fragments/Unused.graphql': 'fragment Unused on Pile { id }',
  });
  expect(() => compileDocuments(pileSchema, folder)).toThrow(
    /fragments\/Pile\.graphql:3:3 Cannot query field "colour" on type "Pile"\.[\s\S]*Unused\.graphql:1:10 fragment Unused is used by no operation/,
  );
});

test('the OpenAPI file describes parameters, bodies, answers and errors', () => {
  // As whoever fetches it reads it.
  const api = JSON.parse(JSON.stringify(openApiDocument(pileSchema, compileDocuments(pileSchema, documentFolder(DOCUMENTS)))));
  expect([api.openapi, api.info.version]).toEqual(['3.0.3', '1.0']);
  const list = api.paths['/v1/piles'].get;
  expect(list.deprecated).toBe(true);
  expect(list.description).toBe('Piles of a company.\n\nDeprecated: Use the company-scoped path.');
  expect(list.parameters.map((p: { name?: string; $ref?: string }) => p.name ?? p.$ref)).toEqual([
    'page[limit]',
    'page[after]',
    'page[before]',
    'filter[states][]',
    'filter[site_ids][]',
    'filter[start_date]',
    'filter[flagged]',
    'filter[job][states][]',
    'sort[created_at]',
    'sort[dispatch_number][name]',
    'search[datagrid]',
    'ids[]',
    '#/components/parameters/AcceptLanguage',
    '#/components/parameters/Prefer',
    '#/components/parameters/ReadPosition',
    '#/components/parameters/SandboxFault',
  ]);
  expect(list.responses['200'].content['application/json'].schema).toEqual({
    type: 'object',
    required: ['data'],
    properties: { data: { type: 'array', items: { $ref: '#/components/schemas/Pile' } } },
  });
  const scoped = api.paths['/v1/companies/{company-id}/piles'];
  expect(scoped.get.deprecated).toBeUndefined();
  expect(scoped.get.parameters[0]).toEqual({ name: 'company-id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } });
  const create = scoped.post;
  expect(create.requestBody).toEqual({
    required: true,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/CreatePileInput' } } },
  });
  expect(Object.keys(create.responses)).toEqual([
    '201',
    '400',
    '401',
    '403',
    '404',
    '406',
    '409',
    '413',
    '415',
    '422',
    '429',
    '500',
    '503',
  ]);
  const input = api.components.schemas.CreatePileInput;
  expect(input.required).toEqual(['material_name', 'truck_count']);
  expect(input.properties.truck_count).toEqual({ type: 'integer', format: 'int32', minimum: 1, maximum: 200 });
  expect(input.properties.material_name).toEqual({ type: 'string', minLength: 1, maxLength: 20 });
  expect(input.properties.state).toEqual({ type: 'string', nullable: true, allOf: [{ $ref: '#/components/schemas/PileState' }] });
  expect(api.components.schemas.Pile.properties.quantity).toEqual({ type: 'string', example: '12.5', nullable: true });
  expect(api.paths['/v1/auth/magic_link/login'].post.security).toEqual([]);
  const files = api.paths['/ingest/files'].post.responses;
  expect(Object.keys(files).slice(0, 2)).toEqual(['201', '202']);
  expect(files['202'].content['application/json'].schema.properties.data).toEqual({
    type: 'object',
    properties: { file_name: { type: 'string' } },
    required: ['file_name'],
  });
});
