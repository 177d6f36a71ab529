import { defineMessages } from '../../platform/i18n/messages.ts';

export const conflictsMessages = defineMessages({
  period_in_review: {
    en: 'belongs to a week that is not changed any more since {{since}}: it is reviewed before its books are closed',
    'es-us': 'pertenece a una semana que ya no se cambia desde {{since}}: se revisa antes de cerrar sus libros',
    'fr-ca': "appartient à une semaine qui n'est plus modifiée depuis {{since}} : elle est vérifiée avant la fermeture de ses livres",
  },
  driver_double_booked: {
    en: 'the driver has job {{other}} at that time',
    'es-us': 'el conductor tiene el trabajo {{other}} a esa hora',
    'fr-ca': 'le chauffeur a le travail {{other}} à ce moment-là',
  },
  truck_double_booked: {
    en: 'the truck is on job {{other}} at that time',
    'es-us': 'el camión está en el trabajo {{other}} a esa hora',
    'fr-ca': 'le camion est sur le travail {{other}} à ce moment-là',
  },
  driver_gone: {
    en: 'the driver {{name}} has been deactivated and takes no work: assign another one',
    'es-us': 'el conductor {{name}} fue desactivado y no acepta trabajo: asigne a otro',
    'fr-ca': 'le chauffeur {{name}} a été désactivé et ne prend pas de travail : affectez-en un autre',
  },
  vendor_gone: {
    en: 'the vendor {{name}} has been discarded and takes no work: assign another one',
    'es-us': 'el proveedor {{name}} fue descartado y no acepta trabajo: asigne a otro',
    'fr-ca': 'le fournisseur {{name}} a été supprimé et ne prend pas de travail : affectez-en un autre',
  },
  driver_off: {
    en: 'the driver is off at that time',
    'es-us': 'el conductor está libre a esa hora',
    'fr-ca': 'le chauffeur est en congé à ce moment-là',
  },
  vendor_off: {
    en: 'the vendor takes no work at that time',
    'es-us': 'el proveedor no acepta trabajo a esa hora',
    'fr-ca': 'le fournisseur ne prend pas de travail à ce moment-là',
  },
  truck_out_of_service: {
    en: 'the truck is inactive',
    'es-us': 'el camión está inactivo',
    'fr-ca': 'le camion est inactif',
  },
  truck_gone: {
    en: 'the truck {{name}} has been deleted: assign another one',
    'es-us': 'el camión {{name}} fue eliminado: asigne otro',
    'fr-ca': 'le camion {{name}} a été supprimé : affectez-en un autre',
  },
  site_gone: {
    en: 'the site {{name}} has been deleted: name another one',
    'es-us': 'el sitio {{name}} fue eliminado: indique otro',
    'fr-ca': 'le site {{name}} a été supprimé : indiquez-en un autre',
  },
  site_not_active: {
    en: 'the site {{name}} is inactive',
    'es-us': 'el sitio {{name}} está inactivo',
    'fr-ca': 'le site {{name}} est inactif',
  },
  card_of_another: {
    en: "the rate card {{name}} does not apply to this job's customer, vendor or driver: choose another one, or enter a rate",
    'es-us': 'la tarifa {{name}} no se aplica al cliente, proveedor o conductor de este trabajo: elija otra o indique una tarifa',
    'fr-ca':
      "la grille tarifaire {{name}} ne s'applique pas au client, au fournisseur ou au chauffeur de ce travail : choisissez-en une autre ou indiquez un tarif",
  },
  unit_mismatch: {
    en: '{{one}} cannot be converted to {{other}}: the units of loads, material, truck and rates must convert into each other',
    'es-us':
      '{{one}} no se puede convertir a {{other}}: las unidades de las cargas, del material, del camión y de las tarifas deben poder convertirse entre sí',
    'fr-ca':
      '{{one}} ne se convertit pas en {{other}} : les unités des chargements, du matériau, du camion et des tarifs doivent se convertir entre elles',
  },
});
