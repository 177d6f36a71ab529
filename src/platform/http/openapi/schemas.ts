import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  type GraphQLType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
  Kind,
  type SelectionSetNode,
  typeFromAST,
} from 'graphql';
import { rulesOf } from '../../graphql/rules.ts';
import { wireFields } from '../../model/names.ts';
import { wordOf } from '../rest/answer-edits.ts';
import { hasDirective } from '../rest/wire.ts';

export type Schema = Record<string, unknown>;

/** The form of scalars in requests; numbers go in as numbers and come out as decimal strings (SPEC conventions). */
const REQUEST: Record<string, Schema> = {
  ID: { type: 'string', format: 'uuid' },
  String: { type: 'string' },
  Int: { type: 'integer', format: 'int32' },
  Float: { type: 'number' },
  Boolean: { type: 'boolean' },
  Decimal: { type: 'number', description: 'Also accepted as text, such as "18.5", which keeps all its digits.' },
  WholeNumber: { type: 'integer', format: 'int64' },
  DateTime: { type: 'string', format: 'date-time' },
  Date: { type: 'string', format: 'date' },
  DateOrInstant: { type: 'string', anyOf: [{ format: 'date' }, { format: 'date-time' }] },
  JSON: {},
};
const RESPONSE: Record<string, Schema> = {
  ...REQUEST,
  Decimal: { type: 'string', example: '12.5' },
  WholeNumber: { type: 'string', example: '281474977075805' },
};

/** Collects named schemas under `components.schemas`; the same name always means the same shape. */
export class SchemaWriter {
  readonly components: Record<string, Schema> = {};
  readonly #schema: GraphQLSchema;

  constructor(schema: GraphQLSchema) {
    this.#schema = schema;
  }

  /** A value of a request body or parameter. */
  input(type: GraphQLInputType): Schema {
    if (isNonNullType(type)) return this.#inputNullable(type.ofType as GraphQLInputType);
    return orNull(this.#inputNullable(type), type);
  }

  /** Says of an input, which no operation takes that ignores unknown keys, that it has no others than these. */
  close(type: GraphQLInputType): void {
    const named = getNamedType(type);
    if (!isInputObjectType(named)) return;
    this.#inputObject(named);
    Object.assign(this.components[named.name] as object, { additionalProperties: false });
  }

  #inputNullable(type: GraphQLInputType): Schema {
    if (isListType(type)) return { type: 'array', items: this.input(type.ofType as GraphQLInputType) };
    if (isInputObjectType(type)) return this.#inputObject(type);
    return this.#leaf(getNamedType(type), REQUEST);
  }

  #inputObject(type: GraphQLInputObjectType): Schema {
    if (!this.components[type.name]) {
      const properties: Record<string, Schema> = {};
      // Before the fields, because inputs may contain themselves.
      const component: Schema = { type: 'object', ...(type.description ? { description: type.description } : {}), properties };
      this.components[type.name] = component;
      const fields = type.getFields();
      const required: string[] = [];
      for (const [wire, name] of wireFields(type)) {
        const field = fields[name] as GraphQLInputField;
        properties[wire] = described(this.input(field.type), field);
        if (isNonNullType(field.type) && field.defaultValue === undefined) required.push(wire);
      }
      if (required.length > 0) component.required = required;
    }
    return ref(type.name);
  }

  /** The shape of a selection: the response body, field by field. Named fragments become components. */
  output(type: GraphQLOutputType, selections: SelectionSetNode | undefined, fragments: Map<string, FragmentDefinitionNode>): Schema {
    const nullable = getNullableType(type) as GraphQLOutputType;
    const schema = isListType(nullable)
      ? { type: 'array', items: this.output(nullable.ofType as GraphQLOutputType, selections, fragments) }
      : this.#outputNamed(getNamedType(nullable), selections, fragments);
    return isNonNullType(type) ? schema : orNull(schema, type);
  }

  #outputNamed(type: GraphQLNamedType, set: SelectionSetNode | undefined, fragments: Map<string, FragmentDefinitionNode>): Schema {
    if (!set) return this.#leaf(type, RESPONSE);
    const [only, ...more] = set.selections;
    if (only?.kind === Kind.FRAGMENT_SPREAD && more.length === 0) return this.#fragment(only.name.value, fragments);
    const parts: Schema[] = [];
    const properties: Record<string, Schema> = {};
    const omitted = new Set<string>();
    for (const selection of set.selections) {
      if (selection.kind === Kind.FRAGMENT_SPREAD) parts.push(this.#fragment(selection.name.value, fragments));
      else if (selection.kind === Kind.FIELD) {
        const name = this.#property(type, selection, properties, fragments);
        if (name && hasDirective(selection, 'omitNull')) {
          omitted.add(name);
          // Of a field that depends on another one, null is a value of its own.
          if (!dependsOnOther(selection)) properties[name] = withoutNull(properties[name]!);
        }
        const word = wordOf(selection);
        if (name && word && word.by === undefined) omitted.add(name);
      } else {
        const on = selection.typeCondition ? (typeFromAST(this.#schema, selection.typeCondition) as GraphQLNamedType) : type;
        parts.push(this.#outputNamed(on, selection.selectionSet, fragments));
      }
    }
    if (isUnionType(type)) return { oneOf: parts };
    const required = Object.keys(properties).filter((name) => !omitted.has(name));
    // An empty list of required properties is no valid schema.
    const own: Schema = { type: 'object', properties, ...(required.length > 0 ? { required } : {}) };
    if (Object.keys(properties).length > 0) parts.push(own);
    return parts.length > 1 ? { allOf: parts } : (parts[0] ?? own);
  }

  #property(
    type: GraphQLNamedType,
    node: FieldNode,
    properties: Record<string, Schema>,
    fragments: Map<string, FragmentDefinitionNode>,
  ): string | undefined {
    if (!isObjectType(type)) return undefined;
    if (node.name.value === '__typename') return typeNameProperty(type.name, node, properties);
    const field = type.getFields()[node.name.value];
    if (!field) return undefined;
    const answered = withWordOfContract(this.output(field.type, node.selectionSet, fragments), field.type, node);
    const schema = hasDirective(node, 'number') ? asNumber(answered) : answered;
    const name = node.alias?.value ?? node.name.value;
    properties[name] = '$ref' in schema ? schema : described(schema, field);
    return name;
  }

  #fragment(name: string, fragments: Map<string, FragmentDefinitionNode>): Schema {
    if (!this.components[name]) {
      const fragment = fragments.get(name) as FragmentDefinitionNode;
      const component: Schema = {};
      this.components[name] = component;
      const type = typeFromAST(this.#schema, fragment.typeCondition) as GraphQLNamedType;
      Object.assign(
        component,
        type.description ? { description: type.description } : {},
        this.#outputNamed(type, fragment.selectionSet, fragments),
      );
    }
    return ref(name);
  }

  #leaf(type: GraphQLNamedType, scalars: Record<string, Schema>): Schema {
    if (isEnumType(type)) {
      this.components[type.name] ??= {
        type: 'string',
        enum: type.getValues().map((v) => v.name),
        ...(type.description ? { description: type.description } : {}),
      };
      return ref(type.name);
    }
    return scalars[type.name] ?? { type: 'string' };
  }
}

