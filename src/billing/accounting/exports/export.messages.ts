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
  too_many_lines: {
    en: 'have {{lines}} lines; the system takes {{max}} at once',
    'es-us': 'tienen {{lines}} líneas; el sistema admite {{max}} a la vez',
    'fr-ca': 'ont {{lines}} lignes ; le système en accepte {{max}} à la fois',
  },
  accounting_freight: { en: 'Freight', 'es-us': 'Flete', 'fr-ca': 'Transport' },
  accounting_material: { en: 'Material', 'es-us': 'Material', 'fr-ca': 'Matériau' },
  accounting_loads: { en: 'loads: {{loads}}', 'es-us': 'cargas: {{loads}}', 'fr-ca': 'chargements : {{loads}}' },
});
