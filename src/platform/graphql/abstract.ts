import { type DocumentNode, type GraphQLSchema, isAbstractType, TypeInfo, visit, visitWithTypeInfo } from 'graphql';

/**
 * True when a document selects from a union or an interface. type-graphql resolves those asynchronously, which graphql-jit 0.8 cannot:
 * it fails at run time with "must resolve to an Object type".
 */
export function selectsAbstractType(schema: GraphQLSchema, document: DocumentNode): boolean {
  const info = new TypeInfo(schema);
  let found = false;
  visit(
    document,
    visitWithTypeInfo(info, {
      SelectionSet() {
        found ||= isAbstractType(info.getParentType());
      },
    }),
  );
  return found;
}
