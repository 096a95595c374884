import { useLayoutEffect, useState } from 'preact/hooks'
import { changed, merge, same } from '../rules/compare.ts'
import { type Failure, send } from './client.ts'
import { dropDraft, keepDraft, keptDraft } from './drafts.ts'

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
  /** The version to begin from, and as it is edited: they differ in a copy. */
  base: T
  form?: T
  toForm(record: R): T
  toBody(form: T, names: (keyof T)[]): object
  /** Members that only a new record is sent with. */
  more?: object
  fieldOf?(member: string): string
}

/** A form over a record: what is changed, kept against a reload, saved if nobody else has saved, and brought together if somebody has. */
export function useEditing<R extends { id: number }, T extends object>(subject: Subject<R, T>) {
  const { name, path, id, toForm, toBody, more = {}, fieldOf = (member: string) => member } = subject
  const [kept] = useState(() => keptDraft<T>(name))
  const [base, setBase] = useState(kept?.base ?? subject.base)
  const [form, setForm] = useState(kept?.form ?? subject.form ?? subject.base)
  const [etag, setEtag] = useState(kept ? kept.etag : subject.etag)
  const [isRestored, setRestored] = useState(kept !== undefined && !same(kept.base, kept.form))
  const [failure, setFailure] = useState<Failure>()
  const [errors, setErrors] = useState<Record<string, string>>({})
  const [clash, setClash] = useState<Clash<T>>()
  const [busy, setBusy] = useState(false)
  const isChanged = !same(base, form)

  // at once, because a reload does not wait
  useLayoutEffect(() => {
    if (isChanged) keepDraft(name, { base, form, etag })
    else dropDraft(name)
  }, [name, base, form, etag])

  /** Changes members of the form. */
  const change = (values: Partial<T>) => {
    setForm((before) => ({ ...before, ...values }))
    setErrors((before) => Object.fromEntries(Object.entries(before).filter(([field]) => !(field in values))))
  }
  const accept = (record: R, tag: string | undefined) => {
    const now = toForm(record)
    setBase(now)
    setForm(now)
    setEtag(tag)
    setRestored(false)
    dropDraft(name)
  }
  const refuse = async (error: Failure, mine: T) => {
    if (error.status === 412) {
      const { body, etag } = await send<R>('GET', `${path}/${id}`)
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
    on: { base: T; form: T; etag: string | undefined } = { base, form, etag },
  ): Promise<R | undefined> {
    const mine = { ...on.form, ...values }
    const names = id === undefined ? (Object.keys(mine) as (keyof T)[]) : changed(on.base, mine)
    setForm(mine)
    setFailure(undefined)
    setErrors({})
    setBusy(true)
    try {
      const body = { ...toBody(mine, names), ...(id === undefined && more) }
      const answer =
        id === undefined
          ? await send<R>('POST', path, { body })
          : await send<R>('PATCH', `${path}/${id}`, { body, match: on.etag })
      accept(answer.body, answer.etag)
      return answer.body
    } catch (error) {
      // what a button alone would have changed, such as the status, is as it was
      setForm((now) => ({ ...now, ...pickOf(on.form, Object.keys(values) as (keyof T)[]) }))
      await refuse(error as Failure, mine).catch(setFailure)
      return undefined
    } finally {
      setBusy(false)
    }
  }
  /** Saves what was made of both versions, on that of the other editor. */
  const resolve = (resolved: T) => {
    const { theirs, etag } = clash!
    setClash(undefined)
    setBase(theirs)
    setEtag(etag)
    return save({}, { base: theirs, form: resolved, etag })
  }
  /** Takes back what is not saved. */
  const reset = () => {
    setForm(base)
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
    errors,
    failure,
    busy,
    isChanged,
    isRestored,
    clash,
    resolve,
    dismiss: () => setClash(undefined),
    accept,
  }
}
export type Editing<R extends { id: number }, T extends object> = ReturnType<typeof useEditing<R, T>>
