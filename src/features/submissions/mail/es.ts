import type { MailWords } from './en.ts'

/** Mails to people who propose events and to editors, in Spanish. */
export const es: MailWords = {
  hello: 'Hola, {name}:',
  received_subject: 'Recibido: {title}',
  received: 'gracias por proponer «{title}» para {site}. El equipo editor lo revisa antes de publicarlo.',
  received_link:
    'Hasta entonces puede corregirlo o retirarlo aquí. También puede hacerlo quien tenga este enlace:',
  asked_subject: 'Una pregunta sobre «{title}»',
  asked: 'el equipo editor de {site} pregunta sobre «{title}»:',
  asked_link: 'Corríjalo aquí, por favor. Este enlace sustituye al anterior:',
  accepted_subject: 'Publicado: {title}',
  accepted: '«{title}» se ha publicado en {site}.',
  refused_subject: 'No publicado: {title}',
  refused: 'el equipo editor de {site} no publica «{title}».',
  reply: 'El equipo editor escribe:',
  ignore: 'Si usted no lo ha propuesto, no tiene que hacer nada.',
  // to the editors
  editors_subject: 'Propuesto para {site}',
  editors: 'Propuesto para {site}:',
  editors_more: 'y {more} más',
  editors_waiting: 'Pendientes de decisión: {waiting}.',
  editors_link: 'Decida aquí:',
  editors_often: 'Se envía un correo así cada hora como mucho.',
}
