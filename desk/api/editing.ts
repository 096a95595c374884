import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { changed, merge, same } from '../rules/compare.ts'
import type { EventForm, EventRecord } from '../rules/event.ts'
import { type Answer, type Differences, type Failure, send } from './client.ts'
import { dropDraft, keepDraft, keptDraft } from './drafts.ts'
import { useUnsaved } from './leaving.ts'

/** Two versions of a record of which neither may be lost: mine, and that of somebody else. */
export type Clash<T> = ReturnType<typeof merge<T & object>> & { theirs: T; etag: string | undefined }

const pickOf = <T>(form: T, names: (keyof T)[]) =>
  Object.fromEntries(names.map((name) => [name, form[name]])) as Partial<T>

type Subject<R, T extends object> = {
  /** The name of the draft. */
  name: string
  /** Path of the records of this kind. */
  path: string
  /** The record; undefined for a new one. */
  id?: number | undefined
  etag?: string | undefined
  differs?: Differences | undefined
  /** The version to begin from, and as it is edited: they differ in a copy. */
  base: T
  form?: T
  toForm(record: R): T
  toBody(form: T, names: (keyof T)[]): object
  /** Members that only a new record is sent with. */
  more?: object
  fieldOf?(member: string): string
  /** Reads the record as it is now, where its own path does not show it. */
  read?(id: number): Promise<Answer<R>>
  /** Adds to a saved record what its form needs and the answer lacks. */
  complete?(record: R): Promise<R>
}
/** What a change is sent with: parameters of its address, members beside those of the form, and whether the record comes back from the trash first. */
type Sending = { query?: Record<string, string>; also?: object | undefined; restores?: boolean }

