import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { type FragmentDefinitionNode, GraphQLError, Kind, type OperationDefinitionNode, parse, Source, TokenKind } from 'graphql';
import { forgetTokens } from '../../graphql/documents.ts';
import { type Problem, problemAt } from './problems.ts';

/** One file with its one operation. `domain` is the folder, such as `dispatch`. */
export interface RestFile {
  file: string;
  domain: string;
  operation: OperationDefinitionNode;
  /** The text above the operation. */
  comment?: string;
}

export interface RestFiles {
  operations: RestFile[];
  fragments: Map<string, FragmentDefinitionNode>;
  problems: Problem[];
}

/** Reads `<directory>/<domain>/<Operation>.graphql` and `<directory>/fragments/*.graphql`. File names in problems are relative to the working directory. */
export function loadDocuments(directory: string): RestFiles {
  const loaded: RestFiles = { operations: [], fragments: new Map(), problems: [] };
  for (const path of graphqlFiles(directory)) {
    const file = relative(process.cwd(), path);
    try {
      const document = parse(new Source(readFileSync(path, 'utf8'), file), { maxTokens: 20_000 });
      const steps = relative(directory, path).split(sep);
      for (const node of document.definitions) {
        if (node.kind === Kind.FRAGMENT_DEFINITION) addFragment(loaded, file, node);
        else if (node.kind === Kind.OPERATION_DEFINITION) addOperation(loaded, file, steps, node);
        else loaded.problems.push(problemAt(node, file, 'only operations and fragments belong here'));
      }
      forgetTokens(document);
    } catch (error) {
      if (!(error instanceof GraphQLError)) throw error;
      const at = error.locations?.[0] ?? { line: 1, column: 1 };
      loaded.problems.push({ file, line: at.line, column: at.column, message: error.message });
    }
  }
  return loaded;
}

function addFragment(loaded: RestFiles, file: string, node: FragmentDefinitionNode): void {
  const name = node.name.value;
  if (loaded.fragments.has(name)) loaded.problems.push(problemAt(node.name, file, `fragment ${name} exists twice`));
  else loaded.fragments.set(name, node);
}

function addOperation(loaded: RestFiles, file: string, steps: string[], node: OperationDefinitionNode): void {
  const stem = (steps.at(-1) as string).replace(/\.graphql$/, '');
  if (node.name?.value !== stem) {
    loaded.problems.push(problemAt(node.name ?? node, file, `the operation must have the name of its file, ${stem}`));
  } else if (steps[0] === 'fragments') {
    loaded.problems.push(problemAt(node, file, 'operations do not belong into the fragments folder'));
  } else {
    loaded.operations.push({ file, domain: steps.length > 1 ? (steps[0] as string) : '', operation: node, comment: commentAbove(node) });
  }
}

/** Comments are tokens, which are gone once the document is loaded. */
function commentAbove(node: OperationDefinitionNode): string | undefined {
  const lines: string[] = [];
  for (let token = node.loc?.startToken.prev; token?.kind === TokenKind.COMMENT; token = token.prev) lines.unshift(token.value.trim());
  // The first line may repeat where the file is.
  const text = lines
    .filter((line) => !/\.graphql$/.test(line))
    .join(' ')
    .trim();
  return text || undefined;
}

function graphqlFiles(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.graphql'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}
