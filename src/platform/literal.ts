import { GraphQLError, print, type ValueNode } from 'graphql';

/** Reads a value that is written into a document. What is wrong with it is reported with the value and its place. */
export const literally =
  <T>(type: string, read: (node: ValueNode) => T) =>
  (node: ValueNode): T => {
    try {
      return read(node);
    } catch (error) {
      if (!(error instanceof GraphQLError)) throw error;
      const { message, extensions } = error;
      throw new GraphQLError(`Expected value of type "${type}", found ${print(node)}; it ${message}.`, { nodes: node, extensions });
    }
  };
