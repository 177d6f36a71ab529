import { expect, test } from '@jest/globals';
import { Mutation, Query, Resolver } from 'type-graphql';
import { Order } from '../../../src/dispatch/model/order.entity.ts';
import { AnySignedIn, DRIVER, Public, Requires, requirementsOf } from '../../../src/platform/authz/field-permissions.ts';
import { mutationsOf, requires } from '../../../src/platform/graphql/record-mutations.ts';
import { buildApiSchema } from '../../../src/platform/graphql/schema.ts';

@Resolver()
class Said {
  @Query(() => Boolean)
  @Public()
  anybody(): boolean {
    return true;
  }

  @Query(() => Boolean)
  @AnySignedIn()
  colleague(): boolean {
    return true;
  }

  @Mutation(() => Boolean)
  @Requires('edit_order', DRIVER)
  @Requires('view_imports')
  both(): boolean {
    return true;
  }
}

@Resolver()
class Silent {
  @Query(() => Boolean)
  forgotten(): boolean {
    return true;
  }

  @Mutation(() => Boolean)
  overlooked(): boolean {
    return true;
  }
}

const nothing = () => Promise.resolve();

test('the application does not start with a root field without a permission', () => {
  expect(() => buildApiSchema([Said, Silent], [])).toThrow(
    'forgotten, overlooked: who may call it? Write @Requires(...), @AnySignedIn() or @Public() at each of these root fields.',
  );
});

test('several requirements are checked in the order in which they are written, at a method and in a table of mutations', () => {
  const table = mutationsOf(Order, { holdOrder: requires(['edit_order', DRIVER], requires(['view_imports'], nothing)) });
  const schema = buildApiSchema([Said, ...table], []);
  for (const field of ['both', 'holdOrder']) expect(requirementsOf(schema, field)).toEqual([['edit_order', DRIVER], ['view_imports']]);
  expect([requirementsOf(schema, 'anybody'), requirementsOf(schema, 'colleague')]).toEqual([[], []]);
});
