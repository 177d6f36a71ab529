import type { NewEntity } from './entity.ts';

export const record = (e: NewEntity): string => `import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Field, Int, ObjectType } from 'type-graphql';
import { Company } from '${e.up}directory/companies/company.entity.ts';
import { Audited } from '${e.up}platform/commands/audit.ts';
import { Choice, One, RecordBase, Text } from '${e.up}platform/model/columns.ts';
import { Computed, Tenant } from '${e.up}platform/model/decorators.ts';
import { ${e.name}State, ${e.name}StateEvent, ${e.one}Machine } from './${e.file}.machine.ts';

/** TODO: one sentence on what it is. */
@Entity()
@Audited()
@Tenant()
@ObjectType({ simpleResolvers: true })
export class ${e.name} extends RecordBase {
  @One(() => Company, { required: true }) company!: Ref<Company>;
  @Choice(() => ${e.name}State, { required: true }) state: ${e.name}State = 'draft';
  @Text() name?: string | null;
  @Text() notes?: string | null;
  @Property({ version: true }) @Field(() => Int) version: number = 1;

  /** The events that can be fired now. */
  @Field(() => [${e.name}StateEvent])
  @Computed({ columns: ['state', 'name'], compute: (row) => ${e.one}Machine.open(row as { state: string }, { unnamed: !row.name }) })
  stateEvents!: ${e.name}StateEvent[];
}
`;

export const machine = (e: NewEntity): string => `import { stringEnum } from '${e.up}platform/model/columns.ts';
import { defineMachine } from '${e.up}platform/state/machine.ts';

export const ${e.name}State = stringEnum('${e.name}State', ['draft', 'approved', 'voided']);
export type ${e.name}State = keyof typeof ${e.name}State;
export const ${e.name}StateEvent = stringEnum('${e.name}StateEvent', ['approve', 'void']);
export type ${e.name}StateEvent = keyof typeof ${e.name}StateEvent;

/** The facts that the guards need in addition to the record. An absent fact forbids nothing. */
export interface ${e.name}Facts {
  /** It has no name yet. */
  unnamed: boolean;
}

/** TODO: the states and events of the specification, and where they are from. */
export const ${e.one}Machine = defineMachine({
  model: '${e.name}',
  states: Object.values(${e.name}State),
  initial: ['draft'],
  terminal: ['voided'],
  happened: { approve: 'approved', void: 'voided' },
  events: {
    approve: [
      {
        from: ['draft'],
        to: 'approved',
        guard: (_${e.one}: { state: string }, facts: Partial<${e.name}Facts>) => !facts.unnamed,
        refusal: '${e.table}_unnamed',
      },
    ],
    void: [{ from: ['draft', 'approved'], to: 'voided' }],
  },
});
`;

export const messages = (e: NewEntity): string => `import { defineMessages } from '${e.up}platform/i18n/messages.ts';

export const ${e.one}Messages = defineMessages({
  ${e.table}_unnamed: {
    en: 'cannot be approved without a name',
    'es-us': 'no se puede aprobar sin un nombre',
    'fr-ca': 'ne peut être approuvé sans nom',
  },
  ${e.table}_closed: {
    en: 'cannot be changed while {{state}}',
    'es-us': 'no se puede cambiar mientras está {{state}}',
    'fr-ca': "ne peut être modifié à l'état {{state}}",
  },
});
`;

export const access = (e: NewEntity): string => `import { defineAccess } from '${e.up}platform/read/access.ts';
import { ${e.name} } from './${e.file}.entity.ts';

/** The access to ${e.manyWords}: their company and the companies above it see them. */
export const ${e.one}Access = defineAccess(${e.name}, {
  // TODO: at which sites one is, and whose own it is. Until then, people who are limited to sites or to own records see none.
  sites: () => 'false',
  ownRecords: () => 'false',
});
`;
