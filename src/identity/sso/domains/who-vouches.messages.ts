import { defineMessages } from '../../../platform/i18n/messages.ts';

/** Mails to administrators about a change of who signs in their people. */
export const whoVouchesMessages = defineMessages({
  email_provider_begins_subject: {
    en: '{{provider}} now signs in people of {{company}}',
    'es-us': '{{provider}} ahora da acceso a las personas de {{company}}',
    'fr-ca': '{{provider}} connecte maintenant les personnes de {{company}}',
  },
  email_provider_begins: {
    en: 'Hello {{name}},\n\n{{actor}} made the identity provider {{provider}} of {{company}} responsible for people with addresses of {{domains}}. From now on it vouches for who they are in Haulgate.\n\nIf you did not expect this, look at the identity providers of your company, and at its audit log.\n',
    'es-us':
      'Hola, {{name}}:\n\n{{actor}} encargó al proveedor de identidad {{provider}} de {{company}} de las personas con direcciones de {{domains}}. Desde ahora responde por quiénes son en Haulgate.\n\nSi no lo esperaba, revise los proveedores de identidad de su empresa y su registro de auditoría.\n',
    'fr-ca':
      "Bonjour {{name}},\n\n{{actor}} a chargé le fournisseur d'identité {{provider}} de {{company}} des personnes dont l'adresse est de {{domains}}. Désormais, il se porte garant de leur identité dans Haulgate.\n\nSi vous ne vous y attendiez pas, vérifiez les fournisseurs d'identité de votre entreprise et son journal d'audit.\n",
  },
  email_provider_changed_subject: {
    en: 'The identity provider {{provider}} of {{company}} was changed',
    'es-us': 'Se cambió el proveedor de identidad {{provider}} de {{company}}',
    'fr-ca': "Le fournisseur d'identité {{provider}} de {{company}} a été modifié",
  },
  email_provider_changed: {
    en: 'Hello {{name}},\n\n{{actor}} changed who vouches for people of {{company}} with addresses of {{domains}}: the issuer, the client, the entry point or a certificate of the identity provider {{provider}}.\n\nIf you did not expect this, look at the identity providers of your company, and at its audit log.\n',
    'es-us':
      'Hola, {{name}}:\n\n{{actor}} cambió quién responde por las personas de {{company}} con direcciones de {{domains}}: el emisor, el cliente, el punto de entrada o un certificado del proveedor de identidad {{provider}}.\n\nSi no lo esperaba, revise los proveedores de identidad de su empresa y su registro de auditoría.\n',
    'fr-ca':
      "Bonjour {{name}},\n\n{{actor}} a modifié qui se porte garant des personnes de {{company}} dont l'adresse est de {{domains}} : l'émetteur, le client, le point d'entrée ou un certificat du fournisseur d'identité {{provider}}.\n\nSi vous ne vous y attendiez pas, vérifiez les fournisseurs d'identité de votre entreprise et son journal d'audit.\n",
  },
  email_provider_lost_subject: {
    en: '{{provider}} no longer signs in people of {{domains}}',
    'es-us': '{{provider}} ya no da acceso a las personas de {{domains}}',
    'fr-ca': '{{provider}} ne connecte plus les personnes de {{domains}}',
  },
  email_provider_lost: {
    en: 'Hello {{name}},\n\nanother company has shown by its own TXT record that it owns {{domains}}. From now on its identity provider vouches for addresses of these domains in Haulgate, and the identity provider {{provider}} of {{company}} no longer does.\n\nIf the domains are yours, remove the record of the other company from them, and let yours be looked for again among the identity providers of your company. People of {{company}} who had no other way to sign in need one until then.\n',
    'es-us':
      'Hola, {{name}}:\n\notra empresa ha demostrado con su propio registro TXT que {{domains}} es suyo. Desde ahora su proveedor de identidad responde en Haulgate por las direcciones de esos dominios, y el proveedor de identidad {{provider}} de {{company}} ya no lo hace.\n\nSi los dominios son de ustedes, quiten de ellos el registro de la otra empresa y hagan que se busque de nuevo el suyo en los proveedores de identidad de su empresa. Mientras tanto, las personas de {{company}} que no tenían otra forma de entrar necesitan una.\n',
    'fr-ca':
      "Bonjour {{name}},\n\nune autre entreprise a montré, par son propre enregistrement TXT, que {{domains}} est à elle. Désormais, son fournisseur d'identité se porte garant des adresses de ces domaines dans Haulgate, et le fournisseur d'identité {{provider}} de {{company}} ne le fait plus.\n\nSi ces domaines sont à vous, retirez-en l'enregistrement de l'autre entreprise, puis faites chercher le vôtre de nouveau parmi les fournisseurs d'identité de votre entreprise. D'ici là, il faut un autre moyen de connexion aux personnes de {{company}} qui n'en avaient pas.\n",
  },
  email_provider_ended_subject: {
    en: 'The identity provider {{provider}} of {{company}} was removed',
    'es-us': 'Se eliminó el proveedor de identidad {{provider}} de {{company}}',
    'fr-ca': "Le fournisseur d'identité {{provider}} de {{company}} a été retiré",
  },
  email_provider_ended: {
    en: 'Hello {{name}},\n\n{{actor}} removed the identity provider {{provider}} of {{company}}. It no longer signs in people with addresses of {{domains}}.\n\nIf you did not expect this, look at the audit log of your company.\n',
    'es-us':
      'Hola, {{name}}:\n\n{{actor}} eliminó el proveedor de identidad {{provider}} de {{company}}. Ya no da acceso a las personas con direcciones de {{domains}}.\n\nSi no lo esperaba, revise el registro de auditoría de su empresa.\n',
    'fr-ca':
      "Bonjour {{name}},\n\n{{actor}} a retiré le fournisseur d'identité {{provider}} de {{company}}. Il ne connecte plus les personnes dont l'adresse est de {{domains}}.\n\nSi vous ne vous y attendiez pas, vérifiez le journal d'audit de votre entreprise.\n",
  },
});
