/** The values of a record, by their names; absent ones are left out. */
export function Facts({ rows }: { rows: readonly (readonly [name: string, value: React.ReactNode])[] }) {
  return (
    <dl>
      {rows
        .filter(([, value]) => value)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
