/** What a record says, by its names; what it does not say is left out. */
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
