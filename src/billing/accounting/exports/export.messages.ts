import { defineMessages } from '../../../platform/i18n/messages.ts';

export const exportMessages = defineMessages({
  settlement_not_sendable: {
    en: 'is {{state}}; only an approved settlement can be exported',
    'es-us': 'está en estado {{state}}; solo se exporta una liquidación aprobada',
    'fr-ca': "est à l'état {{state}} ; seul un règlement approuvé peut être exporté",
  },
  no_accounting_system: {
    en: 'is missing: no accounting system is linked that takes settlements',
    'es-us': 'falta: no hay ningún sistema contable vinculado que reciba liquidaciones',
    'fr-ca': "manque : aucun système comptable lié n'accepte de règlements",
  },
  several_accounting_systems: {
    en: 'is missing: several accounting systems are linked',
    'es-us': 'falta: hay varios sistemas contables vinculados',
    'fr-ca': 'manque : plusieurs systèmes comptables sont liés',
  },
  export_uncertain_elsewhere: {
    en: 'must be the system to which it was sent, which has not answered and may have it',
    'es-us': 'debe ser el sistema al que se envió, que no respondió y puede tenerla',
    'fr-ca': "doit être le système auquel il a été envoyé, qui n'a pas répondu et peut l'avoir",
  },
  export_document_refused: {
    en: 'the accounting system does not take the document ({{status}}){{said}}',
    'es-us': 'el sistema contable no acepta el documento ({{status}}){{said}}',
    'fr-ca': "le système comptable n'accepte pas le document ({{status}}){{said}}",
  },
  export_credentials_refused: {
    en: 'the accounting system does not accept the credentials of the link',
    'es-us': 'el sistema contable no acepta las credenciales del vínculo',
    'fr-ca': "le système comptable n'accepte pas les identifiants du lien",
  },
  export_not_answered: {
    en: 'the accounting system has not answered as it should{{said}}',
    'es-us': 'el sistema contable no respondió como debía{{said}}',
    'fr-ca': "le système comptable n'a pas répondu comme prévu{{said}}",
  },
  export_not_exportable: {
    en: 'it is not approved any more, or a settlement has it by now',
    'es-us': 'ya no está aprobado, o ya está en una liquidación',
    'fr-ca': "le document n'est plus approuvé, ou un règlement le contient maintenant",
  },
  export_not_linked: {
    en: 'the accounting system is no longer linked',
    'es-us': 'el sistema contable ya no está vinculado',
    'fr-ca': "le système comptable n'est plus lié",
  },
  export_not_mapped: {
    en: 'nobody in the accounting system is mapped to {{name}}',
    'es-us': 'nadie del sistema contable está asignado a {{name}}',
    'fr-ca': "personne dans le système comptable n'est associé à {{name}}",
  },
  export_pay_of_driver: {
    en: 'the pay of drivers is not sent to accounting systems: download it as a file',
    'es-us': 'el pago de los conductores no se envía a sistemas contables: descárguelo como archivo',
    'fr-ca': "la paie des chauffeurs n'est pas envoyée aux systèmes comptables : téléchargez-la dans un fichier",
  },
  export_went_wrong_here: {
    en: 'something went wrong on our side',
    'es-us': 'algo falló de nuestro lado',
    'fr-ca': "une erreur s'est produite de notre côté",
  },
  document_without_lines: {
    en: 'has no lines, so there is nothing to export',
    'es-us': 'no tiene líneas; no hay nada que exportar',
    'fr-ca': "n'a aucune ligne ; il n'y a rien à exporter",
  },
  too_many_lines: {
    en: 'have {{lines}} lines; the system takes {{max}} at once',
    'es-us': 'tienen {{lines}} líneas; el sistema admite {{max}} a la vez',
    'fr-ca': 'ont {{lines}} lignes ; le système en accepte {{max}} à la fois',
  },
  account_of_tax_required: {
    en: 'is required: these settlements have tax, which would be posted as sales',
    'es-us': 'es obligatorio: estas liquidaciones tienen impuesto, que se contabilizaría como ventas',
    'fr-ca': 'est obligatoire : ces règlements ont une taxe, qui serait comptabilisée comme des ventes',
  },
  item_of_tax_required: {
    en: 'is required: these settlements have tax, which would look like sales',
    'es-us': 'es obligatorio: estas liquidaciones tienen impuesto, que no se distinguiría de las ventas',
    'fr-ca': 'est obligatoire : ces règlements ont une taxe, qu’on ne distinguerait pas des ventes',
  },
  not_of_format: {
    en: 'has no place in files of this format',
    'es-us': 'no tiene lugar en los archivos de este formato',
    'fr-ca': 'n’a pas de place dans les fichiers de ce format',
  },
  not_a_ledger_number: {
    en: 'must be the number of an account of the ledger for this system',
    'es-us': 'debe ser el número de una cuenta contable para este sistema',
    'fr-ca': 'doit être le numéro d’un compte du grand livre pour ce système',
  },
  without_accounting_number: {
    en: 'is for {{name}}, whose number in accounting is not known: map it, or set its accounting_id',
    'es-us': 'es para {{name}}, cuyo número contable no se conoce: asígnelo o indique su accounting_id',
    'fr-ca': 'est pour {{name}}, dont le numéro comptable est inconnu : associez-le, ou indiquez son accounting_id',
  },
  has_field_already: {
    en: 'must be empty: the column has a field',
    'es-us': 'debe estar vacío: la columna tiene un campo',
    'fr-ca': 'doit être vide : la colonne a un champ',
  },
  without_needed_column: {
    en: 'need a column with the field {{column}}, by which the file is checked',
    'es-us': 'necesitan una columna con el campo {{column}}, con el que se comprueba el archivo',
    'fr-ca': 'ont besoin d’une colonne du champ {{column}}, par lequel le fichier est vérifié',
  },
  not_a_date_format: {
    en: 'must have a day, a month and a year, such as MM/DD/YYYY or YYMMDD',
    'es-us': 'debe tener día, mes y año, como MM/DD/YYYY o YYMMDD',
    'fr-ca': 'doit avoir un jour, un mois et une année, comme MM/DD/YYYY ou YYMMDD',
  },
  accounting_freight: { en: 'Freight', 'es-us': 'Flete', 'fr-ca': 'Transport' },
  accounting_material: { en: 'Material', 'es-us': 'Material', 'fr-ca': 'Matériau' },
  accounting_loads: { en: 'loads: {{loads}}', 'es-us': 'cargas: {{loads}}', 'fr-ca': 'chargements : {{loads}}' },
});