/** Which of several types an answer is. Marks of @status fragments are never sent. */
function typeNameProperty(type: string, { alias }: FieldNode, properties: Record<string, Schema>): string | undefined {
  if (!alias || alias.value.startsWith('__')) return undefined;
  properties[alias.value] = { type: 'string', enum: [type] };
  return alias.value;
}

export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

function described(
  schema: Schema,
  field: { description?: string | null; deprecationReason?: string | null; defaultValue?: unknown },
): Schema {
  const more: Schema = {};
  if (field.description) more.description = field.description;
  if (field.deprecationReason) more.deprecated = true;
  if (field.defaultValue !== undefined) more.default = field.defaultValue;
  if (more.description && schema.description) more.description = `${more.description} ${schema.description}`;
  for (const rule of rulesOf(field as GraphQLInputField)) {
    // The words of a list are those of its elements.
    if (schema.type === 'array' && 'enum' in rule.schema) more.items = { ...(schema.items as Schema), ...rule.schema };
    else Object.assign(more, rule.schema);
  }
  if (Object.keys(more).length === 0) return schema;
  return '$ref' in schema ? { allOf: [schema], ...more } : { ...schema, ...more };
}

const dependsOnOther = ({ directives }: FieldNode): boolean =>
  directives?.some(({ name, arguments: given }) => name.value === 'omitNull' && given?.length === 1) ?? false;

/** The schema of a value that may be null. A value of any kind may be null anyway. */
function orNull(schema: Schema, type: GraphQLType): Schema {
  if (Object.keys(schema).length === 0) return schema;
  // OpenAPI 3.0 ignores members next to a $ref, and `nullable` where no type is.
  const kind = isEnumType(getNamedType(type)) ? 'string' : 'object';
  if ('$ref' in schema) return { type: kind, nullable: true, allOf: [schema] };
  return { ...('type' in schema ? {} : { type: kind }), ...schema, nullable: true };
}

/** The schema of an enum in whose place clients of the contract may get a word that it does not have (`@word`). */
function withWordOfContract(schema: Schema, type: GraphQLOutputType, node: FieldNode): Schema {
  const word = wordOf(node);
  const named = getNamedType(type);
  if (word?.by === undefined || !isEnumType(named) || named.getValue(word.by)) return schema;
  const words = [...named.getValues().map(({ name }) => name), word.by].toSorted();
  return { type: 'string', enum: words, ...(isNonNullType(type) ? {} : { nullable: true }) };
}

/** A decimal that is answered as a number. */
const asNumber = ({ example: _, ...schema }: Schema): Schema => ({ ...schema, type: 'number' });

/** The schema of a value that is never null. */
function withoutNull({ nullable, ...schema }: Schema): Schema {
  const { allOf, type, ...more } = schema as { allOf?: Schema[]; type?: unknown };
  return nullable && allOf?.length === 1 && Object.keys(more).length === 0
    ? allOf[0]!
    : { ...(type ? { type } : {}), ...(allOf ? { allOf } : {}), ...more };
}
