/** Documents with which strangers try to cost us time or to learn what they must not. */
export interface Hostile {
  name: string;
  /** A text is sent as `query`; anything else is the whole body. */
  query: unknown;
  variables?: object;
}

const times = (count: number, part: (i: number) => string) => Array.from({ length: count }, (_, i) => part(i)).join(' ');
/** Returns `order { jobs { nodes { order { ... id ... } } } }`, `levels` deep. */
const deep = (levels: number, inside = 'id') =>
  `{ orders { nodes { ${'jobs { nodes { order { '.repeat(levels)}${inside}${' } } }'.repeat(levels)} } } }`;
const fragment = (name: string, inside: string, on = 'Query') => `fragment ${name} on ${on} { ${inside} }`;
const orders = (inside: string, args = '') => `orders${args} { nodes { ${inside} } }`;

const DEPTH: Hostile[] = [
  { name: 'deep by fields', query: deep(4) },
  { name: 'very deep by fields', query: deep(12) },
  { name: 'two thousand levels', query: `${'{ a '.repeat(2000)}${'} '.repeat(2000)}` },
  { name: 'fifty thousand open braces', query: '{a'.repeat(49_000) },
  { name: 'inline fragments inside each other', query: `{ ${'... { '.repeat(500)}__typename${' }'.repeat(500)} }` },
  {
    name: 'deep through fragments',
    query: `{ ...F0 } ${fragment('F0', orders('...F1'))} ${times(9, (i) =>
      fragment(`F${i + 1}`, i === 8 ? 'id' : `jobs { nodes { order { ...F${i + 2} } } }`, 'Order'),
    )}`,
  },
  { name: 'a list literal thousands deep', query: `{ ${orders('id', `(filter: { states: ${'['.repeat(2000)}${']'.repeat(2000)} })`)} }` },
  {
    name: 'an object literal hundreds deep',
    query: `{ ${orders('id', `(filter: ${'{ a: '.repeat(300)}1${' }'.repeat(300)})`)} }`,
  },
  { name: 'a list type hundreds deep', query: `query($a: ${'['.repeat(300)}Int${']'.repeat(300)}) { __typename }` },
];

const WIDTH: Hostile[] = [
  {
    name: 'a list under a hundred aliases',
    query: `{ ${times(100, (i) => `a${i}: ${orders('jobs(first: 100) { nodes { id } }', '(first: 100)')}`)} }`,
  },
  { name: 'a field under five thousand aliases', query: `{ ${times(5000, (i) => `a${i}: __typename`)} }` },
  { name: 'aliases inside a list', query: `{ ${orders(times(900, (i) => `a${i}: jobs { nodes { id } }`))} }` },
  {
    name: 'aliases multiplied level by level',
    query: `{ ${orders(times(40, (i) => `a${i}: jobs { nodes { ${times(10, (j) => `b${j}: loads { nodes { id } }`)} } }`))} }`,
  },
  {
    name: 'a mutation under a thousand aliases',
    query: `mutation { ${times(1000, (i) => `a${i}: login(input: { email: "a@b.c", password: "x" }) { token }`)} }`,
  },
  { name: 'a field twenty thousand times', query: `{ ${'__typename '.repeat(9000)} }` },
  { name: 'a field six hundred times', query: `{ ${'__typename '.repeat(600)} }` },
  { name: 'pairs that must be compared with each other', query: `{ ${orders('id '.repeat(2500))} }` },
  { name: 'equal selections inside equal selections', query: `{ ${times(30, () => orders(times(30, () => 'jobs { nodes { id } }')))} }` },
  { name: 'equal fields in inline fragments', query: `{ ${times(350, () => '... on Query { __typename company { id } }')} }` },
  { name: 'ten thousand spreads', query: `{ ${'...F '.repeat(4000)} } ${fragment('F', '__typename')}` },
  { name: 'a thousand inline fragments', query: `{ ${'... { __typename } '.repeat(1000)} }` },
  {
    name: 'every field of a page of pages',
    query: `{ ${orders(`jobs(first: 100) { nodes { loads(first: 100) { nodes { id state } } } }`, '(first: 100)')} }`,
  },
  {
    name: 'five files for accounting',
    query: `query($input: AccountingFileInput!) { ${times(5, (i) => `a${i}: accountingFile(input: $input) { content }`)} }`,
    variables: { input: { format: 'xero', settlementIds: ['018cc251-f400-7000-8000-000000000001'] } },
  },
];

