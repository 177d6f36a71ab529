import { callGraphQL } from '../real/product.ts';

interface Fleet {
  id: string;
  pushUrl: string;
  pushPassword: string;
}

/** Connects a fleet whose provider sends positions, and sends one of a vehicle. @returns their ids */
export async function connectFleet({ url, token }: { url: string; token: string }): Promise<{ fleetId: string; vehicleId: string }> {
  const ask = <T>(query: string, variables: object) => callGraphQL<T>(url, token, query, variables);
  const { connectTelematicsFleet: fleet } = await ask<{ connectTelematicsFleet: Fleet }>(
    `mutation { connectTelematicsFleet(input: { name: "Contract trucks", provider: verizon_reveal }) { id pushUrl pushPassword } }`,
    {},
  );
  const position = { VehicleNumber: 'C1', VehicleName: 'Contract truck', Latitude: 30.2, Longitude: -97.2, Speed: 20, Heading: 90 };
  const sent = await fetch(url + new URL(fleet.pushUrl).pathname, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${fleet.id}:${fleet.pushPassword}`)}` },
    body: JSON.stringify({ ...position, UpdateUtc: new Date().toISOString() }),
  });
  if (!sent.ok) throw new Error(`${fleet.pushUrl}: ${sent.status} ${await sent.text()}`);
  const { telematicsRemoteVehicles: vehicles } = await ask<{ telematicsRemoteVehicles: { nodes: { id: string }[] } }>(
    'query($id: ID!) { telematicsRemoteVehicles(fleetId: $id) { nodes { id } } }',
    { id: fleet.id },
  );
  return { fleetId: fleet.id, vehicleId: vehicles.nodes[0]!.id };
}
