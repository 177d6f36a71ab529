import { type DocumentNode, type GraphQLSchema, isAbstractType, TypeInfo, visit, visitWithTypeInfo } from 'graphql';

/**
 * True when graphql-jit 0.8 cannot answer a document. One that selects from a union or an interface: type-graphql resolves those asynchronously, and it
 * fails at run time with "must resolve to an Object type". Or one with the alias `__proto__`, under which it would set the prototype of the answer.
 */
export function isBeyondJit(schema: GraphQLSchema, document: DocumentNode): boolean {
  const info = new TypeInfo(schema);
  let found = false;
  visit(
    document,
    visitWithTypeInfo(info, {
      SelectionSet() {
        found ||= isAbstractType(info.getParentType());
      },
      Field({ alias }) {
        found ||= alias?.value === '__proto__';
      },
    }),
  );
  return found;
}