const FRAGMENTS: Hostile[] = [
  { name: 'a fragment of itself', query: `{ ...A } ${fragment('A', '__typename ...A')}` },
  { name: 'two fragments of each other', query: `{ ...A } ${fragment('A', '...B')} ${fragment('B', '...A')}` },
  { name: 'a ring of fifty fragments', query: `{ ...F0 } ${times(50, (i) => fragment(`F${i}`, `__typename ...F${(i + 1) % 50}`))}` },
  { name: 'a ring through a list', query: `{ ${orders('...O')} } ${fragment('O', 'jobs { nodes { order { ...O } } }', 'Order')}` },
  { name: 'a ring that nobody uses', query: `{ __typename } ${fragment('A', '...B')} ${fragment('B', '...A')}` },
  {
    name: 'fragments that double thirty times',
    query: `{ ...F0 } ${times(30, (i) => fragment(`F${i}`, i === 29 ? '__typename' : `...F${i + 1} ...F${i + 1}`))}`,
  },
  {
    name: 'fragments that double fifty times under aliases',
    query: `{ ...F0 } ${times(50, (i) => fragment(`F${i}`, i === 49 ? 'company { id }' : `...F${i + 1} ... { ...F${i + 1} }`))}`,
  },
  {
    name: 'lists that multiply through fragments',
    query: `{ ${orders('...A')} } ${fragment(
      'A',
      times(10, (i) => `a${i}: jobs(first: 100) { nodes { ...B } }`),
      'Order',
    )} ${fragment(
      'B',
      times(10, (i) => `b${i}: loads(first: 100) { nodes { id } }`),
      'Job',
    )}`,
  },
  {
    name: 'the page hidden in a fragment',
    query: `{ ${times(30, (i) => `a${i}: orders(first: 100) { ...C }`)} } ${fragment('C', 'nodes { jobs(first: 100) { ...D } }', 'OrderConnection')} ${fragment('D', 'nodes { id }', 'JobConnection')}`,
  },
  {
    name: 'the page hidden in a fragment without a size',
    query: `{ ${times(150, (i) => `a${i}: orders { ...C }`)} } ${fragment('C', 'nodes { jobs { ...D } }', 'OrderConnection')} ${fragment('D', 'nodes { id state jobId }', 'JobConnection')}`,
  },
  { name: 'a thousand fragments', query: `{ ...F0 } ${times(1000, (i) => fragment(`F${i}`, '__typename'))}` },
  { name: 'fragments that nobody uses', query: `{ __typename } ${times(20, (i) => fragment(`F${i}`, '__typename'))}` },
  { name: 'a fragment that does not exist', query: '{ ...Nowhere }' },
  { name: 'a fragment on a type that cannot be there', query: `{ ${orders('... on Job { id }')} }` },
];

const DIRECTIVES: Hostile[] = [
  { name: 'a directive a thousand times', query: `{ __typename ${'@skip(if: false) '.repeat(1000)} }` },
  { name: 'a directive twice', query: '{ __typename @skip(if: false) @skip(if: false) }' },
  { name: 'a thousand directives nobody knows', query: `{ __typename ${times(1000, (i) => `@d${i}`)} }` },
  { name: 'a directive on every field', query: `{ ${times(500, (i) => `a${i}: __typename @include(if: true)`)} }` },
  { name: 'our own directives', query: 'query @rest(method: GET, path: "/v1/orders") { __typename }' },
  { name: 'answers in parts', query: `{ ... @defer { ${orders('id')} } }` },
  { name: 'a list in parts', query: `{ orders { nodes @stream { id } } }` },
];

const SIZES: Hostile[] = [
  { name: 'a page of a billion', query: `{ ${orders('id', '(first: 1000000000)')} }` },
  { name: 'the last billion', query: `{ ${orders('id', '(last: 1000000000)')} }` },
  {
    name: 'a page of a billion in a variable',
    query: `query($n: Int) { ${orders('id', '(first: $n)')} }`,
    variables: { n: 1_000_000_000 },
  },
  { name: 'a page of a billion as a default', query: `query($n: Int = 1000000000) { ${orders('id', '(first: $n)')} }` },
  { name: 'a page of a billion inside a page', query: `{ ${orders('jobs(first: 1000000000) { nodes { id } }')} }` },
  { name: 'a page beyond 32 bits', query: `{ ${orders('id', '(first: 99999999999999999999)')} }` },
  { name: 'a number of fifty thousand digits', query: `{ ${orders('id', `(first: ${'9'.repeat(50_000)})`)} }` },
];

