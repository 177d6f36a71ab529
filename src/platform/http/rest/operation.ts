import type { DocumentNode, GraphQLInputType, GraphQLOutputType, ValueNode } from 'graphql';

/** Where a variable's value comes from. `company` is `{company-id}` of a scoped path, absent on the un-scoped one. */
export type VariablePlace = 'path' | 'company' | 'query' | 'body';

export interface RestVariable {
  name: string;
  type: GraphQLInputType;
  place: VariablePlace;
  /** Name of the parameter as the client writes it: `order-id`, `page`; for bodies the key, or empty for the whole body. */
  wire: string;
  defaultValue?: ValueNode;
}

export type RestMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** One document, compiled: everything the router and the OpenAPI writer need, decided at boot. */
export interface RestOperation {
  name: string;
  domain: string;
  file: string;
  line: number;
  /** The comment above the operation. */
  description?: string;
  kind: 'query' | 'mutation';
  method: RestMethod;
  /** `/v1/orders/{order-id}/loads`. */
  path: string;
  /** `/v1/companies/{company-id}/orders/{order-id}/loads` when scoped. */
  scopedPath?: string;
  status: number;
  /** Statuses of `@status` fragments by the hidden alias that marks them. */
  statuses: Map<string, number>;
  public: boolean;
  strict: boolean;
  reply: 'DATA' | 'EMPTY' | 'NONE';
  deprecated?: string;
  paged: boolean;
  variables: RestVariable[];
  /** With wire names, `nodes` and `pageInfo` of pages, and without REST directives: what is executed. */
  document: DocumentNode;
  rootField: string;
  rootType: GraphQLOutputType;
}
