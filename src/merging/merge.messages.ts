import { defineMessages } from '../platform/i18n/messages.ts';

export const mergeMessages = defineMessages({
  merge_both_suppliers: {
    en: 'cannot be merged: both sold material of the same job, which is invoiced for each',
    'es-us': 'no se puede combinar: ambos vendieron material del mismo trabajo, facturado para cada uno',
    'fr-ca': 'ne peut être fusionné : les deux ont vendu du matériau du même travail, facturé pour chacun',
  },
  merge_same_record: {
    en: 'is the record that stays, or was merged into it',
    'es-us': 'es el registro que queda, o ya se combinó con él',
    'fr-ca': "est l'enregistrement qui reste, ou y a été fusionné",
  },
  merge_named_twice: {
    en: 'is named twice',
    'es-us': 'se nombra dos veces',
    'fr-ca': 'est nommé deux fois',
  },
  merge_connected: {
    en: 'is connected with a company: merge the others into this account',
    'es-us': 'está conectada con una empresa: combine las otras con esta cuenta',
    'fr-ca': 'est relié à une société : fusionnez les autres dans ce compte',
  },
  merge_connected_with_others: {
    en: 'is connected with another company than the account that stays',
    'es-us': 'está conectada con otra empresa que la cuenta que queda',
    'fr-ca': 'est relié à une autre société que le compte qui reste',
  },
  merge_drivers_only: {
    en: 'cannot be merged: both people must be drivers',
    'es-us': 'no se puede combinar: ambas personas deben ser choferes',
    'fr-ca': 'ne peut être fusionné : les deux personnes doivent être des chauffeurs',
  },
  merge_other_roles: {
    en: 'has other roles than driver: take them away first, or keep this person',
    'es-us': 'tiene otros roles además de chofer: quíteselos primero, o conserve a esta persona',
    'fr-ca': "a d'autres rôles que chauffeur : retirez-les d'abord, ou gardez cette personne",
  },
  merge_same_day: {
    en: 'has a timesheet of {{of}} in the hours of that of the driver who stays: nobody is on two shifts at a time',
    'es-us': 'tiene una hoja de horas del {{of}} en las horas de la del chofer que queda: nadie está en dos turnos a la vez',
    'fr-ca': 'a une feuille de temps du {{of}} aux heures de celle du chauffeur qui reste : personne n’est en deux quarts à la fois',
  },
  merge_overlapping_shifts: {
    en: 'was on a shift at {{of}}, as the driver who stays was: nobody is on two shifts at a time',
    'es-us': 'estaba en un turno el {{of}}, igual que el chofer que queda: nadie está en dos turnos a la vez',
    'fr-ca': 'était en quart le {{of}}, comme le chauffeur qui reste : personne n’est en deux quarts à la fois',
  },
  merge_share_ended: {
    en: 'is shared with a company whose share of the record that stays has ended: extend or delete that share first',
    'es-us': 'está compartido con una empresa cuyo uso compartido del registro que queda terminó: prolónguelo o elimínelo antes',
    'fr-ca': "est partagé avec une société dont le partage de l'enregistrement qui reste a pris fin : prolongez-le ou supprimez-le d'abord",
  },
  merge_both_linked: {
    en: 'is linked with an accounting system, as the account that stays is: unlink one of them there first',
    'es-us': 'está vinculada con un sistema contable, igual que la cuenta que queda: desvincule antes una de ellas',
    'fr-ca': "est lié à un système comptable, comme le compte qui reste : déliez d'abord l'un des deux",
  },
  merge_both_followed: {
    en: 'is linked with a vehicle of a telematics provider, as the one that stays is: unlink one of them first',
    'es-us': 'está vinculado con un vehículo de un proveedor de telemática, igual que el que queda: desvincule antes uno de ellos',
    'fr-ca': "est lié à un véhicule d'un fournisseur télématique, comme celui qui reste : déliez d'abord l'un des deux",
  },
  merge_is_undone: {
    en: 'was undone already',
    'es-us': 'ya se deshizo',
    'fr-ca': 'a déjà été annulée',
  },
  merge_too_old: {
    en: 'can be undone for a day only',
    'es-us': 'solo se puede deshacer durante un día',
    'fr-ca': 'ne peut être annulée que pendant un jour',
  },
  merge_merged_since: {
    en: 'cannot be undone now: the record that stayed was itself merged since. Undo that merge first',
    'es-us': 'no se puede deshacer ahora: el registro que quedó se combinó después. Deshaga primero esa combinación',
    'fr-ca': "ne peut être annulée maintenant : l'enregistrement resté a lui-même été fusionné depuis. Annulez d'abord cette fusion",
  },
  merge_settled_since: {
    en: 'cannot be undone now: invoices of the merged record were settled since. Void these settlements first',
    'es-us': 'no se puede deshacer ahora: desde entonces se liquidaron facturas del registro combinado. Anule antes esas liquidaciones',
    'fr-ca':
      "ne peut être annulée maintenant : des factures de l'enregistrement fusionné ont été réglées depuis. Annulez d'abord ces règlements",
  },
  merge_day_decided_since: {
    en: 'cannot be undone any more: a day on which both drivers have worked was corrected or approved since',
    'es-us': 'ya no se puede deshacer: desde entonces se corrigió o aprobó un día en el que trabajaron ambos conductores',
    'fr-ca': 'ne peut plus être annulée : une journée où les deux chauffeurs ont travaillé a été corrigée ou approuvée depuis',
  },
});
