import { defineMessages } from '../../platform/i18n/messages.ts';

export const kmlMessages = defineMessages({
  kml_malformed: {
    en: 'is no KML that can be read',
    'es-us': 'no es un KML que se pueda leer',
    'fr-ca': "n'est pas un KML lisible",
  },
  kml_unreadable: {
    en: 'takes too long or too much memory to read',
    'es-us': 'requiere demasiado tiempo o memoria para leerse',
    'fr-ca': 'demande trop de temps ou de mémoire à lire',
  },
  kml_doctype: {
    en: 'has a document type, which is refused because it can define entities',
    'es-us': 'tiene un tipo de documento, que se rechaza porque puede definir entidades',
    'fr-ca': 'a un type de document, refusé parce qu’il peut définir des entités',
  },
  kml_deep: {
    en: 'is nested deeper than {{max}} levels',
    'es-us': 'tiene más de {{max}} niveles de anidamiento',
    'fr-ca': 'compte plus de {{max}} niveaux imbriqués',
  },
  kml_many: {
    en: 'has more than {{max}} placemarks',
    'es-us': 'tiene más de {{max}} marcas de lugar',
    'fr-ca': 'compte plus de {{max}} repères',
  },
  kml_empty: {
    en: 'has no placemark',
    'es-us': 'no tiene ninguna marca de lugar',
    'fr-ca': "n'a aucun repère",
  },
  kml_name: {
    en: 'needs a name of at most 255 characters',
    'es-us': 'necesita un nombre de 255 caracteres como máximo',
    'fr-ca': "a besoin d'un nom d'au plus 255 caractères",
  },
  kml_no_place: {
    en: 'has no point or polygon in degrees',
    'es-us': 'no tiene un punto ni un polígono en grados',
    'fr-ca': "n'a ni point ni polygone en degrés",
  },
});
