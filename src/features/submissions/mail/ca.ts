import type { MailWords } from './en.ts'

/** Mails to people who propose events and to editors, in Catalan. */
export const ca: MailWords = {
  hello: 'Hola {name},',
  received_subject: 'Rebut: {title}',
  received: 'gràcies per proposar «{title}» per a {site}. L’equip editor s’ho mira abans de publicar-ho.',
  received_link:
    'Fins aleshores ho podeu corregir o retirar aquí. També ho pot fer qui tingui aquest enllaç:',
  asked_subject: 'Una pregunta sobre «{title}»',
  asked: 'l’equip editor de {site} pregunta sobre «{title}»:',
  asked_link: 'Corregiu-ho aquí, si us plau. Aquest enllaç substitueix l’anterior:',
  accepted_subject: 'Publicat: {title}',
  accepted: '«{title}» s’ha publicat a {site}.',
  refused_subject: 'No publicat: {title}',
  refused: 'l’equip editor de {site} no publica «{title}».',
  reply: 'L’equip editor escriu:',
  ignore: 'Si no ho heu proposat vós, no cal que feu res.',
  // to the editors
  editors_subject: 'Proposat per a {site}',
  editors: 'Proposat per a {site}:',
  editors_more: 'i {more} més',
  editors_waiting: 'Pendents de decisió: {waiting}.',
  editors_link: 'Decidiu-ho aquí:',
  editors_often: 'S’envia un correu així cada hora com a molt.',
}
