import { defineMessages } from '../../platform/i18n/messages.ts';

/** What is wrong with a record, and what to do about it: one sentence for each code. */
export const dataHealthMessages = defineMessages({
  data_health_account_at_wrong_level: {
    en: '{{name}} has no orders here in the last 30 days, but {{company}} has orders for an account of that name: enter its rates and terms there, where the work is, and discard this account if nothing is owed on it',
    'es-us':
      '{{name}} no tiene pedidos aquí en los últimos 30 días, pero {{company}} tiene pedidos para una cuenta con ese nombre: indique allí, donde está el trabajo, sus tarifas y condiciones, y descarte esta cuenta si nada se debe en ella',
    'fr-ca':
      "{{name}} n'a aucune commande ici dans les 30 derniers jours, mais {{company}} a des commandes pour un compte de ce nom : saisissez-y ses tarifs et ses conditions, là où est le travail, et supprimez ce compte si rien n'y est dû",
  },
  data_health_account_twice: {
    en: 'there is an older account called {{name}}: merge them, so that rates and settlements are those of one account',
    'es-us': 'hay una cuenta más antigua llamada {{name}}: combínelas para que las tarifas y liquidaciones sean de una sola cuenta',
    'fr-ca':
      "il y a un compte plus ancien nommé {{name}} : fusionnez-les pour que les tarifs et les règlements soient ceux d'un seul compte",
  },
  data_health_customer_type_missing: {
    en: '{{name}} is not a customer, but orders or rate cards have it as one: add the type customer to the account, or give them another customer',
    'es-us':
      '{{name}} no es un cliente, pero hay pedidos o tarifas que lo tienen como tal: agregue el tipo cliente a la cuenta o indíqueles otro cliente',
    'fr-ca':
      "{{name}} n'est pas un client, mais des commandes ou des grilles tarifaires l'ont comme tel : ajoutez le type client au compte ou donnez-leur un autre client",
  },
  data_health_driver_at_wrong_level: {
    en: '{{name}} is a driver here, but all of their work in the last 30 days is of {{company}}, which pays for it as for a vendor: enter the driver there',
    'es-us':
      '{{name}} es conductor aquí, pero todo su trabajo de los últimos 30 días es de {{company}}, que lo paga como a un proveedor: registre allí al conductor',
    'fr-ca':
      '{{name}} est chauffeur ici, mais tout son travail des 30 derniers jours est celui de {{company}}, qui le paie comme à un fournisseur : saisissez-y le chauffeur',
  },
  data_health_driver_is_vendor: {
    en: '{{name}} is a driver and, by name, telephone or e-mail address, also the vendor {{vendor}}: pay for the work one way, and deactivate the driver or discard the account',
    'es-us':
      '{{name}} es conductor y, por nombre, teléfono o correo electrónico, también el proveedor {{vendor}}: pague el trabajo de una sola manera y desactive al conductor o descarte la cuenta',
    'fr-ca':
      "{{name}} est chauffeur et, par le nom, le téléphone ou l'adresse électronique, aussi le fournisseur {{vendor}} : payez le travail d'une seule façon, et désactivez le chauffeur ou supprimez le compte",
  },
  data_health_driver_of_vendor: {
    en: '{{name}} is on your roster and, by telephone or e-mail address, also on that of the vendor {{vendor}}, who shares this driver: deactivate yours, so that the work is paid to the vendor',
    'es-us':
      '{{name}} está en su plantilla y, por teléfono o correo electrónico, también en la del proveedor {{vendor}}, que comparte a este conductor: desactive el suyo para que el trabajo se pague al proveedor',
    'fr-ca':
      "{{name}} est dans votre équipe et, par le téléphone ou l'adresse électronique, aussi dans celle du fournisseur {{vendor}}, qui partage ce chauffeur : désactivez le vôtre pour que le travail soit payé au fournisseur",
  },
  data_health_driver_without_rate: {
    en: 'no driver rate applies to job {{job}}, the latest one of {{name}}, so that nothing is paid for it: make a rate card for the driver, or for all drivers; if the job is done, enter a rate on it',
    'es-us':
      'ninguna tarifa de conductor se aplica al trabajo {{job}}, el último de {{name}}, así que no se paga nada por él: cree una tarifa para el conductor o para todos; si el trabajo está terminado, indique una tarifa en él',
    'fr-ca':
      "aucun tarif de chauffeur ne s'applique au travail {{job}}, le dernier de {{name}}, si bien que rien n'est payé pour lui : créez une grille tarifaire pour le chauffeur ou pour tous ; si le travail est terminé, saisissez-y un tarif",
  },
  data_health_material_without_density: {
    en: '{{name}} is counted in {{other}} and paid by {{one}} in open orders ({{orders}}), and has no density by which to convert: enter its density, or another unit',
    'es-us':
      '{{name}} se cuenta en {{other}} y se paga por {{one}} en pedidos abiertos ({{orders}}), y no tiene densidad para convertir: indique su densidad u otra unidad',
    'fr-ca':
      "{{name}} est compté en {{other}} et payé par {{one}} dans des commandes ouvertes ({{orders}}), et n'a pas de densité pour la conversion : saisissez sa densité ou une autre unité",
  },
  data_health_order_without_rate: {
    en: 'no customer rate applies to order {{name}}, so that it cannot be billed: enter a rate on the order or its project, or make a rate card for the customer',
    'es-us':
      'ninguna tarifa de cliente se aplica al pedido {{name}}, así que no se puede facturar: indique una tarifa en el pedido o su proyecto, o cree una tarifa para el cliente',
    'fr-ca':
      "aucun tarif de client ne s'applique à la commande {{name}}, si bien qu'elle ne peut pas être facturée : saisissez un tarif sur la commande ou son projet, ou créez une grille tarifaire pour le client",
  },
  data_health_type_without_capacity: {
    en: 'the equipment type {{name}} has no capacity, but active equipment of that type ({{count}}): loads are planned and checked by it, so enter the capacity and its unit',
    'es-us':
      'el tipo de equipo {{name}} no tiene capacidad, pero hay equipos activos de ese tipo ({{count}}): las cargas se planifican y revisan con ella, así que indique la capacidad y su unidad',
    'fr-ca':
      "le type d'équipement {{name}} n'a pas de capacité, mais il y a de l'équipement actif de ce type ({{count}}) : les chargements sont planifiés et vérifiés d'après elle, donc saisissez la capacité et son unité",
  },
  data_health_unit_mismatch: {
    en: 'order {{name}} is counted in {{other}} and paid by {{one}}, which do not convert into each other: choose another unit or another rate',
    'es-us':
      'el pedido {{name}} se cuenta en {{other}} y se paga por {{one}}, que no se convierten entre sí: elija otra unidad u otra tarifa',
    'fr-ca':
      'la commande {{name}} est comptée en {{other}} et payée par {{one}}, qui ne se convertissent pas : choisissez une autre unité ou un autre tarif',
  },
  data_health_vendor_not_connected: {
    en: '{{name}} has jobs to do ({{jobs}}) but no connection, so that no telephone of the vendor shows them: connect the account or inform the vendor yourself',
    'es-us':
      '{{name}} tiene trabajos por hacer ({{jobs}}) pero ninguna conexión, así que ningún teléfono del proveedor los muestra: conecte la cuenta o informe usted mismo al proveedor',
    'fr-ca':
      "{{name}} a des travaux à faire ({{jobs}}) mais aucune connexion, si bien qu'aucun téléphone du fournisseur ne les montre : connectez le compte ou informez vous-même le fournisseur",
  },
  data_health_vendor_type_missing: {
    en: '{{name}} is not a vendor, but orders, jobs or rate cards have it as one: add the type vendor to the account, or give them another vendor',
    'es-us':
      '{{name}} no es un proveedor, pero hay pedidos, trabajos o tarifas que lo tienen como tal: agregue el tipo proveedor a la cuenta o indíqueles otro proveedor',
    'fr-ca':
      "{{name}} n'est pas un fournisseur, mais des commandes, des travaux ou des grilles tarifaires l'ont comme tel : ajoutez le type fournisseur au compte ou donnez-leur un autre fournisseur",
  },
});