const TOKENS: Hostile[] = [
  { name: 'a name of ninety thousand letters', query: `{ ${'a'.repeat(90_000)} }` },
  { name: 'a string of half a megabyte', query: `{ ${orders('id', `(search: "${'a'.repeat(500_000)}")`)} }` },
  { name: 'a block string of half a megabyte', query: `{ ${orders('id', `(search: """${'a\n'.repeat(250_000)}""")`)} }` },
  { name: 'half a megabyte of comments', query: `{ __typename }${'\n#'.repeat(250_000)}` },
  { name: 'commas without end', query: `{ __typename ${','.repeat(500_000)} }` },
  { name: 'a string that never ends', query: `{ ${orders('id', `(search: "${'a'.repeat(90_000)}`)}` },
  { name: 'fifty thousand variables', query: `query(${times(2500, (i) => `$v${i}: Int`)}) { __typename }` },
  { name: 'variables nobody uses', query: `query(${times(500, (i) => `$v${i}: Int`)}) { __typename }` },
  { name: 'a thousand operations', query: times(1000, (i) => `query Q${i} { __typename }`) },
  { name: 'a definition of a type', query: 'type Query { a: Int } { __typename }' },
  { name: 'two operations without saying which', query: 'query A { __typename } query B { __typename }' },
  { name: 'a thousand fields nobody knows', query: `{ ${times(1000, (i) => `orderz${i}`)} }` },
  { name: 'an unknown input field a thousand times', query: `{ ${orders('id', `(filter: { ${times(1000, (i) => `x${i}: 1`)} })`)} }` },
];

const BODIES: Hostile[] = [
  { name: 'a batch', query: [{ query: '{ __typename }' }, { query: '{ __typename }' }] },
  { name: 'a batch of a thousand', query: Array.from({ length: 1000 }, () => ({ query: '{ __typename }' })) },
  { name: 'an empty batch', query: [] },
  { name: 'a query that is a list', query: { query: ['{ __typename }'] } },
  { name: 'no query', query: {} },
  {
    name: 'a stored document nobody stored',
    query: { query: '{ __typename }', extensions: { persistedQuery: { version: 1, sha256Hash: 'a'.repeat(64) } } },
  },
  { name: 'variables that are a list', query: { query: '{ __typename }', variables: [1] } },
];

const SCHEMA: Hostile[] = [
  {
    name: 'types of fields of types of fields',
    query: `{ __schema { types { ${'fields { type { '.repeat(6)}name${' } }'.repeat(6)} } } }`,
  },
  {
    name: 'the schema under a hundred aliases',
    query: `{ ${times(100, (i) => `a${i}: __schema { types { fields { args { type { name } } } } }`)} }`,
  },
  {
    name: 'the schema multiplied inside',
    query: `{ __schema { ${times(100, (i) => `a${i}: types { fields { type { fields { name } } } }`)} } }`,
  },
  {
    name: 'the schema through doubling fragments',
    query: `{ __schema { ...S0 } } ${times(20, (i) => fragment(`S${i}`, i === 19 ? 'types { fields { name } }' : `a${i}: __typename ...S${i + 1} ... { ...S${i + 1} }`, '__Schema'))}`,
  },
];

/** Refused always. */
export const HOSTILE: readonly Hostile[] = [...DEPTH, ...WIDTH, ...FRAGMENTS, ...DIRECTIVES, ...SIZES, ...TOKENS, ...BODIES, ...SCHEMA];

/** Refused if introspection is switched off. */
export const HIDDEN: readonly Hostile[] = [
  { name: 'the whole schema', query: '{ __schema { types { name } } }' },
  { name: 'one type', query: '{ __type(name: "Order") { fields { name } } }' },
  { name: 'the schema together with data', query: `{ ${orders('id')} __schema { queryType { name } } }` },
  { name: 'the schema under an alias', query: '{ innocent: __schema { types { name } } }' },
  { name: 'the schema in a fragment', query: `{ ...F } ${fragment('F', '__schema { types { name } }')}` },
  { name: 'the schema that is skipped', query: 'query($no: Boolean = true) { __typename __schema @skip(if: $no) { types { name } } }' },
];
