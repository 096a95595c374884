import type { Task } from '../../../kernel/tasks/scheduler.ts'
import type { Fault } from './items.ts'

/** A property of iCalendar: its value as it is written, and its parameters by name in capitals. */
export type Property = { name: string; parameters: Record<string, string>; value: string; line: number }
export type Component = {
  name: string
  line: number
  properties: Property[]
  components: Component[]
  /** Characters of its properties beside what is attached. Those after `LONGEST_EVENT` are left out. */
  size: number
}

/** Characters of an event, beside what is attached, that are read at most: by a request, one is no larger. */
export const LONGEST_EVENT = 2 ** 20

function* linesOf(text: string) {
  const end = /\r\n|\r|\n/g
  let at = 0
  for (let found = end.exec(text); found; found = end.exec(text)) {
    yield text.slice(at, found.index)
    at = end.lastIndex
  }
  yield text.slice(at)
}

/** Lines as they were before they were folded (RFC 5545 §3.1), with the number of their first. Empty ones between are none. */
function* unfolded(text: string): Generator<{ line: number; text: string }> {
  let whole: { line: number; text: string } | undefined
  let number = 0
  for (const line of linesOf(text.replace(/^\ufeff/, ''))) {
    number++
    if (line === '') continue
    if (whole && /^[ \t]/.test(line)) whole.text += line.slice(1)
    else {
      if (whole) yield whole
      whole = { line: number, text: line }
    }
  }
  if (whole) yield whole
}

const HEAD = /^([A-Za-z0-9-]+)((?:;[A-Za-z0-9-]+=(?:"[^"]*"|[^";:,]*)(?:,(?:"[^"]*"|[^";:,]*))*)*):/
const PARAMETER = /;([A-Za-z0-9-]+)=((?:"[^"]*"|[^";:,]*)(?:,(?:"[^"]*"|[^";:,]*))*)/g
const ENCODED: Record<string, string> = { '^n': '\n', '^^': '^', "^'": '"' }

/** The value of a parameter, without quotes and the signs of RFC 6868. */
const parameterOf = (text: string) =>
  text.replace(/"/g, '').replace(/\^[n^']/g, (sign) => ENCODED[sign] as string)

function readProperty(text: string, line: number): Property | undefined {
  const [head, name, parameters] = HEAD.exec(text) ?? []
  if (head === undefined) return undefined
  const found = [...parameters!.matchAll(PARAMETER)].map(([, key, value]) => [
    key!.toUpperCase(),
    parameterOf(value!),
  ])
  return {
    name: name!.toUpperCase(),
    parameters: Object.fromEntries(found),
    value: text.slice(head.length),
    line,
  }
}

/**
 * Reads a file of iCalendar, also one without VCALENDAR. What breaks its rules is told, and the rest is read; an empty property says nothing.
 * Calendars stand side by side and hold their events, also where what is between has no end.
 */
export function* readComponents(text: string): Task<{ calendars: Component[]; faults: Fault[] }> {
  const root: Component = { name: '', line: 0, properties: [], components: [], size: 0 }
  const open = [root]
  const holders = [root]
  const faults: Fault[] = []
  for (const { line, text: written } of unfolded(text)) {
    yield
    const fault = (reason: string) => faults.push({ line, text: written.slice(0, 40), reason })
    const property = readProperty(written, line)
    const within = open.at(-1)!
    const name = property?.value.trim().toUpperCase()
    if (!property) fault('is no line of iCalendar')
    else if (property.name === 'BEGIN') {
      const component = { name: name!, line, properties: [], components: [], size: 0 }
      const holder = name === 'VCALENDAR' ? root : name === 'VEVENT' ? holders.at(-1)! : within
      holder.components.push(component)
      open.push(component)
      if (name === 'VCALENDAR') holders.push(component)
    } else if (property.name !== 'END') {
      if (property.name !== 'ATTACH') within.size += written.length
      if (name !== '' && within.size <= LONGEST_EVENT) within.properties.push(property)
    } else if (within.name === name && within !== root) {
      open.pop()
      if (name === 'VCALENDAR') holders.pop()
    } else fault(`ends ${name}, which did not begin`)
  }
  for (const { line, name } of open.slice(1))
    faults.push({ line, text: `BEGIN:${name}`, reason: 'does not end: the file may be cut off' })
  const isCalendar = ({ name }: Component) => name === 'VCALENDAR'
  const bare = { ...root, components: root.components.filter((one) => !isCalendar(one)) }
  return { calendars: [...root.components.filter(isCalendar), bare], faults }
}

/** The first property of a name. */
export const propertyOf = ({ properties }: Component, name: string): Property | undefined =>
  properties.find((property) => property.name === name)
/** All properties of a name. */
export const propertiesOf = ({ properties }: Component, name: string): Property[] =>
  properties.filter((property) => property.name === name)

const unescaped = (text: string) =>
  text.replace(/\\([nN\\;,])/g, (_, sign) => (/n/i.test(sign) ? '\n' : sign))
/** A value of type TEXT (RFC 5545 §3.3.11). */
export const textOf = (property: Property | undefined): string =>
  property === undefined ? '' : unescaped(property.value).trim()
/** The texts of a value that has several, divided by commas. */
export const textsOf = ({ value }: Property): string[] =>
  [...value.matchAll(/((?:\\.|[^\\,])+)/gs)]
    .map(([text]) => unescaped(text).trim())
    .filter((text) => text !== '')
