import { useRef, useState } from 'preact/hooks'
import type { LimitSet } from '../../../src/kernel/access/rights.ts'
import { type Failure, listAll, send } from '../../api/client.ts'
import { SITE } from '../../api/site.ts'
import { useLoaded } from '../../api/use.ts'
import { Failed, failureText, tell } from '../../parts/notice.tsx'
import { type Choice, Picker } from '../../parts/picker.tsx'
import type { Ref } from '../../rules/event.ts'
import { languageName, w } from '../../words/words.ts'
import { searchLinked } from '../event/places.tsx'
import { type Category, readCategories } from '../events/filters.tsx'

/** Limits with the names of what they name. */
export type NamedLimits = { categories: Ref[]; venues: Ref[] }
export const NO_LIMITS: NamedLimits = { categories: [], venues: [] }
/** Limits as the API takes them. */
export const limitsBody = ({ categories, venues }: NamedLimits): LimitSet => ({
  categories: categories.map(({ id }) => id),
  venues: venues.map(({ id }) => id),
})

const isSeveral = SITE.languages.length > 1
const choiceOf = ({ id, name, language }: Category): Choice => ({
  ...{ id, name },
  ...(isSeveral && { detail: languageName(language) }),
})
/** Venues in all languages whose texts have what was typed. */
const searchVenues = async (text: string): Promise<Choice[]> =>
  (await Promise.all(SITE.languages.map((language) => searchLinked('venue', language)(text)))).flat()

type Props = { value: NamedLimits; error?: string | undefined; onValue: (value: NamedLimits) => void }
/** Chooses the categories and venues to which rights are limited. */
export function LimitsFields({ value, error, onValue }: Props) {
  const all = useRef<Promise<Category[]>>(undefined)
  // what is typed before the categories have come waits for them
  const searchCategories = async (text: string) => {
    all.current ??= readCategories().catch((failure) => {
      all.current = undefined
      throw failure
    })
    const found = (await all.current).filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()))
    return found.map(choiceOf)
  }
  return (
    <>
      <Picker
        label={w.categories}
        value={value.categories}
        error={error}
        search={searchCategories}
        onValue={(categories) => onValue({ ...value, categories })}
      />
      <Picker
        label={w.venues}
        value={value.venues}
        search={searchVenues}
        onValue={(venues) => onValue({ ...value, venues })}
      />
    </>
  )
}

/** The names of what limits name; what is gone has its number. */
async function readNamed({ categories, venues }: LimitSet): Promise<NamedLimits> {
  const read = <T extends { id: number }>(plural: string, ids: readonly number[], more: object = {}) =>
    ids.length === 0 ? [] : listAll<T>(`/${plural}`, plural, { include: ids.join(), ...more })
  const [terms, places] = await Promise.all([
    read<Ref>('categories', categories, { hide_empty: false }),
    read<{ id: number; venue: string }>('venues', venues),
  ])
  return {
    categories: categories.map((id) => ({ id, name: terms.find((one) => one.id === id)?.name ?? `${id}` })),
    venues: venues.map((id) => ({ id, name: places.find((one) => one.id === id)?.venue ?? `${id}` })),
  }
}

/** The same as limits of a user: none where nothing is chosen. */
export const limitsOrNone = (value: NamedLimits): LimitSet | null =>
  value.categories.length + value.venues.length > 0 ? limitsBody(value) : null

/** The limits of some users with the names of what they name, by user. */
export async function readLimits(users: readonly Holder[]): Promise<Map<number, NamedLimits>> {
  const limited = users.filter(({ limits }) => limits !== undefined)
  const idsOf = (kind: keyof LimitSet) => [...new Set(limited.flatMap(({ limits }) => limits![kind]))]
  const known = await readNamed({ categories: idsOf('categories'), venues: idsOf('venues') })
  const named = ({ limits }: Holder, kind: keyof LimitSet) =>
    limits![kind].map((id) => known[kind].find((one) => one.id === id)!)
  return new Map(
    limited.map((user) => [
      user.id,
      { categories: named(user, 'categories'), venues: named(user, 'venues') },
    ]),
  )
}

type Holder = { id: number; limits?: LimitSet }
type FormProps<T> = { user: T; first: NamedLimits; done: (user: T) => void }
function LimitsForm<T extends Holder>({ user, first, done }: FormProps<T>) {
  const [value, setValue] = useState(first)
  const [problem, setProblem] = useState<string>()
  const save = async () => {
    setProblem(undefined)
    try {
      const body = { limits: limitsOrNone(value) }
      done((await send<T>('PATCH', `/users/${user.id}`, { body })).body)
      tell({ text: w.saved })
    } catch (failure) {
      setProblem(Object.values((failure as Failure).params ?? {})[0] ?? failureText(failure))
    }
  }
  return (
    <>
      <LimitsFields value={value} error={problem} onValue={setValue} />
      <div class="buttons">
        <button type="button" class="plain" onClick={save}>
          {w.save}
        </button>
      </div>
    </>
  )
}

/** The limits of the rights of a user, which administrators set. */
export function UserLimits<T extends Holder>({ user, done }: { user: T; done: (user: T) => void }) {
  const key = `limits ${user.id} ${JSON.stringify(user.limits)}`
  const { value, failure, again } = useLoaded(key, () =>
    readNamed(user.limits ?? { categories: [], venues: [] }),
  )
  return (
    <section class="card" aria-label={w.limits}>
      <h2>{w.limits}</h2>
      <p class="hint">{w.limits_hint}</p>
      {failure && <Failed failure={failure} again={again} />}
      {value && <LimitsForm key={JSON.stringify(value)} user={user} first={value} done={done} />}
    </section>
  )
}
