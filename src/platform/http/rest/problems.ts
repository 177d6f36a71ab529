import { type ASTNode, getLocation } from 'graphql';

/** Something wrong in a document. `line` and `column` count from 1. */
export interface Problem {
  file: string;
  line: number;
  column: number;
  message: string;
}

/** Thrown at boot when documents do not fit the schema; the message lists every problem as `file:line:column message`. */
export class DocumentProblems extends Error {
  constructor(readonly problems: Problem[]) {
    super(problems.map(problemText).join('\n'));
    this.name = 'DocumentProblems';
  }
}

/** Returns a problem as a line, with its place. */
export function problemText(problem: Problem): string {
  return `${problem.file}:${problem.line}:${problem.column} ${problem.message}`;
}

/** A problem at the place where a node was written. */
export function problemAt(node: ASTNode | undefined, file: string, message: string): Problem {
  if (!node?.loc) return { file, line: 1, column: 1, message };
  const { line, column } = getLocation(node.loc.source, node.loc.start);
  return { file: node.loc.source.name, line, column, message };
}
