import { type DocumentNode, extendSchema, type GraphQLSchema, parse } from 'graphql';

/**
 * The closed set of directives of REST documents (DESIGN section 2). They exist only while documents are validated: the schema
 * that `/graphql` serves does not know them.
 */
const DIRECTIVES: DocumentNode = parse(/* GraphQL */ `
  enum RestMethod { GET POST PUT PATCH DELETE }

  """What a success answers: the result under \`data\`, its id alone, an empty object, or nothing (204, 202)."""
  enum RestReply { DATA ID EMPTY NONE }

  directive @rest(
    method: RestMethod!
    "Starts with a slash; parameters in braces, {order-id} fills the variable orderId."
    path: String!
    "200 by default; 204 with reply: NONE."
    status: Int
    "Also serves /v1/companies/{company-id}/..., which fills the variable companyId."
    scoped: Boolean = false
    "Needs no bearer token."
    public: Boolean = false
    "The answer holds a secret: it is not kept for requests repeated with their Idempotency-Key."
    secret: Boolean = false
    "Unknown keys of the body are errors."
    strict: Boolean = false
    "Unknown keys of the body that are errors all the same, however they are capitalised: they mean something elsewhere, and whoever sends them here would be misunderstood."
    misplaced: [String!]
    "Unknown, empty and repeated query parameters are errors: where one of them decides what a write does."
    exact: Boolean = false
    "Keys of the body that the contract has and the product alone fills in: refused unless they are empty."
    readOnly: [String!]
    "Keys of the body with what the path says already: taken, and not looked at."
    restated: [String!]
    "Also takes the fields of its body as a form (multipart/form-data)."
    form: Boolean = false
    reply: RestReply = DATA
    "The status of what is wrong with a request, where the contract says 400: 422 elsewhere."
    invalid: Int = 422
    "The status of what the caller may not do, where the contract does not want to say that there is something: 403 elsewhere."
    denied: Int = 403
    "Statuses of errors that the contract lists for it and that nothing here answers with: the reference lists them, so that clients of either know the same ones."
    listed: [Int!]
    "While there is nothing to answer, the answer is 204 without a body: the root field may be null."
    empty: Boolean = false
    "Key of the body that names an upload: the operation also takes a multipart form with the file itself there."
    upload: String
    "The record that errors of the body are about, where no input type says so: a list of ids does not."
    model: String
    "Sets the Deprecation header on the un-scoped path; the text says what to use instead."
    deprecated: String
  ) on QUERY | MUTATION

  "This variable is the body, or the value of one key of it."
  directive @body(key: String) on VARIABLE_DEFINITION

  "The query parameter that fills this variable, when it is not the variable's wire name."
  directive @query(name: String!) on VARIABLE_DEFINITION

  "The root field is a connection: answers its nodes and writes the Link header."
  directive @page on FIELD

  "The status of the answer when the root field's value is of this type."
  directive @status(code: Int!) on INLINE_FRAGMENT

  "Left out of the answer while it is null: a field that only records of some kinds have."
  directive @omitNull(
    "Left out while this other field is null, whatever it is itself."
    with: String
  ) on FIELD

  "A decimal that the contract answers as a number, not as a text. It may lose digits beyond the fifteenth."
  directive @number on FIELD

  "A word that the contract does not have is answered as another one, unless the client has a preference (RFC 7240), such as \`waypoints=all\`."
  directive @word(
    value: String!
    "By default, the field is left out of the answer."
    by: String
    unless: String!
  ) on FIELD
`);

export const DIRECTIVE_NAMES = new Set(['rest', 'body', 'query', 'page', 'status', 'omitNull', 'number', 'word']);

const extended = new WeakMap<GraphQLSchema, GraphQLSchema>();

/** The schema that documents are validated against: `schema` and the directives above. */
export function withRestDirectives(schema: GraphQLSchema): GraphQLSchema {
  let known = extended.get(schema);
  if (!known) {
    known = extendSchema(schema, DIRECTIVES, { assumeValid: true });
    extended.set(schema, known);
  }
  return known;
}
