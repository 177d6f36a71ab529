import { defineMessages } from '../../platform/i18n/messages.ts';

export const approvalsMessages = defineMessages({
  approved_already: {
    en: 'is approved already',
    'es-us': 'ya está aprobado',
    'fr-ca': 'est déjà approuvé',
  },
  shift_lasts: {
    en: 'cannot be approved before the shift has ended',
    'es-us': 'no se puede aprobar antes de que termine el turno',
    'fr-ca': 'ne peut être approuvé avant la fin du quart',
  },
  not_finished: {
    en: 'cannot be approved while {{state}}',
    'es-us': 'no se puede aprobar en estado {{state}}',
    'fr-ca': "ne peut être approuvé à l'état {{state}}",
  },
  not_unapprovable: {
    en: 'has no approval that you could take back',
    'es-us': 'no tiene una aprobación que usted pueda retirar',
    'fr-ca': "n'a pas d'approbation que vous pourriez retirer",
  },
  only_foremen_are_named: {
    en: 'may only be given for the approval of a foreman',
    'es-us': 'solo puede indicarse para la aprobación de un capataz',
    'fr-ca': "ne peut être donné que pour l'approbation d'un contremaître",
  },
  minutes_of_owning_company: {
    en: 'are set by the company that the job belongs to',
    'es-us': 'los fija la empresa a la que pertenece el trabajo',
    'fr-ca': "sont fixées par l'entreprise à laquelle le travail appartient",
  },
  only_admins_choose_approval: {
    en: 'may only be chosen by company administrators',
    'es-us': 'solo pueden elegirlo los administradores de la empresa',
    'fr-ca': "ne peut être choisi que par les administrateurs de l'entreprise",
  },
  invoice_approved: {
    en: 'is on {{invoice}}, which is approved; take that approval back first',
    'es-us': 'está en {{invoice}}, que está aprobada; retire primero esa aprobación',
    'fr-ca': 'est sur {{invoice}}, qui est approuvée ; retirez d’abord cette approbation',
  },
});