/** A form over a record: what is changed, kept against a reload, saved if nobody else has saved, and brought together if somebody has. */
export function useEditing<R extends { id: number }, T extends object>(subject: Subject<R, T>) {
  const { name, path, id, toForm, toBody, more = {}, fieldOf = (member: string) => member } = subject
  const { read = (id: number) => send<R>('GET', `${path}/${id}`) } = subject
  const { complete = async (record: R) => record } = subject
  const fresh = { base: subject.base, form: subject.form ?? subject.base, etag: subject.etag }
  const [kept] = useState(() => keptDraft<T>(name))
  // a form that begins with what nobody has touched is nobody's work
  const isWork = kept !== undefined && !same(kept.base, kept.form) && !same(fresh.form, kept.form)
  const begun = isWork ? kept : fresh
  const [base, setBase] = useState(begun.base)
  const [form, setForm] = useState(begun.form)
  const [etag, setEtag] = useState(begun.etag)
  const [differs, setDiffers] = useState(subject.differs ?? {})
  const [isRestored, setRestored] = useState(isWork)
  const [failure, setFailure] = useState<Failure>()
  const [errors, setErrors] = useState<Record<string, string>>({})
  const [clash, setClash] = useState<Clash<T>>()
  const [busy, setBusy] = useState(false)
  const isChanged = !same(base, form)
  /** Whether somebody has typed something: what a copy begins with is nobody's work. */
  const isTyped = isChanged && (id !== undefined || !same(fresh.form, form))
  /** Whether an answer is awaited: a second one would come too late, or make a second record. */
  const saving = useRef(false)
  /** How the last change was sent, for the next attempt. */
  const sending = useRef<Sending>({})

  // at once, because a reload does not wait
  useLayoutEffect(() => {
    if (isTyped) keepDraft(name, { base, form, etag })
    else dropDraft(name)
  }, [name, base, form, etag])
  useUnsaved(isTyped, () => dropDraft(name))

  /** Changes members of the form. */
  const change = (values: Partial<T>) => {
    setForm((before) => ({ ...before, ...values }))
    const left = Object.entries(errors).filter(([field]) => !(field in values))
    setErrors(Object.fromEntries(left))
    // what was said about fields is over with the last of them
    if (left.length === 0 && Object.keys(errors).length > 0) setFailure(undefined)
  }
  /** Takes the record as it was saved. What was written while it was sent stays. */
  const accept = (record: R, { etag: tag, differs = {} }: Answer<R>, sent: T) => {
    const now = toForm(record)
    setBase(now)
    setForm((current) => {
      const later = id === undefined ? [] : changed(sent, current)
      return { ...now, ...Object.fromEntries(later.map((member) => [member, current[member]])) }
    })
    setEtag(tag)
    setDiffers(differs)
    setRestored(false)
    dropDraft(name)
  }
  const refuse = async (error: Failure, mine: T) => {
    if (error.status === 412) {
      const { body, etag } = await read(id!)
      const theirs = toForm(body)
      return setClash({ ...merge<T & object>(base, mine, theirs), theirs, etag })
    }
    setFailure(error)
    setErrors(
      Object.fromEntries(Object.entries(error.params).map(([member, text]) => [fieldOf(member), text])),
    )
  }

  /** Saves the form, with more changes. Gives the record, or nothing if it was refused. */
  async function save(
    values: Partial<T> = {},
    { query = {}, also = {}, restores = false }: Sending = {},
    on: { base: T; form: T; etag: string | undefined } = { base, form, etag },
  ): Promise<R | undefined> {
    if (saving.current) return undefined
    saving.current = true
    sending.current = { query, also, restores }
    const mine = { ...on.form, ...values }
    const names = id === undefined ? (Object.keys(mine) as (keyof T)[]) : changed(on.base, mine)
    setForm(mine)
    setFailure(undefined)
    setErrors({})
    setBusy(true)
    try {
      const body = { ...toBody(mine, names), ...(id === undefined && more), ...also }
      const restored = restores
        ? await send<R>('POST', `${path}/${id}/restore`, { match: on.etag, query })
        : undefined
      const change = () =>
        id === undefined
          ? send<R>('POST', path, { body })
          : send<R>('PATCH', `${path}/${id}`, { body, match: restored?.etag ?? on.etag, query })
      const answer = restored && names.length === 0 ? restored : await change()
      const record = await complete(answer.body)
      accept(record, answer, mine)
      return record
    } catch (error) {
      // what a button alone would have changed, such as the status, is as it was
      setForm((now) => ({ ...now, ...pickOf(on.form, Object.keys(values) as (keyof T)[]) }))
      await refuse(error as Failure, mine).catch(setFailure)
      return undefined
    } finally {
      saving.current = false
      setBusy(false)
    }
  }
  /** Saves what was made of both versions, on that of the other editor. */
  const resolve = (resolved: T) => {
    const { theirs, etag } = clash!
    setClash(undefined)
    setBase(theirs)
    setEtag(etag)
    return save({}, sending.current, { base: theirs, form: resolved, etag })
  }
  /** Gives all translations the facts of this record, as it is saved, in which they differ. Gives whether they have them. */
  async function even(): Promise<boolean> {
    setBusy(true)
    try {
      const fields = Object.values(differs).flat().map(fieldOf) as (keyof T)[]
      const {
        body,
        etag: tag,
        ...now
      } = await send<R>('PATCH', `${path}/${id}`, {
        ...{ body: toBody(base, fields), match: etag, query: { translations: 'all' } },
      })
      accept(await complete(body), { body, etag: tag, ...now }, base)
      return true
    } catch (error) {
      await refuse(error as Failure, form).catch(setFailure)
      return false
    } finally {
      setBusy(false)
    }
  }
  /** Takes back what is not saved, and begins with the record as it is now. */
  const reset = () => {
    setBase(fresh.base)
    setForm(fresh.form)
    setEtag(fresh.etag)
    setErrors({})
    setRestored(false)
  }
  return {
    base,
    form,
    etag,
    change,
    save,
    reset,
    differs,
    even,
    errors,
    failure,
    busy,
    isChanged,
    isRestored,
    clash,
    resolve,
    dismiss: () => setClash(undefined),
  }
}
export type Editing<R extends { id: number }, T extends object> = ReturnType<typeof useEditing<R, T>>

/** What the parts of the form of an event share. */
export type EventEditing = Editing<EventRecord, EventForm>
